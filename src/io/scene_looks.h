/* scene_looks.h: textures, materials and lights of a model as a scene has them. */
#ifndef TN_IO_SCENE_LOOKS_H
#define TN_IO_SCENE_LOOKS_H

#include <tenon/scene.h>

/* Pixels, made before the rest. */
typedef struct TnSceneTextures {
    TnSceneTexture *list;
    int count;
    int *place;    /* of each texture of the model: its index, -1: not drawn */
    void **memory; /* NULL at the end */
} TnSceneTextures;

/* Unpacks those that are drawn. False: no memory; free in any case. */
bool tn_scene_textures_make(const TnModel *model, TnSceneTextures *t);
/* With their pixels, unless a scene has taken them over. */
void tn_scene_textures_free(TnSceneTextures *t, bool pixels);
TnSceneMaterial tn_scene_material(const TnMaterialDef *def, const TnSceneTextures *textures);
bool tn_light_shines(const TnLightDef *light);
TnSceneLight tn_scene_light(const TnLightDef *def);

#endif
