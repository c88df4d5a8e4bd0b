"""Proximal policy optimization in one file, with NumPy alone, over a native vector environment.

    python examples/python/ppo.py                                  # learns to put a cable into a hole, in about 10 s
    python examples/python/ppo.py --task CableRouting --steps 300000

The loop has the shape of CleanRL's: collect, estimate advantages, improve in minibatches. Two networks of tanh layers, a
Gaussian policy with one width per action, Adam, running normalization of observations."""
import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices this small are slower on several threads

import gymnasium
import numpy as np
import tenon.gym  # noqa: F401, registers the environments


class Network:
    """Layers with tanh between them; gradients by hand, steps by Adam."""

    def __init__(self, rng, sizes, last):
        scales = [np.sqrt(2.0)] * (len(sizes) - 2) + [last]
        self.weights = []
        for inputs, outputs, scale in zip(sizes, sizes[1:], scales):
            basis = np.linalg.qr(rng.normal(size=(max(inputs, outputs), min(inputs, outputs))))[0]
            self.weights += [scale * (basis if inputs >= outputs else basis.T), np.zeros(outputs)]

    def forward(self, x):
        """The output; what backward needs is kept."""
        self.inputs = []
        for k in range(0, len(self.weights), 2):
            self.inputs.append(x)
            x = x @ self.weights[k] + self.weights[k + 1]
            if k + 2 < len(self.weights):
                x = np.tanh(x)
        return x

    def backward(self, slope):
        """Gradients of all weights, from that of the output."""
        gradients = []
        for k in reversed(range(0, len(self.weights), 2)):
            x = self.inputs[k // 2]
            gradients = [x.T @ slope, slope.sum(axis=0)] + gradients
            if k:
                slope = (slope @ self.weights[k].T) * (1.0 - x * x)
        return gradients


class Adam:
    """Kingma and Ba's steps for a list of arrays, after the gradient is cut to a length."""

    def __init__(self, arrays, rate, longest=0.5):
        self.arrays, self.rate, self.longest, self.count = arrays, rate, longest, 0
        self.mean, self.square = [np.zeros_like(a) for a in arrays], [np.zeros_like(a) for a in arrays]

    def step(self, gradients):
        """Changes the arrays in place."""
        self.count += 1
        length = np.sqrt(sum((g * g).sum() for g in gradients))
        cut = min(1.0, self.longest / (length + 1e-8))
        for array, g, mean, square in zip(self.arrays, gradients, self.mean, self.square):
            g = cut * g
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            array -= self.rate * (mean / (1 - 0.9**self.count)) / (np.sqrt(square / (1 - 0.999**self.count)) + 1e-5)


class Normalizer:
    """Running mean and deviation of observations."""

    def __init__(self, size):
        self.count, self.mean, self.square = 1e-4, np.zeros(size), np.ones(size)

    def learn(self, x):
        """Adds the rows of x."""
        total = self.count + len(x)
        change = x.mean(axis=0) - self.mean
        self.square = (self.count * self.square + len(x) * x.var(axis=0) + change**2 * self.count * len(x) / total) / total
        self.mean, self.count = self.mean + change * len(x) / total, total

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.square + 1e-8), -10.0, 10.0)


class Agent:
    """Policy and value."""

    def __init__(self, rng, seen, actions, rate, width):
        self.policy, self.value = Network(rng, (seen, 64, 64, actions), 0.01), Network(rng, (seen, 64, 64, 1), 1.0)
        self.log_width = np.full(actions, np.log(width))
        self.seen = Normalizer(seen)
        self.adam = Adam(self.policy.weights + self.value.weights + [self.log_width], rate)

    def density(self, action, mean):
        """The logarithm, up to a constant."""
        return (-0.5 * ((action - mean) / np.exp(self.log_width)) ** 2 - self.log_width).sum(axis=1)

    def improve(self, x, action, before, advantage, target, clip=0.2):
        """One step with a minibatch: PPO's clipped objective, and half the squared error of the value."""
        mean = self.policy.forward(x)
        ratio = np.exp(self.density(action, mean) - before)
        active = np.where(advantage > 0, ratio < 1 + clip, ratio > 1 - clip)  # elsewhere the objective is flat
        slope = (-(advantage * ratio * active) / len(x))[:, None]
        away = (action - mean) / np.exp(self.log_width)
        gradients = self.policy.backward(slope * away / np.exp(self.log_width))
        gradients += self.value.backward((self.value.forward(x)[:, 0] - target)[:, None] * 0.5 / len(x))
        self.adam.step(gradients + [(slope * (away * away - 1.0)).sum(axis=0)])


def advantages(reward, value, last, over, gamma, smooth=0.95):
    """Generalized advantage estimation over (T, n). over: the episode ends after this step."""
    result, carried = np.zeros_like(reward), 0.0
    for t in reversed(range(len(reward))):
        after = last if t + 1 == len(reward) else value[t + 1]
        error = reward[t] + gamma * after * ~over[t] - value[t]
        carried = error + gamma * smooth * ~over[t] * carried
        result[t] = carried
    return result


def train(task, steps, envs=32, length=50, epochs=10, batch=400, rate=1e-3, gamma=0.98, width=0.5, seed=0, threads=None,
          report=None, **options):
    """Returns the agent and the returns of all finished episodes, in order."""
    rng = np.random.default_rng(seed)
    world = gymnasium.make_vec(f"tenon/{task}-v0", num_envs=envs, vectorization_mode="vector_entry_point", threads=threads,
                               autoreset_mode="SameStep", **options)
    size, actions = world.single_observation_space.shape[0], world.single_action_space.shape[0]
    agent = Agent(rng, size, actions, rate, width)
    seen, _ = world.reset(seed=seed)
    total, returns = np.zeros(envs), []
    for _ in range(steps // (envs * length)):
        rows = {name: [] for name in ("x", "action", "before", "reward", "value", "over")}
        for _ in range(length):
            agent.seen.learn(seen)
            x = agent.seen(seen)
            mean = agent.policy.forward(x)
            action = mean + np.exp(agent.log_width) * rng.normal(size=mean.shape)
            value = agent.value.forward(x)[:, 0]
            seen, reward, ended, late, info = world.step(np.clip(action, -1, 1))
            total += reward
            over = ended | late
            returns += list(total[over])
            total[over] = 0.0
            for i in np.flatnonzero(late & ~ended):  # time was over: what would have come counts
                reward[i] += gamma * agent.value.forward(agent.seen(info["final_obs"][i][None]))[0, 0]
            for name, row in zip(rows, (x, action, agent.density(action, mean), reward, value, over)):
                rows[name].append(row)
        x, action, before, reward, value, over = (np.array(rows[name]) for name in rows)
        gain = advantages(reward, value, agent.value.forward(agent.seen(seen))[:, 0], over, gamma)
        target = (gain + value).ravel()
        flat = [array.reshape(-1, *array.shape[2:]) for array in (x, action, before)]
        for _ in range(epochs):
            for part in np.array_split(rng.permutation(len(target)), max(1, len(target) // batch)):
                chosen = gain.ravel()[part]
                chosen = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
                agent.improve(*(array[part] for array in flat), chosen, target[part])
        if report:
            report(len(returns), np.mean(returns[-100:]) if returns else np.nan)
    world.close()
    return agent, returns


def play(agent, task, episodes=32, seed=1000, **options):
    """Mean return and share of successes of the policy without noise."""
    world = gymnasium.make_vec(f"tenon/{task}-v0", num_envs=episodes, vectorization_mode="vector_entry_point", **options)
    seen, _ = world.reset(seed=seed)
    total, success, running = np.zeros(episodes), np.zeros(episodes, dtype=bool), np.ones(episodes, dtype=bool)
    while running.any():
        seen, reward, ended, late, info = world.step(np.clip(agent.policy.forward(agent.seen(seen)), -1, 1))
        total += reward * running
        success |= info["success"] & running
        running &= ~(ended | late)
    world.close()
    return total.mean(), success.mean()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--task", default="CableInsertion")
    options.add_argument("--steps", type=int, default=16000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--model", help="MJCF of the robot, for tasks that take one")
    given = options.parse_args()
    robot = {"model": given.model} if given.model else {}
    trained, _ = train(given.task, given.steps, seed=given.seed, **robot,
                       report=lambda count, mean: print(f"{count:5d} episodes, mean return of the last 100: {mean:.2f}"))
    mean_return, successes = play(trained, given.task, **robot)
    print(f"without noise: mean return {mean_return:.2f}, success in {100 * successes:.0f} % of the episodes")
