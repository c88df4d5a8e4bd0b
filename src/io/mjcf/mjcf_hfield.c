/* mjcf_hfield.c: <hfield> assets: heights from the element, a PNG file, or MuJoCo's binary file.
 *
 * As in MuJoCo, heights are moved and scaled to 0 … 1 and stand for 0 … size[2] m; rows of the
 * element and of pictures begin at the far end (y > 0), those of binary files at the near one. */
#include "../../base/base.h"
#include "../../base/platform/text.h"
#include "../io_file.h"
#include "../mesh/mesh_file.h"
#include "../picture/png_file.h"
#include "mjcf.h"

#include <math.h>
#include <string.h>

typedef struct Heights {
    int rows, columns;
    double *values; /* heap */
} Heights;

static bool make_room(TnMjcf *m, Heights *h)
{
    h->values = tn_calloc((size_t)h->rows * (size_t)h->columns, sizeof *h->values);
    if (!h->values) m->pool.failed = true;
    return h->values != NULL;
}

static bool read_png(TnMjcf *m, const TnXmlElement *e, const TnIoFile *file, Heights *h)
{
    TnPngFile png;
    bool good = tn_png_read(file->text, file->size, 1, &png);
    if (!good && png.fault[0])
        tn_mjcf_error_attr(m, e, "file", "it cannot be read as a picture: %s", png.fault);
    if (!good && !png.fault[0]) m->pool.failed = true;
    h->rows = png.height;
    h->columns = png.width;
    good = good && make_room(m, h);
    for (int r = 0; good && r < h->rows; r++)
        for (int c = 0; c < h->columns; c++)
            h->values[(size_t)(h->rows - 1 - r) * (size_t)h->columns + (size_t)c] =
                png.pixels[(size_t)r * (size_t)h->columns + (size_t)c];
    tn_free(png.pixels);
    return good;
}

/* Rows, columns, and as many floats. */
static bool read_binary(TnMjcf *m, const TnXmlElement *e, const TnIoFile *file, Heights *h)
{
    uint32_t rows = file->size >= 8 ? tn_mesh_u32(file->text) : 0,
             columns = file->size >= 8 ? tn_mesh_u32(file->text + 4) : 0;
    if (rows == 0 || columns == 0 || (file->size - 8) / 4 / rows != columns ||
        (file->size - 8) != 4 * (size_t)rows * columns) {
        tn_mjcf_error_attr(
            m, e, "file",
            "a height field's file is a PNG picture, or has rows, columns and as many "
            "heights as 32-bit numbers");
        return false;
    }
    h->rows = (int)rows;
    h->columns = (int)columns;
    if (!make_room(m, h)) return false;
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        h->values[i] = (double)tn_mesh_f32(file->text + 8 + 4 * i);
    return true;
}

static bool read_file(TnMjcf *m, const TnXmlElement *e, const TnXmlAttr *attr, Heights *h)
{
    const char *wanted = tn_mjcf_asset_path(m, attr->value);
    const char *path = wanted ? tn_mjcf_resolve(m, e, wanted) : NULL;
    TnIoFile file;
    if (!path ||
        !tn_io_read_file(m->load, path, tn_xml_attr_place(e, attr), e->name, &file, &m->err))
        return false;
    const TnXmlAttr *type = tn_xml_attr(e, "content_type");
    size_t length = strlen(path);
    bool png = type ? strcmp(type->value, "image/png") == 0
                    : length > 4 && tn_text_same(path + length - 4, ".png");
    bool good = png ? read_png(m, e, &file, h) : read_binary(m, e, &file, h);
    tn_free(file.text);
    return good;
}

static bool read_inline(TnMjcf *m, const TnXmlElement *e, Heights *h)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    int count = 0;
    const double *values = tn_mjcf_real_list(m, e, "elevation", &count);
    h->rows = tn_mjcf_int(m, &view, "nrow", 0);
    h->columns = tn_mjcf_int(m, &view, "ncol", 0);
    if (h->rows < 2 || h->columns < 2 || h->rows > (1 << 26) / h->columns) {
        tn_mjcf_error(m, e, "a height field needs a file, or nrow and ncol of at least 2");
        return false;
    }
    if (count && count != h->rows * h->columns) {
        tn_mjcf_error_attr(m, e, "elevation", "elevation needs nrow × ncol = %d numbers, not %d",
                           h->rows * h->columns, count);
        return false;
    }
    if (!make_room(m, h)) return false;
    for (int r = 0; count && r < h->rows; r++)
        memcpy(h->values + (size_t)(h->rows - 1 - r) * (size_t)h->columns,
               values + (size_t)r * (size_t)h->columns, (size_t)h->columns * sizeof *values);
    return true;
}

/* To 0 … `height`; level ones to 0. False: some are not finite. */
static bool scale(Heights *h, double height)
{
    size_t count = (size_t)h->rows * (size_t)h->columns;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(h->values[i])) return false;
        low = fmin(low, h->values[i]);
        high = fmax(high, h->values[i]);
    }
    double factor = high > low ? height / (high - low) : 0.0;
    for (size_t i = 0; i < count; i++) h->values[i] = (h->values[i] - low) * factor;
    return true;
}

TnMeshId tn_mjcf_hfield(TnMjcf *m, const TnXmlElement *e, const char *name)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    const TnXmlAttr *file = tn_xml_attr(e, "file");
    double size[4] = {0, 0, 0, 0};
    int before = m->err.count;
    Heights h = {0};
    TnMeshId id = 0;
    if (!name) tn_mjcf_error(m, e, "attribute 'name' is missing");
    if (tn_mjcf_reals(m, &view, "size", size, 4) != 4 || !(size[0] > 0) || !(size[1] > 0) ||
        !(size[2] > 0) || !(size[3] > 0))
        tn_mjcf_error_attr(m, e, "size",
                           "a height field needs four positive numbers in size: half lengths, "
                           "height, and thickness of the base");
    bool good =
        m->err.count == before && (file ? read_file(m, e, file, &h) : read_inline(m, e, &h));
    if (good && (h.rows < 2 || h.columns < 2)) {
        tn_mjcf_error_attr(m, e, "file", "a height field has at least 2 rows and columns");
        good = false;
    }
    if (good && !scale(&h, size[2])) {
        tn_mjcf_error_attr(m, e, file ? "file" : "elevation", "a height is not finite");
        good = false;
    }
    if (good) {
        /* without its name, which a mesh may have, too */
        TnHeightFieldDef def = {.rows = h.rows,
                                .columns = h.columns,
                                .heights = h.values,
                                .half = {size[0], size[1]},
                                .base = size[3],
                                .file = file ? file->value : NULL,
                                .source = tn_xml_place(e)};
        id = tn_builder_add_height_field(m->builder, &def);
        if (!id) m->pool.failed = true;
    }
    tn_free(h.values);
    return id;
}
