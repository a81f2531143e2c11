/*
 * Text of unknown origin: what comes out is valid, visible and ends nothing that it stands in.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/escape.h"

typedef void (*writer)(FILE *, const char *, size_t);

static char *written_bytes(writer write, const char *text, size_t bytes)
{
    char *result = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&result, &size);

    write(out, text, bytes);
    fclose(out);
    return result;
}

static void check(writer write, const char *text, const char *expected)
{
    char *result = written_bytes(write, text, strlen(text));

    cr_assert_str_eq(result, expected);
    free(result);
}

Test(escape, xml_specials_are_quoted)
{
    check(an_escape_xml, "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
    check(an_escape_xml, "]]>", "]]&gt;");
}

Test(escape, json_cannot_end_its_script_element)
{
    check(an_escape_json, "</script><!--]]>&amp;",
          "\"\\u003c/script\\u003e\\u003c!--]]\\u003e\\u0026amp;\"");
    check(an_escape_json, "\"\\", "\"\\\"\\\\\"");
}

Test(escape, controls_become_their_pictures)
{
    char *result = written_bytes(an_escape_xml, "a\0b\x1b\n\x7f", 6);

    cr_assert_str_eq(result, "a\u2400b\u241b\u240a\u2421");
    free(result);
}

Test(escape, invalid_utf8_becomes_replacement_characters)
{
    check(an_escape_xml,
          "\xff"
          "a",
          "\ufffd"
          "a");
    check(an_escape_xml, "\xc3", "\ufffd");
    check(an_escape_xml, "\xc0\xaf", "\ufffd\ufffd");      /* overlong */
    check(an_escape_xml, "\xe2\x82<", "\ufffd\ufffd&lt;"); /* cut short before a special */
    check(an_escape_xml, "\xf5\x80\x80\x80", "\ufffd\ufffd\ufffd\ufffd");
}

Test(escape, code_points_that_xml_forbids_become_replacement_characters)
{
    check(an_escape_xml, "\xed\xa0\x80", "\ufffd"); /* a surrogate */
    check(an_escape_xml, "\xef\xbf\xbe", "\ufffd"); /* U+FFFE */
    check(an_escape_xml, "\xef\xb7\x90", "\ufffd"); /* U+FDD0 */
    check(an_escape_xml, "\xc2\x85", "\ufffd");     /* a C1 control */
}

Test(escape, marks_that_reorder_text_become_replacement_characters)
{
    static const char *const marks[] = {"\u200e", "\u200f", "\u061c", "\u202a",
                                        "\u202e", "\u2066", "\u2069"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        check(an_escape_xml, marks[i], "\ufffd");
}

Test(escape, overlong_forms_become_replacement_characters)
{
    check(an_escape_xml, "\xe0\x80\xbc", "\ufffd\ufffd\ufffd");           /* '<' in three bytes */
    check(an_escape_xml, "\xf0\x80\x80\xbc", "\ufffd\ufffd\ufffd\ufffd"); /* and in four */
}

Test(escape, valid_text_of_all_lengths_stays)
{
    const char *text = "a\u00e9\u6e2c\U0001f525";

    check(an_escape_xml, text, text);
}

Test(escape, a_sequence_cut_by_the_end_reads_no_further)
{
    /* The byte behind the text would complete the sequence. */
    char *result = written_bytes(an_escape_xml, "\xe2\x82\xac", 2);

    cr_assert_str_eq(result, "\ufffd\ufffd");
    free(result);
}
