/* ADAMS's tables of one bar on different joints, as published in the data of Chrono's tests.
 *
 * The bar has 1 kg, its centre is 2 m from the joint. A table has positions of the centre, or
 * forces of the joint on the ground, at five times. `number` of the row is the case. */
#include "families.h"

#include <math.h>
#include <stdio.h>

typedef struct Adams {
    const char *joints; /* of the body, whose frame is the world's at the joint */
    double at[3];       /* m: the joint */
    const char *inertial;
    double table[5][3];
    int times[5];     /* ms, of the lines; zeros: every half second */
    const char *more; /* behind the world's body; NULL: nothing */
} Adams;

static const Adams revolute = {"<joint axis='0 .7071067811865476 .7071067811865476'/>",
                               {1, 2, 3},
                               "pos='2 0 0' diaginertia='.04 .1 .1'",
                               {{2.825910, 2.577080, 2.422920},
                                {1.042100, 3.413900, 1.586100},
                                {-0.802951, 2.612110, 2.387890},
                                {-1.000000, 2.000630, 2.999370},
                                {-0.846888, 2.542680, 2.457320}},
                               .times = {0}};
static const Adams revolute_force = {"<joint axis='0 .7071067811865476 .7071067811865476'/>",
                                     {1, 2, 3},
                                     "pos='2 0 0' diaginertia='.04 .1 .1'",
                                     {{7.560950, -2.394070, -7.412590},
                                      {0.427164, 9.560810, -19.36730},
                                      {-7.919320, -2.095080, -7.711590},
                                      {-0.00899056, -4.783850, -5.023050},
                                      {-7.191930, -2.670740, -7.136380}},
                                     .times = {0}};
static const Adams spherical = {"<joint type='ball'/>",
                                {1, 2, 3},
                                "pos='2 0 0' diaginertia='.04 .1 .1'",
                                {{2.660810, 2, 1.885680},
                                 {0.107619, 2, 1.210120},
                                 {-0.991669, 2, 2.817640},
                                 {-0.951117, 2, 2.560520},
                                 {0.734494, 2, 1.017700}},
                                .times = {0}};
static const Adams universal = {"<joint axis='.5 -.5 .7071067811865476'/>"
                                "<joint axis='-.5 .5 .7071067811865476'/>",
                                {0, 0, 0},
                                "pos='1.414213562373095 1.414213562373095 0' fullinertia="
                                "'.07 .07 .1 -.03 0 0'",
                                {{1.174120, 1.174800, -1.114140},
                                 {-0.636240, -0.614073, -1.793910},
                                 {-1.427740, -1.388150, -0.186016},
                                 {-1.399940, -1.360700, -0.434373},
                                 {-0.206772, -0.190945, -1.980100}},
                                .times = {0}};

#define SLANTED "axis='0 .7071067811865476 .7071067811865476'/>"
static const Adams prismatic = {"<joint type='slide' " SLANTED,
                                {1, 2, 3},
                                "pos='2 0 0' diaginertia='.04 .1 .1'",
                                {{3, -54.95800, -53.95800},
                                 {3, -56.14580, -55.14580},
                                 {3, -57.34590, -56.34590},
                                 {3, -58.55830, -57.55830},
                                 {3, -59.29160, -58.29160}},
                                .times = {4820, 4870, 4920, 4970, 5000}};
static const Adams cylindrical = {"<joint type='slide' " SLANTED "<joint " SLANTED,
                                  {1, 2, 3},
                                  "pos='2 0 0' diaginertia='.04 .1 .1'",
                                  {{2.825910, 1.964170, 1.810000},
                                   {1.042100, 0.962238, -0.865563},
                                   {-0.802951, -2.904130, -3.128360},
                                   {-1.000000, -7.806020, -6.807280},
                                   {-0.846888, -12.78020, -12.86560}},
                                  .times = {0}};
/* one end of the bar stays 2 m from the origin: a rope that is always taut */
static const Adams distance = {
    "<freejoint/><site name='end' pos='0 -2 0'/>",
    {0, 4, 0},
    "pos='0 0 0' diaginertia='.1 .04 .1'",
    {{0, 3.815725, -1.196875},
     {0, 1.588488, -3.670108},
     {0, -2.461107, -3.151656},
     {0, -3.933407, -0.6840368},
     {0, -3.999212, -0.07667860}},
    .more =
        "<tendon><spatial name='rope'><site site='origin'/><site site='end'/></spatial></tendon>"
        "<equality><tendon tendon1='rope'/></equality>"};

/* x + R(q) c */
static void place_of(const double x[3], const double q[4], const double c[3], double out[3])
{
    double t[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t[k] = q[i + 1] * c[j] - q[j + 1] * c[i] + q[0] * c[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = x[k] + c[k] + 2 * (q[i + 1] * t[j] - q[j + 1] * t[i]);
    }
}

static void adams_curves(Finding *f, bool force)
{
    char name[16];
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, k < 3 ? "tenon %c" : "ADAMS %c", 'x' + k % 3);
        f->curves[finding_curve(f, name)].marks = k >= 3;
    }
    finding_axes(f, "time, s", force ? "force of the joint, N" : "centre of the bar, m");
}

void joint_adams(Finding *f, const VerifyRow *row)
{
    static const Adams *const cases[] = {&revolute,  &spherical,   &universal, &revolute_force,
                                         &prismatic, &cylindrical, &distance};
    const Adams *a = cases[(int)row->number];
    bool force = a == &revolute_force;
    Sim sim =
        sim_open(f, 0.001, "0 0 -9.80665",
                 "<worldbody><site name='origin'/><body name='bar' pos='%g %g %g'>%s<inertial "
                 "mass='1' %s/></body></worldbody>%s",
                 a->at[0], a->at[1], a->at[2], a->joints, a->inertial, a->more ? a->more : "");
    TnBodyId bar = sim.model ? tn_model_find_body(sim.model, "bar") : 0;
    double pos[3], quat[4], value[3], before[3] = {0};
    int line = 0, last = a->times[4] ? a->times[4] : 2500;
    adams_curves(f, force);
    for (int k = 1; k <= last + 1 && sim_step(&sim); k++) {
        int ms = force ? k - 1 : k; /* forces of two steps belong to the time between them */
        tn_world_body_pose(sim.world, bar, pos, quat);
        place_of(pos, quat, tn_model_body_info(sim.model, bar).com, value);
        TnReaction r = tn_world_body_reaction(sim.world, bar);
        for (int i = 0; i < 3 && force; i++) {
            value[i] = -0.5 * (r.force[i] + before[i]);
            before[i] = r.force[i];
        }
        if (ms < 1 || ms > last) continue;
        for (int i = 0; i < 3; i++) finding_point(f, i, 0.001 * ms, value[i]);
        if (ms != (a->times[line] ? a->times[line] : 500 * (line + 1))) continue;
        for (int i = 0; i < 3; i++) {
            double right = a->table[line][i];
            f->value = fmax(f->value, fabs(value[i] - right));
            finding_point(f, 3 + i, 0.001 * ms, right);
        }
        line++;
    }
    sim_close(&sim);
}
