/* Scenes by name; see known_scenes.h. */
#include "known_scenes.h"

#include "../common/app.h"
#include "platform/process.h"

#include <math.h>
#include <string.h>

#define FAILED                                                                                     \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }
static const KnownScene scenes[] = {
    {.name = "stir",
     .duration = 5,
     .has_paper = true,
     .paper_ms = {{14.50, 23.91, 32.27},
                  {3.235, 5.688, 9.425},
                  {28.41, 41.40, 56.95},
                  {24.35, 46.99, 75.44},
                  {3.489, 5.940, 8.705}},
     .paper_index = {{4.427, 4.928, 5.248},
                     {3.033, 3.349, 3.562},
                     {4.107, 4.644, 5.009},
                     {3.565, 4.429, 5.324},
                     {4.069, 4.579, 5.023}}},
    {.name = "cable", /* while it is wound up */
     .duration = 11,
     .least_contacts = 101,
     .has_paper = true,
     .paper_ms = {{48.08, 59.30, 72.96},
                  FAILED,
                  {16.74, 23.52, 32.96},
                  {43.35, 87.98, 132.7},
                  {2.288, 4.285, 6.402}},
     .paper_index = {{4.141, 4.860, 5.404},
                     FAILED,
                     {4.189, 4.634, 4.910},
                     {3.270, 4.454, 5.278},
                     {4.344, 4.984, 5.222}}},
    {.name = "beam", /* while it is in the gap */
     .duration = 8,
     .least_contacts = 10,
     .has_paper = true,
     .paper_ms = {{231.4, 241.2, 251.2},
                  FAILED,
                  {50.33, 92.11, 130.3},
                  {188.5, 360.2, 525.7},
                  {13.41, 24.67, 35.50}},
     .paper_index = {{3.895, 4.194, 4.255},
                     FAILED,
                     {4.220, 4.478, 4.756},
                     {2.445, 3.494, 4.945},
                     {4.326, 4.743, 4.925}}},
};
static const KnownScene other = {.duration = 5};

int paper_iterations(int solver, int count)
{
    return (count + 1) * (solver == PAPER_NNEWTON ? 3 : 30);
}

const KnownScene *known_scene(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (!strcmp(name, scenes[i].name)) return &scenes[i];
    return &other;
}

/* The folder of this program, without a slash at its end. */
static bool program_folder(char folder[TN_PATH])
{
    if (tn_process_path(folder)) return false;
    char *slash = strrchr(folder, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

bool find_scene(const char *command, const char *scene, char path[TN_PATH])
{
    static const char *const places[] = {"scenes", "../scenes", "../share/tenon/scenes"};
    char folder[TN_PATH];
    bool is_name = !strchr(scene, '/') && !strchr(scene, '.');
    snprintf(path, TN_PATH, "%s", scene);
    if (!is_name) return true; /* load_model says what is wrong with it */
    if (program_folder(folder))
        for (int i = 0; i < 3; i++) {
            int length = snprintf(path, TN_PATH, "%s/%s/%s.xml", folder, places[i], scene);
            if (length < TN_PATH && file_is_readable(path)) return true;
        }
    int length = snprintf(path, TN_PATH, "scenes/%s.xml", scene);
    if (length < TN_PATH && file_is_readable(path)) return true;
    snprintf(path, TN_PATH, "%s", scene);
    if (file_is_readable(path)) return true;
    say(command,
        "there is no scene '%s': looked for scenes/%s.xml beside the program, one folder up, in "
        "the installed "
        "share/tenon and here",
        scene, scene);
    return false;
}
