"""Steps per second of the environments of tenon.gym, beside those of Gymnasium with MuJoCo; needs the installed package with
the extra gym, and mujoco for the comparison (docs/gym.md).

    bench/gym_speed.py [--envs N] [--threads N] [--seconds S] [TASK...]

Random actions; a step is one action of one environment. Columns on one thread count seconds of the processor, so that other
load on the machine hardly matters; those on several threads or processes count seconds of the clock. The kinds take turns,
for S seconds each in all, and the best part of each counts."""
import argparse
import time

import gymnasium
import tenon.gym

ALIKE = {"Reacher": "Reacher-v5", "Ant": "Ant-v5", "Humanoid": "Humanoid-v5"}


class Run:
    """An environment that takes random actions."""

    def __init__(self, envs, count, clock=time.process_time):
        self.envs, self.count, self.clock, self.best = envs, count, clock, 0.0
        envs.action_space.seed(0)
        self.actions = [envs.action_space.sample() for _ in range(256)]
        envs.reset(seed=0)
        self.k = 0

    def part(self, seconds):
        """Steps for some time and keeps the best rate."""
        steps, start = 0, self.clock()
        while self.clock() - start < seconds:
            _, _, terminated, truncated, _ = self.envs.step(self.actions[self.k % 256])
            self.k, steps = self.k + 1, steps + self.count
            if self.count == 1 and (terminated or truncated):
                self.envs.reset()
        self.best = max(self.best, steps / (self.clock() - start))


def runs_of(task, count, threads):
    """What is compared for a task, in the order of the columns; None: there is nothing like it."""
    def native(k):
        return gymnasium.make_vec(f"tenon/{task}-v0", num_envs=count, vectorization_mode="vector_entry_point", threads=k)

    runs = [Run(gymnasium.make(f"tenon/{task}-v0"), 1), Run(native(1), count), Run(native(threads), count, time.perf_counter)]
    if task not in ALIKE:
        return runs + [None] * 3
    try:
        one, *many = (gymnasium.make(ALIKE[task]),
                      *(gymnasium.make_vec(ALIKE[task], num_envs=count, vectorization_mode=mode) for mode in ("sync", "async")))
    except (ImportError, gymnasium.error.DependencyNotInstalled) as error:
        print(f"without MuJoCo: {error}")
        return runs + [None] * 3
    return runs + [Run(one, 1), Run(many[0], count), Run(many[1], count, time.perf_counter)]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("tasks", nargs="*", default=list(tenon.gym.TASKS))
    options.add_argument("--envs", type=int, default=32)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seconds", type=float, default=4.0)
    given = options.parse_args()
    n = given.envs
    print(f"| | one | {n} | {n}, {given.threads} threads | MuJoCo: one | {n} | {n} processes |\n|" + 7 * "---|")
    for task in given.tasks:
        runs = runs_of(task, n, given.threads)
        there = [run for run in runs if run]
        for _ in range(8):
            for run in there:
                run.part(given.seconds / 8)
        print(f"| {task} | " + " | ".join(f"{run.best:,.0f}" if run else "" for run in runs) + " |", flush=True)
        for run in there:
            run.envs.close()


main()
