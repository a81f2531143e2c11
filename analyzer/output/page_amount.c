/*
 * page_amount.c -- amounts in units for people, in integer arithmetic.
 */
#include "analyzer/output/page_parts.h"

struct step {
    uint64_t size;
    const char *suffix;
};

/* Largest first; the last has size 1. */
static const struct step bytes_steps[] = {
    {1ULL << 50, "PiB"}, {1ULL << 40, "TiB"}, {1ULL << 30, "GiB"},
    {1ULL << 20, "MiB"}, {1ULL << 10, "KiB"}, {1, "B"},
};
static const struct step ns_steps[] = {
    {1000000000, "s"},
    {1000000, "ms"},
    {1000, "\u00b5s"},
    {1, "ns"},
};
static const struct step us_steps[] = {
    {1000000, "s"},
    {1000, "ms"},
    {1, "\u00b5s"},
};
static const struct step count_steps[] = {
    {1000000000000000, "P"}, {1000000000000, "T"}, {1000000000, "G"}, {1000000, "M"}, {1, ""},
};

static const struct step *unit_steps(enum an_unit unit)
{
    switch (unit) {
    case AN_UNIT_NS:
        return ns_steps;
    case AN_UNIT_US:
        return us_steps;
    case AN_UNIT_BYTES:
        return bytes_steps;
    default:
        return count_steps;
    }
}

void an_page_amount_text(uint64_t amount, uint64_t scale, enum an_unit unit,
                         char ret_text[AN_PAGE_AMOUNT_MAX])
{
    const struct step *step = unit_steps(unit);

    while (step->size > 1 && amount / scale < step->size)
        step++;
    unsigned __int128 divisor = (unsigned __int128)step->size * scale;
    uint64_t whole = (uint64_t)(amount / divisor);
    /* Three digits are enough to compare by, and all of a whole number. */
    uint32_t digits = divisor == 1 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
    uint32_t power = digits == 0 ? 1 : digits == 1 ? 10 : 100;
    uint64_t rounded =
        (uint64_t)(((unsigned __int128)amount * power * 2 + divisor) / (divisor * 2));
    const char *space = step->suffix[0] != '\0' ? " " : "";

    if (digits == 0)
        snprintf(ret_text, AN_PAGE_AMOUNT_MAX, "%llu%s%s", (unsigned long long)rounded, space,
                 step->suffix);
    else
        snprintf(ret_text, AN_PAGE_AMOUNT_MAX, "%llu.%0*llu%s%s",
                 (unsigned long long)(rounded / power), (int)digits,
                 (unsigned long long)(rounded % power), space, step->suffix);
}
