/* scene.h: a scene on the device: its memory and the order of a step.
 *
 *     head    assemble   frames, A and v_free of each body                 motion.h
 *             broad      swept boxes, sorted by cell along a curve         broad.h
 *             narrow     points                                            narrow.cu
 *             contacts   arms, e, last forces; sides of each body          contacts.h
 *             factor     H⁻¹, g                                            iterate.h
 *     solve   iterate    SubADMM                             iterate.h, resident.h
 *             judge      v_λ and the natural map, in double                judge.h
 *     tail    advance    q⁺, v⁺ beside the state                           motion.h
 *     look               contacts that the motion closes unforeseen        missed.h
 *     again              contacts with these, factor; then solve and tail
 *     softer             contacts that yield more, factor, where the solve did not get there
 *     remember           contacts that yield about the forces found, factor: of a first step
 *
 * With robots and cables (carried.h) the head is in two: up to the points, while the host writes
 * the equations of these, and from there on.
 *
 * Each number is computed by one thread in a fixed order, so two runs have the same bits. Each of
 * these parts is recorded as a graph and replayed. What does not fit into the memory for pairs and
 * contacts is counted; the memory grows then and the step is done again. */
#ifndef TN_GPU_SCENE_H
#define TN_GPU_SCENE_H

#include <utility>

#include "any_scene.h"
#include "contacts.h"
#include "iterate.h"
#include "judge.h"
#include "memory.h"
#include "missed.h"
#include "motion.h"
#include "resident.h"
#include "robot/carried.h"
#include "robot/carried_solve.h"

namespace tn
{

#define TN_MANY_GEOMS 40000       /* enough for the device to be busy with fewer lanes each */
#define TN_CHUNK_OF_ITERATIONS 40 /* between two looks at the error */
#define TN_REPEATS 2              /* of a step whose contacts were not foreseen, as in step.c */
#define TN_FEW_CONTACTS 100 /* with more and a fixed count it is not repeated, as in missed.c */
/* Of contacts that yield (solver/choose.c): iterations that should halve the error, what
 * over-relaxation is taken back to else, and how much softer contacts are in a second try. */
#define TN_PATIENCE 160
#define TN_RELAXATIONS 3
#define TN_MEMORIES 300 /* of a first step, at most */

typedef enum Part {
    WHOLE,
    HEAD,
    FIRST,
    MORE,
    TAIL,
    LOOK,
    AGAIN,
    SOFTER,
    REMEMBER,
    COLLIDE, /* the head of a scene with robots, in two */
    WRITE,
    PARTS
} Part;

/* How a part is run. */
struct Way {
    int relaxation = 0; /* so often was it taken back */
    bool soft = false;
};

template <class R> struct Scene : AnyScene {
    TnGpuDef def{};
    View<R> s{};
    Memory own, of_pairs, of_contacts, of_look, of_order;
    size_t order_room = 0;
    Outcome *outcome = nullptr; /* the host's copy */
    int qpos_count = 0, dof_count = 0;
    int contact_count = 0; /* of the last step */
    bool wrench_set = false;
    bool cold = true; /* no contact has its last force */
    int likely_pairs = 0, likely_contacts = 0, likely_hard = 0;
    ResidentRoom room;
    CarriedMemory carried;
    int turn = 0; /* buffers are swapped in each step: parts are recorded for both sets */

    Scene(const TnModel *m, const TnCollider *c, const TnGpuDef &d, size_t limit);
    ~Scene() override;
    void put(const double *qpos, const double *qvel, bool forget) override;
    void get(double *qpos, double *qvel) override;
    void put_wrench(const double (*wrench)[6]) override;
    void contacts(TnContactPoint *points, double *force) override;
    void step(TnGpuReport *report) override;

  private:
    void take_bodies();
    void take_order(size_t n);
    void take_pairs(int n);
    void take_contacts(int n);
    void take_look(int n);
    bool grow();
    void set_likely();
    int chunk() const;
    View<R> view_of(Way way) const;
    /* `fresh`: counters are as the step's beginning left them. */
    void solve_part(const View<R> &view, bool first, bool fresh);
    /* `more`: another part follows at once, the host need not be told. */
    void enqueue(Part part, Way way = {}, bool more = false);
    void play(Part part, Way way = {});
    void write_again(Part part, Way way = {});
    bool solve_as_it_yields(Way *way, TnGpuReport *report);
    void solve(TnGpuReport *report);
    bool look_for_missed(TnGpuReport *report);
    void swap_buffers();
    double error_of(unsigned long long worst) const;
    double error() const { return error_of(outcome->judged.worst); }
    double rigid_error() const { return error_of(outcome->judged.worst_rigid); }
    /* of scenes with robots, cables and soft bodies */
    void write_equations(bool again);
    void fetch_equations();
    void size_for_softs();
    void find_soft_contacts();
    void step_with_host(TnGpuReport *report);
    void solve_with_host(TnGpuReport *report);
    bool refused = false; /* by the host */
#ifdef __CUDACC__
    cudaGraphExec_t graphs[PARTS][TN_RELAXATIONS][2][2] = {}; /* by Way and turn */
#endif
    void forget_graphs();
};

} // namespace tn
#endif
