"""Random search for a way to lay a cable around three posts, on Ray.

A gripper holds one end of a cable; the other end is pinned. The goal is a slalom: north of the first post, south of the
second, north of the third. A candidate is a path of the gripper: a few random waypoints, then the end of the goal. Its score
is the RMS distance of the cable's segments from the goal after the cable has come to rest.

A task tries a batch of candidates. Tasks are independent, so they run on any number of machines, in any order:

    pip install ray matplotlib
    python random_search.py --plot search.png     # on the cluster of RAY_ADDRESS, or on one that is started here
    python random_search.py --backend local       # the same results without Ray

What to look for: most candidates leave the cable on the wrong side of a post, about 40 mm from the goal. Some 2 % find the
slalom, below 20 mm. Tasks that have a result are not run again: stop the search, and start it with more
--tasks.
"""
import argparse

import numpy as np
import tenon
from tenon.sweep import Sweep

POSTS = np.array([[-0.15, 0.0], [0.0, 0.0], [0.15, 0.0]])  # m
GOAL = np.array([[-0.32, -0.08], [-0.15, 0.03], [0.0, -0.03], [0.15, 0.03], [0.34, -0.03]])  # m: corners of the slalom
LENGTH, SEGMENTS = 0.74, 24  # of the cable, m
START = GOAL[0] + [0, LENGTH]  # of the gripper: the cable lies west of the posts
CANDIDATES = 16  # in a task
MOVE, REST = 75, 20  # controls of 40 ms

POST = '<geom type="cylinder" size="0.02 0.04" pos="{} {} 0.04" friction="0.3 0 0" rgba="0.4 0.45 0.5 1"/>'
SCENE = f"""
<mujoco model="cable_search">
  <option timestep="0.01"/>
  <worldbody>
    <geom name="table" type="plane" size="0 0 1" friction="0.4 0 0" rgba="0.85 0.87 0.9 1"/>
    {"".join(POST.format(x, y) for x, y in POSTS)}
    <body name="gripper" pos="{START[0]} {START[1]} 0.006">
      <joint name="x" type="slide" axis="1 0 0" damping="40"/><joint name="y" type="slide" axis="0 1 0" damping="40"/>
      <joint name="yaw" axis="0 0 1" damping="0.001"/>
      <geom type="sphere" size="0.008" mass="0.5" rgba="0.9 0.4 0.1 1"/>
    </body>
  </worldbody>
  <tenon>
    <rod name="cable" start="{GOAL[0, 0]} {GOAL[0, 1]} 0.006" end="{START[0]} {START[1]} 0.006" segments="{SEGMENTS}"
      radius="0.004" young="1e6" density="1200" damping="0.02" friction="0.3 0 0" rgba="0.1 0.3 0.7 1"/>
  </tenon>
  <equality>
    <connect body1="cable_0" anchor="0 0 {-0.5 * LENGTH / SEGMENTS}"/>
    <weld body1="gripper" body2="cable_{SEGMENTS - 1}"/>
  </equality>
  <actuator><position joint="x" kp="2000" forcerange="-20 20"/><position joint="y" kp="2000" forcerange="-20 20"/></actuator>
</mujoco>"""


def along(corners, shares):
    """Points on a polyline at shares of its length."""
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    return np.stack([np.interp(np.asarray(shares) * length[-1], length, corners[:, axis]) for axis in (0, 1)], axis=-1)


def task(params, seed):
    """Tries a batch of candidates."""
    rng = np.random.default_rng(seed)
    waypoints = rng.uniform([-0.3, -0.15], [0.35, 0.15], size=(CANDIDATES, params["waypoints"], 2))
    paths = [along(np.vstack([START, inner, GOAL[-1]]), np.linspace(0, 1, MOVE)) for inner in waypoints]
    controls = np.array([np.vstack([path, np.repeat(path[-1:], REST, axis=0)]) for path in paths]) - START
    batch = tenon.Batch(tenon.Model.from_string(SCENE), CANDIDATES, tolerance=1e-3)
    batch.rollout(controls, repeat=4, want=())
    cable = batch.qpos[:, 3:].reshape(CANDIDATES, SEGMENTS, 7)[:, :, :2]
    goal = along(GOAL, (np.arange(SEGMENTS) + 0.5) / SEGMENTS)
    scores = np.sqrt(np.mean(np.sum((cable - goal) ** 2, axis=2), axis=1))
    scores[batch.diverged] = np.inf
    best = int(np.argmin(scores))
    return {"scores": scores, "path": paths[best], "cable": cable[best], "world": batch[best]}


def plot(columns, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 3.6), gridspec_kw={"width_ratios": [2, 3]})
    for count in np.unique(columns["waypoints"]):
        scores = columns["scores"][columns["waypoints"] == count].ravel()
        left.plot(1 + np.arange(scores.size), 1000 * np.minimum.accumulate(scores), label=f"{count} waypoints")
    left.set(xscale="log", ylim=(0, 60), xlabel="candidates", ylabel="best RMS distance (mm)")
    left.legend()
    best = np.argmin(columns["scores"].min(axis=1))
    right.plot(*GOAL.T, "--", color="0.5", label="goal")
    right.plot(*columns["path"][best].T, ":", color="tab:orange", label="path of the gripper")
    right.plot(*columns["cable"][best].T, color="tab:blue", linewidth=3, label="cable")
    for post in POSTS:
        right.add_patch(pyplot.Circle(post, 0.02, color="0.3"))
    right.set(aspect="equal", ylim=(-0.15, 0.25), xlabel="x (m)", ylabel="y (m)")
    right.legend(loc="upper right", fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=100)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Random search for a way to lay a cable around two posts.")
    parser.add_argument("--tasks", type=int, default=40, help=f"of {CANDIDATES} candidates, for each number of waypoints")
    parser.add_argument("--out", default="random_search-results", help="folder of the results")
    parser.add_argument("--backend", default="ray", choices=("ray", "local"))
    parser.add_argument("--jobs", type=int, help="processes; default: one for each processor")
    parser.add_argument("--plot", metavar="FILE", help="draw what was found, with matplotlib")
    options = parser.parse_args(arguments)
    search = Sweep(task, grid={"waypoints": [2, 3, 4]}, seeds=options.tasks)
    summary = search.run(options.out, backend=options.backend, jobs=options.jobs)
    for failed, error in summary.failed:
        print(f"{failed}: {error}")
    columns = search.collect(options.out)
    for count in (2, 3, 4):
        scores = columns["scores"][columns["waypoints"] == count].ravel()
        print(f"{count} waypoints: best of {scores.size} is {1000 * scores.min():.1f} mm, "
              f"{np.count_nonzero(scores < 0.02)} below 20 mm")
    if options.plot:
        plot(columns, options.plot)
    return columns


if __name__ == "__main__":
    main()
