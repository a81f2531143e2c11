/*
 * amount.c -- amounts and shares as text.
 */
#include "analyzer/output/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct amount_step {
    uint64_t size;
    const char *suffix;
};

/* The smallest first. */
static const struct amount_step ns_steps[] = {
    {1, " ns"}, {1000, " \u00b5s"}, {1000000, " ms"}, {1000000000, " s"}};
static const struct amount_step byte_steps[] = {{1, " B"},
                                                {1ULL << 10, " KiB"},
                                                {1ULL << 20, " MiB"},
                                                {1ULL << 30, " GiB"},
                                                {1ULL << 40, " TiB"},
                                                {1ULL << 50, " PiB"}};

static unsigned amount_digits(uint64_t whole)
{
    return whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
}

/* AMOUNT / DIVISOR with so many digits behind the point that there are three in all. */
static void amount_in_step(unsigned __int128 amount, unsigned __int128 divisor, const char *suffix,
                           char ret_text[AN_AMOUNT_MAX])
{
    unsigned digits = divisor == 1 || amount == 0 ? 0 : amount_digits((uint64_t)(amount / divisor));
    for (;;) {
        unsigned power = digits == 2 ? 100 : digits == 1 ? 10 : 1;
        uint64_t rounded = (uint64_t)((amount * power * 2 + divisor) / (divisor * 2));
        /* 9.996 is 10.0, not 10.00. */
        if (digits && amount_digits(rounded / power) < digits) {
            digits--;
            continue;
        }
        if (digits)
            snprintf(ret_text, AN_AMOUNT_MAX, "%" PRIu64 ".%0*" PRIu64 "%s", rounded / power,
                     (int)digits, rounded % power, suffix);
        else
            snprintf(ret_text, AN_AMOUNT_MAX, "%" PRIu64 "%s", rounded, suffix);
        return;
    }
}

/* Whole numbers with a blank every three digits. */
static void amount_count(uint64_t amount, uint64_t scale, char ret_text[AN_AMOUNT_MAX])
{
    char plain[AN_AMOUNT_MAX];
    an_amount_exact(amount, scale, plain);
    size_t whole = strcspn(plain, "."), to = 0;
    for (size_t from = 0; plain[from]; from++) {
        if (from && from < whole && (whole - from) % 3 == 0)
            ret_text[to++] = ' ';
        ret_text[to++] = plain[from];
    }
    ret_text[to] = '\0';
}

void an_amount_text(uint64_t amount, uint64_t scale, enum an_unit unit,
                    char ret_text[AN_AMOUNT_MAX])
{
    const struct amount_step *step = unit == AN_UNIT_BYTES ? byte_steps : ns_steps;
    size_t count = unit == AN_UNIT_BYTES ? sizeof(byte_steps) / sizeof(byte_steps[0])
                                         : sizeof(ns_steps) / sizeof(ns_steps[0]);
    if (unit == AN_UNIT_COUNT) {
        amount_count(amount, scale, ret_text);
        return;
    }
    unsigned __int128 exact = (unsigned __int128)amount * (unit == AN_UNIT_US ? 1000 : 1);
    size_t i = 0;
    while (i + 1 < count && exact >= (unsigned __int128)step[i + 1].size * scale)
        i++;
    /* What would be shown as 1000 of a unit, or 1024, is 1.00 of the next. */
    if (i + 1 < count) {
        unsigned __int128 divisor = (unsigned __int128)step[i].size * scale;
        uint64_t rounded = (uint64_t)((exact * 2 + divisor) / (divisor * 2));
        if (rounded * step[i].size >= step[i + 1].size)
            i++;
    }
    amount_in_step(exact, (unsigned __int128)step[i].size * scale, step[i].suffix, ret_text);
}

void an_amount_exact(uint64_t amount, uint64_t scale, char ret_text[AN_AMOUNT_MAX])
{
    int length = snprintf(ret_text, AN_AMOUNT_MAX, "%" PRIu64, amount / scale);
    uint64_t rest = amount % scale;
    if (rest == 0)
        return;
    ret_text[length++] = '.';
    for (scale /= 10; rest; scale /= 10) {
        ret_text[length++] = (char)('0' + rest / scale);
        rest %= scale;
    }
    ret_text[length] = '\0';
}

void an_share_text(uint64_t part, uint64_t whole, char ret_text[AN_AMOUNT_MAX])
{
    if (whole == 0) {
        strcpy(ret_text, "\u2013");
        return;
    }
    unsigned __int128 permille = ((unsigned __int128)part * 2000 + whole) / 2 / whole;
    if (part == whole)
        strcpy(ret_text, "100%");
    else
        snprintf(ret_text, AN_AMOUNT_MAX, "%" PRIu64 ".%u%%", (uint64_t)(permille / 10),
                 (unsigned)(permille % 10));
}
