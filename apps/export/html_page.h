/* html_page.h: the player's page with data in it, as docs/replay.md describes. */
#ifndef TENON_HTML_PAGE_H
#define TENON_HTML_PAGE_H

#include "html_codec.h"

typedef struct HtmlPage {
    const char *title;
    const char *head; /* JSON */
    const Sections *sections;
    bool simulates; /* its content policy allows WebAssembly and a worker; never a network */
} HtmlPage;

/* The text that `write` writes; NULL where there is no memory. */
char *html_text(void (*write)(FILE *out, void *context), void *context);
/* Writes the file; its size in bytes, or -1, and what went wrong is said on stderr. */
long html_page_write(const char *path, const HtmlPage *page);

#endif
