/* tet_file.h: what the readers of tetrahedral meshes share: a place in the file, its next number in
 * text or binary, and lists of nodes and elements by the file's own node numbers.
 *
 * A reader goes through the file once and adds what it finds; tn_tet_file_finish then replaces the
 * file's numbers by places in the list and leaves out nodes without elements. Counts in a file are
 * compared with the bytes that are left before anything is read, and lists grow with what was read
 * only. Messages name the file and the line, or the byte from 0 in binary parts. */
#ifndef TN_IO_TET_FILE_H
#define TN_IO_TET_FILE_H

#include "mesh_file.h"

#include <tenon/model.h>

typedef struct TnTetFileNode {
    int64_t number; /* the file's */
    double x[3];
} TnTetFileNode;

typedef struct TnTetFileTet {
    int64_t nodes[4]; /* the file's numbers */
    int64_t place;    /* for messages */
} TnTetFileTet;

typedef struct TnTetFile {
    const char *path;
    const TnLoadDef *load; /* may have files in memory */
    TnError *err;
    const char *text; /* size bytes and a closing zero */
    size_t size, at;
    int64_t line;     /* of `at`, from 1 */
    bool binary;      /* numbers are bytes */
    bool by_byte;     /* messages name the byte, not the line: binary parts have none */
    bool big_endian;  /* of binary numbers */
    TnMeshList nodes; /* TnTetFileNode */
    TnMeshList tets;  /* TnTetFileTet */
    /* gmsh: of surfaces, as a b c c */
    TnMeshList triangles;
} TnTetFile;

/* tn_tet_mesh_load, and how many nodes the file has, those without elements included. dim 2: the
 * triangles of a file of gmsh in place of tetrahedra. */
bool tn_tet_load(const TnLoadDef *load, const char *path, int dim, TnTetMesh *out, int *file_nodes,
                 TnError *err);

bool tn_tet_read_gmsh(TnTetFile *f);
bool tn_tet_read_vtk(TnTetFile *f);
bool tn_tet_read_tetgen_nodes(TnTetFile *f);
bool tn_tet_read_tetgen_elements(TnTetFile *f);

/* ---- shared by the readers (tet_file.c) ---- */

/* All that may fail return false (or NULL) with the error set. */
bool tn_tet_fault(TnTetFile *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool tn_tet_fault_at(TnTetFile *f, int64_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool tn_tet_no_memory(TnTetFile *f);
int64_t tn_tet_place(const TnTetFile *f);

/* The next word, over line ends; NULL, without an error, at the file's end. */
const char *tn_tet_word(TnTetFile *f, size_t *length);
bool tn_tet_is(const char *word, size_t length, const char *text); /* in any case */
/* The rest of the line; its end is passed. NULL, without an error, at the file's end. */
const char *tn_tet_line(TnTetFile *f, size_t *length);
/* Whole numbers and reals in text, whatever `binary` says. */
bool tn_tet_text_int(TnTetFile *f, const char *what, int64_t *out);
bool tn_tet_parse_int(const char *word, size_t length, int64_t *out); /* sets no error */

/* As `binary` says; a binary one has so many bytes (4 or 8). Reals are finite. */
bool tn_tet_int(TnTetFile *f, int bytes, const char *what, int64_t *out);
bool tn_tet_real(TnTetFile *f, int bytes, const char *what, double *out);
bool tn_tet_skip(TnTetFile *f, uint64_t count, uint64_t bytes_each, const char *what);

/* A count that the file announces: neither negative nor more than fit into what is left of it. */
bool tn_tet_count(TnTetFile *f, int64_t count, int bytes_each, const char *what);

bool tn_tet_add_node(TnTetFile *f, int64_t number, const double x[3]);
bool tn_tet_add_tet(TnTetFile *f, const int64_t nodes[4], int64_t place);
bool tn_tet_add_triangle(TnTetFile *f, const int64_t nodes[3], int64_t place);
bool tn_tet_file_finish(TnTetFile *f, TnTetMesh *out);

#endif
