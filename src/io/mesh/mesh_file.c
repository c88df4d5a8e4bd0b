/* mesh_file.c: what the readers of mesh files share. */
#include "mesh_file.h"
#include "../../base/platform/numbers.h"

#include "../../base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tn_mesh_list_add(TnMeshList *list, size_t element_size, const void *element)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        void *more = tn_realloc(list->data, room * element_size);
        if (!more) return false;
        list->data = more;
        list->room = room;
    }
    memcpy((char *)list->data + list->count++ * element_size, element, element_size);
    return true;
}

const char *tn_mesh_word(const char **at, size_t *length)
{
    const char *start = *at + strspn(*at, " \t\r\v\f");
    *length = strcspn(start, " \t\r\v\f\n");
    *at = start + *length;
    return *length ? start : NULL;
}

/* As in MJCF: decimal and finite. */
bool tn_mesh_number(const char *word, size_t length, double *out)
{
    double value;
    if (!tn_number_is(word, length, &value) || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool tn_mesh_fault(TnMeshFile *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->fault, sizeof out->fault, format, args);
    va_end(args);
    return false;
}

uint32_t tn_mesh_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

float tn_mesh_f32(const char *bytes)
{
    uint32_t bits = tn_mesh_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t hash_of(const double p[3])
{
    uint64_t h = 1469598103934665603u, bits[3];
    memcpy(bits, p, sizeof bits);
    for (int k = 0; k < 3; k++) {
        h = (h ^ bits[k]) * 1099511628211u;
        h ^= h >> 32;
    }
    return h;
}

/* A table of twice as many slots as corners; a slot holds a vertex + 1. */
bool tn_mesh_merge(const double *corners, size_t triangle_count, TnMeshFile *out)
{
    size_t corner_count = 3 * triangle_count, slot_count = 16;
    while (slot_count < 2 * corner_count) slot_count *= 2;
    int32_t *slots = tn_calloc(slot_count, sizeof *slots);
    out->vertices = tn_malloc(3 * (corner_count + 1) * sizeof *out->vertices);
    out->triangles = tn_malloc((corner_count + 1) * sizeof *out->triangles);
    bool good = slots && out->vertices && out->triangles;
    out->vertex_count = 0;
    for (size_t i = 0; good && i < corner_count; i++) {
        double p[3]; /* + 0.0 makes both zeros the same */
        for (int k = 0; k < 3; k++) p[k] = corners[3 * i + (size_t)k] + 0.0;
        size_t slot = (size_t)hash_of(p) & (slot_count - 1);
        while (slots[slot] &&
               memcmp(out->vertices + 3 * (size_t)(slots[slot] - 1), p, sizeof p) != 0)
            slot = (slot + 1) & (slot_count - 1);
        if (!slots[slot]) {
            memcpy(out->vertices + 3 * (size_t)out->vertex_count, p, sizeof p);
            slots[slot] = ++out->vertex_count;
        }
        out->triangles[i] = slots[slot] - 1;
    }
    out->triangle_count = (int)triangle_count;
    tn_free(slots);
    return good;
}

bool tn_mesh_spread_texcoords(TnMeshFile *out, const float *of_vertices)
{
    size_t corners = 3 * (size_t)out->triangle_count;
    out->texcoords = tn_malloc((2 * corners + 1) * sizeof *out->texcoords);
    for (size_t i = 0; out->texcoords && i < corners; i++) {
        int32_t v = out->triangles[i];
        bool known = v >= 0 && v < out->vertex_count; /* others are told later */
        for (int k = 0; k < 2; k++)
            out->texcoords[2 * i + (size_t)k] = known ? of_vertices[2 * v + k] : 0.0f;
    }
    return out->texcoords != NULL;
}

void tn_mesh_file_free(TnMeshFile *mesh)
{
    tn_free(mesh->vertices);
    tn_free(mesh->triangles);
    tn_free(mesh->texcoords);
    mesh->texcoords = NULL;
    mesh->vertices = NULL;
    mesh->triangles = NULL;
}
