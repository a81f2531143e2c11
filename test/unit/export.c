#include "analyzer/output/export.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <zlib.h>

#include "analyzer/support/memory.h"
#include "test/support/capture.h"

static uint32_t add(struct an_profile *profile, uint32_t parent, const char *name,
                    enum an_value value, uint64_t amount)
{
    struct an_tree *tree = profile->tree;
    uint32_t node = an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
    cr_assert_eq(an_tree_add(tree, node, value, amount), 0);
    return node;
}

static void sample(struct an_profile *profile)
{
    an_profile_init(profile);
    profile->path = strdup("x.folded");
    profile->file_count = 1;
    uint32_t main = add(profile, 0, "main", AN_BYTES, 1);
    uint32_t f = add(profile, main, "f (a.c:12)", AN_BYTES, 300);
    add(profile, f, "f (a.c:12)", AN_BYTES, 20);
    cr_assert_eq(an_tree_add(profile->tree, f, AN_ALLOCATIONS, 2), 0);
}

/* A reader of the wire format, written from its description: varints and pieces by field. */
struct wire {
    const uint8_t *at, *end;
};

static uint64_t wire_varint(struct wire *wire)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        cr_assert(wire->at < wire->end && shift < 64);
        uint8_t byte = *wire->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
}

/* The next field: its number, and either RET_NUMBER or RET_PIECE. 0 at the end. */
static unsigned wire_field(struct wire *wire, uint64_t *ret_number, struct wire *ret_piece)
{
    if (wire->at == wire->end)
        return 0;
    uint64_t tag = wire_varint(wire);
    *ret_number = wire_varint(wire);
    if ((tag & 7) == 2) {
        cr_assert(*ret_number <= (uint64_t)(wire->end - wire->at));
        *ret_piece = (struct wire){wire->at, wire->at + *ret_number};
        wire->at = ret_piece->end;
    } else {
        cr_assert_eq(tag & 7, 0);
    }
    return (unsigned)(tag >> 3);
}

#define PPROF_MAX 16

struct pprof {
    char string[PPROF_MAX][64];
    unsigned strings;
    uint64_t type[PPROF_MAX][2];
    unsigned types;
    uint64_t function_name[PPROF_MAX]; /* by id */
    uint64_t function_file[PPROF_MAX];
    uint64_t location_function[PPROF_MAX];
    uint64_t location_line[PPROF_MAX];
    uint64_t stack[PPROF_MAX][PPROF_MAX]; /* location ids, leaf first */
    uint64_t value[PPROF_MAX][PPROF_MAX];
    unsigned samples;
    uint64_t default_type;
};

static void read_record(struct wire piece, uint64_t *fields, unsigned count)
{
    uint64_t number;
    struct wire inner;
    unsigned field;
    memset(fields, 0, count * sizeof(*fields));
    while ((field = wire_field(&piece, &number, &inner))) {
        cr_assert_lt(field, count);
        fields[field] = number;
    }
}

static void read_list(struct wire piece, uint64_t *list)
{
    unsigned count = 0;
    while (piece.at < piece.end)
        list[count++] = wire_varint(&piece);
}

static void read_sample(struct wire piece, struct pprof *pprof)
{
    uint64_t number;
    struct wire inner;
    unsigned field;
    while ((field = wire_field(&piece, &number, &inner)))
        read_list(inner, field == 1 ? pprof->stack[pprof->samples] : pprof->value[pprof->samples]);
    pprof->samples++;
}

static void read_location(struct wire piece, struct pprof *pprof)
{
    uint64_t number, id = 0, line[3];
    struct wire inner;
    unsigned field;
    while ((field = wire_field(&piece, &number, &inner))) {
        if (field == 1)
            id = number;
        if (field != 4)
            continue;
        read_record(inner, line, 3);
        pprof->location_function[id] = line[1];
        pprof->location_line[id] = line[2];
    }
}

static void read_pprof(const char *bytes, size_t count, struct pprof *pprof)
{
    static uint8_t plain[10000];
    z_stream stream = {.next_in = (Bytef *)bytes,
                       .avail_in = (uInt)count,
                       .next_out = plain,
                       .avail_out = sizeof(plain)};
    cr_assert_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    struct wire wire = {plain, plain + stream.total_out}, piece;
    inflateEnd(&stream);
    uint64_t number, fields[8];
    unsigned field;
    memset(pprof, 0, sizeof(*pprof));
    while ((field = wire_field(&wire, &number, &piece))) {
        if (field == 1) {
            read_record(piece, fields, 3);
            memcpy(pprof->type[pprof->types++], fields + 1, 16);
        } else if (field == 2) {
            read_sample(piece, pprof);
        } else if (field == 4) {
            read_location(piece, pprof);
        } else if (field == 5) {
            read_record(piece, fields, 6);
            pprof->function_name[fields[1]] = fields[2];
            pprof->function_file[fields[1]] = fields[4];
        } else if (field == 6) {
            memcpy(pprof->string[pprof->strings++], piece.at, number);
        } else if (field == 14) {
            pprof->default_type = number;
        }
    }
}

static const char *function_of(const struct pprof *pprof, uint64_t location)
{
    return pprof->string[pprof->function_name[pprof->location_function[location]]];
}

Test(export, pprof_holds_every_stack_with_all_values)
{
    struct an_profile profile;
    struct capture capture;
    static struct pprof pprof;
    sample(&profile);
    cr_assert_eq(an_export_pprof(&profile, AN_BYTES, capture_begin(&capture)), 0);
    capture_end(&capture);
    read_pprof(capture.text, capture.bytes, &pprof);
    cr_assert_str_eq(pprof.string[0], "");
    cr_assert_eq(pprof.types, 2);
    cr_assert_str_eq(pprof.string[pprof.type[0][0]], "bytes");
    cr_assert_str_eq(pprof.string[pprof.type[1][0]], "allocations");
    cr_assert_str_eq(pprof.string[pprof.type[1][1]], "count");
    cr_assert_str_eq(pprof.string[pprof.default_type], "bytes");
    cr_assert_eq(pprof.samples, 3);
    cr_assert_eq(pprof.value[1][0], 300);
    cr_assert_eq(pprof.value[1][1], 2);
    cr_assert_str_eq(function_of(&pprof, pprof.stack[1][0]), "f");
    cr_assert_str_eq(function_of(&pprof, pprof.stack[1][1]), "main");
    cr_assert_eq(pprof.stack[1][2], 0);
    cr_assert_eq(pprof.stack[2][0], pprof.stack[2][1]);
    cr_assert_eq(pprof.location_line[pprof.stack[1][0]], 12);
    cr_assert_str_eq(pprof.string[pprof.function_file[pprof.location_function[pprof.stack[1][0]]]],
                     "a.c");
    capture_free(&capture);
    an_profile_release(&profile);
}

Test(export, pprof_refuses_what_it_cannot_hold)
{
    struct an_profile profile;
    struct capture capture;
    an_profile_init(&profile);
    add(&profile, 0, "f", AN_BYTES, UINT64_C(1) << 63);
    cr_assert_eq(an_export_pprof(&profile, AN_BYTES, capture_begin(&capture)), -EOVERFLOW);
    capture_end(&capture);
    capture_free(&capture);
    an_profile_release(&profile);
}

Test(export, speedscope_frames_open_and_close_in_pairs)
{
    struct an_profile profile;
    struct capture capture;
    sample(&profile);
    an_export_speedscope(&profile, AN_ALLOCATIONS, AN_BY_NAME, capture_begin(&capture));
    const char *text = capture_end(&capture);
    cr_assert_not_null(strstr(text,
                              "\"unit\":\"bytes\",\"startValue\":0,\"endValue\":321,\"events\":["
                              "{\"type\":\"O\",\"frame\":0,\"at\":0},"
                              "{\"type\":\"O\",\"frame\":1,\"at\":1},"
                              "{\"type\":\"O\",\"frame\":1,\"at\":301},"
                              "{\"type\":\"C\",\"frame\":1,\"at\":321},"
                              "{\"type\":\"C\",\"frame\":1,\"at\":321},"
                              "{\"type\":\"C\",\"frame\":0,\"at\":321}]"));
    cr_assert_not_null(strstr(text, "\"activeProfileIndex\":1}"));
    capture_free(&capture);
    an_profile_release(&profile);
}

Test(export, chrome_events_nest_by_their_totals)
{
    struct an_profile profile;
    struct capture capture;
    an_profile_init(&profile);
    profile.path = strdup("x.folded");
    uint32_t main = add(&profile, 0, "main", AN_TIME, 1500);
    add(&profile, main, "f", AN_TIME, 250);
    an_export_chrome(&profile, AN_TIME, AN_BY_NAME, capture_begin(&capture));
    const char *text = capture_end(&capture);
    cr_assert_not_null(strstr(text, "{\"ph\":\"X\",\"name\":\"main\",\"ts\":0,\"dur\":1.75,"));
    cr_assert_not_null(strstr(text, "{\"ph\":\"X\",\"name\":\"f\",\"ts\":1.5,\"dur\":0.25,"));
    capture_free(&capture);
    an_profile_release(&profile);
}

Test(export, json_and_csv_hold_all_values)
{
    struct an_profile profile;
    struct capture capture;
    sample(&profile);
    an_export_csv(&profile, capture_begin(&capture));
    cr_assert_str_eq(capture_end(&capture), "stack,bytes,allocations\n"
                                            "main,1,0\n"
                                            "\"main;f (a.c:12)\",300,2\n"
                                            "\"main;f (a.c:12);f (a.c:12)\",20,0\n");
    capture_free(&capture);
    an_export_json(&profile, capture_begin(&capture));
    cr_assert_not_null(strstr(capture_end(&capture),
                              "{\"id\":2,\"parent\":1,\"name\":\"f (a.c:12)\",\"bytes\":300,"
                              "\"allocations\":2}"));
    capture_free(&capture);
    an_profile_release(&profile);
}

/* main with work, whose callee ends behind it by what clocks differ; and a fibre that is open. */
static void timed_sample(struct an_profile *profile)
{
    an_profile_init(profile);
    profile->path = strdup("x.thag");
    profile->program = strdup("/bin/x");
    profile->pid = 7;
    uint32_t main = add(profile, 0, "main", AN_TIME, 50);
    uint32_t work = add(profile, main, "work", AN_TIME, 10);
    uint32_t leaf = add(profile, work, "leaf", AN_TIME, 40);
    const struct an_span spans[] = {
        {.start_ns = 1000, .duration_ns = 9000, .node = main},
        {.start_ns = 2000, .duration_ns = 3000, .node = work, .row = 1},
        {.start_ns = 2500, .duration_ns = 2600, .node = leaf, .row = 2},
        {.start_ns = 6000, .duration_ns = 0, .node = work, .row = 1},
        {.start_ns = 1500, .duration_ns = 500, .node = main, .open = true},
    };
    struct an_timeline *timeline = an_memory_zeroed(1, sizeof(*timeline));
    timeline->span = an_memory_array(5, sizeof(*spans));
    memcpy(timeline->span, spans, sizeof(spans));
    timeline->span_count = 5;
    timeline->rest = an_memory_zeroed(profile->tree->node_count, sizeof(*timeline->rest));
    timeline->lane = an_memory_zeroed(2, sizeof(*timeline->lane));
    timeline->lane[0] = (struct an_lane){.name = strdup("m"), .tid = 9, .count = 4};
    timeline->lane[1] = (struct an_lane){
        .name = strdup("m"), .tid = 9, .fibre = 1, .least_ns = 64, .first = 4, .count = 1};
    timeline->lane_count = 2;
    profile->timeline = timeline;
}

Test(export, speedscope_has_a_profile_per_lane_with_calls_at_their_times)
{
    struct an_profile profile;
    struct capture capture;
    timed_sample(&profile);
    an_export_speedscope(&profile, AN_TIME, AN_BY_NAME, capture_begin(&capture));
    const char *text = capture_end(&capture);
    cr_assert_not_null(strstr(text, "\"name\":\"m (thread 9)\",\"unit\":\"nanoseconds\","
                                    "\"startValue\":1000,\"endValue\":10000,\"events\":["
                                    "{\"type\":\"O\",\"frame\":0,\"at\":1000},"
                                    "{\"type\":\"O\",\"frame\":1,\"at\":2000},"
                                    "{\"type\":\"O\",\"frame\":2,\"at\":2500},"
                                    "{\"type\":\"C\",\"frame\":2,\"at\":5000},"
                                    "{\"type\":\"C\",\"frame\":1,\"at\":5000},"
                                    "{\"type\":\"O\",\"frame\":1,\"at\":6000},"
                                    "{\"type\":\"C\",\"frame\":1,\"at\":6000},"
                                    "{\"type\":\"C\",\"frame\":0,\"at\":10000}]"));
    cr_assert_not_null(strstr(text, "\"m (thread 9, fibre 1), calls under 64 ns only as sums\""));
    /* The sums come behind them. */
    cr_assert_not_null(strstr(text, "\"name\":\"time\",\"unit\":\"nanoseconds\",\"startValue\":0,"
                                    "\"endValue\":100"));
    cr_assert_not_null(strstr(text, "\"activeProfileIndex\":0}"));
    capture_free(&capture);
    an_profile_release(&profile);
}

Test(export, chrome_has_a_track_per_lane_with_calls_at_their_times)
{
    struct an_profile profile;
    struct capture capture;
    timed_sample(&profile);
    profile.moment = an_memory_zeroed(1, sizeof(*profile.moment));
    profile.moment[profile.moment_count++] = (struct an_moment){2500, 4096};
    an_export_chrome(&profile, AN_TIME, AN_BY_NAME, capture_begin(&capture));
    const char *text = capture_end(&capture);
    cr_assert_not_null(strstr(text, "{\"ph\":\"M\",\"pid\":7,\"tid\":1,\"name\":\"thread_name\","
                                    "\"args\":{\"name\":\"m (thread 9)\"}}"));
    cr_assert_not_null(strstr(text, "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"name\":\"leaf\","
                                    "\"ts\":2.5,\"dur\":2.5}"));
    cr_assert_not_null(strstr(text, "{\"ph\":\"X\",\"pid\":7,\"tid\":2,\"name\":\"main\","
                                    "\"ts\":1.5,\"dur\":0.5,\"args\":{\"open_at_end\":true}}"));
    cr_assert_not_null(strstr(text, "{\"ph\":\"C\",\"pid\":7,\"tid\":0,\"name\":\"live memory\","
                                    "\"ts\":2.5,\"args\":{\"bytes\":4096}}"));
    cr_assert_null(strstr(text, "self_time"));
    capture_free(&capture);
    an_profile_release(&profile);
}
