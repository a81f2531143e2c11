#include "analyzer/output/json.h"

#include <criterion/criterion.h>
#include <string.h>

#include "test/support/capture.h"

static void assert_text(const char *bytes, size_t count, const char *wanted)
{
    struct capture capture;
    struct an_json json;
    an_json_begin(&json, capture_begin(&capture));
    an_json_text(&json, bytes, count);
    an_json_end(&json);
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
}

Test(json, texts_are_always_valid)
{
    assert_text("a\"b\\c", 5, "\"a\\\"b\\\\c\"\n");
    assert_text("\n\0\x1f\x7f", 4, "\"\\u000a\\u0000\\u001f\\u007f\"\n");
    assert_text("gr\xc3\xb6\xc3\x9f", 6, "\"gr\xc3\xb6\xc3\x9f\"\n");
    assert_text("\xff\xc3", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    assert_text("\xed\xa0\x80z", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"\n");
    assert_text("\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    assert_text("\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"\n");
    assert_text("\xf0\x9f\x98", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n");
    assert_text("", 0, "\"\"\n");
}

Test(json, commas_stand_between_values_only)
{
    struct capture capture;
    struct an_json json;
    an_json_begin(&json, capture_begin(&capture));
    an_json_object_open(&json);
    an_json_pair_number(&json, "a", 1);
    an_json_key(&json, "list");
    an_json_list_open(&json);
    an_json_line(&json);
    an_json_number(&json, 2);
    an_json_line(&json);
    an_json_amount(&json, 35, 10);
    an_json_null(&json);
    an_json_list_close(&json);
    an_json_key(&json, "empty");
    an_json_list_open(&json);
    an_json_list_close(&json);
    an_json_pair_text(&json, "none", NULL);
    an_json_key(&json, "is");
    an_json_bool(&json, true);
    an_json_object_close(&json);
    an_json_end(&json);
    cr_assert_str_eq(
        capture_end(&capture),
        "{\"a\":1,\"list\":[\n2,\n3.5,null],\"empty\":[],\"none\":null,\"is\":true}\n");
    capture_free(&capture);
}

static void assert_csv(const char *bytes, size_t count, const char *wanted)
{
    struct capture capture;
    an_csv_text(capture_begin(&capture), bytes, count);
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
}

Test(json, csv_fields_are_quoted_where_they_must)
{
    assert_csv("plain", 5, "plain");
    assert_csv("a,b", 3, "\"a,b\"");
    assert_csv("say \"x\"", 7, "\"say \"\"x\"\"\"");
    assert_csv("a\nb", 3, "\"a\nb\"");
    assert_csv("", 0, "\"\"");
    assert_csv("\xff", 1, "\xef\xbf\xbd");
    assert_csv("a\tb", 3, "a\tb");
}

Test(json, csv_fields_hold_nothing_that_a_terminal_would_obey)
{
    assert_csv("\x1b[31m\x7f", 6, "\u241b[31m\u2421");
    assert_csv("\xc2\x9b"
               "2J",
               4, "\uFFFD2J");
    assert_csv("\0", 1, "\"\u2400\"");
}
