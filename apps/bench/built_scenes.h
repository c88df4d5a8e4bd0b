/* built_scenes.h: what `hard` and `simbench` share, whose scenes are built by C calls and chosen by
 * name. */
#ifndef TENON_BUILT_SCENES_H
#define TENON_BUILT_SCENES_H

#include "../common/options.h"

enum { MOST_BUILT_SCENES = 64 };

typedef struct BuiltScene {
    const char *name;
    const char *family; /* several scenes may share one; NULL: none */
} BuiltScene;

/* Takes the options out of a table that need a model file, and says whose duration is the default;
 * returns the new count. */
int built_scene_options(Option *table, int count);
/* Marks the scenes of a list "NAME,..." by name or by family; all of them where it is NULL. False
 * and a message where a name is unknown. */
bool choose_built_scenes(const char *command, const char *only, const BuiltScene *scenes, int count,
                         bool chosen[MOST_BUILT_SCENES]);

#endif
