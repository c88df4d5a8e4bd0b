/* soft_beam.h: a scene by C calls: a soft beam, held at one end, that lies on a shelf. */
#ifndef TENON_SOFT_BEAM_H
#define TENON_SOFT_BEAM_H

#include <tenon/tenon.h>

/* The beam of scenes/beam.xml (0.5 × 0.05 × 0.05 m, 10 MPa, Poisson's ratio 0.45), of about so many
 * tetrahedra, nearly cubes of six: the same shape at any size. One end face is held, the shelf is
 * under the last tenth. NULL and an error where there is no memory. */
TnModel *soft_beam_model(int elements, TnError *err);

#endif
