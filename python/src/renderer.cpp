/* renderer.cpp: pictures of a world or a recording as arrays, where the module was built with
 * OpenGL's headers. */
#include "recording.h"

#ifdef TENON_PYTHON_RENDER
#include <tenon/render.h>

/* Where the camera stands and what it shows: 0 colour, 1 depth, 2 geoms. */
struct Shot {
    Doubles keep_eye, keep_target;
    const double *eye, *target;
    int index; /* of the camera, -1: free. A free one without a place sees everything. */
    double fovy;
    int what;

    Shot(int camera, nb::object from, nb::object to, double angle, int kind)
        : eye(optional_doubles(from, {3}, "eye", keep_eye)),
          target(optional_doubles(to, {3}, "target", keep_target)), index(camera), fovy(angle),
          what(kind)
    {
    }
    void place(TnRenderCamera &camera) const
    {
        camera.camera = index + 1;
        for (int k = 0; eye && k < 3; k++) camera.eye[k] = eye[k];
        for (int k = 0; target && k < 3; k++) camera.target[k] = target[k];
        for (int k = 0; (eye || target) && k < 3; k++) camera.up[k] = k == 2; /* upright */
        if (fovy > 0.0) camera.fovy = fovy;
    }
    /* The bytes of a new picture, and where they go. */
    nb::object picture(size_t pixels, TnRenderBuffers &out) const
    {
        static const size_t bytes[] = {3, sizeof(float), sizeof(int32_t)};
        void *memory;
        nb::object result = new_bytes(pixels, bytes[what], &memory);
        if (what == 0) out.rgb = static_cast<uint8_t *>(memory);
        if (what == 1) out.depth = static_cast<float *>(memory);
        if (what == 2) out.segments = static_cast<int32_t *>(memory);
        return result;
    }
};

static TnRendererDef size_of(int width, int height, int samples = 4, bool shadows = true)
{
    TnRendererDef def = tn_renderer_def();
    def.width = width;
    def.height = height;
    def.samples = samples;
    def.shadows = shadows;
    return def;
}

class Renderer
{
    std::pair<std::shared_ptr<BatchData>, int> of;
    TnRendererDef def;
    TnRenderer *renderer = nullptr;

  public:
    Renderer(nb::capsule handle, int width, int height, int samples, bool shadows)
        : of(*static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(handle.data())),
          def(size_of(width, height, samples, shadows))
    {
        Error err;
        Use use(*of.first);
        renderer = tn_renderer_create(&def, tn_batch_world(of.first->batch, of.second), &err);
        if (!renderer) raise(err);
    }
    ~Renderer() { tn_renderer_destroy(renderer); }
    Renderer(const Renderer &) = delete;

    nb::object draw(int index, nb::object eye, nb::object target, double fovy, int what)
    {
        Shot shot(index, eye, target, fovy, what);
        Error err;
        Use use(*of.first);
        TnWorld *world = tn_batch_world(of.first->batch, of.second);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        TnRenderCamera camera = tn_renderer_fit(renderer, world);
        shot.place(camera);
        TnRenderBuffers out{};
        nb::object picture = shot.picture((size_t)def.width * (size_t)def.height, out);
        TnStatus status;
        {
            nb::gil_scoped_release release;
            status = tn_renderer_draw(renderer, world, &camera, &out, &err);
        }
        check(status, err);
        return picture;
    }
};

/* One renderer draws all worlds of a batch, one after the other: they share meshes and textures,
 * and the driver has threads of its own. */
class BatchRenderer
{
    std::shared_ptr<BatchData> of;
    TnRendererDef def;
    TnRenderer *renderer = nullptr;

  public:
    BatchRenderer(nb::capsule handle, int width, int height, int samples, bool shadows)
        : of(*static_cast<std::shared_ptr<BatchData> *>(handle.data())),
          def(size_of(width, height, samples, shadows))
    {
        Error err;
        Use use(*of);
        renderer = tn_renderer_create(&def, tn_batch_world(of->batch, 0), &err);
        if (!renderer) raise(err);
    }
    ~BatchRenderer() { tn_renderer_destroy(renderer); }
    BatchRenderer(const BatchRenderer &) = delete;

    /* eyes, targets: a row per world, or None. */
    nb::object draw(int index, nb::object eyes, nb::object targets, double fovy, int what)
    {
        Shot shot(index, nb::none(), nb::none(), fovy, what);
        Doubles keep_eyes, keep_targets;
        long count = of->view.count;
        const double *eye = optional_doubles(eyes, {count, 3}, "eye", keep_eyes),
                     *target = optional_doubles(targets, {count, 3}, "target", keep_targets);
        size_t pixels = (size_t)def.width * (size_t)def.height;
        TnRenderBuffers all{};
        nb::object pictures = shot.picture((size_t)count * pixels, all);
        Interruptible interruptible;
        Error err;
        TnStatus status = TN_OK;
        {
            Use use(*of);
            nb::gil_scoped_release release;
            for (long i = 0; i < count && status == TN_OK; i++) {
                status = tn_batch_push(of->batch, (int)i, &err);
                if (status != TN_OK) break;
                const TnWorld *world = tn_batch_world(of->batch, (int)i);
                TnRenderCamera camera = tn_renderer_fit(renderer, world);
                shot.eye = eye ? eye + 3 * i : nullptr;
                shot.target = target ? target + 3 * i : nullptr;
                shot.place(camera);
                TnRenderBuffers out{};
                size_t at = (size_t)i * pixels;
                if (all.rgb) out.rgb = all.rgb + 3 * at;
                if (all.depth) out.depth = all.depth + at;
                if (all.segments) out.segments = all.segments + at;
                status = tn_renderer_draw(renderer, world, &camera, &out, &err);
                interruptible.look();
            }
        }
        check(status, err);
        return pictures;
    }
};

class FrameRenderer
{
    std::shared_ptr<RecordingData> of;
    TnRendererDef def;
    TnRenderer *renderer = nullptr;

  public:
    FrameRenderer(const Recording &recording, int width, int height)
        : of(recording.data), def(size_of(width, height))
    {
        Error err;
        Reading reading(of);
        renderer = tn_renderer_create_of(&def, reading.scene, &err);
        if (!renderer) raise(err);
    }
    ~FrameRenderer() { tn_renderer_destroy(renderer); }
    FrameRenderer(const FrameRenderer &) = delete;

    nb::object draw(int frame_index, int index, nb::object eye, nb::object target, double fovy,
                    int what)
    {
        Shot shot(index, eye, target, fovy, what);
        Error err;
        Reading reading(of);
        const TnFrame &frame = reading.frame(frame_index);
        TnRenderCamera camera = tn_renderer_fit_frame(renderer, &frame);
        shot.place(camera);
        TnRenderBuffers out{};
        nb::object picture = shot.picture((size_t)def.width * (size_t)def.height, out);
        TnStatus status;
        {
            nb::gil_scoped_release release;
            status = tn_renderer_draw_frame(renderer, &frame, &camera, &out, &err);
        }
        check(status, err);
        return picture;
    }
};

void bind_renderer(nb::module_ &m)
{
    m.attr("can_render") = true;
    nb::class_<Renderer>(m, "Renderer")
        .def(nb::init<nb::capsule, int, int, int, bool>())
        .def("_draw", &Renderer::draw, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
             nb::arg());
    nb::class_<BatchRenderer>(m, "BatchRenderer")
        .def(nb::init<nb::capsule, int, int, int, bool>())
        .def("_draw", &BatchRenderer::draw, nb::arg(), nb::arg().none(), nb::arg().none(),
             nb::arg(), nb::arg());
    nb::class_<FrameRenderer>(m, "FrameRenderer")
        .def(nb::init<const Recording &, int, int>())
        .def("_draw", &FrameRenderer::draw, nb::arg(), nb::arg(), nb::arg().none(),
             nb::arg().none(), nb::arg(), nb::arg());
}
#else
void bind_renderer(nb::module_ &m) { m.attr("can_render") = false; }
#endif
