/*
 * The same beside the compiler's hooks: a function that has both is one call.
 *
 * stack unlimited
 * marks too
 * kind both
 * check deep_marks
 */
#include "deep_marks.c"
