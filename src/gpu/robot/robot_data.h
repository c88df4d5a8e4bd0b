/* robot_data.h: robots in the worlds of a batch.
 *
 * A link of a robot is a carried body: contacts see its twist, as that of a free body, and have
 * nothing of joints. The robot's unknowns are its joint velocities v, in the order of its dofs.
 * With motion axes S_d about one point O of the robot (world axes),
 *
 *     twist of a link = Σ S_d v_d over the dofs between it and the root (its chain),
 *     force on a dof  = S_d · Σ wrenches of the links behind it.
 *
 * `Robots` is equal for all worlds, but for its rows per world; `RobotWorld` is a step of one
 * world, in doubles; `RobotFast` is what each iteration reads. Dofs and links count over all robots
 * of a world. */
#ifndef TN_GPU_ROBOT_DATA_H
#define TN_GPU_ROBOT_DATA_H

#include "../batch/batch_block.h"
#include "../iterate.h"

namespace tn
{

struct Robot {
    int subsystem;
    int dof, dofs, model_dof;    /* first and count; the first one's place in qvel */
    int link, links, model_link; /* the same */
    int matrix, fast_matrix;     /* where its n × n numbers begin; of RobotFast */
    int x;                       /* where its part of RobotFast.x begins: whole fours */
    bool minds;                  /* as step/plan.c: its forces depend on how it will move */
};

/* A limit of a joint, or its dry friction. */
struct RobotRow {
    int joint, robot, dof, count; /* dofs from the first one on */
    int kind;                     /* 0 lower limit, 1 upper limit, 2 friction */
};

struct Robots {
    int count, dof_count, link_count, row_count, actuator_count;
    int numbers, fast_numbers; /* Σ n², and with rows that are whole fours */
    int first_body;            /* links are bodies from here on */
    bool minds;                /* some robot does */
    size_t arena;              /* bytes per robot */
    Robot *robots;
    const int *dof_robot, *link_robot;
    const int *chain_start, *chain;   /* per link: its dofs, from the link to the root */
    int chain_most;                   /* dofs of the longest */
    const int *behind_start, *behind; /* per dof: links behind it that have geoms */
    const RobotRow *rows;             /* by joints */
    const int *dof_row, *dof_row_end; /* per dof: rows of its joint */
    /* per world */
    double *ctrl;              /* actuator_count */
    double *vhat;              /* model's dofs: v̂ of the last step */
    double *old_row;           /* row_count: last forces */
    uint8_t *pushed;           /* count: by a contact, in the last step */
    TnJoint *own_joints;       /* joint_count; NULL: the model's */
    TnActuator *own_actuators; /* actuator_count; NULL: the model's */
    int joint_count;
};

struct RobotWorld {
    TnTreeSystem *trees;      /* per robot */
    char *arenas;             /* per robot */
    double (*origin)[3];      /* per robot: O */
    double (*S)[6];           /* per dof, about O */
    double *A_inverse, *H;    /* `numbers` each */
    double *v_hat, *tau;      /* per dof: v_λ = A⁻¹ (b + Jᵀλ), Jᵀλ */
    double (*K)[21];          /* per link: J A⁻¹ Jᵀ about O */
    double (*G)[21], (*f)[6]; /* per link: Σ Jᵀ W J and its g, about O */
    double *row_e, *row_D;    /* per row: e; compliance, 0: not there */
    double *row_axis;         /* 3 per row: coefficients */
    double *row_lever;
    uint8_t *row_rests;          /* a limit that was not hit in this step */
    double *inputs;              /* per actuator */
    double *blend;               /* per subsystem of the model: w */
    double *expected, *end_qvel; /* model's dofs */
    uint8_t *wanted, *replanned; /* per robot: it is pushed; it is to be assembled again */
    bool again;                  /* some is */
};

/* Of a dof: where its row of its robot's matrix and the robot's x begin, n; rows of its joint. */
struct DofPlace {
    int matrix;
    short x, own_x, n, row, row_end;
};
struct RowPlace {
    short dof, count;
};

/* How dofs move the points of contacts: the velocity at a contact changes by Σ lever · rate of its
 * dof, and a force λ there does lever · λ to the dof. Levers of a contact follow each other. */
template <class R> struct Levers {
    typedef typename Vec4<R>::type V;
    int *start; /* per contact, and one more */
    V *lever;
    uint16_t *dof, *contact; /* of each */
    int *dof_start, *list;   /* per dof, and one more: its part of the list */
};

template <class R> struct RobotFast {
    DofPlace *dofs;
    RowPlace *rows;
    R *H_inverse, *A_H; /* n × n per robot: H⁻¹ and (A H⁻¹)ᵀ, as matrix_place has it */
    R *g, *x, *force, *rate;   /* per dof: g; g + 2F; F; v less v_free */
    R *row_total, *row_weight; /* per row: e + J v_free, B */
    R *row_low, *row_high, *row_trial, *row_lambda;
    R *row_axis; /* 3 per row */
    Levers<R> levers;
};

/* Four numbers of a row are side by side, then those of the next row: threads that have a row each
 * read from different banks, four at a time. */
TN_DEVICE_AND_HOST inline int matrix_place(int n, int row, int column)
{
    return (column / 4 * n + row) * 4 + column % 4;
}
TN_DEVICE_AND_HOST inline int matrix_numbers(int n) { return n * ((n + 3) / 4 * 4); }

/* What a world has for itself. */
TN_DEVICE inline void own_parts_of_robots(const Robots &r, size_t world, TnModel *model)
{
    if (r.own_joints) model->joints = r.own_joints + world * (size_t)r.joint_count;
    if (r.own_actuators) model->actuators = r.own_actuators + world * (size_t)r.actuator_count;
}

/* Places in one piece of memory. */
struct Cursor {
    char *base;
    size_t used;
    template <class T> TN_DEVICE_AND_HOST void take(T *&p, size_t n)
    {
        p = (T *)(base + used);
        used += (n * sizeof(T) + 15) / 16 * 16;
    }
};

/* Of a model with so many dofs and subsystems. */
TN_DEVICE_AND_HOST inline void lay_out_robots(const Robots &r, int model_dofs, int subsystems,
                                              RobotWorld &s, Cursor &c)
{
    size_t robots = (size_t)r.count, n = (size_t)r.dof_count, links = (size_t)r.link_count,
           rows = (size_t)r.row_count, numbers = (size_t)r.numbers;
    if (!robots) return;
    c.take(s.trees, robots);
    c.used = (c.used + 63) / 64 * 64;
    c.take(s.arenas, robots * r.arena);
    c.take(s.origin, robots);
    c.take(s.S, n);
    c.take(s.A_inverse, numbers);
    c.take(s.H, numbers);
    c.take(s.v_hat, n);
    c.take(s.tau, n);
    c.take(s.K, links);
    c.take(s.G, links);
    c.take(s.f, links);
    c.take(s.row_e, rows);
    c.take(s.row_D, rows);
    c.take(s.row_axis, 3 * rows);
    c.take(s.row_lever, rows);
    c.take(s.row_rests, rows);
    c.take(s.inputs, (size_t)r.actuator_count);
    c.take(s.blend, (size_t)subsystems);
    c.take(s.expected, (size_t)model_dofs);
    c.take(s.end_qvel, (size_t)model_dofs);
    c.take(s.wanted, robots);
    c.take(s.replanned, robots);
}

template <class R>
TN_DEVICE_AND_HOST void lay_out_fast_robots(const Robots &r, RobotFast<R> &s, Cursor &c)
{
    size_t n = (size_t)r.dof_count, rows = (size_t)r.row_count, numbers = (size_t)r.fast_numbers,
           columns = (n + 3) / 4 * 4;
    if (!r.count) return;
    c.take(s.dofs, n);
    c.take(s.rows, rows);
    c.take(s.H_inverse, numbers);
    c.take(s.A_H, numbers);
    c.take(s.g, n);
    c.take(s.x, columns + 4 * (size_t)r.count);
    c.take(s.force, n);
    c.take(s.rate, n);
    c.take(s.row_total, rows);
    c.take(s.row_weight, rows);
    c.take(s.row_low, rows);
    c.take(s.row_high, rows);
    c.take(s.row_trial, rows);
    c.take(s.row_lambda, rows);
    c.take(s.row_axis, 3 * rows);
}

template <class R>
TN_DEVICE_AND_HOST void lay_out_levers(const Robots &r, size_t contacts, size_t levers,
                                       Levers<R> &s, Cursor &c)
{
    if (!r.count) return;
    c.take(s.start, contacts + 1);
    c.take(s.lever, levers);
    c.take(s.dof, levers);
    c.take(s.contact, levers);
    c.take(s.dof_start, (size_t)r.dof_count + 1);
    c.take(s.list, levers);
}

} // namespace tn
#endif
