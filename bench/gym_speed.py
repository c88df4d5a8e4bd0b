"""Steps per second of the environments of tenon.gym, beside those of Gymnasium with MuJoCo; needs the installed package with
the extra gym, and mujoco for the comparison (docs/gym.md).

    bench/gym_speed.py [--envs N] [--threads N] [--steps N] [--repeats N] [TASK...]

A step is one action of one environment. All kinds take the same random actions from the same seed, again and again, in turns.
Of each step the shortest time counts, by the clock, so that other load on the machine hardly matters."""
import argparse
import time

import gymnasium
import numpy as np
import tenon.gym

ALIKE = {"Reacher": "Reacher-v5", "Ant": "Ant-v5", "Humanoid": "Humanoid-v5"}


class Run:
    """An environment that takes the same random actions again and again."""

    def __init__(self, envs, count, steps):
        self.envs, self.count = envs, count
        envs.action_space.seed(0)
        self.actions = [envs.action_space.sample() for _ in range(steps)]
        self.shortest = np.full(steps, np.inf)

    def repeat(self):
        """Once through all actions."""
        self.envs.reset(seed=0)
        for k, action in enumerate(self.actions):
            start = time.perf_counter()
            _, _, terminated, truncated, _ = self.envs.step(action)
            if self.count == 1 and (terminated or truncated):
                self.envs.reset()
            self.shortest[k] = min(self.shortest[k], time.perf_counter() - start)

    def rate(self):
        """Steps per second."""
        return self.count * len(self.shortest) / self.shortest.sum()


def runs_of(task, count, threads, steps):
    """What is compared for a task, in the order of the columns; None: there is nothing like it."""
    def native(k):
        return gymnasium.make_vec(f"tenon/{task}-v0", num_envs=count, vectorization_mode="vector_entry_point", threads=k)

    runs = [Run(gymnasium.make(f"tenon/{task}-v0"), 1, steps), Run(native(1), count, steps), Run(native(threads), count, steps)]
    if task not in ALIKE:
        return runs + [None] * 3
    try:
        others = [gymnasium.make(ALIKE[task])]
        others += [gymnasium.make_vec(ALIKE[task], num_envs=count, vectorization_mode=mode) for mode in ("sync", "async")]
    except (ImportError, gymnasium.error.DependencyNotInstalled) as error:
        print(f"without MuJoCo: {error}")
        return runs + [None] * 3
    return runs + [Run(envs, size, steps) for envs, size in zip(others, (1, count, count))]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("tasks", nargs="*", default=list(tenon.gym.TASKS))
    options.add_argument("--envs", type=int, default=32)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--steps", type=int, default=50)
    options.add_argument("--repeats", type=int, default=12)
    given = options.parse_args()
    n = given.envs
    print(f"| | one | {n} | {n}, {given.threads} threads | MuJoCo: one | {n} | {n} processes |\n|" + 7 * "---|")
    for task in given.tasks:
        runs = runs_of(task, n, given.threads, given.steps)
        there = [run for run in runs if run]
        for _ in range(given.repeats):
            for run in there:
                run.repeat()
        print(f"| {task} | " + " | ".join(f"{run.rate():,.0f}" if run else "" for run in runs) + " |", flush=True)
        for run in there:
            run.envs.close()


main()
