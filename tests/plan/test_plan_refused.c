/* Plans that cannot be: each is refused with what is wrong, or says what should be known. */
#include "../step/text_scene.h"

#include "../check.h"
#include "base/base.h"

static const char *const two =
    "<worldbody><body name='a'><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' "
    "mass='1'/><site name='s'/></body>"
    "<body name='far' pos='5 0 0'><joint name='y' type='slide' axis='1 0 0'/><geom size='0.1' "
    "mass='1'/></body></worldbody>"
    "<actuator><motor joint='x'/></actuator>"
    "<sensor><jointpos joint='x'/><force site='s'/></sensor>";

static TnPlanCost usual(void)
{
    TnPlanCost cost = tn_plan_cost(TN_COST_POSITION);
    cost.joint = 1;
    cost.running = 1.0;
    return cost;
}

static void refused(const TnModel *model, TnPlanDef def, const char *why)
{
    TnError err = {0};
    TnPlan *plan = tn_plan_create(&def, model, &err);
    if (plan) test_fail(__FILE__, __LINE__, "not refused: %s", why);
    CHECK(err.code == TN_ERROR_USAGE);
    CHECK_STR(err.message, why);
    tn_plan_destroy(plan);
}

static void cost_refused(const TnModel *model, TnPlanCost cost, const char *why)
{
    TnPlanDef def = tn_plan_def();
    def.costs = &cost;
    def.cost_count = 1;
    refused(model, def, why);
}

TEST(definitions_that_make_no_sense_are_refused_with_a_reason)
{
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    TnPlanCost cost = usual();
    TnPlanDef good = tn_plan_def(), def;
    good.costs = &cost;
    good.cost_count = 1;
#define BAD(CHANGE, WHY)                                                                           \
    def = good;                                                                                    \
    CHANGE;                                                                                        \
    refused(s.model, def, WHY)
    BAD(def.horizon = 0, "horizon");
    BAD(def.horizon = -1, "horizon");
    BAD(def.repeat = 0, "repeat");
    BAD(def.thread_count = 0, "thread_count");
    BAD(def.thread_count = 65, "thread_count");
    BAD(def.seconds = NAN, "seconds");
    BAD(def.smoothing = NAN, "smoothing");
    BAD(def.compliance = 0.0, "compliance");
    BAD(def.samples = 1, "samples");
    BAD(def.nodes = 21, "nodes");
    BAD(def.noise = 0.0, "noise");
    BAD(def.temperature = -1.0, "temperature");
    BAD(def.derivative_every = 0, "derivative_every");
    BAD(def.iterations = -1, "iterations");
    BAD(def.seeds = -1, "seeds");
    BAD(def.tolerance = 1.0, "tolerance");
    BAD(def.tolerance = NAN, "tolerance");
    BAD(def.method = TN_PLAN_METHOD_COUNT, "method");
    BAD(def.cost_count = 0, "costs");
    BAD(def.costs = NULL, "costs");
    TnError err = {0};
    CHECK(!tn_plan_create(&good, NULL, &err) && err.code == TN_ERROR_USAGE);
    CHECK(!tn_plan_create(NULL, s.model, NULL));
    text_close(&s);
}

TEST(costs_that_make_no_sense_are_refused_by_name)
{
    TextScene s;
    const double nan3[3] = {0.0, NAN, 0.0}, two_ones[2] = {1.0, 1.0}, negative[1] = {-1.0};
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    TnPlanCost c;
#define BAD_COST(CHANGE, WHY)                                                                      \
    c = usual();                                                                                   \
    c.name = "mine";                                                                               \
    CHANGE;                                                                                        \
    cost_refused(s.model, c, WHY)
    BAD_COST(c.joint = 3, "'mine'): the model has no such joint");
    BAD_COST(c.joint = -1, "no such joint");
    BAD_COST(c.kind = TN_COST_KIND_COUNT, "no such kind");
    BAD_COST(c.running = NAN, "running");
    BAD_COST(c.running = -1.0, "running");
    BAD_COST(c.running = 0.0, "no cost has a weight");
    BAD_COST((c.goal = nan3 + 1, c.goal_count = 1), "cost 'mine' is not finite");
    BAD_COST((c.goal = nan3, c.goal_count = 2), "has 2 numbers, needs 1");
    BAD_COST((c.weights = negative, c.weight_count = 1), "weight");
    BAD_COST((c.weights = two_ones, c.weight_count = 2), "has 2 weights, needs 1");
    BAD_COST((c.kind = TN_COST_CTRL, c.actuator = 2), "no such actuator");
    BAD_COST((c.kind = TN_COST_CTRL, c.terminal = 1.0), "terminal");
    BAD_COST((c.kind = TN_COST_SENSOR, c.sensor = 3), "no such sensor");
    BAD_COST((c.kind = TN_COST_SENSOR, c.sensor = 2), "take mppi or cem");
    BAD_COST(c.kind = TN_COST_POINT, "a site or a body");
    BAD_COST((c.kind = TN_COST_POINT, c.site = 2), "no such site");
    BAD_COST((c.kind = TN_COST_POINT, c.body = 9), "no such body");
    BAD_COST((c.kind = TN_COST_POINT, c.body = 2, c.site = 1), "either a site or a body");
    BAD_COST((c.kind = TN_COST_POINT, c.body = 2, c.to_site = 7), "no such site");
    BAD_COST(c.kind = TN_COST_TAIL, "of the whole state");
    BAD_COST((c.kind = TN_COST_TAIL, c.joint = 0), "running must be 0");
    TnPlanCost tails[2] = {tn_plan_cost(TN_COST_TAIL), tn_plan_cost(TN_COST_TAIL)};
    TnPlanDef def = tn_plan_def();
    def.costs = tails;
    def.cost_count = 2;
    refused(s.model, def, "more than one");
    text_close(&s);
}

/* Nothing moves the other body, so its cost goes on for ever. The plan stays what it was. */
TEST(a_goal_that_cannot_be_kept_has_no_tail)
{
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    TnPlanCost costs[3] = {tn_plan_cost(TN_COST_POSITION), tn_plan_cost(TN_COST_TAIL),
                           tn_plan_cost(TN_COST_CTRL)};
    costs[0].running = costs[1].terminal = 1.0;
    costs[2].running = 0.01;
    for (int one = 0; one < 2; one++) {
        costs[0].joint = one;
        TnPlanDef def = tn_plan_def();
        def.costs = costs;
        def.cost_count = 3;
        TnPlan *plan = tn_plan_create(&def, s.model, NULL);
        REQUIRE(plan);
        TnError err = {0};
        if (one) {
            CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
        } else {
            CHECK(tn_plan_solve(plan, s.world, &err) == TN_ERROR_USAGE);
            CHECK_STR(err.message, "cost 'tail': the running costs about its goal have no end");
        }
        tn_plan_destroy(plan);
    }
    text_close(&s);
}

TEST(models_without_controls_have_no_plans)
{
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0",
                      "<worldbody><body><joint type='slide'/><geom size='0.1'/></body>"
                      "</worldbody>"));
    cost_refused(s.model, usual(), "no actuators");
    text_close(&s);
}

TEST(a_plan_survives_what_it_has_not_and_stays_as_it_is)
{
    TextScene s, other;
    TnError err = {0};
    TnPlanCost cost = usual();
    TnPlanDef def = tn_plan_def();
    def.costs = &cost;
    def.cost_count = 1;
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    TnPlan *plan = tn_plan_create(&def, s.model, &err);
    REQUIRE(plan);
    CHECK(tn_plan_solve(plan, NULL, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "world must be given");
    double x[2] = {1.0, 0.0}, bad = NAN, u[20] = {0};
    tn_world_set_state(s.world, x, NULL, NULL);
    CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
    double before = tn_plan_view(plan).ctrl[0];
    CHECK(before < 0.0);
    for (int id = -1; id <= 1; id += 2) {
        CHECK(tn_plan_set_goal(plan, id, x, 1, NULL) == TN_ERROR_USAGE);
        CHECK(tn_plan_set_weight(plan, id, 1.0, 0.0, NULL) == TN_ERROR_USAGE);
        CHECK(tn_plan_cost_name(plan, id) == NULL);
    }
    CHECK(tn_plan_set_goal(plan, 0, &bad, 1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_set_goal(plan, 0, NULL, 1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_set_weight(plan, 0, NAN, 0.0, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_shift(plan, -1, NULL) == TN_ERROR_USAGE);
    u[3] = NAN;
    CHECK(tn_plan_set_ctrl(plan, u, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_policy(plan, 20, x, x, NULL, u, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_policy(plan, -1, x, x, NULL, u, NULL) == TN_ERROR_USAGE);
    REQUIRE(text_open(&other, 0.01, "0 0 0",
                      "<worldbody><body><joint type='slide'/><geom size='0.1'/></body>"
                      "</worldbody>"));
    CHECK(tn_plan_solve(plan, other.world, &err) == TN_ERROR_USAGE);
    CHECK(tn_plan_view(plan).ctrl[0] == before);
    CHECK(tn_plan_off(plan, s.world, 0) == 1.0);
    CHECK(isnan(tn_plan_off(plan, s.world, 1)) && isnan(tn_plan_off(plan, s.world, -1)));
    CHECK(isnan(tn_plan_off(plan, other.world, 0)) && isnan(tn_plan_off(NULL, s.world, 0)));
    CHECK(tn_plan_shift(plan, 1000, NULL) == TN_OK); /* all of it is over */
    CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
    text_close(&other);
    tn_plan_destroy(plan);
    text_close(&s);
    /* no plan at all */
    CHECK(tn_plan_view(NULL).horizon == 0 && tn_plan_view(NULL).remark[0] == 0);
    CHECK(tn_plan_solve(NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_start(NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_shift(NULL, 1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_set_goal(NULL, 0, x, 1, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_set_weight(NULL, 0, 1.0, 1.0, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_set_ctrl(NULL, u, NULL) == TN_ERROR_USAGE);
    CHECK(tn_plan_policy(NULL, 0, x, x, NULL, u, NULL) == TN_ERROR_USAGE);
    tn_plan_destroy(NULL);
}

/* A body that no actuator reaches. */
TEST(a_cost_that_no_control_changes_is_named)
{
    for (int method = 0; method < TN_PLAN_METHOD_COUNT; method++) {
        TextScene s;
        TnError err = {0};
        TnPlanCost costs[2] = {usual(), usual()};
        costs[1].joint = 2;
        costs[1].name = "out of reach";
        TnPlanDef def = tn_plan_def();
        def.costs = costs;
        def.cost_count = 2;
        def.method = (TnPlanMethod)method;
        REQUIRE(text_open(&s, 0.01, "0 0 0", two));
        double x[2] = {1.0, 1.0};
        tn_world_set_state(s.world, x, NULL, NULL);
        TnPlan *plan = tn_plan_create(&def, s.model, &err);
        REQUIRE(plan);
        CHECK(tn_plan_solve(plan, s.world, &err) == TN_OK);
        TnPlanView view = tn_plan_view(plan);
        CHECK(view.moved[0] && !view.moved[1]);
        CHECK_STR(view.remark, "no control changes cost 'out of reach'");
        CHECK(view.cost < view.start_cost);
        tn_plan_destroy(plan);
        text_close(&s);
    }
}

/* Both lie on the floor, so rounding ties them by 1e-20. */
static const char *const apart =
    "<worldbody><geom type='plane' size='2 2 1' friction='0.3'/>"
    "<body name='box' pos='0 0 0.05'><joint name='x' type='slide' axis='1 0 0'/>"
    "<joint name='z' type='slide' axis='0 0 1'/><joint name='y' axis='0 1 0'/>"
    "<geom type='box' size='0.05 0.05 0.05' mass='0.5' friction='0.3'/></body>"
    "<body name='finger' pos='-0.15 0 0.03'><joint name='fx' type='slide' axis='1 0 0'/>"
    "<joint name='fz' type='slide' axis='0 0 1'/>"
    "<geom size='0.02' mass='0.2' friction='0.3'/></body></worldbody>"
    "<actuator><motor joint='fx'/><motor joint='fz'/></actuator>";

TEST(rounding_is_no_way_to_change_a_cost)
{
    TextScene s;
    const double goal[3] = {1.0, 0.0, 0.0};
    REQUIRE(text_open(&s, 0.02, "0 0 -9.81", apart));
    TnPlanCost cost = tn_plan_cost(TN_COST_POINT);
    cost.body = tn_model_find_body(s.model, "box");
    cost.goal = goal;
    cost.goal_count = 3;
    cost.running = 1.0;
    TnPlanDef def = tn_plan_def();
    def.costs = &cost;
    def.cost_count = 1;
    def.horizon = 8;
    TnPlan *plan = tn_plan_create(&def, s.model, NULL);
    REQUIRE(plan);
    CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
    CHECK_STR(tn_plan_view(plan).remark, "no control changes cost 'point'");
    tn_plan_destroy(plan);
    text_close(&s);
}

/* The goal is reached already: nothing to do is no remark. */
TEST(a_goal_that_is_reached_is_not_out_of_reach)
{
    TextScene s;
    TnPlanCost cost = usual();
    TnPlanDef def = tn_plan_def();
    def.costs = &cost;
    def.cost_count = 1;
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    TnPlan *plan = tn_plan_create(&def, s.model, NULL);
    REQUIRE(plan);
    CHECK(tn_plan_solve(plan, s.world, NULL) == TN_OK);
    TnPlanView view = tn_plan_view(plan);
    CHECK(view.cost == 0.0 && view.converged && view.moved[0] && view.remark[0] == 0);
    tn_plan_destroy(plan);
    text_close(&s);
}

TEST(want_of_memory_is_an_error_and_leaks_nothing)
{
    TextScene s;
    TnPlanCost cost = usual();
    TnPlanDef def = tn_plan_def();
    def.costs = &cost;
    def.cost_count = 1;
    def.thread_count = 2;
    REQUIRE(text_open(&s, 0.01, "0 0 0", two));
    long live = tn_malloc_live();
    bool made = false;
    for (long calls = 0; calls < 2000 && !made; calls += UNLESS_SANITIZED(1, 7)) {
        TnError err = {0};
        tn_malloc_fail_after(calls);
        TnPlan *plan = tn_plan_create(&def, s.model, &err);
        tn_malloc_fail_after(-1);
        made = plan != NULL;
        CHECK(made || err.code == TN_ERROR_MEMORY);
        tn_plan_destroy(plan);
        CHECK(tn_malloc_live() == live);
    }
    CHECK(made);
    text_close(&s);
}
