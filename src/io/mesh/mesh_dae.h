/* mesh_dae.h: triangles out of COLLADA files. */
#ifndef TN_IO_MESH_DAE_H
#define TN_IO_MESH_DAE_H

#include "mesh_file.h"

/* All meshes of the scene as one, in metres with z up; as for the readers of mesh_file.h. `rgba` is
 * the diffuse colour of the first mesh that has one. */
bool tn_mesh_read_dae(const char *text, size_t size, TnMeshFile *out, double rgba[4],
                      bool *has_color);

#endif
