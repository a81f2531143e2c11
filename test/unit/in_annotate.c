#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/annotate.h"
#include "instrument/functions.h"
#include "instrument/include_line.h"

#define INCLUDE "#include <thag_profiler.h>\n"

/* The text after either tool. Lifetime: freed by free(). */
static char *edited(const char *text, bool removes, bool keep_lines)
{
    uint32_t bytes = (uint32_t)strlen(text);
    struct in_scan scan;
    struct in_edits edits;
    struct in_annotate_counts counts;
    struct in_include_line line = in_include_line_make(text, bytes, keep_lines);
    const struct in_annotate_texts texts = {" THAG_PROFILED;", " THAG_ENABLE_PROFILING;",
                                            line.text};
    char *result = NULL;
    size_t result_bytes = 0;
    in_scan_source(text, bytes, IN_LANGUAGE_GUESS, &scan);
    in_functions_settle(&scan);
    if (removes)
        in_unannotate(&scan, &edits, &counts);
    else
        in_annotate(&scan, &texts, line.at, line.possible, &edits, &counts);
    FILE *stream = open_memstream(&result, &result_bytes);
    in_edits_write(&edits, text, bytes, stream);
    fclose(stream);
    in_edits_release(&edits);
    in_scan_release(&scan);
    return result;
}

static void expect(char *text, const char *wanted)
{
    cr_assert_str_eq(text, wanted);
    free(text);
}

/* TEXT, which holds no marks, becomes WANTED and is itself again; twice is as good as once. */
static void marks(const char *text, const char *wanted)
{
    expect(edited(text, false, false), wanted);
    expect(edited(wanted, false, false), wanted);
    expect(edited(wanted, true, false), text);
    expect(edited(text, true, false), text);
}

static void unmarks(const char *text, const char *wanted)
{
    expect(edited(text, true, false), wanted);
    char *marked = edited(text, false, false);
    expect(edited(marked, true, false), wanted);
    free(marked);
    expect(edited(wanted, true, false), wanted);
}

Test(in_annotate, a_mark_is_on_the_line_of_the_brace)
{
    marks("int f(void)\n{\n  return 1;\n}\n", INCLUDE "int f(void)\n{ THAG_PROFILED;\n"
                                                      "  return 1;\n}\n");
    marks("int d(void) <% return 0; %>\n", INCLUDE "int d(void) <% THAG_PROFILED; return 0; %>\n");
    marks("int main(void) { /* c */ }\n",
          INCLUDE "int main(void) { THAG_ENABLE_PROFILING; /* c */ }\n");
    marks("T(int v) try : x{v} { } catch (...) { }\nnamespace n { }\n",
          INCLUDE "T(int v) try : x{v} { THAG_PROFILED; } catch (...) { }\nnamespace n { }\n");
}

Test(in_annotate, the_include_has_the_ends_of_the_files_lines)
{
    marks("int f(void)\r\n{\r\n}\r\n",
          "#include <thag_profiler.h>\r\nint f(void)\r\n{ THAG_PROFILED;\r\n}\r\n");
    marks("\xEF\xBB\xBFint a(void){return 1;}",
          "\xEF\xBB\xBF" INCLUDE "int a(void){ THAG_PROFILED;return 1;}");
}

Test(in_annotate, the_include_goes_behind_what_must_be_first)
{
    marks("#!/usr/bin/tcc -run\nint f(void) { }\n",
          "#!/usr/bin/tcc -run\n" INCLUDE "int f(void) { THAG_PROFILED; }\n");
    marks("// Text.\nmodule; // global\n#include <x>\nint f() { }\n",
          "// Text.\nmodule; // global\n" INCLUDE "#include <x>\nint f() { THAG_PROFILED; }\n");
    /* There it has no place. */
    marks("module; int f() { }\n", "module; int f() { }\n");
    marks("module; /* \n */ int f() { }\n", "module; /* \n */ int f() { }\n");
}

Test(in_annotate, nothing_is_written_where_nothing_is_marked)
{
    marks("", "");
    marks("int x[] = { 1 };\n", "int x[] = { 1 };\n");
    marks("constexpr int f() { return 1; }\n", "constexpr int f() { return 1; }\n");
    marks("const char *s = \"{ \" /* int f(void) { */;\n",
          "const char *s = \"{ \" /* int f(void) { */;\n");
}

Test(in_annotate, an_include_that_serves_all_functions_is_enough)
{
    const char *text =
        "#ifndef X\n#define X\n#include \"thag_profiler.h\"\nint f(void) { }\n#endif\n";
    expect(edited(text, false, false), "#ifndef X\n#define X\n#include \"thag_profiler.h\"\n"
                                       "int f(void) { THAG_PROFILED; }\n#endif\n");
    text = "#ifdef X\n#include <thag_profiler.h>\n#endif\nint f(void) { }\n";
    expect(edited(text, false, false), INCLUDE "#ifdef X\n#include <thag_profiler.h>\n#endif\n"
                                               "int f(void) { THAG_PROFILED; }\n");
    text = "int f(void) { }\n#include <thag_profiler.h>\n";
    expect(edited(text, false, false), INCLUDE "int f(void) { THAG_PROFILED; }\n"
                                               "#include <thag_profiler.h>\n");
    /* An #endif too many does not end it, nor does the end of the source. */
    text = INCLUDE "#endif\nint f(void) {";
    expect(edited(text, false, false), INCLUDE "#endif\nint f(void) { THAG_PROFILED;");
    text = "/* <thag_profiler.h> */\n#include <not_thag_profiler.h>\nint f(void) { }\n";
    expect(edited(text, false, false),
           INCLUDE "/* <thag_profiler.h> */\n#include "
                   "<not_thag_profiler.h>\nint f(void) { THAG_PROFILED; }\n");
}

Test(in_annotate, line_numbers_can_be_kept)
{
    const char *kept = INCLUDE "#line 1\nint f(void) { THAG_PROFILED; }\n";
    expect(edited("int f(void) { }\n", false, true), kept);
    expect(edited(kept, false, true), kept);
    expect(edited(kept, true, false), "int f(void) { }\n");
    expect(edited("#!x\nint f(void) { }\n", false, true),
           "#!x\n" INCLUDE "#line 2\nint f(void) { THAG_PROFILED; }\n");
    /* One that was there stays. */
    marks("#line 1\nint f(void) { }\n",
          INCLUDE "#line 1\n#line 1\nint f(void) { THAG_PROFILED; }\n");
    marks("#line 7\nint f(void) { }\n", INCLUDE "#line 7\nint f(void) { THAG_PROFILED; }\n");
}

Test(in_annotate, marks_that_somebody_wrote_go)
{
    unmarks("#include <stdio.h>\n# include \"thag_profiler.h\" \nint main(void)\n{\n"
            "\tTHAG_ENABLE_PROFILING;\n    int x;\n    THAG_PROFILED (time,\n  both) ; \n}\n",
            "#include <stdio.h>\nint main(void)\n{\n    int x;\n}\n");
    unmarks("int f(void) { THAG_PROFILED; THAG_PROFILED(time); return 1; }\n",
            "int f(void) { return 1; }\n");
    unmarks("int f(void) { THAG_PROFILED;\n\tTHAG_PROFILED;\n}\n", "int f(void) {\n}\n");
    unmarks("int f(void)\r\n{\r\n THAG_PROFILED;\r\n}\r\n", "int f(void)\r\n{\r\n}\r\n");
}

Test(in_annotate, what_only_looks_like_a_mark_stays)
{
    unmarks("/* { THAG_PROFILED; */ char *s = \"{ THAG_PROFILED;\";\n",
            "/* { THAG_PROFILED; */ char *s = \"{ THAG_PROFILED;\";\n");
    unmarks("#if 0\nint f(void) { THAG_PROFILED; }\n#endif\n",
            "#if 0\nint f(void) { THAG_PROFILED; }\n#endif\n");
    unmarks("#define F() { THAG_PROFILED; }\n", "#define F() { THAG_PROFILED; }\n");
    unmarks("int f(int x) { x();\n  if (x)\n    THAG_PROFILED;\n}\n",
            "int f(int x) { x();\n  if (x)\n    THAG_PROFILED;\n}\n");
    unmarks("int f(int x) { x(); \\\n    THAG_PROFILED;\n}\n",
            "int f(int x) { x(); \\\n    THAG_PROFILED;\n}\n");
    unmarks("int f(void) {THAG_PROFILED; }\n", "int f(void) {THAG_PROFILED; }\n");
}

Test(in_annotate, an_include_that_is_still_needed_stays)
{
    unmarks("#include <stdio.h>\n#include <thag_profiler.h>\nint f(void) { THAG_PROFILED;\n"
            "  THAG_SECTION(a);\n}\n",
            "#include <stdio.h>\n#include <thag_profiler.h>\nint f(void) {\n"
            "  THAG_SECTION(a);\n}\n");
    /* The first line may be ours. */
    unmarks(INCLUDE "int f(void) { THAG_PROFILED;\n  THAG_SECTION(a);\n}\n",
            "int f(void) {\n  THAG_SECTION(a);\n}\n");
    unmarks(INCLUDE INCLUDE "#line 1\nint f(void) {\n  THAG_SECTION(a);\n}\n",
            "int f(void) {\n  THAG_SECTION(a);\n}\n");
}
