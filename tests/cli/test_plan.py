"""tenon plan: task files, what is printed, and what is wrong with a task."""
import os

from cli import CliTest, pycheck

CART = """<mujoco>
  <option timestep="0.02" gravity="0 0 0"/>
  <worldbody>
    <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/><site name="nose" pos="0.1 0 0"/></body>
    <body name="other" pos="0 5 0"><joint name="free" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body>
  </worldbody>
  <actuator><motor name="push" joint="rail" ctrllimited="true" ctrlrange="-20 20"/></actuator>
  <sensor><jointpos name="at" joint="rail"/></sensor>
  <keyframe><key name="right" qpos="1 0"/></keyframe>
</mujoco>"""
TASK = """# a cart to its goal
model cart.xml
horizon 30   # knots
cost point nose running 10 goal 0.6 0 0 within 0.001
cost velocity all running 0.2 terminal 10
cost ctrl push running 0.001 name force
"""


class Plan(CliTest):
    def setUp(self):
        super().setUp()
        self.write("cart.xml", CART)

    def task(self, text):
        return self.write("task.txt", text)

    def test_a_cart_reaches_its_goal(self):
        r = self.tenon_json("plan", self.task(TASK), "--duration", "2", "--every", "2")
        self.assertTrue(r["done"])
        self.assertEqual((r["plans"], r["horizon"], r["knot"], r["method"]), (50, 30, 0.02, "ddp"))
        self.assertEqual([c["name"] for c in r["costs"]], ["point nose", "velocity all", "force"])
        self.assertLess(r["costs"][0]["off"], 1e-3)  # as is asked for
        self.assertLess(r["cost"], 1e-3 * r["first_cost"])

    def test_the_task_says_how_often_to_plan_and_the_option_takes_its_place(self):
        task = self.task(TASK + "every 5\n")
        runs = [self.tenon_json("plan", task, "--duration", "0.2", *more, code=1) for more in ((), ("--every", "2"), ("--every", "5"))]
        self.assertEqual([r["plans"] for r in runs], [2, 5, 2])
        self.assertEqual(runs[0]["state_hash"], runs[2]["state_hash"])
        self.assertNotEqual(runs[0]["state_hash"], runs[1]["state_hash"])

    def test_threads_change_nothing_and_methods_do(self):
        task = self.task(TASK)
        costs = [self.tenon_json("plan", task, "--duration", "0.1", "--method", method, "--threads", threads, code=1)["cost"]
                 for method in ("mppi", "cem") for threads in ("1", "2")]
        self.assertEqual(costs[0], costs[1])
        self.assertEqual(costs[2], costs[3])
        self.assertNotEqual(costs[0], costs[2])

    def test_keys_sensors_and_records(self):
        task = self.task("model cart.xml\nkey right\ncost sensor at running 5 goal 1.0 within 1e-6\ncost ctrl all running 1\n")
        self.tenon("plan", task, "--duration", "0.2", "--record", os.path.join(self.folder, "out.tnr"))
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "out.tnr")) > 0)

    def test_a_goal_that_is_missed_is_told_by_the_exit_code(self):
        out, _ = self.tenon("plan", self.task(TASK), "--duration", "0.1", code=1)
        self.assertIn("asked for 0.001: no", out)

    def test_a_cost_out_of_reach_is_named(self):
        out, _ = self.tenon("plan", self.task(TASK + "cost position free running 1 goal 1\n"), "--duration", "0.04", code=1)
        self.assertIn("no control changes cost 'position free' over this horizon (of 2 plans)", out)

    def test_what_is_wrong_is_said_with_its_line(self):
        for text, words in (("horizon 20\n", "the task has no model"), (TASK + "cost point tail\n", ":7: the model has no site or body 'tail'"),
                            (TASK + "cost speed rail\n", "not 'speed'"), ("cost ctrl all\n", "the model must come before"),
                            (TASK + "horizon much\n", "a number must follow 'horizon'"), (TASK + "horizon 1.5\n", "whole number"),
                            (TASK + "horizon 0\n", "horizon must be"), (TASK + "every 0\n", "every must be"), (TASK + "costs\n", "begins with 'costs'"),
                            (TASK + "method lqr\n", "not 'lqr'"), (TASK + "horizon 5 6\n", "not understood: '6'"),
                            (TASK + "cost point nose goal nan 0 0\n", "numbers must follow 'goal'"),
                            (TASK + "cost point nose goal 1 0\n", "has 2 numbers, needs 3"),
                            (TASK + "cost position rail running -1\n", "running"), (TASK + "cost ctrl push within 1\n", "no 'within'"),
                            ("model cart.xml\n", "no costs"), (TASK + "key left\n", "left"), (TASK + "x" * 5000 + "\n", "too long")):
            _, err = self.tenon("plan", self.task(text), code=3)
            self.assertIn(words, err)
        self.tenon("plan", os.path.join(self.folder, "none.txt"), code=4)
        self.tenon("plan", self.task("model none.xml\n"), code=4)


if __name__ == "__main__":
    pycheck.main()
