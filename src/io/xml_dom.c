/* xml_dom.c: builds the tree of xml_dom.h from expat's events.
 *
 * Expat tells where a tag starts; where its attributes start is found by scanning the raw tag once
 * more, with one cursor that walks the text from front to back and counts lines and columns (in
 * characters). A DOCTYPE is refused: models need none, and entity declarations can make a small
 * file explode. */
#include "xml_dom.h"
#include "../base/base.h"
#include "io_file.h"
#include "io_reach.h"

#include <expat.h>
#include <string.h>

typedef struct Parse {
    TnIoPool *pool;
    TnError *err;
    XML_Parser parser;
    const char *file;
    const char *text;
    size_t size;
    size_t cursor; /* byte up to which line and column are counted */
    int line, column;
    int depth;
    bool refused; /* an error of our own is reported and the parser stopped */
    bool keeps_text;
    char *inside; /* text of the open element so far, heap */
    size_t inside_size, inside_room;
    TnXmlElement *root, *open;
} Parse;

bool tn_xml_count(TnIoPool *pool, double more)
{
    if (pool->most_elements && (double)pool->elements + more > (double)pool->most_elements)
        return false;
    pool->elements += (int64_t)more;
    return true;
}

const TnXmlAttr *tn_xml_attr(const TnXmlElement *element, const char *name)
{
    for (int i = 0; i < element->attr_count; i++)
        if (strcmp(element->attrs[i].name, name) == 0) return &element->attrs[i];
    return NULL;
}

TnSource tn_xml_place(const TnXmlElement *element)
{
    return (TnSource){element->file, element->line, element->column};
}

TnSource tn_xml_attr_place(const TnXmlElement *element, const TnXmlAttr *attr)
{
    return (TnSource){element->file, attr->line, attr->column};
}

static void move_to(Parse *p, size_t offset)
{
    if (offset > p->size) offset = p->size;
    for (; p->cursor < offset; p->cursor++) {
        unsigned char c = (unsigned char)p->text[p->cursor];
        if (c == '\n') {
            p->line++;
            p->column = 1;
        } else if ((c & 0xC0) != 0x80) { /* continuation bytes are no new characters */
            p->column++;
        }
    }
}

static void move_to_event(Parse *p)
{
    XML_Index index = XML_GetCurrentByteIndex(p->parser);
    if (index > 0) move_to(p, (size_t)index);
}

static void refuse(Parse *p, const char *element, const char *message)
{
    if (!p->refused)
        tn_error_at(p->err, TN_ERROR_MODEL, (TnSource){p->file, p->line, p->column}, element, "%s",
                    message);
    p->refused = true;
    XML_StopParser(p->parser, XML_FALSE);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool has_control_character(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 && *text != '\t' && *text != '\n' && *text != '\r')
            return true;
    return false;
}

/* Line breaks inside a value (written as &#10;) would tear messages apart; they mean the same as
 * spaces. */
static char *copy_value(TnIoPool *pool, const char *value)
{
    char *copy = tn_io_copy(pool, value, strlen(value));
    for (char *c = copy; c && *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
    return copy;
}

/* Fills names, values and places; the cursor stands at the tag's '<'. */
static bool add_attributes(Parse *p, TnXmlElement *element, const char **attrs)
{
    int count = 0;
    while (attrs[2 * count]) count++;
    if (count == 0) return true;
    element->attrs = tn_io_alloc(p->pool, sizeof *element->attrs * (size_t)count);
    if (!element->attrs) return false;
    element->attr_count = count;
    size_t at = p->cursor + 1 + strlen(element->name);
    for (int i = 0; i < count; i++) {
        TnXmlAttr *attr = &element->attrs[i];
        while (at < p->size && is_space(p->text[at])) at++;
        move_to(p, at);
        attr->line = p->line;
        attr->column = p->column;
        attr->name = tn_io_copy(p->pool, attrs[2 * i], strlen(attrs[2 * i]));
        attr->value = copy_value(p->pool, attrs[2 * i + 1]);
        if (!attr->name || !attr->value) return false;
        if (has_control_character(attr->value)) {
            refuse(p, element->name, "control characters are not accepted in attributes");
            return true;
        }
        while (at < p->size && p->text[at] != '"' && p->text[at] != '\'') at++;
        char quote = at < p->size ? p->text[at++] : '"';
        while (at < p->size && p->text[at] != quote) at++;
        at++;
    }
    return true;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attrs)
{
    Parse *p = user;
    if (p->refused) return;
    move_to_event(p);
    if (++p->depth > TN_XML_DEPTH_LIMIT) {
        refuse(p, "xml", "elements are nested more than 2000 deep");
        return;
    }
    if (!tn_xml_count(p->pool, 1)) {
        refuse(p, "xml", "the model has more elements than a file may ask for" TN_RAISE_LIMIT);
        return;
    }
    TnXmlElement *element = TN_IO_NEW(p->pool, TnXmlElement);
    char *copy = tn_io_copy(p->pool, name, strlen(name));
    if (!element || !copy) {
        p->refused = true;
        XML_StopParser(p->parser, XML_FALSE);
        return;
    }
    *element = (TnXmlElement){.name = copy, .file = p->file, .line = p->line, .column = p->column};
    element->parent = p->open;
    if (!add_attributes(p, element, (const char **)attrs)) {
        p->refused = true;
        XML_StopParser(p->parser, XML_FALSE);
        return;
    }
    if (!p->open)
        p->root = element;
    else if (p->open->last)
        p->open->last->next = element;
    else
        p->open->first = element;
    if (p->open) p->open->last = element;
    p->open = element;
    p->inside_size = 0;
}

static bool keep_text(Parse *p, const char *text, size_t length)
{
    if (p->inside_size + length > p->inside_room) {
        size_t room = 2 * (p->inside_size + length);
        char *grown = tn_realloc(p->inside, room);
        if (!grown) return false;
        p->inside = grown;
        p->inside_room = room;
    }
    memcpy(p->inside + p->inside_size, text, length);
    p->inside_size += length;
    return true;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    Parse *p = user;
    (void)name;
    if (p->refused) return;
    p->depth--;
    if (p->keeps_text && !p->open->first && p->inside_size > 0)
        p->open->text = tn_io_copy(p->pool, p->inside, p->inside_size);
    p->inside_size = 0;
    p->open = p->open->parent;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    Parse *p = user;
    if (p->refused || !p->open) return;
    if (p->keeps_text && length > 0 && !keep_text(p, text, (size_t)length)) {
        p->refused = p->pool->failed = true;
        XML_StopParser(p->parser, XML_FALSE);
        return;
    }
    if (p->open->text_line) return;
    for (int i = 0; i < length; i++) {
        if (is_space(text[i])) continue;
        move_to_event(p);
        move_to(p, p->cursor + (size_t)i);
        p->open->text_line = p->line;
        p->open->text_column = p->column;
        return;
    }
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public_id, int has_internal)
{
    Parse *p = user;
    (void)name, (void)system, (void)public_id, (void)has_internal;
    /* the event comes after the name; go back to the last "<!DOCTYPE" before it */
    XML_Index index = XML_GetCurrentByteIndex(p->parser);
    size_t at = index > 0 ? (size_t)index : 0, length = strlen("<!DOCTYPE");
    while (at > p->cursor &&
           (at + length > p->size || memcmp(p->text + at, "<!DOCTYPE", length) != 0))
        at--;
    move_to(p, at);
    refuse(p, "xml", "DOCTYPE and entity declarations are not accepted");
}

static void report_syntax(Parse *p)
{
    enum XML_Error code = XML_GetErrorCode(p->parser);
    TnSource place = {p->file, (int)XML_GetCurrentLineNumber(p->parser),
                      (int)XML_GetCurrentColumnNumber(p->parser) + 1};
    const char *text = XML_ErrorString(code);
    if (code == XML_ERROR_NO_MEMORY)
        p->pool->failed = true;
    else if (code == XML_ERROR_TAG_MISMATCH && p->open)
        tn_error_at(p->err, TN_ERROR_MODEL, place, "xml",
                    "this end tag does not match: <%.60s> of line %d is still open", p->open->name,
                    p->open->line);
    else if (p->open && (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN))
        tn_error_at(p->err, TN_ERROR_MODEL, place, "xml",
                    "the file ends before <%.60s> of line %d is closed", p->open->name,
                    p->open->line);
    else if (code == XML_ERROR_NO_ELEMENTS)
        tn_error_at(p->err, TN_ERROR_MODEL, place, "xml", "the file contains no element");
    else
        tn_error_at(p->err, TN_ERROR_MODEL, place, "xml", "%s", text ? text : "syntax error");
}

static TnXmlElement *parse(TnIoPool *pool, const char *file, const char *text, size_t size,
                           bool keeps_text, TnError *err)
{
    static const XML_Memory_Handling_Suite memory = {tn_malloc, tn_realloc, tn_free};
    Parse p = {.pool = pool,
               .err = err,
               .file = file,
               .text = text,
               .size = size,
               .keeps_text = keeps_text};
    p.line = p.column = 1;
    if (size == 0) {
        tn_error_at(err, TN_ERROR_MODEL, (TnSource){file, 1, 1}, "xml", "the file is empty");
        return NULL;
    }
    size_t fault = tn_io_utf8_fault(text, size);
    if (fault < size) {
        move_to(&p, fault);
        tn_error_at(err, TN_ERROR_MODEL, (TnSource){file, p.line, p.column}, "xml",
                    "the text is not UTF-8 (byte 0x%02X)", (unsigned)(unsigned char)text[fault]);
        return NULL;
    }
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) p.cursor = 3; /* byte order mark */
    p.parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    if (!p.parser) {
        pool->failed = true;
        return NULL;
    }
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
    bool good = XML_Parse(p.parser, text, (int)size, 1) == XML_STATUS_OK;
    if (!good && !p.refused) report_syntax(&p);
    XML_ParserFree(p.parser);
    tn_free(p.inside);
    return good && !p.refused ? p.root : NULL;
}

TnXmlElement *tn_xml_parse(TnIoPool *pool, const char *file, const char *text, size_t size,
                           TnError *err)
{
    return parse(pool, file, text, size, false, err);
}

TnXmlElement *tn_xml_parse_with_text(TnIoPool *pool, const char *file, const char *text,
                                     size_t size, TnError *err)
{
    return parse(pool, file, text, size, true, err);
}
