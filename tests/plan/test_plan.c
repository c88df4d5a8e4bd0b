/* Plans against closed forms: Riccati's solution, limits, and what is promised about them. */
#include "../step/text_scene.h"

#include "../check.h"
#include "../random.h"
#include "base/base.h"

/* A mass on a slide with a force: x⁺ = x + h v + h²/2 u/m, v⁺ = v + h u/m, as of midpoint steps. */
static const char *const slider = "<worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                                  "<geom size='0.1' mass='2'/></body></worldbody>"
                                  "<actuator><motor joint='x'/></actuator>";
/* The same with a force of at most 1 N. */
static const char *const weak = "<worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                                "<geom size='0.1' mass='2'/></body></worldbody>"
                                "<actuator><motor joint='x' ctrlrange='-1 1' ctrllimited='true'/>"
                                "</actuator>";

#define H 0.05
#define T 30
#define Q 3.0
#define QV 0.5
#define R 0.01

static void drive_costs(TnPlanCost costs[3], double q)
{
    costs[0] = tn_plan_cost(TN_COST_POSITION);
    costs[0].running = q;
    costs[0].terminal = 10.0 * q;
    costs[1] = tn_plan_cost(TN_COST_VELOCITY);
    costs[1].running = QV;
    costs[2] = tn_plan_cost(TN_COST_CTRL);
    costs[2].running = R;
}

static TnPlan *make(const TextScene *s, const TnPlanCost *costs, int count, TnPlanMethod method,
                    int threads, int iterations)
{
    TnError err = {0};
    TnPlanDef def = tn_plan_def();
    def.horizon = iterations > 3 ? T : 25;
    def.costs = costs;
    def.cost_count = count;
    def.method = method;
    def.thread_count = threads;
    def.iterations = iterations;
    def.samples = 16;
    TnPlan *plan = tn_plan_create(&def, s->model, &err);
    if (!plan) test_fail(__FILE__, __LINE__, "%s", err.message);
    return plan;
}

/* Riccati's recursion for the slider: the least cost from x, v over so many knots. last: weight of
 * the last position. */
static double riccati(double x, double v, int knots, double last)
{
    const double m = 2.0, A[2][2] = {{1, H}, {0, 1}}, B[2] = {0.5 * H * H / m, H / m};
    double P[2][2] = {{last, 0}, {0, QV}};
    for (int k = knots - 1; k >= 0; k--) {
        double PB[2], PA[2][2], BPA[2], BPB = R;
        for (int i = 0; i < 2; i++) {
            PB[i] = P[i][0] * B[0] + P[i][1] * B[1];
            for (int j = 0; j < 2; j++) PA[i][j] = P[i][0] * A[0][j] + P[i][1] * A[1][j];
        }
        for (int i = 0; i < 2; i++) BPB += B[i] * PB[i];
        for (int j = 0; j < 2; j++) BPA[j] = B[0] * PA[0][j] + B[1] * PA[1][j];
        double next[2][2];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                next[i][j] = A[0][i] * PA[0][j] + A[1][i] * PA[1][j] - BPA[i] * BPA[j] / BPB;
        memcpy(P, next, sizeof P);
        if (k > 0) P[0][0] += Q;
        if (k > 0) P[1][1] += QV;
    }
    return P[0][0] * x * x + 2.0 * P[0][1] * x * v + P[1][1] * v * v;
}

static void put(const TextScene *s, double x, double v)
{
    CHECK(tn_world_set_state(s->world, &x, &v, NULL) == TN_OK);
}

TEST(a_plan_of_a_linear_system_costs_what_riccati_says)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[3];
    drive_costs(costs, Q);
    REQUIRE(text_open(&s, H, "0 0 0", slider));
    TnPlan *plan = make(&s, costs, 3, TN_PLAN_DDP, 1, 10);
    REQUIRE(plan);
    const double starts[3][2] = {{1.0, 0.0}, {-0.5, 2.0}, {0.1, -3.0}};
    for (int i = 0; i < 3; i++) {
        double x = starts[i][0], v = starts[i][1], best = riccati(x, v, T, 11.0 * Q);
        put(&s, x, v);
        CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
        TnPlanView view = tn_plan_view(plan);
        /* J is stationary: columns by differences are off by 1e-9 or so, which J feels squared;
         * their steps and the roll-out's add rounding */
        CHECK_NEAR(view.cost / best, 1.0, 1e-11);
        CHECK(view.converged && view.iterations <= 4);
        double sum = 0.0;
        for (int c = 0; c < view.cost_count; c++) sum += view.costs[c];
        CHECK_NEAR(sum, view.cost, 1e-12 * view.cost);
        CHECK(view.states[0] == x && view.states[1] == v && view.place_count == 2);
        CHECK(view.remark[0] == 0);
    }
    tn_plan_destroy(plan);
    text_close(&s);
}

/* What comes after five knots, or after one, is in the tail: the plan costs what one without end
 * does, and its gains are the same at all knots. Samplers count it, too. */
TEST(with_a_tail_a_short_plan_costs_what_one_without_end_does)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[4];
    drive_costs(costs, Q);
    costs[0].terminal = 0.0;
    costs[3] = tn_plan_cost(TN_COST_TAIL);
    costs[3].terminal = 1.0;
    REQUIRE(text_open(&s, H, "0 0 0", slider));
    for (int horizon = 1; horizon <= 5; horizon += 4) {
        TnPlanDef def = tn_plan_def();
        def.horizon = horizon;
        def.costs = costs;
        def.cost_count = 4;
        TnPlan *plan = tn_plan_create(&def, s.model, &err);
        def.method = TN_PLAN_MPPI;
        TnPlan *sampler = tn_plan_create(&def, s.model, &err);
        REQUIRE(plan && sampler);
        put(&s, 1.0, -3.0);
        CHECK(isnan(tn_plan_off(plan, s.world, 3)));
        CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
        TnPlanView view = tn_plan_view(plan);
        /* 3000 knots are 150 s; the slowest motion fades in less than one. Derivatives by
         * differences are off by 1e-9, and so is the tail, which is not stationary in them */
        CHECK_NEAR(view.cost / riccati(1.0, -3.0, 3000, Q), 1.0, 1e-8);
        CHECK(view.costs[3] > 0.1 * view.cost && view.remark[0] == 0);
        for (int k = 0; k < 2 * horizon; k++)
            CHECK_NEAR(view.gains[k], view.gains[k % 2], 1e-7 * fabs(view.gains[k % 2]));
        CHECK(tn_plan_set_ctrl(sampler, view.ctrl, &err) == TN_OK);
        CHECK(tn_plan_solve(sampler, s.world, &err) == TN_OK);
        CHECK_NEAR(tn_plan_view(sampler).start_cost / view.cost, 1.0, 1e-8);
        /* twice the costs, twice the tail */
        double was = view.cost;
        for (int c = 0; c < 3; c++)
            CHECK(tn_plan_set_weight(plan, c, 2.0 * costs[c].running, 0.0, &err) == TN_OK);
        CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
        CHECK_NEAR(tn_plan_view(plan).cost / was, 2.0, 1e-8);
        tn_plan_destroy(plan);
        tn_plan_destroy(sampler);
    }
    text_close(&s);
}

TEST(a_plan_comes_with_the_states_that_the_engine_reaches)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[3];
    drive_costs(costs, Q);
    REQUIRE(text_open(&s, H, "0 0 0", weak));
    TnPlan *plan = make(&s, costs, 3, TN_PLAN_DDP, 1, 10);
    REQUIRE(plan);
    put(&s, 2.0, 0.0);
    CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
    TnPlanView view = tn_plan_view(plan);
    for (int k = 0; k < view.horizon; k++) {
        CHECK(tn_world_set_ctrl(s.world, view.ctrl + k, NULL) == TN_OK);
        tn_world_step(s.world);
        TnStateView state = tn_world_state(s.world);
        CHECK(state.qpos[0] == view.states[2 * (k + 1)]);
        CHECK(state.qvel[0] == view.states[2 * (k + 1) + 1]);
    }
    tn_plan_destroy(plan);
    text_close(&s);
}

/* J of controls u for the slider, by its closed form. */
static double cost_of(double x, double v, double q, const double *u)
{
    double J = 0.0;
    for (int k = 0; k < T; k++) {
        x += H * v + 0.25 * H * H * u[k];
        v += 0.5 * H * u[k];
        J += q * x * x + QV * v * v + R * u[k] * u[k];
    }
    return J + 10.0 * q * x * x;
}

/* Projected gradient descent with the exact gradient of a quadratic J, to its end. */
static double least_within_limits(double x, double v, double q)
{
    double u[T] = {0}, g[T], at = cost_of(x, v, q, u);
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < T;
             k++) { /* J is quadratic: centred differences of any size are exact */
            double was = u[k];
            u[k] = was + 1.0;
            double up = cost_of(x, v, q, u);
            u[k] = was - 1.0;
            g[k] = 0.5 * (up - cost_of(x, v, q, u));
            u[k] = was;
        }
        double to[T], share = 0.2, there;
        do {
            for (int k = 0; k < T; k++) to[k] = fmin(fmax(u[k] - share * g[k], -1.0), 1.0);
            there = cost_of(x, v, q, to);
            share *= 0.5;
        } while (there > at && share > 1e-9);
        if (!(there < at)) break;
        memcpy(u, to, sizeof u);
        at = there;
    }
    return at;
}

TEST(limits_hold_and_what_is_left_is_best)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[3];
    drive_costs(costs, Q);
    REQUIRE(text_open(&s, H, "0 0 0", weak));
    TnPlan *plan = make(&s, costs, 3, TN_PLAN_DDP, 1, 10);
    REQUIRE(plan);
    put(&s, 0.3, 0.2);
    CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
    TnPlanView view = tn_plan_view(plan);
    int inside = 0;
    for (int k = 0; k < T; k++) {
        CHECK(view.ctrl[k] >= -1.0 && view.ctrl[k] <= 1.0);
        inside += fabs(view.ctrl[k]) < 1.0;
    }
    CHECK(view.at_limit > 0 && inside > 0 && view.at_limit + inside == T);
    /* the descent stops where J does not fall any more: its controls are off by the root of
     * rounding, 1e-8, times the condition of J, J by that squared */
    double best = least_within_limits(0.3, 0.2, Q);
    CHECK_NEAR(view.cost / best, 1.0, 1e-9);
    tn_plan_destroy(plan);
    text_close(&s);
}

/* A finger that must push a block over a floor: contact to be made, friction to be overcome. */
static const char *const push =
    "<worldbody><geom type='plane' size='2 2 1' friction='0.3'/>"
    "<body name='box' pos='0.15 0 0.05'><joint name='bx' type='slide' axis='1 0 0'/>"
    "<joint name='bz' type='slide' axis='0 0 1'/><joint name='by' axis='0 1 0'/>"
    "<geom type='box' size='0.05 0.05 0.05' mass='0.5' friction='0.3'/></body>"
    "<body name='finger' pos='0 0 0.05'><joint name='f' type='slide' axis='1 0 0'/>"
    "<geom size='0.03' mass='0.2'/></body></worldbody>"
    "<actuator><motor joint='f' ctrlrange='-10 10' ctrllimited='true'/></actuator>"
    "<sensor><framepos objtype='body' objname='box'/></sensor>";

static void push_costs(const TextScene *s, TnPlanCost costs[4], const double goal[3])
{
    costs[0] = tn_plan_cost(TN_COST_POINT);
    costs[0].name = "box";
    costs[0].body = tn_model_find_body(s->model, "box");
    costs[0].goal = goal;
    costs[0].goal_count = 3;
    costs[0].running = 100.0;
    costs[1] = tn_plan_cost(TN_COST_POINT);
    costs[1].name = "reach";
    costs[1].body = tn_model_find_body(s->model, "finger");
    costs[1].to_body = costs[0].body;
    costs[1].running = 10.0;
    costs[2] = tn_plan_cost(TN_COST_VELOCITY);
    costs[2].running = 0.1;
    costs[3] = tn_plan_cost(TN_COST_CTRL);
    costs[3].running = 1e-3;
}

TEST(a_finger_pushes_a_box_to_its_goal_and_no_plan_is_worse_than_the_last)
{
    const double goal[3] = {0.4, 0.0, 0.05};
    for (int method = 0; method < TN_PLAN_METHOD_COUNT; method++) {
        TextScene s;
        TnError err = {0};
        TnPlanCost costs[4];
        REQUIRE(text_open(&s, 0.02, "0 0 -9.81", push));
        push_costs(&s, costs, goal);
        TnPlan *plan = make(&s, costs, 4, (TnPlanMethod)method, 1, 3);
        REQUIRE(plan);
        for (int k = 0; k < (method == TN_PLAN_DDP ? 40 : 5); k++) {
            CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
            TnPlanView view = tn_plan_view(plan);
            CHECK(view.cost <= view.start_cost);
            CHECK(tn_world_set_ctrl(s.world, view.ctrl, NULL) == TN_OK);
            tn_world_step(s.world);
            tn_plan_shift(plan, 1, &err);
        }
        /* over half a second it is worth to give the box some centimetres more than its goal, and a
         * finger cannot pull it back; at rest friction holds it there */
        double at = tn_world_state(s.world).qpos[0] + 0.15;
        if (method == TN_PLAN_DDP) CHECK_NEAR(at, 0.4, 0.05);
        tn_plan_destroy(plan);
        text_close(&s);
    }
}

/* With limits the best plan takes several iterations. One that must halve the cost each time ends
 * sooner, at a plan that costs more. */
TEST(a_solve_ends_after_an_iteration_that_gains_too_little)
{
    TextScene s;
    TnPlanCost costs[3];
    drive_costs(costs, Q);
    REQUIRE(text_open(&s, H, "0 0 0", weak));
    put(&s, 0.3, 0.2);
    double cost[2];
    for (int loose = 0; loose < 2; loose++) {
        TnPlanDef def = tn_plan_def();
        def.horizon = T;
        def.costs = costs;
        def.cost_count = 3;
        def.iterations = 20;
        def.tolerance = loose ? 0.5 : 0.0;
        TnPlan *plan = tn_plan_create(&def, s.model, NULL);
        REQUIRE(plan);
        CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
        TnPlanView view = tn_plan_view(plan);
        cost[loose] = view.cost;
        CHECK(view.converged && (loose ? view.iterations <= 2 : view.iterations > 2));
        tn_plan_destroy(plan);
    }
    CHECK(cost[0] < cost[1] && cost[1] < 1.5 * cost[0]);
    text_close(&s);
}

/* Hash of all that a plan is. */
static uint64_t bits(TnPlan *plan)
{
    TnPlanView v = tn_plan_view(plan);
    uint64_t h = 1469598103934665603u;
    const double *parts[] = {v.ctrl, v.states, v.gains, &v.cost};
    const int counts[] = {v.horizon * v.ctrl_count, (v.horizon + 1) * v.place_count,
                          v.horizon * v.ctrl_count * v.state_count, 1};
    for (int p = 0; p < 4; p++)
        for (int k = 0; k < counts[p]; k++) {
            uint64_t b;
            memcpy(&b, &parts[p][k], sizeof b);
            h = (h ^ b) * 1099511628211u;
        }
    return h;
}

TEST(plans_have_the_same_bits_for_any_number_of_threads)
{
    const double goal[3] = {0.4, 0.0, 0.05};
    for (int method = 0; method < TN_PLAN_METHOD_COUNT; method++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 4; threads = MORE_THREADS(threads)) {
            TextScene s;
            TnError err = {0};
            TnPlanCost costs[4];
            REQUIRE(text_open(&s, 0.02, "0 0 -9.81", push));
            push_costs(&s, costs, goal);
            TnPlan *plan = make(&s, costs, 4, (TnPlanMethod)method, threads, 2);
            REQUIRE(plan);
            for (int k = 0; k < 3; k++) {
                CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
                CHECK(tn_world_set_ctrl(s.world, tn_plan_view(plan).ctrl, NULL) == TN_OK);
                tn_world_step(s.world);
                tn_plan_shift(plan, 1, &err);
            }
            if (threads == 1) first = bits(plan);
            CHECK(bits(plan) == first);
            tn_plan_destroy(plan);
            text_close(&s);
        }
    }
}

TEST(warm_solves_allocate_nothing)
{
    const double goal[3] = {0.4, 0.0, 0.05};
    for (int method = 0; method < TN_PLAN_METHOD_COUNT; method++) {
        TextScene s;
        TnError err = {0};
        TnPlanCost costs[5];
        REQUIRE(text_open(&s, 0.02, "0 0 -9.81", push));
        push_costs(&s, costs, goal);
        costs[4] = tn_plan_cost(TN_COST_SENSOR);
        costs[4].sensor = 1;
        costs[4].running = 0.1;
        TnPlan *plan = make(&s, costs, 5, (TnPlanMethod)method, 2, 2);
        REQUIRE(plan);
        long before = 0;
        for (int k = 0; k < 30; k++) {
            if (k == 20) before = tn_malloc_count();
            CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
            CHECK(tn_world_set_ctrl(s.world, tn_plan_view(plan).ctrl, NULL) == TN_OK);
            if (k < 19) tn_world_step(s.world); /* the world's own growth is not the plan's */
            tn_plan_shift(plan, 1, &err);
        }
        CHECK(tn_malloc_count() == before);
        tn_plan_destroy(plan);
        text_close(&s);
    }
}

/* A ball before a block, its goal behind it: to go round costs more at first, whichever way. */
static const char *const corner =
    "<worldbody><geom type='box' size='0.02 0.1 0.1' friction='0'/>"
    "<body name='ball' pos='-0.1 0 0'><joint name='a' type='slide' axis='1 0 0'/>"
    "<joint name='b' type='slide' axis='0 1 0'/><geom size='0.03' mass='0.1' friction='0'/></body>"
    "</worldbody><actuator><motor joint='a' ctrlrange='-1 1' ctrllimited='true'/>"
    "<motor joint='b' ctrlrange='-1 1' ctrllimited='true'/></actuator>";

TEST(random_controls_find_the_way_round_a_block_and_ddp_goes_on_from_there)
{
    TextScene s;
    const double goal[3] = {0.15, 0.0, 0.0};
    REQUIRE(text_open(&s, 0.02, "0 0 0", corner));
    TnPlanCost costs[2] = {tn_plan_cost(TN_COST_POINT), tn_plan_cost(TN_COST_CTRL)};
    costs[0].body = tn_model_find_body(s.model, "ball");
    costs[0].goal = goal;
    costs[0].goal_count = 3;
    costs[0].running = 1.0;
    costs[0].terminal = 100.0;
    costs[1].running = 1e-3;
    double cost[3];
    uint64_t last = 0;
    for (int run = 0; run < 3; run++) { /* without, with, with on two threads */
        TnPlanDef def = tn_plan_def();
        def.horizon = 40;
        def.costs = costs;
        def.cost_count = 2;
        def.seeds = run ? 16 : 0;
        def.thread_count = run == 2 ? 2 : 1;
        TnPlan *plan = tn_plan_create(&def, s.model, NULL);
        REQUIRE(plan);
        long before = 0;
        for (int k = 0; k < 8; k++) {
            if (k == 7) before = tn_malloc_count();
            CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
            CHECK(tn_plan_view(plan).cost <= tn_plan_view(plan).start_cost);
        }
        CHECK(tn_malloc_count() == before);
        cost[run] = tn_plan_view(plan).cost;
        if (run == 2) CHECK(bits(plan) == last);
        last = bits(plan);
        const double *end = tn_plan_view(plan).states + 40 * 4;
        CHECK(run ? hypot(end[0] - 0.25, end[1]) < 0.03 : end[0] < 0.06);
        tn_plan_destroy(plan);
    }
    CHECK(cost[1] < 0.5 * cost[0] && cost[2] == cost[1]);
    text_close(&s);
}

/* A ball that turns, pulled to an orientation: costs are differentiated through quaternions. */
static const char *const spinner =
    "<worldbody><body><joint name='b' type='ball'/><geom type='box' size='0.1 0.2 0.3' mass='1'/>"
    "<site name='tip' pos='0.1 0 0.3'/></body></worldbody>"
    "<actuator><motor joint='b' gear='1 0 0'/><motor joint='b' gear='0 1 0'/>"
    "<motor joint='b' gear='0 0 1'/></actuator>";

TEST(a_body_turns_to_an_orientation_that_it_is_far_from)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[3];
    drive_costs(costs, Q);
    costs[0].joint = 1;
    const double turned[4] = {0.2, 0.9, -0.3, 0.2}; /* by 156°; any length */
    costs[0].goal = turned;
    costs[0].goal_count = 4;
    costs[1].running = 0.01;
    REQUIRE(text_open(&s, H, "0 0 0", spinner));
    TnPlanDef def = tn_plan_def();
    def.horizon = 60;
    def.costs = costs;
    def.cost_count = 3;
    def.iterations = 100;
    TnPlan *plan = tn_plan_create(&def, s.model, &err);
    REQUIRE(plan);
    CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
    TnPlanView view = tn_plan_view(plan);
    const double *q = view.states + 60 * view.place_count;
    double norm = sqrt(0.2 * 0.2 + 0.9 * 0.9 + 0.3 * 0.3 + 0.2 * 0.2), dot = 0.0;
    for (int k = 0; k < 4; k++) dot += q[k] * turned[k] / norm;
    CHECK_NEAR(fabs(dot), 1.0, 1e-3); /* 3 s are enough for 1.5° */
    CHECK(view.converged);            /* Gauss–Newton ends only with the right gradient */
    tn_plan_destroy(plan);
    text_close(&s);
}

/* No control of the plan can be changed for the better: Gauss–Newton ends at a least cost only with
 * the right gradient, however far the goals are. */
static void ends_at_a_least_cost(const TnPlanCost *cost, const TnPlanCost *more)
{
    TextScene s;
    TnError err = {0};
    TnPlanCost costs[4];
    int count = more ? 4 : 3;
    drive_costs(costs, Q);
    costs[0] = *cost;
    if (more) costs[3] = *more;
    costs[1].running = 0.01;
    costs[2].running = 0.1; /* so that much is left of the goal's cost */
    REQUIRE(text_open(&s, H, "0 0 0", spinner));
    TnPlan *plan = make(&s, costs, count, TN_PLAN_DDP, 1, 10);
    REQUIRE(plan);
    for (int k = 0; k < 20 && !tn_plan_view(plan).converged; k++)
        CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
    TnPlanView view = tn_plan_view(plan);
    CHECK(view.converged && view.costs[0] > 0.1 * view.cost);
    double *ctrl = malloc(sizeof(double) * 3 * T);
    for (int at = 0; at < 3 * T; at += 7)
        for (int side = -1; side <= 1; side += 2) {
            TnPlan *other = make(&s, costs, count, TN_PLAN_DDP, 1, 4);
            memcpy(ctrl, view.ctrl, sizeof(double) * 3 * T);
            ctrl[at] += 1e-3 * side;
            CHECK(tn_plan_set_ctrl(other, ctrl, &err) == TN_OK);
            CHECK(tn_plan_solve(other, s.world, &err) == TN_OK);
            /* J'' is 2 · 0.1 and more, so J rises by 1e-7; with a gradient that is off by a
             * thousandth of J it would fall on one side by more than that */
            CHECK(tn_plan_view(other).start_cost > view.cost);
            tn_plan_destroy(other);
        }
    free(ctrl);
    tn_plan_destroy(plan);
    text_close(&s);
}

TEST(a_site_far_from_its_goal_has_the_right_gradient)
{
    const double goal[3] = {0.3, 0.0, 0.1};
    TnPlanCost cost = tn_plan_cost(TN_COST_POINT);
    cost.site = 1;
    cost.goal = goal;
    cost.goal_count = 3;
    cost.running = Q;
    ends_at_a_least_cost(&cost, NULL);
}

/* With unequal weights a turn's residual does not point where its gradient does. */
TEST(an_orientation_far_from_its_goal_has_the_right_gradient)
{
    const double turned[4] = {0.6, 0.5, -0.5, 0.4}, weights[3] = {1.0, 0.2, 3.0};
    TnPlanCost cost = tn_plan_cost(TN_COST_POSITION);
    cost.joint = 1;
    cost.goal = turned;
    cost.goal_count = 4;
    cost.weights = weights;
    cost.weight_count = 3;
    cost.running = 0.3 * Q;
    ends_at_a_least_cost(&cost, NULL);
    TnPlanCost tail = tn_plan_cost(TN_COST_TAIL);
    tail.goal = turned;
    tail.goal_count = 4;
    tail.terminal = 3.0;
    ends_at_a_least_cost(&cost, &tail);
}
