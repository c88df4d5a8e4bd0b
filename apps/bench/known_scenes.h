/* known_scenes.h: the scenes that come with tenon, and what the paper reports of them. */
#ifndef TENON_KNOWN_SCENES_H
#define TENON_KNOWN_SCENES_H

#include <limits.h>
#include <stdbool.h>
#include <tenon/tenon.h>

/* The paper's solvers, in the order of its table. */
enum { PAPER_PGS, PAPER_PJ, PAPER_FADMM, PAPER_NNEWTON, PAPER_SUBADMM, PAPER_SOLVERS };
enum { PAPER_COUNTS = 3 };
/* 30, 60, 90; of NNewton 3, 6, 9. */
int paper_iterations(int solver, int count);

typedef struct KnownScene {
    const char *name;
    double duration;    /* s */
    int least_contacts; /* steps with fewer do not count */
    bool has_paper;
    /* on four cores; NaN where the simulation failed */
    double paper_ms[PAPER_SOLVERS][PAPER_COUNTS], paper_index[PAPER_SOLVERS][PAPER_COUNTS];
} KnownScene;

/* Never NULL: what is measured of any other model where the name is none of them. */
const KnownScene *known_scene(const char *name);
/* A path as it is, or a name in one of the places where scenes are kept. False and a message. */
bool find_scene(const char *command, const char *scene, char path[PATH_MAX]);

#endif
