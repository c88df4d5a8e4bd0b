/* camera: colour, depth and segmentation of a camera, without a window. It needs the installed
 * libraries tenon and tenon_render, and EGL on the machine.
 *
 *   camera [OUT.ppm] */
#include <stdio.h>
#include <stdlib.h>
#include <tenon/render.h>
#include <tenon/tenon.h>

static const char *const text =
    "<mujoco><worldbody><geom type='plane' size='0 0 1' pos='0 0 -0.5'/>"
    "<body><freejoint/><geom name='ball' size='0.5' rgba='0.8 0.3 0.2 1'/></body>"
    "<camera name='eye' pos='2 0 0' xyaxes='0 1 0 0 0 1'/></worldbody></mujoco>";

static bool write_ppm(const char *path, const uint8_t *rgb, int width, int height)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    fprintf(file, "P6 %d %d 255\n", width, height);
    fwrite(rgb, 3, (size_t)width * (size_t)height, file);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    TnError err = {0};
    TnWorldDef world_def = tn_world_def();
    TnModel *model = tn_model_load_string(text, NULL, NULL, &err);
    TnWorld *world = model ? tn_world_create(&world_def, model, &err) : NULL;
    TnRendererDef def = tn_renderer_def();
    TnRenderer *renderer = world ? tn_renderer_create(&def, world, &err) : NULL;

    size_t pixels = (size_t)def.width * (size_t)def.height;
    TnRenderBuffers out = {.rgb = malloc(3 * pixels),
                           .depth = malloc(pixels * sizeof *out.depth),
                           .segments = malloc(pixels * sizeof *out.segments)};
    bool fine = renderer && out.rgb && out.depth && out.segments;
    if (fine) {
        TnRenderCamera camera = {.camera = tn_model_find_camera(model, "eye")};
        fine = tn_renderer_draw(renderer, world, &camera, &out, &err) == TN_OK;
    }
    if (fine) {
        size_t middle = pixels / 2 + (size_t)def.width / 2;
        TnGeomId ball = tn_model_find_geom(model, "ball");
        fine = write_ppm(argc > 1 ? argv[1] : "camera.ppm", out.rgb, def.width, def.height);
        printf("geom in the middle: %d, the ball is %d\n", (int)out.segments[middle], (int)ball);
        printf("the ball is %.3f m away\n", (double)out.depth[middle]);
    } else {
        printf("%s\n", err.count ? err.message : "no memory");
    }
    free(out.rgb);
    free(out.depth);
    free(out.segments);
    tn_renderer_destroy(renderer);
    tn_world_destroy(world);
    tn_model_destroy(model);
    return fine ? 0 : 1;
}
