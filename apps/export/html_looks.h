/* html_looks.h: textures, materials and lights of the replay: sections, and members of the head. */
#ifndef TENON_HTML_LOOKS_H
#define TENON_HTML_LOOKS_H

#include "html_codec.h"

#include <tenon/scene.h>

void html_looks_add(Sections *sections, const TnScene *scene);
void html_looks_write(Json *json, const TnScene *scene);

#endif
