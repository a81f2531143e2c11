#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/diff.h"

static void shows(const char *text, const struct in_edits *edits, const char *wanted)
{
    char *diff = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&diff, &bytes);
    in_diff_write("f.c", edits, text, (uint32_t)strlen(text), stream);
    fclose(stream);
    cr_assert_str_eq(diff, wanted);
    free(diff);
}

Test(in_diff, no_edits_are_no_text)
{
    struct in_edits edits = {NULL, 0, 0};
    shows("a\n", &edits, "");
}

Test(in_diff, edits_of_one_line_are_one_change)
{
    struct in_edits edits = {NULL, 0, 0};
    in_edits_add(&edits, 3, 0, "X");
    in_edits_add(&edits, 4, 0, "Y");
    shows("a\nbcd\ne\n", &edits, "--- f.c\n+++ f.c\n@@ -1,3 +1,3 @@\n a\n-bcd\n+bXcYd\n e\n");
    in_edits_release(&edits);
}

Test(in_diff, whole_lines_come_and_go)
{
    struct in_edits edits = {NULL, 0, 0};
    in_edits_add(&edits, 0, 0, "new\n");
    in_edits_add(&edits, 2, 2, "");
    shows("a\nb\nc\n", &edits, "--- f.c\n+++ f.c\n@@ -1,3 +1,3 @@\n+new\n a\n-b\n c\n");
    in_edits_release(&edits);
}

Test(in_diff, far_changes_are_hunks_of_their_own)
{
    struct in_edits edits = {NULL, 0, 0};
    in_edits_add(&edits, 0, 0, "new\n");
    in_edits_add(&edits, 19, 0, "X");
    shows("1\n2\n3\n4\n5\n6\n7\n8\n9\n0\nz\n", &edits,
          "--- f.c\n+++ f.c\n@@ -1,3 +1,4 @@\n+new\n 1\n 2\n 3\n"
          "@@ -7,5 +8,5 @@\n 7\n 8\n 9\n-0\n+0X\n z\n");
    in_edits_release(&edits);
}

Test(in_diff, a_file_without_a_last_end_of_line)
{
    struct in_edits edits = {NULL, 0, 0};
    in_edits_add(&edits, 1, 0, "X");
    shows("a", &edits,
          "--- f.c\n+++ f.c\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n"
          "+aX\n\\ No newline at end of file\n");
    in_edits_release(&edits);
}

Test(in_diff, a_file_that_becomes_empty)
{
    struct in_edits edits = {NULL, 0, 0};
    in_edits_add(&edits, 0, 2, "");
    shows("a\n", &edits, "--- f.c\n+++ f.c\n@@ -1,1 +0,0 @@\n-a\n");
    in_edits_release(&edits);
}
