/* mesh_file.h: triangles out of mesh files: OBJ, STL (binary and text) and MuJoCo's MSH.
 *
 * A reader gets the whole file and fills a TnMeshFile, or says in `fault` what is wrong with it and
 * where. Counts in a file are believed only as far as the file is long, so that a wrong one cannot
 * ask for more memory than a few times its size. */
#ifndef TN_IO_MESH_FILE_H
#define TN_IO_MESH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TnMeshFile {
    double *vertices; /* 3 × vertex_count, heap */
    int vertex_count;
    int32_t *triangles; /* 3 × triangle_count, heap */
    int triangle_count;
    float *texcoords; /* 2 × 3 × triangle_count as in TnMeshDef, heap; NULL: none */
    bool left_out;    /* OBJ: faces of further groups were passed over, as MuJoCo does */
    char fault[160];  /* after a failure: what is wrong; "" means no memory */
} TnMeshFile;

/* `text` ends with a zero after `size` bytes. False after a fault; free in any case. */
bool tn_mesh_read_obj(const char *text, size_t size, TnMeshFile *out);
bool tn_mesh_read_stl(const char *text, size_t size, TnMeshFile *out);
bool tn_mesh_read_msh(const char *text, size_t size, TnMeshFile *out);
/* One of MJCF's builtin meshes (mesh_builtin.c). */
bool tn_mesh_builtin(const char *name, const double *params, int count, TnMeshFile *out);
void tn_mesh_file_free(TnMeshFile *mesh);

/* ---- shared by the readers (mesh_file.c) ---- */

/* A growing list of numbers; false: no memory. */
typedef struct TnMeshList {
    void *data;
    size_t count, room; /* elements */
} TnMeshList;
bool tn_mesh_list_add(TnMeshList *list, size_t element_size, const void *element);

/* The next word of a line: skips blanks, stops at blanks or the line's end. NULL: none. */
const char *tn_mesh_word(const char **at, size_t *length);
bool tn_mesh_number(const char *word, size_t length, double *out);
bool tn_mesh_fault(TnMeshFile *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers as they lie in a file, lowest byte first. */
uint32_t tn_mesh_u32(const char *bytes);
float tn_mesh_f32(const char *bytes);

/* Texture coordinates of corners out of two for each vertex, v as in TnMeshDef. False: no memory.
 */
bool tn_mesh_spread_texcoords(TnMeshFile *out, const float *of_vertices);

/* Adds the triangles of a polygon of three corners or more to a list of int32_t (mesh_polygon.c).
 * False: no memory. */
bool tn_mesh_cut_polygon(const double *vertices, const int32_t *corners, int count,
                         TnMeshList *out);

/* Takes 9 numbers per triangle; corners at equal places become one vertex. False: no memory. */
bool tn_mesh_merge(const double *corners, size_t triangle_count, TnMeshFile *out);

#endif
