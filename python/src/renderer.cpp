/* renderer.cpp: pictures of a world as arrays, where the module was built with OpenGL's headers. */
#include "common.h"

#ifdef TENON_PYTHON_RENDER
#include <tenon/render.h>

class Renderer
{
    std::pair<std::shared_ptr<BatchData>, int> of;
    TnRenderer *renderer = nullptr;
    size_t width, height;

  public:
    Renderer(nb::capsule handle, int w, int h)
        : of(*static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(handle.data())),
          width((size_t)w), height((size_t)h)
    {
        Error err;
        TnRendererDef def = tn_renderer_def();
        def.width = w;
        def.height = h;
        Use use(*of.first);
        renderer = tn_renderer_create(&def, tn_batch_world(of.first->batch, of.second), &err);
        if (!renderer) raise(err);
    }
    ~Renderer() { tn_renderer_destroy(renderer); }
    Renderer(const Renderer &) = delete;

    /* camera: its index, -1: free. A free one without a place sees everything. */
    nb::object draw(int index, nb::object eye, nb::object target, double fovy, int what)
    {
        Doubles keep_eye, keep_target;
        const double *from = optional_doubles(eye, {3}, "eye", keep_eye),
                     *to = optional_doubles(target, {3}, "target", keep_target);
        Error err;
        Use use(*of.first);
        TnWorld *world = tn_batch_world(of.first->batch, of.second);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        TnRenderCamera camera = tn_renderer_fit(renderer, world);
        camera.camera = index + 1;
        for (int k = 0; from && k < 3; k++) camera.eye[k] = from[k];
        for (int k = 0; to && k < 3; k++) camera.target[k] = to[k];
        for (int k = 0; (from || to) && k < 3; k++) camera.up[k] = k == 2; /* upright */
        if (fovy > 0.0) camera.fovy = fovy;
        static const size_t bytes[] = {3, sizeof(float), sizeof(int32_t)};
        void *pixels;
        nb::object picture = new_bytes(width * height, bytes[what], &pixels);
        TnRenderBuffers out{};
        if (what == 0) out.rgb = static_cast<uint8_t *>(pixels);
        if (what == 1) out.depth = static_cast<float *>(pixels);
        if (what == 2) out.segments = static_cast<int32_t *>(pixels);
        TnStatus status;
        {
            nb::gil_scoped_release release;
            status = tn_renderer_draw(renderer, world, &camera, &out, &err);
        }
        check(status, err);
        return picture;
    }
};

void bind_renderer(nb::module_ &m)
{
    m.attr("can_render") = true;
    nb::class_<Renderer>(m, "Renderer")
        .def(nb::init<nb::capsule, int, int>())
        .def("_draw", &Renderer::draw, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
             nb::arg());
}
#else
void bind_renderer(nb::module_ &m) { m.attr("can_render") = false; }
#endif
