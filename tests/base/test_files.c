/* What differs between systems: files, folders and paths. */
#include "../check.h"
#include "base/platform/files.h"
#include "base/platform/process.h"
#include "base/platform/text.h"
#include "base/platform/threads.h"
#include "io/io_reach.h"

#include <errno.h>

static char folder[TN_PATH];

static const char *in_folder(const char *name)
{
    static char paths[4][TN_PATH];
    static int next;
    if (!folder[0]) {
        const char *where = getenv("TMPDIR");
        for (int k = 0; k < 1000 && !folder[0]; k++) {
            snprintf(folder, sizeof folder, "%s/tenon_files_%ld_%d",
                     where && where[0] ? where : "/tmp", tn_process_number(), k);
            if (tn_folder_make(folder)) folder[0] = '\0';
        }
        if (!folder[0]) abort();
    }
    char *path = paths[next++ % 4];
    snprintf(path, TN_PATH, "%.3000s/%s", folder, name);
    return path;
}

static bool remove_one(void *context, const char *name)
{
    (void)context;
    tn_file_remove(in_folder(name));
    return true;
}

__attribute__((destructor)) static void remove_all(void)
{
    if (!folder[0]) return;
    tn_folder_list(folder, remove_one, NULL);
    tn_folder_remove(folder);
}

static void put(const char *name, const char *text)
{
    FILE *file = tn_stream_open(in_folder(name), "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void check_text(const char *name, const char *expected)
{
    char text[100];
    FILE *file = tn_stream_open(in_folder(name), "r");
    REQUIRE(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    CHECK(strcmp(text, expected) == 0);
}

/* Line ends stay as they are, and a name may have any letters. */
TEST(files_are_bytes_and_their_names_utf8)
{
    put("Größe \xe6\x9d\xb1.txt", "a\nb\r\n\x1a c");
    check_text("Größe \xe6\x9d\xb1.txt", "a\nb\r\n\x1a c");
    CHECK(!tn_stream_open(in_folder("Größe \xe6\x9d\xb1.txt"), "wx") && errno == EEXIST);
    CHECK(!tn_stream_open(in_folder("nothing"), "r") && errno == ENOENT);
    CHECK(!tn_stream_open(in_folder("no/thing"), "r") && errno == ENOENT);
    FILE *stream = tn_stream_open(folder, "r"); /* POSIX opens it and cannot read */
    CHECK(stream || errno == EISDIR);
    if (stream) fclose(stream);
}

TEST(a_file_is_the_same_under_every_path)
{
    TnFileInfo a, b, other;
    char path[TN_PATH];
    put("a.txt", "a");
    put("b.txt", "a");
    snprintf(path, sizeof path, "%.3000s/./a.txt", folder);
    REQUIRE(tn_file_info(in_folder("a.txt"), &a) == 0 && tn_file_info(path, &b) == 0 &&
            tn_file_info(in_folder("b.txt"), &other) == 0);
    CHECK(tn_file_same(&a.id, &b.id) && !tn_file_same(&a.id, &other.id));
    CHECK(a.kind == TN_FILE_REGULAR && a.size == 1);
    CHECK(tn_file_info(folder, &b) == 0 && b.kind == TN_FILE_FOLDER);
    CHECK(tn_file_info(in_folder("nothing"), &b) == ENOENT);
    FILE *file = tn_stream_open(in_folder("a.txt"), "r");
    REQUIRE(file && tn_stream_info(file, &b) == 0);
    CHECK(tn_file_same(&a.id, &b.id));
    fclose(file);
}

TEST(a_file_takes_the_place_of_another_and_is_written_on)
{
    int file;
    put("target.txt", "old, and longer");
    REQUIRE(tn_file_open(in_folder("new.part"), TN_FILE_NEW, &file) == 0);
    CHECK(tn_file_write(file, "one", 3) == 0);
    CHECK(tn_file_put_in_place(in_folder("new.part"), in_folder("target.txt"), &file) == 0);
    CHECK(tn_file_write(file, " two", 4) == 0 && tn_file_to_disk(file) == 0);
    CHECK(tn_file_close(file) == 0);
    check_text("target.txt", "one two");
    TnFileInfo info;
    CHECK(tn_file_info(in_folder("new.part"), &info) == ENOENT);
    CHECK(tn_file_open(in_folder("target.txt"), TN_FILE_NEW, &file) == EEXIST);
    REQUIRE(tn_file_open(in_folder("target.txt"), TN_FILE_CHANGE, &file) == 0);
    CHECK(tn_file_cut(file, 3) == 0 && tn_file_write(file, "!", 1) == 0);
    CHECK(tn_file_close(file) == 0);
    check_text("target.txt", "one!");
    CHECK(tn_file_put_in_place(in_folder("nothing"), in_folder("target.txt"), NULL) == ENOENT);
}

TEST(places_have_64_bits)
{
    const int64_t far = INT64_C(5) << 30; /* beyond 32 bits; a hole, not written */
    FILE *stream = tn_stream_open(in_folder("large"), "w+");
    REQUIRE(stream);
    CHECK(tn_stream_seek(stream, far) == 0 && tn_stream_place(stream) == far);
#ifndef _WIN32 /* would write 5 GB */
    TnFileInfo info;
    CHECK(fputs("x", stream) >= 0 && fflush(stream) == 0);
    CHECK(tn_stream_info(stream, &info) == 0 && info.size == far + 1);
    CHECK(tn_stream_cut(stream, far - 7) == 0);
    CHECK(tn_stream_info(stream, &info) == 0 && info.size == far - 7);
#endif
    fclose(stream);
    tn_file_remove(in_folder("large"));
}

static bool count_one(void *context, const char *name)
{
    (void)name;
    return ++*(int *)context < 3;
}

TEST(folders_are_made_listed_renamed_and_removed)
{
    int count = 0;
    char sub[TN_PATH], to[TN_PATH];
    snprintf(sub, sizeof sub, "%s", in_folder("sub"));
    snprintf(to, sizeof to, "%s", in_folder("to"));
    CHECK(tn_folder_make(sub) == 0 && tn_folder_make(sub) == EEXIST);
    CHECK(tn_folder_list(sub, count_one, &count) == 0 && count == 0);
    put("sub/a", "");
    CHECK(tn_folder_remove(sub) != 0);
    CHECK(tn_folder_rename(sub, to) == 0 && tn_folder_list(to, count_one, &count) == 0);
    CHECK(count == 1);
    put("to/b", ""), put("to/c", ""), put("to/d", "");
    count = 0;
    CHECK(tn_folder_list(to, count_one, &count) == 0 && count == 3); /* ends when told so */
    for (const char *name = "abcd"; *name; name++) {
        char path[8] = "to/";
        path[3] = *name;
        CHECK(tn_file_remove(in_folder(path)) == 0);
    }
    int code = tn_folder_to_disk(folder);
    CHECK(code == 0 || code == EINVAL); /* some file systems cannot */
    CHECK(tn_folder_remove(to) == 0 && tn_folder_list(to, count_one, &count) == ENOENT);
}

TEST(real_paths_are_absolute_and_have_no_dots)
{
    char path[TN_PATH], real[TN_PATH], again[TN_PATH];
    put("a.txt", "a");
    snprintf(path, sizeof path, "%.1500s/../%.1500s/./a.txt", folder, tn_path_name(folder));
    REQUIRE(tn_file_real_path(path, real) == 0);
    CHECK(tn_path_root(real) > 0 && !strstr(real, "..") && !strstr(real, "/./"));
    CHECK_STR(real, "/a.txt");
    CHECK(tn_file_real_path(real, again) == 0 && strcmp(real, again) == 0);
    CHECK(tn_file_real_path(in_folder("nothing"), real) == ENOENT);
    CHECK(tn_file_here(real) == 0 && tn_path_root(real) > 0);
}

TEST(a_stream_without_a_name_leaves_nothing)
{
    TnFileInfo info;
    FILE *stream = tn_stream_nameless(in_folder("spool"));
    REQUIRE(stream);
    CHECK(fputs("text", stream) >= 0 && tn_stream_seek(stream, 1) == 0 && fgetc(stream) == 'e');
    fclose(stream);
    CHECK(tn_file_info(in_folder("spool.part"), &info) == ENOENT);
}

TEST(a_stream_in_memory_becomes_a_text)
{
    char *text;
    size_t size;
    FILE *stream = tn_stream_open_memory(&text, &size);
    REQUIRE(stream);
    for (int i = 0; i < 10000; i++) fputs("line\n", stream);
    REQUIRE(tn_stream_close_memory(stream, &text, &size) == 0);
    CHECK(size == 50000 && strlen(text) == size && memcmp(text + 49990, "line\nline\n", 10) == 0);
    free(text);
}

TEST(paths_are_taken_apart_as_the_system_does)
{
    CHECK(tn_path_root("/a/b") == 1 && tn_path_root("a/b") == 0 && tn_path_root("") == 0);
    CHECK(strcmp(tn_path_name("/a/b.xml"), "b.xml") == 0);
    CHECK(strcmp(tn_path_name("b.xml"), "b.xml") == 0 && strcmp(tn_path_name("/b"), "b") == 0);
#ifdef _WIN32
    CHECK(tn_path_root("C:\\a") == 3 && tn_path_root("c:/a") == 3 && tn_path_root("C:a") == 2);
    CHECK(tn_path_root("\\a") == 1 && tn_path_root("1:\\a") == 0);
    CHECK(tn_path_root("\\\\server\\share") == 8 && tn_path_is_remote("//server/share"));
    CHECK(tn_path_is_remote("\\\\.\\pipe\\x") && tn_path_is_remote("\\\\?\\C:\\a"));
    CHECK(strcmp(tn_path_name("C:\\a\\b.xml"), "b.xml") == 0);
    CHECK(strcmp(tn_path_name("C:b.xml"), "b.xml") == 0);
#else
    CHECK(tn_path_root("C:\\a") == 0 && tn_path_root("//server/share") == 1);
    CHECK(strcmp(tn_path_name("C:\\a\\b.xml"), "C:\\a\\b.xml") == 0);
#endif
}

/* What a model may name: in its folder, whichever way the path is written. */
TEST(the_reach_of_a_model_is_the_same_however_paths_are_written)
{
    TnLoadDef def = tn_load_def();
    def.reach = TN_FILES_FOLDER;
    put("a.txt", "a");
    char path[TN_PATH];
    CHECK(tn_io_may_read(&def, folder, in_folder("a.txt")));
    CHECK(tn_io_may_read(&def, folder, in_folder("nothing")));
    CHECK(!tn_io_may_read(&def, folder, in_folder("../a.txt")));
    CHECK(!tn_io_may_read(&def, folder, "/elsewhere/a.txt"));
    snprintf(path, sizeof path, "%.3000sx/a.txt", folder); /* a folder whose name goes on */
    CHECK(!tn_io_may_read(&def, folder, path));
    snprintf(path, sizeof path, "%.1500s/../%.1500s/a.txt", folder, tn_path_name(folder));
    CHECK(tn_io_may_read(&def, folder, path));
#ifdef _WIN32
    static const char *const outside[] = {
        "C:\\windows\\win.ini", "c:/windows/win.ini",         "C:win.ini",
        "\\windows\\win.ini",   "\\\\server\\share\\a",       "//server/share/a",
        "\\\\.\\pipe\\tenon",   "\\\\?\\C:\\windows\\win.ini"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (tn_io_may_read(&def, folder, outside[i]))
            test_fail(__FILE__, __LINE__, "%s may be read", outside[i]);
    snprintf(path, sizeof path, "%.3000s\\a.txt", folder);
    CHECK(tn_io_may_read(&def, folder, path));
    snprintf(path, sizeof path, "%.3000s\\..\\a.txt", folder);
    CHECK(!tn_io_may_read(&def, folder, path));
    snprintf(path, sizeof path, "%.3000s\\NUL", folder); /* a device in every folder */
    TnFileInfo info;
    CHECK(!tn_io_may_read(&def, folder, path) || tn_file_info(path, &info) != 0 ||
          info.kind == TN_FILE_OTHER);
#endif
}

TEST(letters_are_compared_without_their_case)
{
    CHECK(tn_text_same(".STL", ".stl") && !tn_text_same(".stl", ".st"));
    CHECK(!tn_text_same("\xc3\x84", "\xc3\xa4")); /* ASCII alone */
    CHECK(tn_text_begins("NaN(1)", "nan") && !tn_text_begins("na", "nan"));
    CHECK(strcmp(tn_text_find("abcabd", 6, "abd"), "abd") == 0 && !tn_text_find("abcab", 5, "abd"));
    CHECK(tn_text_find("", 0, "") && !tn_text_find("", 0, "a") && !tn_text_find("ab", 1, "ab"));
    CHECK(!tn_text_find("a\0b", 2, "b")); /* `size` bytes, whatever they are */
    CHECK(tn_text_find("a\0b", 3, "b"));
}

TEST(a_condition_that_never_comes_is_waited_for_as_long_as_asked)
{
    TnMutex mutex;
    TnCondition condition;
    REQUIRE(tn_mutex_init(&mutex) && tn_condition_init(&condition));
    tn_mutex_lock(&mutex);
    bool in_time = true;
    for (int k = 0; k < 1000 && in_time; k++) /* may end early */
        in_time = tn_condition_wait_for(&condition, &mutex, 0.01);
    CHECK(!in_time);
    tn_mutex_unlock(&mutex);
    tn_condition_destroy(&condition);
    tn_mutex_destroy(&mutex);
}
