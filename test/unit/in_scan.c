#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/functions.h"
#include "instrument/scan.h"

/* "name:action" of each function, blanks between; an action is a letter. */
static const char *found_as(const char *text, enum in_language language)
{
    static char found[400];
    struct in_scan scan;
    found[0] = '\0';
    in_scan_source(text, (uint32_t)strlen(text), language, &scan);
    in_functions_settle(&scan);
    for (uint32_t i = 0; i < scan.function_count; i++) {
        const struct in_function *function = &scan.functions[i];
        enum in_action action = in_functions_action(&scan, function);
        if (action == IN_ACTION_NONE)
            continue;
        char *name = in_functions_name(&scan, function);
        size_t used = strlen(found);
        snprintf(found + used, sizeof(found) - used, "%s%s:%c", used ? " " : "", name,
                 "naexs"[action]);
        cr_assert(text[function->brace] == '{' || text[function->brace] == '<');
        free(name);
    }
    in_scan_release(&scan);
    return found;
}

static const char *found(const char *text)
{
    return found_as(text, IN_LANGUAGE_GUESS);
}

static bool guessed_cplusplus(const char *text)
{
    return in_language_is_cplusplus(text, (uint32_t)strlen(text));
}

Test(in_scan, branches_of_a_condition_begin_in_the_same_place)
{
    cr_assert_str_eq(found("#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n}\n"),
                     "f:a f:a");
    cr_assert_str_eq(found("#ifdef A\nint f(int a)\n#else\nint f(long a)\n#endif\n{ }\n"), "f:a");
    cr_assert_str_eq(found("int f(void) {\n#if A\nif (x) {\n#elif B\nif (y) {\n#endif\n}\n}\n"
                           "int g(void) { }"),
                     "f:a g:a");
    cr_assert_str_eq(found("#if A\n#if B\nint f(void) {\n#else\nint f(int x) {\n#endif\n}\n"
                           "#endif\nint g(void) { }"),
                     "f:a f:a g:a");
}

Test(in_scan, code_that_is_never_compiled_has_no_functions)
{
    cr_assert_str_eq(found("#if 0\nint f(void) {\n#if 1\n}\n#endif\n#else\nint g(void) { }\n"
                           "#endif\n"),
                     "g:a");
    cr_assert_str_eq(found("#if 1\nint f(void) { }\n#elif X\nint g(void) { {\n#endif\n"), "f:a");
}

Test(in_scan, a_source_that_does_not_balance_is_read_as_it_fits_best)
{
    /* Only the last branch closes what is open. */
    cr_assert_str_eq(found("int f(void) {\n#ifdef A\nif (x) {\n#else\nx();\n#endif\n}\n"
                           "int g(void) { }\n"),
                     "f:a g:a");
    /* A brace is missing; the one in the first column ends the function. */
    cr_assert_str_eq(found("int f(void)\n{\n  if (x) {\n  y();\n}\nint g(void)\n{\n}\n"
                           "int h(void)\n{\n}\n"),
                     "f:a g:a h:a");
    cr_assert_str_eq(found("} } int f(void) { } )"), "f:a");
    cr_assert_str_eq(found("int f(void) { g((1); }\nint h(void) { }"), "f:a h:a");
}

Test(in_scan, old_style_definitions)
{
    cr_assert_str_eq(found("int f(a, b) int a; int b; { }"), "f:a");
    cr_assert_str_eq(found("int f(a, b) int a, b;\n{ }"), "f:a");
    cr_assert_str_eq(found("static f(a) struct { int x; } *a; { }"), "f:a");
    cr_assert_str_eq(found("int main(c, v) int c; char **v;\n{ return 0; }"), "main:e");
    cr_assert_str_eq(found("__attribute__((naked)) f(a) int a; { }"), "f:s");
    /* More declarations than parameters; prototypes. */
    cr_assert_str_eq(found("int f(a) int a; int b; { }"), "");
    cr_assert_str_eq(found("int f(a) X(1); int g(int b) { }"), "g:a");
}

Test(in_scan, main_is_the_root_in_the_file_alone)
{
    cr_assert_str_eq(found("int (main)(void) { }"), "main:e");
    cr_assert_str_eq(found("extern \"C\" { int main() { } }"), "main:e");
    cr_assert_str_eq(found("namespace n { int main() { } }"), "main:a");
    cr_assert_str_eq(found("struct s { int main() { } };"), "main:a");
    cr_assert_str_eq(found("int s::main() { } namespace x { }"), "main:a");
    cr_assert_str_eq(found("int f(void) { int main(void) { } }"), "f:a main:a");
}

Test(in_scan, words_in_lambdas_are_the_lambdas)
{
    cr_assert_str_eq(found_as("int f() { auto a = [] { co_return; }; }", IN_LANGUAGE_CPLUSPLUS),
                     "f:a");
    cr_assert_str_eq(
        found_as("int f() { g([&](int x) { co_await x; }, 1); }", IN_LANGUAGE_CPLUSPLUS), "f:a");
    cr_assert_str_eq(found_as("int f() { a[i] = {1}; co_await x; }", IN_LANGUAGE_CPLUSPLUS), "f:s");
    cr_assert_str_eq(found_as("int f() { [] { THAG_PROFILED; }(); }", IN_LANGUAGE_CPLUSPLUS),
                     "f:a");
    /* Words of C++ are names in C. */
    cr_assert_str_eq(
        found_as("int f(void) { int co_await = new; } int final(int class) { }", IN_LANGUAGE_C),
        "f:a final:a");
}

Test(in_scan, declarations_apart_count_for_the_definition)
{
    cr_assert_str_eq(found("void f(void) __attribute__((naked)); void f(void) { }"), "f:s");
    cr_assert_str_eq(found("[[gnu::naked]] void f(void); void f(void) { }"), "f:s");
    cr_assert_str_eq(found("notrace int f(int); int f(int x) { } int g(int x) { }"), "f:s g:a");
    cr_assert_str_eq(found("int f(void) { } int r(void) { }\nint g(void) "
                           "__attribute__((ifunc(\"r\")));"),
                     "f:a r:s");
    cr_assert_str_eq(found("namespace n { static void *pick() { } }\nint g() "
                           "__attribute__((ifunc(\"_ZN1nL4pickEv\")));"),
                     "pick:s");
    /* The attribute of an object. */
    cr_assert_str_eq(found("int naked __attribute__((aligned(4))); void naked2(void) { }"),
                     "naked2:a");
}

Test(in_scan, marks_in_a_body_are_that_functions)
{
    cr_assert_str_eq(found("int f(void) { THAG_PROFILED; } int g(void) { }"), "f:x g:a");
    cr_assert_str_eq(found("int f(void) { int g(void) { THAG_PROFILED; } }"), "f:a g:x");
    cr_assert_str_eq(found("int f(int x) { if (x) { THAG_PROFILED_IF(x); } }"), "f:x");
    cr_assert_str_eq(found("int f(void) { /* THAG_PROFILED; */ g(\"THAG_PROFILED;\"); }"), "f:a");
}

Test(in_scan, the_language_is_guessed_from_the_text)
{
    cr_assert(guessed_cplusplus("#include <vector>\n"));
    cr_assert(guessed_cplusplus("template <class T> struct x;"));
    cr_assert(guessed_cplusplus("namespace n { }"));
    cr_assert(guessed_cplusplus("class x { };"));
    cr_assert(guessed_cplusplus("struct x { public: };"));
    cr_assert(guessed_cplusplus("a::b c::d"));
    cr_assert(guessed_cplusplus("x operator+(x, x);"));
    cr_assert_not(guessed_cplusplus("#include <stdio.h>\nint class, public, virtual;"));
    cr_assert_not(guessed_cplusplus("/* namespace n { } */ \"template <\""));
    cr_assert_not(guessed_cplusplus("#include <sys/types>\nint template;"));
}

Test(in_scan, deep_nesting_costs_no_more_than_its_length)
{
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 8 * DEPTH + 1);
    struct in_scan scan;
    size_t used = 0;
    for (unsigned i = 0; i < DEPTH; i++)
        text[used++] = '{';
    for (unsigned i = 0; i < DEPTH; i++)
        used += (size_t)sprintf(text + used, "\n#if A\n");
    in_scan_source(text, (uint32_t)used, IN_LANGUAGE_C, &scan);
    cr_assert_eq(scan.errors, DEPTH);
    cr_assert_eq(scan.function_count, 0);
    in_scan_release(&scan);
    free(text);
}
