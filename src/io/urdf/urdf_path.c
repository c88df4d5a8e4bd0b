/* urdf_path.c: which file a `filename` of a URDF means.
 *
 *   package://NAME/rest   NAME is a folder in one of the folders of TnLoadDef.package_path and of
 *   model://NAME/rest     ROS_PACKAGE_PATH, or one of these folders itself; else a folder above or
 *                         beside the file whose package.xml has that name, or that is called so;
 *                         files in memory: NAME/rest beside the model
 *   file:///path          that path
 *   path                  beside the file
 * With MuJoCo's meshdir: in that folder, by the file's own name if strippath is not false. Last,
 * MuJoCo's way is tried: the file's own name, beside the URDF file.
 *
 * What is in a package that the user named, or that the file is in, may be read, and all that
 * TnLoadDef.reach allows. Symbolic links may lead out of packages that the user named, and of no
 * others. */
#include "../io_file.h"
#include "../io_reach.h"
#include "urdf.h"

#include "../../base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a/b from the pieces, with one slash between; NULL where there is no memory. */
static const char *join(TnUrdf *u, const char *folder, size_t length, const char *rest)
{
    while (length > 1 && tn_path_separates(folder[length - 1])) length--;
    size_t room = length + strlen(rest) + 2;
    char *path = tn_io_alloc(&u->m->pool, room);
    if (!path) return NULL;
    bool slash = length > 0 && !tn_path_separates(folder[length - 1]);
    snprintf(path, room, "%.*s%s%s", (int)length, folder, slash ? "/" : "", rest);
    return path;
}

static const char *if_there(const TnUrdf *u, const char *path)
{
    if (path && tn_path_is_remote(path) && !tn_io_may_read(u->load, u->m->main_directory, path))
        return NULL;
    return path && tn_io_file_exists(u->load, path) ? path : NULL;
}

/* Whether the model may read it; notes where only a link forbids it. */
static bool may_read(TnUrdf *u, const char *path)
{
    if (tn_io_may_read(u->load, u->m->main_directory, path)) return true;
    u->leads_out = u->leads_out || tn_io_leads_out(u->load, u->m->main_directory, path);
    return false;
}

/* A file in a folder that the user named. */
static const char *if_within(TnUrdf *u, const char *folder, size_t length, const char *path)
{
    const char *root = tn_io_copy(&u->m->pool, folder, length);
    if (!root || !if_there(u, path)) return NULL;
    return tn_io_is_within(root, path) || may_read(u, path) ? path : NULL;
}

/* A file in a package that the user did not name. */
static const char *if_own(TnUrdf *u, const char *folder, size_t length, const char *path)
{
    const char *root = length ? tn_io_copy(&u->m->pool, folder, length) : "/";
    if (!root || !if_there(u, path)) return NULL;
    if (tn_io_stays_within(root, path) || may_read(u, path)) return path;
    u->leads_out = u->leads_out || tn_io_is_within(root, path);
    return NULL;
}

static bool ends_with_folder(const char *folder, size_t length, const char *name, size_t size)
{
    while (length > 0 && tn_path_separates(folder[length - 1])) length--;
    return length >= size && memcmp(folder + length - size, name, size) == 0 &&
           (length == size || tn_path_separates(folder[length - size - 1]));
}

/* `wanted` is NAME/rest. */
static const char *in_list(TnUrdf *u, const char *list, const char *wanted)
{
    size_t name = strcspn(wanted, "/");
    const char *found = NULL;
    while (list && *list && !found) {
        size_t length = strcspn(list, TN_PATH_LIST);
        if (length > 0) found = if_within(u, list, length, join(u, list, length, wanted));
        if (length > 0 && !found && ends_with_folder(list, length, wanted, name))
            found = if_within(u, list, length,
                              join(u, list, length, wanted + name + (wanted[name] == '/')));
        list += length + (list[length] != '\0');
    }
    return found;
}

/* The <name> of folder/package.xml is NAME. */
static bool is_package(TnUrdf *u, const char *folder, size_t length, const char *name, size_t size)
{
    const char *path = if_there(u, join(u, folder, length, "package.xml"));
    TnIoFile file;
    TnError ignored = {0};
    if (!path) return false;
    if (!tn_io_read_file(u->load, path, (TnSource){path, 0, 0}, "package", &file, &ignored)) {
        if (ignored.code == TN_ERROR_MEMORY) u->m->pool.failed = true;
        return false;
    }
    const char *at = strstr(file.text, "<name>");
    bool same = false;
    if (at) {
        at += strlen("<name>");
        at += strspn(at, " \t\r\n");
        same = strncmp(at, name, size) == 0 && strchr(" \t\r\n<", at[size]) != NULL;
    }
    tn_free(file.text);
    return same;
}

/* A package in a folder above the file; farther away than the reach it has to say that it is one.
 */
static const char *beside_package(TnUrdf *u, const char *folder, size_t length, const char *wanted)
{
    size_t name = strcspn(wanted, "/");
    const char *path = if_there(u, join(u, folder, length, wanted));
    if (!path || may_read(u, path)) return path;
    char *package = tn_io_copy(&u->m->pool, path, strlen(path) - strlen(wanted + name));
    if (!package || !is_package(u, package, strlen(package), wanted, name)) return NULL;
    return if_own(u, package, strlen(package), path);
}

/* Folders above the file: the package itself, or the one that holds it. */
static const char *above(TnUrdf *u, const char *wanted)
{
    size_t name = strcspn(wanted, "/");
    const char *rest = wanted + name + (wanted[name] == '/');
    char folder[TN_PATH];
    const char *found = NULL;
    if (tn_file_real_path(u->m->main_directory[0] ? u->m->main_directory : ".", folder))
        return NULL;
    for (size_t length = strlen(folder); length > 0 && !found;) {
        if (ends_with_folder(folder, length, wanted, name) ||
            is_package(u, folder, length, wanted, name))
            found = if_own(u, folder, length, join(u, folder, length, rest));
        if (!found) found = beside_package(u, folder, length, wanted);
        while (length > 0 && folder[length - 1] != '/') length--;
        while (length > 0 && folder[length - 1] == '/') length--;
    }
    return found;
}

static const char *beside(TnUrdf *u, const char *path)
{
    if (tn_path_root(path) > 0) return if_there(u, path);
    const char *folder = u->folder ? u->folder : u->m->main_directory;
    return if_there(u, join(u, folder, strlen(folder), path));
}

static const char *in_mesh_folder(TnUrdf *u, const char *path)
{
    if (!u->mesh_folder) return NULL;
    if (u->strip_path) path = tn_path_name(path);
    const char *inside = join(u, u->mesh_folder, strlen(u->mesh_folder), path);
    const char *found = inside ? beside(u, inside) : NULL;
    return found && may_read(u, found) ? found : NULL;
}

const char *tn_urdf_resolve(TnUrdf *u, const char *filename, bool *outside)
{
    *outside = u->leads_out = false;
    const char *scheme = strstr(filename, "://"), *path = scheme ? scheme + 3 : filename;
    bool package = scheme && strncmp(filename, "file", 4) != 0;
    const char *found = in_mesh_folder(u, path);
    if (!found && package) found = in_list(u, u->load->package_path, path);
    if (!found && package) found = in_list(u, getenv("ROS_PACKAGE_PATH"), path);
    if (!found && package) found = above(u, path);
    if (found) return found;
    found = beside(u, path);
    const char *name = tn_path_name(path);
    if (!found && u->strip_path && name > path) found = beside(u, name);
    if (found && may_read(u, found)) return found;
    *outside = found || u->leads_out;
    return NULL;
}
