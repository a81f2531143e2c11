#include "analyzer/output/folded_writer.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/input/folded_reader.h"
#include "test/support/capture.h"

static uint32_t add(struct an_tree *tree, uint32_t parent, const char *name, enum an_value value,
                    uint64_t amount)
{
    uint32_t node = an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
    cr_assert_eq(an_tree_add(tree, node, value, amount), 0);
    return node;
}

static void assert_written(const struct an_tree *tree, struct an_folded_output output,
                           const char *wanted)
{
    struct capture capture;
    if (!output.scale)
        output.scale = 1;
    an_folded_write(tree, &output, capture_begin(&capture));
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
}

Test(folded_writer, a_line_per_stack_that_owns_something)
{
    struct an_tree *tree = an_tree_new();
    uint32_t main = add(tree, 0, "main", AN_BYTES, 0);
    uint32_t b = add(tree, main, "b", AN_BYTES, 5);
    add(tree, b, "c", AN_BYTES, 7);
    add(tree, main, "a", AN_BYTES, 9);
    assert_written(tree, (struct an_folded_output){.value = AN_BYTES, .order = AN_BY_NAME},
                   "main;a 9\nmain;b 5\nmain;b;c 7\n");
    assert_written(tree, (struct an_folded_output){.value = AN_BYTES, .order = AN_BY_TIME},
                   "main;b 5\nmain;b;c 7\nmain;a 9\n");
    assert_written(tree, (struct an_folded_output){.value = AN_FREES}, "");
    an_tree_free(tree);
}

Test(folded_writer, times_are_rounded_once_and_what_rounds_to_nothing_stays)
{
    struct an_tree *tree = an_tree_new();
    uint32_t main = add(tree, 0, "main", AN_TIME, 1499);
    add(tree, main, "half", AN_TIME, 500);
    add(tree, main, "less", AN_TIME, 499);
    add(tree, main, "most", AN_TIME, UINT64_MAX - 3000);
    add(tree, main, "zero", AN_TIME, 0);
    struct an_folded_output output = {.value = AN_TIME};
    assert_written(tree, output,
                   "main 1\nmain;half 1\nmain;less 0\nmain;most 18446744073709549\n"
                   "main;zero 0\n");
    output.exact = true;
    assert_written(tree, output,
                   "main 1.499\nmain;half 0.5\nmain;less 0.499\n"
                   "main;most 18446744073709548.615\nmain;zero 0\n");
    output.nanoseconds = true;
    assert_written(tree, output,
                   "main 1499\nmain;half 500\nmain;less 499\nmain;most 18446744073709548615\n"
                   "main;zero 0\n");
    an_tree_free(tree);
}

Test(folded_writer, names_are_made_fit_for_a_line)
{
    struct an_tree *tree = an_tree_new();
    uint32_t node = add(tree, 0, "a;b", AN_BYTES, 0);
    node = add(tree, node, "new\nline\r\t", AN_BYTES, 0);
    node = add(tree, node, "\xff", AN_BYTES, 0);
    add(tree, node, "operator new", AN_BYTES, 4);
    assert_written(tree, (struct an_folded_output){.value = AN_BYTES},
                   "a:b;new\u240aline\u240d\u2409;\ufffd;operator new 4\n");
    an_tree_free(tree);
}

Test(folded_writer, what_was_written_is_read_back_the_same)
{
    static const char text[] = "m;a b 1.5\nm;a b;;x 20\nm;z 0\n";
    struct an_folded_format format = {.value = AN_BYTES, .factor = 1, .one_column = true};
    char path[] = "/tmp/thag-folded-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    struct an_source *source;
    struct an_profile profile;
    cr_assert_eq(an_source_open(path, &source), 0);
    an_profile_init(&profile);
    cr_assert_eq(an_folded_load(source, &format, &profile, NULL), 0);
    an_source_close(source);
    close(descriptor);
    unlink(path);
    assert_written(profile.tree,
                   (struct an_folded_output){
                       .value = AN_BYTES, .scale = profile.scale[AN_BYTES], .exact = true},
                   "m;a b 1.5\nm;a b;;x 20\n");
    an_profile_release(&profile);
}

Test(folded_writer, a_value_without_a_stack_is_not_lost)
{
    struct an_tree *tree = an_tree_new();
    cr_assert_eq(an_tree_add(tree, 0, AN_BYTES, 3), 0);
    add(tree, 0, "main", AN_BYTES, 4);
    assert_written(tree, (struct an_folded_output){.value = AN_BYTES}, "[all] 3\nmain 4\n");
    an_tree_free(tree);
}
