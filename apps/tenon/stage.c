/* What `tenon render` draws with; see stage.h. */
#include "stage.h"

#include "../common/app.h"

void stage_close(Stage *stage)
{
    if (stage->overlay) overlay_destroy(stage->overlay);
    if (stage->canvas) canvas_destroy(stage->canvas);
    if (stage->renderer) renderer_destroy(stage->renderer);
    if (stage->headless) headless_destroy(stage->headless);
    image_free(&stage->image);
}

bool stage_open(Stage *stage, const StageDef *def, char *error, size_t error_size)
{
    int width = def->picture->width, height = def->picture->height;
    stage->def = *def;
    if (!image_create(&stage->image, width, height)) {
        snprintf(error, error_size, "no memory for a picture of %dx%d", width, height);
        return false;
    }
    stage->headless = headless_create(error, error_size);
    if (!stage->headless) return false;
    GlLoader loader = headless_loader(stage->headless);
    stage->renderer = renderer_create(def->scene, loader, error, error_size);
    if (!stage->renderer) return false;
    stage->canvas = canvas_create(stage->renderer, width, height, error, error_size);
    if (!stage->canvas) return false;
    if (def->title || def->stats || def->picture->draw.color == COLOR_STRESS) {
        stage->overlay = overlay_create(loader, error, error_size);
        if (!stage->overlay) return false;
    }
    if (!def->is_film) return true;
    stage->film = film_create(def->output, width, height, def->fps, error, error_size);
    return stage->film != NULL;
}

static const OverlayColor text_color = {1, 1, 1, 1}, panel_color = {0.08f, 0.1f, 0.13f, 0.6f};

static float panel_height(const Overlay *overlay, const char *text)
{
    return overlay_line_height(overlay) * ((float)count_lines(text) + 0.5f);
}

/* Text on a dark panel, so that it reads on any picture. */
static void draw_panel(Overlay *overlay, float x, float y, const char *text)
{
    float edge = overlay_line_height(overlay) / 2, width = overlay_text_width(overlay, text);
    overlay_rect(overlay, x, y, width + 2 * edge, panel_height(overlay, text), panel_color);
    overlay_text(overlay, x + edge, y + edge / 2, text_color, text);
}

static void draw_text(Stage *stage, const TnFrame *frame)
{
    int width = stage->image.width, height = stage->image.height;
    float scale_of_text = height >= 1200 ? 2 : 1, margin = 8 * scale_of_text;
    Overlay *overlay = stage->overlay;
    overlay_begin(overlay, width, height, scale_of_text);
    if (stage->def.title) draw_panel(overlay, margin, margin, stage->def.title);
    if (stage->def.stats) {
        char text[256];
        snprintf(text, sizeof text, "time      %.3f s\ncontacts  %d\nenergy    %.4g J", frame->time,
                 frame->contact_count, frame->kinetic + frame->potential);
        draw_panel(overlay, margin, (float)height - margin - panel_height(overlay, text), text);
    }
    StressScale scale = renderer_stress(stage->renderer);
    if (scale.shown) color_bar_draw(overlay, &scale, width, height, scale_of_text);
    overlay_end(overlay, canvas_target(stage->canvas));
}

bool stage_draw(Stage *stage, const TnFrame *frame, char *error, size_t error_size)
{
    double start = clock_seconds();
    View view = stage->camera >= 0 ? camera_view(stage->def.scene, frame, stage->camera)
                                   : orbit_view(&stage->orbit);
    renderer_draw(stage->renderer, frame, &view, &stage->def.picture->draw,
                  canvas_target(stage->canvas), stage->image.width, stage->image.height);
    if (stage->overlay) draw_text(stage, frame);
    canvas_read(stage->canvas, stage->image.rgb);
    stage->drawing += clock_seconds() - start;
    bool fine = stage->film ? film_add(stage->film, &stage->image, error, error_size)
                            : image_write_png(&stage->image, stage->def.output, error, error_size);
    if (fine) stage->frames++;
    return fine;
}

bool stage_end_film(Stage *stage, char *error, size_t error_size)
{
    bool fine = !stage->film || film_close(stage->film, error, error_size);
    stage->film = NULL;
    return fine;
}
