/* gltf_write.c: a glTF document as a file.
 *
 * .glb: 12 bytes of header ("glTF", version 2, length), then two chunks, each with its length and
 * kind in front: the JSON, filled up with spaces, and the buffer, filled up with zeros, both to a
 * multiple of 4. .gltf: the JSON alone, with the buffer as base64 in it. */
#include "../common/json.h"
#include "base64.h"
#include "gltf.h"
#include "html_page.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/base.h>

static void write_floats(Json *json, const char *key, const float *values, int count)
{
    double numbers[4];
    for (int k = 0; k < count; k++) numbers[k] = (double)values[k];
    json_numbers(json, key, numbers, count);
}

static void write_buffers(Json *json, const Gltf *gltf)
{
    if (!gltf->view_count) return;
    json_begin_array(json, "bufferViews");
    for (int i = 0; i < gltf->view_count; i++) {
        const GltfView *view = &gltf->views[i];
        json_begin_object(json, NULL);
        json_integer(json, "buffer", 0);
        json_integer(json, "byteOffset", (int64_t)view->start);
        json_integer(json, "byteLength", (int64_t)view->size);
        if (view->use != GLTF_NUMBERS)
            json_integer(json, "target", view->use == GLTF_VERTICES ? 34962 : 34963);
        json_end(json);
    }
    json_end(json);
    if (!gltf->accessor_count) return;
    json_begin_array(json, "accessors");
    for (int i = 0; i < gltf->accessor_count; i++) {
        static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
        const GltfAccessor *accessor = &gltf->accessors[i];
        json_begin_object(json, NULL);
        json_integer(json, "bufferView", accessor->view);
        json_integer(json, "componentType", accessor->integer ? 5125 : 5126);
        json_integer(json, "count", accessor->count);
        json_string(json, "type", types[accessor->width - 1]);
        if (accessor->bounded) {
            write_floats(json, "min", accessor->low, accessor->width);
            write_floats(json, "max", accessor->high, accessor->width);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_material(Json *json, const GltfMaterial *m)
{
    json_begin_object(json, NULL);
    json_begin_object(json, "pbrMetallicRoughness");
    write_floats(json, "baseColorFactor", m->color, 4);
    json_number(json, "metallicFactor", (double)m->metallic);
    json_number(json, "roughnessFactor", (double)m->roughness);
    if (m->texture >= 0) {
        json_begin_object(json, "baseColorTexture");
        json_integer(json, "index", m->texture);
        json_end(json);
    }
    json_end(json);
    if (m->emission > 0) {
        float glow[3];
        for (int k = 0; k < 3; k++) glow[k] = m->color[k] * m->emission;
        write_floats(json, "emissiveFactor", glow, 3);
    }
    if (m->color[3] < 1) json_string(json, "alphaMode", "BLEND");
    if (m->both_sides) json_bool(json, "doubleSided", true);
    json_end(json);
}

/* Texture i is image i, repeated in both directions. */
static void write_looks(Json *json, const Gltf *gltf)
{
    if (gltf->material_count) {
        json_begin_array(json, "materials");
        for (int i = 0; i < gltf->material_count; i++) write_material(json, &gltf->materials[i]);
        json_end(json);
    }
    if (!gltf->image_count) return;
    json_begin_array(json, "images");
    for (int i = 0; i < gltf->image_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "bufferView", gltf->images[i]);
        json_string(json, "mimeType", "image/png");
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "samplers");
    json_begin_object(json, NULL);
    json_integer(json, "magFilter", 9729);
    json_integer(json, "minFilter", 9987);
    json_end(json);
    json_end(json);
    json_begin_array(json, "textures");
    for (int i = 0; i < gltf->image_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "source", i);
        json_integer(json, "sampler", 0);
        json_end(json);
    }
    json_end(json);
}

static void write_mesh(Json *json, const Gltf *gltf, const GltfMesh *mesh)
{
    const GltfGeometry *geometry = &mesh->geometry;
    json_begin_object(json, NULL);
    json_begin_array(json, "primitives");
    json_begin_object(json, NULL);
    json_begin_object(json, "attributes");
    json_integer(json, "POSITION", geometry->positions);
    json_integer(json, "NORMAL", geometry->normals);
    if (geometry->places >= 0) json_integer(json, "TEXCOORD_0", geometry->places);
    json_end(json);
    json_integer(json, "indices", geometry->indices);
    json_integer(json, "material", mesh->material);
    if (mesh->target_count) {
        json_begin_array(json, "targets");
        for (int i = 0; i < mesh->target_count; i++) {
            const GltfTarget *target = &gltf->targets[mesh->target_first + i];
            json_begin_object(json, NULL);
            json_integer(json, "POSITION", target->positions);
            json_integer(json, "NORMAL", target->normals);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
    json_end(json);
    if (mesh->target_count) {
        json_begin_array(json, "weights");
        for (int i = 0; i < mesh->target_count; i++) json_integer(json, NULL, 0);
        json_end(json);
    }
    json_end(json);
}

static void write_meshes(Json *json, const Gltf *gltf)
{
    if (gltf->mesh_count) {
        json_begin_array(json, "meshes");
        for (int i = 0; i < gltf->mesh_count; i++) write_mesh(json, gltf, &gltf->meshes[i]);
        json_end(json);
    }
    if (!gltf->camera_count) return;
    json_begin_array(json, "cameras");
    for (int i = 0; i < gltf->camera_count; i++) {
        json_begin_object(json, NULL);
        if (gltf->cameras[i].name[0]) json_string(json, "name", gltf->cameras[i].name);
        json_string(json, "type", "perspective");
        json_begin_object(json, "perspective");
        json_number(json, "yfov", (double)gltf->cameras[i].fovy);
        json_number(json, "znear", (double)gltf->cameras[i].near);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void write_nodes(Json *json, const Gltf *gltf)
{
    json_begin_array(json, "nodes");
    for (int i = 0; i < gltf->node_count; i++) {
        const GltfNode *node = &gltf->nodes[i];
        const float *t = node->translation, *r = node->rotation, *s = node->scale;
        json_begin_object(json, NULL);
        json_string(json, "name", node->name);
        if (t[0] != 0 || t[1] != 0 || t[2] != 0) write_floats(json, "translation", t, 3);
        if (r[0] != 0 || r[1] != 0 || r[2] != 0) write_floats(json, "rotation", r, 4);
        if (s[0] != 1 || s[1] != 1 || s[2] != 1) write_floats(json, "scale", s, 3);
        if (node->mesh >= 0) json_integer(json, "mesh", node->mesh);
        if (node->camera >= 0) json_integer(json, "camera", node->camera);
        if (node->first_child >= 0) {
            json_begin_array(json, "children");
            for (int k = node->first_child; k >= 0; k = gltf->nodes[k].next)
                json_integer(json, NULL, k);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

/* Sampler i belongs to channel i. */
static void write_animation(Json *json, const Gltf *gltf)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    if (!gltf->channel_count) return;
    json_begin_array(json, "animations");
    json_begin_object(json, NULL);
    json_begin_array(json, "channels");
    for (int i = 0; i < gltf->channel_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "sampler", i);
        json_begin_object(json, "target");
        json_integer(json, "node", gltf->channels[i].node);
        json_string(json, "path", paths[gltf->channels[i].path]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "samplers");
    for (int i = 0; i < gltf->channel_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "input", gltf->channels[i].times);
        json_integer(json, "output", gltf->channels[i].values);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    json_end(json);
}

/* The last member of the buffer's object: base64 has nothing that JSON would escape. */
static void write_uri(FILE *out, const Gltf *gltf)
{
    Base64 base64 = {.out = out};
    fputs(",\n      \"uri\": \"data:application/octet-stream;base64,", out);
    for (size_t i = 0; i < ((gltf->size + 3) & ~(size_t)3); i++)
        base64_byte(&base64, i < gltf->size ? gltf->bytes[i] : 0);
    base64_flush(&base64);
    fputc('"', out);
}

static void write_json(FILE *out, const Gltf *gltf, const GltfAbout *about, bool embed)
{
    Json json = json_to(out);
    char maker[64];
    snprintf(maker, sizeof maker, "tenon %s", tn_version());
    json_begin_object(&json, NULL);
    json_begin_object(&json, "asset");
    json_string(&json, "version", "2.0");
    json_string(&json, "generator", maker);
    json_begin_object(&json, "extras");
    json_string(&json, "title", about->title);
    json_number(&json, "start", about->start);
    json_end(&json);
    json_end(&json);
    json_integer(&json, "scene", 0);
    json_begin_array(&json, "scenes");
    json_begin_object(&json, NULL);
    json_begin_array(&json, "nodes");
    json_integer(&json, NULL, 0);
    json_end(&json);
    json_end(&json);
    json_end(&json);
    write_nodes(&json, gltf);
    write_meshes(&json, gltf);
    write_looks(&json, gltf);
    write_animation(&json, gltf);
    write_buffers(&json, gltf);
    if (gltf->size) {
        json_begin_array(&json, "buffers");
        json_begin_object(&json, NULL);
        json_integer(&json, "byteLength", (int64_t)((gltf->size + 3) & ~(size_t)3));
        if (embed) write_uri(out, gltf);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
}

typedef struct Document {
    const Gltf *gltf;
    const GltfAbout *about;
} Document;

static void write_head(FILE *out, void *context)
{
    const Document *document = context;
    write_json(out, document->gltf, document->about, false);
}

static void put_word(FILE *out, uint64_t value)
{
    for (int k = 0; k < 4; k++) fputc((int)(value >> (8 * k) & 0xFF), out);
}

const char *gltf_write(FILE *out, const Gltf *gltf, const GltfAbout *about, bool binary)
{
    Document document = {gltf, about};
    if (!binary) {
        write_json(out, gltf, about, true);
        return NULL;
    }
    char *head = html_text(write_head, &document);
    if (!head) return "no memory for the document's JSON";
    uint64_t text = strlen(head), padded = (text + 3) & ~(uint64_t)3;
    uint64_t bytes = (gltf->size + 3) & ~(size_t)3,
             whole = 12 + 8 + padded + (bytes ? 8 + bytes : 0);
    if (whole > UINT32_MAX) {
        free(head);
        return "more than 4 GiB, which .glb cannot hold: --fps and --every take fewer frames";
    }
    fwrite("glTF", 1, 4, out);
    put_word(out, 2);
    put_word(out, whole);
    put_word(out, padded);
    fwrite("JSON", 1, 4, out);
    fwrite(head, 1, text, out);
    for (uint64_t i = text; i < padded; i++) fputc(' ', out);
    if (bytes) {
        put_word(out, bytes);
        fwrite("BIN", 1, 4, out); /* with the zero at the end */
        fwrite(gltf->bytes, 1, gltf->size, out);
        for (uint64_t i = gltf->size; i < bytes; i++) fputc(0, out);
    }
    free(head);
    return NULL;
}
