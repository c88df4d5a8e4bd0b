/* soft.c: the mesh that tubes and surfaces grow into. */
#include "soft.h"

#include <stdlib.h>

void soft_clear(SoftMesh *mesh) { mesh->vertex_count = mesh->index_count = 0; }

void soft_free(SoftMesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (SoftMesh){0};
}

static bool grow(void **block, int *room, int64_t need, size_t size)
{
    if (need <= *room) return true;
    int64_t wish = need + need / 2;
    if (wish > INT32_MAX) return false;
    void *more = realloc(*block, (size_t)wish * size);
    if (!more) return false;
    *block = more;
    *room = (int)wish;
    return true;
}

bool soft_reserve(SoftMesh *mesh, int vertices, int indices)
{
    void *vertex_block = mesh->vertices, *index_block = mesh->indices;
    bool fine = grow(&vertex_block, &mesh->vertex_room, (int64_t)mesh->vertex_count + vertices,
                     sizeof *mesh->vertices);
    fine = fine && grow(&index_block, &mesh->index_room, (int64_t)mesh->index_count + indices,
                        sizeof *mesh->indices);
    mesh->vertices = vertex_block;
    mesh->indices = index_block;
    return fine;
}
