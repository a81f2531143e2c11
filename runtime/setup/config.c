/*
 * config.c -- parsing the two variables.
 */
#include "runtime/setup/config.h"

#include <signal.h>
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/setup/home.h"

/* Not terminated: a part of the variable's value. */
struct word {
    const char *at;
    size_t bytes;
};

/* A table of legal words; NAME NULL ends it. */
struct choice {
    const char *name;
    int value;
};

enum { SIGNAL_LIBC = 32, SIGNAL_LAST = 64 };

enum type_bits { TYPE_MEMORY = 1, TYPE_TIME = 2, TYPE_SAMPLE = 4 };

static const struct choice types[] = {
    {"both", TYPE_MEMORY | TYPE_TIME},
    {"memory", TYPE_MEMORY},
    {"time", TYPE_TIME},
    {"none", 0},
    {"sample", TYPE_SAMPLE},
    {"sample+memory", TYPE_SAMPLE | TYPE_MEMORY},
    {"sample+time", TYPE_SAMPLE | TYPE_TIME},
    {"sample+both", TYPE_SAMPLE | TYPE_MEMORY | TYPE_TIME},
    {NULL, 0},
};
static const struct choice debug_levels[] = {
    {"none", RT_DEBUG_NONE}, {"quiet", RT_DEBUG_QUIET}, {"announce", RT_DEBUG_ANNOUNCE}, {NULL, 0}};
static const struct choice booleans[] = {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0},
                                         {"1", 1},    {"0", 0},     {NULL, 0}};
static const struct choice switches[] = {{"on", 1}, {"off", 0}, {NULL, 0}};
static const struct choice follows[] = {
    {"no", RT_FOLLOW_NO}, {"fork", RT_FOLLOW_FORK}, {"all", RT_FOLLOW_ALL}, {NULL, 0}};
static const struct choice clocks[] = {
    {"auto", RT_CLOCK_AUTO}, {"tsc", RT_CLOCK_TSC}, {"monotonic", RT_CLOCK_MONOTONIC}, {NULL, 0}};
static const struct choice sample_clocks[] = {{"cpu", 0}, {"wall", 1}, {NULL, 0}};
static const struct choice stores[] = {
    {"file", RT_STORE_FILE}, {"memory", RT_STORE_MEMORY}, {NULL, 0}};
static const struct choice signals[] = {
    {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2},   {"SIGHUP", SIGHUP},
    {"SIGURG", SIGURG},   {"SIGIO", SIGIO},       {"SIGPROF", SIGPROF},
    {"SIGALRM", SIGALRM}, {"SIGWINCH", SIGWINCH}, {NULL, 0}};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct word trim(struct word word)
{
    while (word.bytes && is_blank(word.at[0])) {
        word.at++, word.bytes--;
    }
    while (word.bytes && is_blank(word.at[word.bytes - 1])) {
        word.bytes--;
    }
    return word;
}

/* The part up to the next SEPARATOR, trimmed; REST moves behind it, to NULL at the end. */
static struct word next_word(const char **rest, char separator)
{
    const char *at = *rest;
    size_t bytes = 0;
    while (at[bytes] && at[bytes] != separator) {
        bytes++;
    }
    *rest = at[bytes] ? at + bytes + 1 : NULL;
    return trim((struct word){at, bytes});
}

static bool pick(const struct choice *choices, struct word word, int *ret_value)
{
    for (; choices->name; choices++) {
        if (rt_text_same_word(word.at, word.bytes, choices->name)) {
            *ret_value = choices->value;
            return true;
        }
    }
    return false;
}

/* What the user wrote, in one line whatever it was. */
static void add_word(struct rt_text *message, struct word word)
{
    for (size_t i = 0; i < word.bytes; i++) {
        bool is_control = (unsigned char)word.at[i] < ' ' || word.at[i] == 0x7f;
        rt_text_add_bytes(message, is_control ? "?" : word.at + i, 1);
    }
}

static void say_part(struct rt_text *message, const char *part, struct word word)
{
    rt_text_clear(message);
    rt_text_add(message, "thag: THAG_PROFILER: ");
    rt_text_add(message, part);
    rt_text_add(message, " '");
    add_word(message, word);
    rt_text_add(message, "' ");
}

/* "thag: THAG_PROFILER: PART 'WORD' is none of a, b, c; not profiling" */
static bool refuse(struct rt_text *message, const char *part, struct word word,
                   const struct choice *choices)
{
    say_part(message, part, word);
    rt_text_add(message, "is none of ");
    for (const struct choice *choice = choices; choice->name; choice++) {
        rt_text_add(message, choice == choices ? "" : ", ");
        rt_text_add(message, choice->name);
    }
    rt_text_add(message, "; not profiling");
    return false;
}

static bool refuse_number(struct rt_text *message, const char *part, struct word word,
                          const char *wanted)
{
    say_part(message, part, word);
    rt_text_add(message, "is not ");
    rt_text_add(message, wanted);
    rt_text_add(message, "; not profiling");
    return false;
}

/* A whole number; K, M and G (of 1024) may follow where UNITS says so. */
static bool number(struct word word, bool units, uint64_t *ret_number)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < word.bytes && word.at[i] >= '0' && word.at[i] <= '9'; i++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(word.at[i] - '0'), &value)) {
            return false;
        }
    }
    if (i == 0) {
        return false;
    }
    if (units && i + 1 == word.bytes) {
        static const char letters[] = "kmgKMG";
        for (unsigned u = 0; u < 6; u++) {
            if (word.at[i] == letters[u]) {
                unsigned shift = 10 * (u % 3 + 1);
                if (value > UINT64_MAX >> shift) {
                    return false;
                }
                *ret_number = value << shift;
                return true;
            }
        }
    }
    if (i != word.bytes) {
        return false;
    }
    *ret_number = value;
    return true;
}

/* What a key's value is and where it goes. */
enum key_kind { KEY_CHOICE, KEY_BOOL, KEY_UINT32, KEY_BYTES, KEY_TEXT, KEY_SIGNAL };

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;
    const struct choice *choices;
    uint64_t least, most;
};

#define KEY(field) offsetof(struct rt_config, field)
static const struct key keys[] = {
    {"stream", KEY_UINT32, KEY(stream_s), NULL, 1, 86400},
    {"follow", KEY_CHOICE, KEY(follow), follows, 0, 0},
    {"clock", KEY_CHOICE, KEY(clock), clocks, 0, 0},
    {"precise", KEY_BOOL, KEY(precise), booleans, 0, 0},
    {"sample_hz", KEY_UINT32, KEY(sample_hz), NULL, 1, 100000},
    {"sample_clock", KEY_BOOL, KEY(sample_wall), sample_clocks, 0, 0},
    {"max_size", KEY_BYTES, KEY(max_bytes), NULL, 1 << 20, UINT64_C(1) << 44},
    {"resolve", KEY_BOOL, KEY(resolve), booleans, 0, 0},
    {"resolver", KEY_TEXT, KEY(resolver), NULL, 0, 0},
    {"start", KEY_BOOL, KEY(start_on), switches, 0, 0},
    {"toggle_signal", KEY_SIGNAL, KEY(toggle_signal), signals, 0, 0},
    {"snapshot_signal", KEY_SIGNAL, KEY(snapshot_signal), signals, 0, 0},
    {"store", KEY_CHOICE, KEY(store), stores, 0, 0},
};

/* The key whose name stands before the '=' in WORD; RET_VALUE is what follows it. */
static const struct key *key_find(struct word word, struct word *ret_value)
{
    size_t name_bytes = 0;
    while (name_bytes < word.bytes && word.at[name_bytes] != '=') {
        name_bytes++;
    }
    if (name_bytes == word.bytes) {
        return NULL;
    }
    struct word name = trim((struct word){word.at, name_bytes});
    *ret_value = trim((struct word){word.at + name_bytes + 1, word.bytes - name_bytes - 1});
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (rt_text_same_word(name.at, name.bytes, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
}

/* SIGUSR1, usr1 or 10; not what nobody can catch, nor the two that are libc's own. */
static bool signal_number(struct word value, int *ret_signal)
{
    uint64_t plain;
    if (number(value, false, &plain)) {
        *ret_signal = (int)plain;
        return plain >= 1 && plain <= SIGNAL_LAST && plain != SIGKILL && plain != SIGSTOP &&
               plain != SIGNAL_LIBC && plain != SIGNAL_LIBC + 1;
    }
    for (const struct choice *choice = signals; choice->name; choice++) {
        if (rt_text_same_word(value.at, value.bytes, choice->name) ||
            rt_text_same_word(value.at, value.bytes, choice->name + 3)) {
            *ret_signal = choice->value;
            return true;
        }
    }
    return false;
}

static bool key_number(const struct key *key, struct word value, uint64_t *ret_number,
                       struct rt_text *message)
{
    uint64_t plain;
    if (number(value, key->kind == KEY_BYTES, &plain) && plain >= key->least &&
        plain <= key->most) {
        *ret_number = plain;
        return true;
    }
    struct rt_text wanted;
    rt_text_clear(&wanted);
    rt_text_add(&wanted, "a number from ");
    rt_text_add_number(&wanted, key->least);
    rt_text_add(&wanted, " to ");
    rt_text_add_number(&wanted, key->most);
    return refuse_number(message, key->name, value, wanted.at);
}

static bool key_set(struct rt_config *config, const struct key *key, struct word value,
                    struct rt_text *message)
{
    char *field = (char *)config + key->offset;
    int chosen;
    uint64_t plain;
    switch (key->kind) {
    case KEY_CHOICE:
    case KEY_BOOL:
        if (!pick(key->choices, value, &chosen)) {
            return refuse(message, key->name, value, key->choices);
        }
        if (key->kind == KEY_BOOL) {
            *(bool *)field = chosen != 0;
        } else {
            *(int *)(void *)field = chosen;
        }
        return true;
    case KEY_SIGNAL:
        if (!signal_number(value, &chosen)) {
            return refuse(message, key->name, value, key->choices);
        }
        *(int *)(void *)field = chosen;
        return true;
    case KEY_TEXT:
        rt_text_clear((struct rt_text *)(void *)field);
        rt_text_add_bytes((struct rt_text *)(void *)field, value.at, value.bytes);
        return true;
    case KEY_UINT32:
    case KEY_BYTES:
        break;
    }
    if (!key_number(key, value, &plain, message)) {
        return false;
    }
    if (key->kind == KEY_UINT32) {
        *(uint32_t *)(void *)field = (uint32_t)plain;
    } else {
        *(uint64_t *)(void *)field = plain;
    }
    return true;
}

static void type_set(struct rt_config *config, int bits)
{
    config->memory = bits & TYPE_MEMORY;
    config->time = bits & TYPE_TIME;
    config->sample = bits & TYPE_SAMPLE;
}

static bool refuse_unknown_key(struct rt_text *message, struct word word)
{
    say_part(message, "option", word);
    rt_text_add(message, "is no key=value; keys are ");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        rt_text_add(message, i ? ", " : "");
        rt_text_add(message, keys[i].name);
    }
    rt_text_add(message, "; not profiling");
    return false;
}

/* A known key before the fifth position: the right spelling is shown. */
static bool refuse_early_key(struct rt_text *message, struct word word)
{
    rt_text_clear(message);
    rt_text_add(message, "thag: THAG_PROFILER: '");
    add_word(message, word);
    rt_text_add(message, "' belongs behind the fourth comma, as in THAG_PROFILER=both,,,,");
    add_word(message, word);
    rt_text_add(message, "; not profiling");
    return false;
}

/* A ~ or ~USER at the start is a home directory. One named so would be made otherwise, and is
 * dangerous to remove. */
static bool directory_set(struct rt_config *config, struct word word,
                          const struct rt_environment *environment, struct rt_text *message)
{
    struct word below = word;
    rt_text_clear(&config->directory);
    if (word.at[0] == '~') {
        while (below.bytes && below.at[0] != '/') {
            below.at++, below.bytes--;
        }
        struct rt_user user = {word.at + 1, word.bytes - below.bytes - 1, os_process_user()};
        if (!rt_home_add(environment, user, &config->directory)) {
            say_part(message, "output_dir", word);
            rt_text_add(message, user.name_bytes
                                     ? "names a user that /etc/passwd does not have; not profiling"
                                     : "needs the variable HOME, which is not set; not profiling");
            return false;
        }
    }
    rt_text_add_bytes(&config->directory, below.at, below.bytes);
    return true;
}

static bool position_set(struct rt_config *config, unsigned position, struct word word,
                         const struct rt_environment *environment, struct rt_text *message)
{
    int chosen;
    struct word value;
    if (word.bytes == 0) {
        return true;
    }
    const struct key *key = key_find(word, &value);
    if (position >= 4) {
        if (!key) {
            return refuse_unknown_key(message, word);
        }
        return key_set(config, key, value, message);
    }
    if (key) {
        return refuse_early_key(message, word);
    }
    switch (position) {
    case 0:
        if (!pick(types, word, &chosen)) {
            return refuse(message, "type", word, types);
        }
        type_set(config, chosen);
        return true;
    case 1:
        return directory_set(config, word, environment, message);
    case 2:
        if (!pick(debug_levels, word, &chosen)) {
            return refuse(message, "debug_level", word, debug_levels);
        }
        config->debug_level = (enum rt_debug_level)chosen;
        return true;
    default:
        if (!pick(booleans, word, &chosen)) {
            return refuse(message, "memory_detail", word, booleans);
        }
        config->detail = chosen != 0;
        return true;
    }
}

static bool profiler_read(const char *value, const struct rt_environment *environment,
                          struct rt_config *config, struct rt_text *message)
{
    type_set(config, 0); /* set but empty: none */
    const char *rest = value;
    for (unsigned position = 0; rest; position++) {
        struct word word = next_word(&rest, ',');
        if (!position_set(config, position, word, environment, message)) {
            type_set(config, 0);
            return false;
        }
    }
    return true;
}

static void threshold_read(const char *value, struct rt_config *config, struct rt_text *message)
{
    struct word word = trim((struct word){value, __builtin_strlen(value)});
    if (word.bytes && !number(word, false, &config->threshold_bytes)) {
        config->threshold_bytes = 0;
        rt_text_clear(message);
        rt_text_add(message, "thag: SIZE_TRACKING_THRESHOLD: '");
        add_word(message, word);
        rt_text_add(message, "' is not a number of bytes; recording all sizes");
    }
}

bool rt_config_read(const struct rt_environment *environment, struct rt_config *ret_config,
                    struct rt_text *ret_message)
{
    *ret_config = (struct rt_config){
        .memory = true,
        .time = true,
        .follow = RT_FOLLOW_ALL,
        .sample_hz = 997,
        .max_bytes = UINT64_C(4) << 30,
        .resolve = true,
        .start_on = true,
    };
    rt_text_clear(ret_message);
    const char *threshold = rt_environment_get(environment, "SIZE_TRACKING_THRESHOLD");
    if (threshold) {
        threshold_read(threshold, ret_config, ret_message);
    }
    const char *value = rt_environment_get(environment, "THAG_PROFILER");
    return !value || profiler_read(value, environment, ret_config, ret_message);
}
