/* html_frames.h: the frames of a recording, gathered and made small for the replay. */
#ifndef TENON_HTML_FRAMES_H
#define TENON_HTML_FRAMES_H

#include "export.h"
#include "html_codec.h"

#include "../render/soft.h"

/* What the player needs besides the sections. */
typedef struct HtmlFrames {
    const SurfacePlan *plans; /* one per surface: its vertices; set by the caller */
    double point_step;        /* m, grid of the points of tubes and surfaces */
    double stress_step;       /* Pa, grid of the points' stress; 0: none is recorded */
    double stress_max;        /* Pa, the largest */
    double force_max;         /* N, what the highest level of a contact's force stands for */
    bool contacts_short;      /* some contacts name no shape and were left out */
} HtmlFrames;

/* Reads the frames and adds the sections that depend on time. An exit code; what went wrong is said
 * on stderr. */
int html_frames_add(Sections *sections, HtmlFrames *info, TnRecording *recording,
                    const ExportOptions *options);

#endif
