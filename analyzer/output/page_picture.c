/*
 * page_picture.c -- what the static pictures have in common.
 */
#include "analyzer/output/page_picture.h"

#include <string.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/escape.h"

void an_picture_write_cut(FILE *out, const char *text, size_t bytes, uint32_t limit)
{
    size_t end = 0, cut = 0;
    uint32_t count = 0, code;

    while (end < bytes && count <= limit) {
        end += an_escape_next(text + end, bytes - end, &code);
        if (++count == limit - 1)
            cut = end;
    }
    if (count <= limit) {
        an_escape_xml(out, text, bytes);
    } else {
        an_escape_xml(out, text, cut);
        fputs("\u2026", out);
    }
}

void an_picture_start(const struct an_page *page, uint32_t height)
{
    fprintf(page->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"thag-picture\" width=\"%u\" "
            "height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"ui-monospace,'DejaVu Sans Mono',"
            "Menlo,Consolas,monospace\" font-size=\"12\" fill=\"#%06x\">\n<title>",
            AN_PICTURE_WIDTH, height, AN_PICTURE_WIDTH, height,
            an_palette_label_colour(AN_THEME_LIGHT));
    an_escape_xml(page->out, page->title, strlen(page->title));
    fputs("</title>\n", page->out);
}

/* "time, 3 ms", with a rate behind it; of a differential "time, 2 ms \u2192 3 ms". */
static void heading_write_total(const struct an_page *page)
{
    enum an_value value = page->options->value;
    enum an_unit unit = an_value_unit(value);
    uint64_t scale = an_page_scale(page, value);
    const char *rate = an_page_rate(page, value);
    char total[AN_AMOUNT_MAX];

    fprintf(page->out, "%s, ", an_value_title(value));
    if (an_page_is_diff(page)) {
        an_amount_text(page->options->before->sum[value], scale, unit, total);
        fprintf(page->out, "%s \u2192 ", total);
    }
    an_amount_text(page->tree->sum[value], scale, unit, total);
    fputs(total, page->out);
    if (rate != NULL) {
        fputs("; ", page->out);
        an_escape_xml(page->out, rate, strlen(rate));
    }
}

void an_picture_write_heading(const struct an_page *page, uint32_t height)
{
    FILE *out = page->out;
    const char *subtitle = page->options->subtitle;

    fprintf(out,
            "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n"
            "<g font-family=\"system-ui,'DejaVu Sans',sans-serif\">"
            "<text x=\"%u\" y=\"23\" font-size=\"16\" font-weight=\"bold\">",
            AN_PICTURE_WIDTH, height, AN_PICTURE_MARGIN);
    an_picture_write_cut(out, page->title, strlen(page->title), 110);
    fprintf(out, "</text>\n<text x=\"%u\" y=\"42\">", AN_PICTURE_MARGIN);
    heading_write_total(page);
    if (subtitle != NULL && subtitle[0] != '\0') {
        fputs(" \u00b7 ", out);
        an_picture_write_cut(out, subtitle, strlen(subtitle), 120);
    }
    fputs("</text></g>\n", out);
}
