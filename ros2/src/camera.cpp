#include "tenon_ros2/simulation.hpp"

#include <cstring>

#ifdef TENON_ROS2_RENDER
#include <tenon/render.h>
#endif

namespace tenon_ros2
{

#ifdef TENON_ROS2_RENDER

struct Camera::Renderer {
    TnRenderer *renderer;
    TnRendererDef def;
    TnRenderCamera camera;

    void draw(const TnWorld *world, const TnRenderBuffers &out)
    {
        TnError err = {};
        if (tn_renderer_draw(renderer, world, &camera, &out, &err) != TN_OK)
            throw std::runtime_error(err.message);
    }
};

Camera::Camera(const Simulation &simulation, int camera, int width, int height)
    : simulation_(simulation), camera_(camera), renderer_(new Renderer{})
{
    TnError err = {};
    renderer_->def = tn_renderer_def();
    renderer_->def.width = width;
    renderer_->def.height = height;
    renderer_->camera.camera = camera + 1;
    renderer_->renderer = tn_renderer_create(&renderer_->def, simulation.world(), &err);
    if (!renderer_->renderer) throw std::runtime_error(err.message);
}

Camera::~Camera() { tn_renderer_destroy(renderer_->renderer); }

/* A picture of `bytes` per pixel. */
static Image blank(const TnRendererDef &def, const char *encoding, uint32_t bytes)
{
    Image image;
    image.width = def.width;
    image.height = def.height;
    image.step = bytes * image.width;
    image.encoding = encoding;
    image.data.resize(static_cast<size_t>(image.step) * image.height);
    return image;
}

Image Camera::color()
{
    Image image = blank(renderer_->def, "rgb8", 3);
    TnRenderBuffers out = {};
    out.rgb = image.data.data();
    renderer_->draw(simulation_.world(), out);
    return image;
}

Image Camera::depth()
{
    Image image = blank(renderer_->def, "32FC1", sizeof(float));
    std::vector<float> metres(static_cast<size_t>(image.width) * image.height);
    TnRenderBuffers out = {};
    out.depth = metres.data();
    renderer_->draw(simulation_.world(), out);
    std::memcpy(image.data.data(), metres.data(), image.data.size());
    return image;
}

#else

struct Camera::Renderer {
};

Camera::Camera(const Simulation &simulation, int camera, int, int)
    : simulation_(simulation), camera_(camera)
{
    throw std::runtime_error("tenon was built without OpenGL: there are no pictures");
}
Camera::~Camera() = default;
Image Camera::color() { return {}; }
Image Camera::depth() { return {}; }

#endif

} // namespace tenon_ros2
