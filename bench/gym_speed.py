"""Steps per second of the environments of tenon.gym, beside those of Gymnasium with MuJoCo; needs the installed package with
the extra gym, and mujoco for the comparison (docs/gym.md).

    bench/gym_speed.py [--envs N] [--threads N] [--seconds S] [TASK...]

Random actions; a step is one action of one environment. "one" is gymnasium.make, in seconds of the processor. "many" is the
native vector environment (tenon) or the faster of the two of Gymnasium (MuJoCo), one after the other or a process each, in
seconds of the clock. The kinds take turns, for S seconds each in all, and the best part of each counts, so that other load
on the machine affects all alike."""
import argparse
import time

import gymnasium
import numpy as np
import tenon.gym

ALIKE = {"Reacher": "Reacher-v5", "Ant": "Ant-v5", "Humanoid": "Humanoid-v5"}


class Run:
    """An environment that takes random actions."""

    def __init__(self, envs, count):
        self.envs, self.count, self.best = envs, count, 0.0
        envs.action_space.seed(0)
        self.actions = [envs.action_space.sample() for _ in range(256)]
        envs.reset(seed=0)
        self.k = 0

    def part(self, seconds):
        """Steps for some time and keeps the best rate."""
        clock = time.process_time if self.count == 1 else time.perf_counter
        steps, start = 0, clock()
        while clock() - start < seconds:
            _, _, terminated, truncated, _ = self.envs.step(self.actions[self.k % 256])
            self.k, steps = self.k + 1, steps + self.count
            if self.count == 1 and (terminated or truncated):
                self.envs.reset()
        self.best = max(self.best, steps / (clock() - start))


def runs_of(task, count, threads):
    """What is compared for a task."""
    runs = {"one": Run(gymnasium.make(f"tenon/{task}-v0"), 1),
            "many": Run(gymnasium.make_vec(f"tenon/{task}-v0", num_envs=count, vectorization_mode="vector_entry_point",
                                           threads=threads), count)}
    if task in ALIKE:
        try:
            runs["one, MuJoCo"] = Run(gymnasium.make(ALIKE[task]), 1)
            for mode in ("sync", "async"):
                runs[f"many, MuJoCo, {mode}"] = Run(
                    gymnasium.make_vec(ALIKE[task], num_envs=count, vectorization_mode=mode), count)
        except (ImportError, gymnasium.error.DependencyNotInstalled) as error:
            print(f"without MuJoCo: {error}")
    return runs


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("tasks", nargs="*", default=list(tenon.gym.TASKS))
    options.add_argument("--envs", type=int, default=32)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seconds", type=float, default=4.0)
    given = options.parse_args()
    print(f"| steps per second | one | {given.envs}, {given.threads} threads | Gymnasium, one | Gymnasium, {given.envs} |")
    print("|---|---|---|---|---|")
    for task in given.tasks:
        runs = runs_of(task, given.envs, given.threads)
        for _ in range(8):
            for run in runs.values():
                run.part(given.seconds / 8)
        rates = {name: run.best for name, run in runs.items()}
        theirs = [rates.get("one, MuJoCo", np.nan), max(rates.get(f"many, MuJoCo, {m}", np.nan) for m in ("sync", "async"))]
        cells = [rates["one"], rates["many"], *theirs]
        print(f"| {task} | " + " | ".join("" if np.isnan(cell) else f"{cell:,.0f}" for cell in cells) + " |", flush=True)
        for run in runs.values():
            run.envs.close()


main()
