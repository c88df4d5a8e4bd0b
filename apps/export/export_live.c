/* export_live.c: a model as one page that simulates it. The page is that of replays; its data are
 * the engine (tenon.wasm, cmake/wasm.sh), and the model's files one after the other. docs/live.md
 * describes the page. */
#include "../common/app.h"
#include "export.h"
#include "html_page.h"
#include "platform/files.h"
#include "platform/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"tenon.wasm", "../share/tenon/tenon.wasm"};

/* Beside the program, or where it is installed. */
static bool find_engine(char out[TN_PATH])
{
    char program[TN_PATH];
    const char *chosen = getenv("TENON_ENGINE");
    if (chosen && chosen[0]) return (size_t)snprintf(out, TN_PATH, "%s", chosen) < TN_PATH;
    if (tn_process_path(program) != 0) program[0] = '\0';
    char *name = strrchr(program, '/');
    if (name) name[1] = '\0';
    for (size_t i = 0; name && i < sizeof places / sizeof *places; i++) {
        int length = snprintf(out, TN_PATH, "%s%s", program, places[i]);
        if (length < TN_PATH && file_is_readable(out)) return true;
    }
    say("export", "--live: tenon.wasm is not there, neither beside the program nor in "
                  "../share/tenon; build it "
                  "by 'pip install -r tests/platforms/requirements.txt' (the compiler zig) and "
                  "'cmake --build "
                  "build --target tenon_wasm', or name one by --engine");
    return false;
}

/* The bytes of a file. NULL, and why on stderr. */
static uint8_t *read_file(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    TnFileInfo info;
    FILE *in = tn_stream_open(path, "r");
    if (!in || tn_stream_info(in, &info) != 0) {
        say("export", "%s: %s", path, strerror(errno));
    } else if (!(bytes = malloc((size_t)info.size + 1))) {
        say("export", "%s: no memory", path);
    } else {
        *size = fread(bytes, 1, (size_t)info.size, in);
    }
    if (in) fclose(in);
    return bytes;
}

/* The same of WebAssembly. */
static uint8_t *read_engine(const char *path, size_t *size)
{
    uint8_t *bytes = read_file(path, size);
    if (!bytes || (*size >= 8 && memcmp(bytes, "\0asm\1\0\0", 8) == 0)) return bytes;
    say("export", "%s: is no WebAssembly module", path);
    free(bytes);
    return NULL;
}

typedef struct Head {
    const LivePage *page;
    const Sections *sections;
} Head;

static void write_head(FILE *out, void *context)
{
    const Head *head = context;
    Json json = json_to(out);
    char maker[64];
    snprintf(maker, sizeof maker, "tenon %s", tn_version());
    json_begin_object(&json, NULL);
    json_integer(&json, "format", 1);
    json_bool(&json, "live", true);
    json_string(&json, "made_by", maker);
    json_string(&json, "title", head->page->title);
    json_string(&json, "model", LIVE_MODEL);
    if (head->page->plans) json_string(&json, "task", LIVE_TASK);
    json_begin_array(&json, "files");
    for (int i = 0; i < head->page->file_count; i++) {
        json_begin_object(&json, NULL);
        json_string(&json, "path", head->page->files[i].path);
        json_integer(&json, "bytes", (int64_t)head->page->files[i].size);
        json_end(&json);
    }
    json_end(&json);
    sections_describe(head->sections, &json);
    json_end(&json);
}

/* All files one after the other. */
static void add_files(Sections *sections, const LivePage *page)
{
    size_t size = 0;
    for (int i = 0; i < page->file_count; i++) size += page->files[i].size;
    uint8_t *bytes = malloc(size + 1), *to = bytes;
    for (int i = 0; bytes && i < page->file_count; to += page->files[i++].size)
        if (page->files[i].size) memcpy(to, page->files[i].data, page->files[i].size);
    if (bytes)
        sections_add(sections, "files", SECTION_U8, bytes, size);
    else
        sections->failed = true;
    free(bytes);
}

int export_live(const char *path, const LivePage *page)
{
    char found[TN_PATH];
    size_t size = 0;
    if (!page->engine && !find_engine(found)) return EXIT_IO;
    uint8_t *engine = read_engine(page->engine ? page->engine : found, &size);
    if (!engine) return EXIT_IO;
    Sections sections = {0};
    sections_add(&sections, "engine", SECTION_U8, engine, size);
    add_files(&sections, page);
    free(engine);
    Head head = {page, &sections};
    char *text = sections.failed ? NULL : html_text(write_head, &head);
    long written = -1;
    if (text)
        written = html_page_write(path, &(HtmlPage){page->title, text, &sections, true});
    else
        say("export", "no memory for the page");
    if (written > 0) say("export", "%s: %.2f MB, simulates", path, (double)written / 1e6);
    free(text);
    sections_free(&sections);
    return written >= 0 ? EXIT_FINE : EXIT_IO;
}

/* ---- the model's files ---- */

typedef struct Kept {
    TnMemoryFile *files;
    int count;
} Kept;

static bool keep_file(void *user, const TnMemoryFile *file)
{
    Kept *kept = user;
    TnMemoryFile *more = realloc(kept->files, ((size_t)kept->count + 1) * sizeof *more);
    if (!more) return false;
    kept->files = more;
    char *path = malloc(strlen(file->path) + 1);
    void *data = malloc(file->size + 1);
    if (path) strcpy(path, file->path);
    if (data && file->size) memcpy(data, file->data, file->size);
    kept->files[kept->count++] = (TnMemoryFile){path, data, file->size};
    return path && data;
}

static bool keep_task(Kept *kept, const char *task)
{
    size_t size = 0;
    uint8_t *bytes = read_file(task, &size);
    bool fine = bytes && keep_file(kept, &(TnMemoryFile){LIVE_TASK, bytes, size});
    if (bytes && !fine) say("export", "no memory for the task");
    free(bytes);
    return fine;
}

int export_live_model(const char *path, const TnModelBuilder *builder, const char *task,
                      const char *title, const char *engine)
{
    Kept kept = {0};
    TnError err = {0};
    int code = EXIT_IO;
    if (!tn_builder_write_to(builder, LIVE_MODEL, keep_file, &kept, &err)) {
        print_errors(&err);
        code = code_of(&err);
    } else if (!task || keep_task(&kept, task)) {
        code = export_live(path, &(LivePage){title, engine, kept.files, kept.count, task});
    }
    for (int i = 0; i < kept.count; i++) {
        free((void *)(uintptr_t)kept.files[i].path);
        free((void *)(uintptr_t)kept.files[i].data);
    }
    free(kept.files);
    return code;
}
