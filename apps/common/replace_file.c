/* See replace_file.h. */
#include "replace_file.h"

#include "app.h"
#include "platform/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process that wrote the file that is there, and still runs, has it locked. 0 or an errno. */
static int check_free(const char *path, int held)
{
    TnFileInfo there, own;
    int file, code = tn_file_open(path, TN_FILE_READ, &file);
    if (code) return code == ENOENT ? 0 : code;
    bool mine = held >= 0 && tn_handle_info(file, &there) == 0 && tn_handle_info(held, &own) == 0 &&
                tn_file_same(&there.id, &own.id);
    code = mine ? 0 : tn_file_lock(file);
    tn_file_close(file); /* and with it the lock that was just taken */
    return code;
}

/* Written, locked and on the disk; 0 or an errno. */
static int write_all(const char *path, const void *bytes, size_t size, int *file)
{
    int code = tn_file_open(path, TN_FILE_MAKE, file);
    if (code) return code;
    code = tn_file_lock(*file);
    if (code) {
        tn_file_close(*file);
        return code;
    }
    code = tn_file_cut(*file, 0);
    if (!code) code = tn_file_write(*file, bytes, size);
    if (!code) code = tn_file_to_disk(*file);
    if (!code) return 0;
    tn_file_close(*file);
    tn_file_remove(path);
    return code;
}

/* A rename is on the disk once its folder is. Some file systems cannot. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path);
    if (!folder) return;
    size_t end = (size_t)(tn_path_name(folder) - folder);
    folder[end > tn_path_root(folder) ? end - 1 : end] = '\0';
    tn_folder_to_disk(folder[0] ? folder : ".");
    free(folder);
}

static int replace(const char *target, const void *bytes, size_t size, int *held)
{
    size_t length = strlen(target);
    char *beside = malloc(length + sizeof ".part");
    if (!beside) return ENOMEM;
    memcpy(beside, target, length);
    memcpy(beside + length, ".part", sizeof ".part");
    int file = -1, code = check_free(target, *held);
    if (!code) code = write_all(beside, bytes, size, &file);
    if (!code) {
        if (!TN_REPLACES_OPEN_FILES && *held >= 0) {
            tn_file_close(*held);
            *held = -1;
        }
        code = tn_file_put_in_place(beside, target, &file);
        if (!code) code = tn_file_lock(file); /* where it was opened anew */
        if (code) {
            if (file >= 0) tn_file_close(file);
            tn_file_remove(beside);
        }
    }
    free(beside);
    if (code) return code;
    sync_folder(target);
    if (*held >= 0) tn_file_close(*held);
    *held = file;
    return 0;
}

bool replace_file(const char *path, const void *bytes, size_t size, int *held)
{
    TnFileInfo about;
    char target[TN_PATH];
    if (!make_parent_folders(path)) return false;
    int code = tn_file_info(path, &about);
    if (code == ENOENT) {
        code = replace(path, bytes, size, held);
    } else if (!code) {
        code = about.kind == TN_FILE_FOLDER  ? EISDIR
               : about.kind == TN_FILE_OTHER ? EINVAL
                                             : tn_file_may_write(path); /* protected: it stays */
        if (!code) code = tn_file_real_path(path, target);
        if (!code) code = replace(target, bytes, size, held);
    }
    errno = code;
    return code == 0;
}
