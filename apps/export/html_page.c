/* html_page.c: the page is the player (web/dist/player.html, part of this program) with two scripts
 * put in where it says so: a JSON head with names and what happens seldom, and the numbers
 * (html_codec.h). */
#include "html_page.h"

#include "../common/app.h"
#include "../plot/svg.h"
#include "export.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char player_html[];
extern const size_t player_html_size;

/* What is replaced, in the order of the page. */
static const char policy_mark[] = "script-src 'unsafe-inline';";
static const char title_mark[] = "<title>tenon replay</title>";
static const char data_mark[] = "<!-- tenon-data -->";

char *html_text(void (*write)(FILE *out, void *context), void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    write(out, context);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}

/* In it no "<" could end the script that it stands in. */
static void write_script_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
}

/* Writes the player up to a mark and goes behind it; NULL stays NULL. */
static const char *write_up_to(FILE *out, const char *from, const char *mark)
{
    const char *at = from ? strstr(from, mark) : NULL;
    if (!at) return NULL;
    fwrite(from, 1, (size_t)(at - from), out);
    return at + strlen(mark);
}

static bool write_page(FILE *out, const HtmlPage *page)
{
    const char *at = write_up_to(out, (const char *)player_html, policy_mark);
    fputs(page->simulates ? "script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:;"
                          : policy_mark,
          out);
    at = write_up_to(out, at, title_mark);
    fputs("<title>", out);
    svg_escaped(out, page->title);
    fputs("</title>", out);
    at = write_up_to(out, at, data_mark);
    if (!at) {
        say("export", "internal error: the embedded player has no place for the data");
        return false;
    }
    fputs("<script type=\"application/json\" id=\"tenon-head\">", out);
    write_script_text(out, page->head);
    fputs("</script>\n<script type=\"application/octet-stream;base64\" id=\"tenon-data\">", out);
    sections_write_base64(page->sections, out);
    fputs("</script>\n", out);
    fwrite(at, 1, player_html_size - (size_t)(at - (const char *)player_html), out);
    return true;
}

long html_page_write(const char *path, const HtmlPage *page)
{
    ExportFile file = {0};
    if (!export_file_open(&file, path)) return -1;
    if (!write_page(file.out, page)) {
        export_file_drop(&file);
        return -1;
    }
    long size = ftell(file.out);
    return export_file_close(&file) ? size : -1;
}
