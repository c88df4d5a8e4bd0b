"""rsl_rl, skrl and the loops of CleanRL as clients: some hundred steps each, and learning where that takes seconds."""
import gymnasium
import numpy as np
import pytest
import tenon.gym
import torch
from tenon.gym.cleanrl import CleanRlEnvs

torch.set_num_threads(1)
N = 16


def test_rsl_rl_learns_to_insert_a_cable(tmp_path):
    pytest.importorskip("rsl_rl", reason="rsl-rl-lib is not installed")
    from rsl_rl.runners import OnPolicyRunner
    from tenon.gym.rsl_rl import RslRlVecEnv
    torch.manual_seed(0)
    envs = RslRlVecEnv("CableInsertion", 32, threads=2)
    envs.seed(0)
    settings = {
        "num_steps_per_env": 50, "save_interval": 1000, "empirical_normalization": True, "logger": "tensorboard",
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 10, "num_mini_batches": 4, "clip_param": 0.2, "gamma": 0.98,
                      "lam": 0.95, "value_loss_coef": 1.0, "entropy_coef": 0.0, "learning_rate": 1e-3, "max_grad_norm": 1.0,
                      "use_clipped_value_loss": True, "schedule": "fixed", "desired_kl": 0.01},
        "policy": {"class_name": "ActorCritic", "init_noise_std": 0.5, "actor_hidden_dims": [64, 64],
                   "critic_hidden_dims": [64, 64], "activation": "tanh"}}
    runner = OnPolicyRunner(envs, settings, log_dir=str(tmp_path), device="cpu")

    def mean_return():
        policy, ends = runner.get_inference_policy(), []
        envs.seed(100)
        seen = envs.get_observations()[0]
        with torch.no_grad():
            for _ in range(150):
                seen, reward, done, extras = envs.step(policy(seen))
                if "log" in extras:
                    ends.append(extras["log"]["/episode/return"])
        return np.mean(ends)

    before = mean_return()
    runner.learn(10, init_at_random_ep_len=True)  # 16,000 steps
    after = mean_return()
    assert before < 1.0 and after > 3.0, (before, after)
    envs.close()


def test_rsl_rl_gets_the_bits_of_the_vector_environment():
    pytest.importorskip("rsl_rl", reason="rsl-rl-lib is not installed")
    from tenon.gym.rsl_rl import RslRlVecEnv
    envs = RslRlVecEnv("Reacher", 3, max_episode_steps=4)
    assert envs.seed(5) == 5 and envs.num_actions == 2 and envs.max_episode_length == 4
    plain = gymnasium.make_vec("tenon/Reacher-v0", num_envs=3, vectorization_mode="vector_entry_point",
                               autoreset_mode="SameStep")
    true, _ = plain.reset(seed=5)
    assert np.array_equal(envs.get_observations()[0].numpy(), true)
    rng = np.random.default_rng(0)
    for k in range(4):
        actions = rng.uniform(-1, 1, (3, 2)).astype(np.float32)
        seen, reward, done, extras = envs.step(torch.from_numpy(actions))
        true, paid, *_ = plain.step(actions)
        assert np.allclose(reward.numpy(), paid)
        assert (done.numpy() == (k == 3)).all() and (extras["time_outs"].numpy() == (k == 3)).all()
        if k < 3:
            assert np.array_equal(seen.numpy(), true)
    envs.episode_length_buf = torch.tensor([3, 0, 1])
    _, _, done, _ = envs.step(torch.zeros((3, 2)))
    assert done.tolist() == [1, 0, 0]
    envs.close()


def test_skrl_steps_and_learns():
    pytest.importorskip("skrl", reason="skrl is not installed")
    from skrl.agents.torch.ppo import PPO, PPO_DEFAULT_CONFIG
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer
    from tenon.gym.skrl import SkrlEnv

    class Policy(GaussianMixin, Model):
        def __init__(self, seen, acts):
            Model.__init__(self, seen, acts, "cpu")
            GaussianMixin.__init__(self)
            self.net = torch.nn.Sequential(torch.nn.Linear(self.num_observations, 32), torch.nn.Tanh(),
                                           torch.nn.Linear(32, self.num_actions))
            self.spread = torch.nn.Parameter(torch.full((self.num_actions,), -0.7))

        def compute(self, inputs, role):
            return self.net(inputs["states"]), self.spread, {}

    class Value(DeterministicMixin, Model):
        def __init__(self, seen, acts):
            Model.__init__(self, seen, acts, "cpu")
            DeterministicMixin.__init__(self)
            self.net = torch.nn.Sequential(torch.nn.Linear(self.num_observations, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))

        def compute(self, inputs, role):
            return self.net(inputs["states"]), {}

    torch.manual_seed(0)
    envs = SkrlEnv("Reacher", N, threads=2)
    envs.seed(0)
    spaces = envs.observation_space, envs.action_space
    settings = {**PPO_DEFAULT_CONFIG, "rollouts": 32, "mini_batches": 4, "learning_rate": 1e-3}
    settings["experiment"] = {**settings["experiment"], "write_interval": 0, "checkpoint_interval": 0}
    models = {"policy": Policy(*spaces), "value": Value(*spaces)}
    before = [p.clone() for p in models["policy"].parameters()]
    agent = PPO(models=models, memory=RandomMemory(memory_size=32, num_envs=N, device="cpu"), cfg=settings,
                observation_space=spaces[0], action_space=spaces[1], device="cpu")
    SequentialTrainer(env=envs, agents=agent, cfg={"timesteps": 320, "headless": True, "disable_progressbar": True,
                                                         "close_environment_at_exit": False}).train()
    now = list(models["policy"].parameters())
    assert all(torch.isfinite(p).all() for p in now) and any(not torch.equal(a, b) for a, b in zip(before, now))
    seen, reward, terminated, truncated, _ = envs.step(torch.zeros((N, 2)))
    assert seen.shape == (N, 10) and reward.shape == terminated.shape == truncated.shape == (N, 1)
    assert terminated.dtype == truncated.dtype == torch.bool and reward.dtype == torch.float32


def test_the_loop_of_cleanrl_learns_to_insert_a_cable():
    """CleanRL is files to be copied, not a package: a loop that does with environments what its ppo_continuous_action.py does."""
    torch.manual_seed(1)
    length, n, gamma = 50, 32, 0.98
    envs = CleanRlEnvs("tenon/CableInsertion-v0", n, gamma=gamma, threads=2)
    assert isinstance(envs.single_action_space, gymnasium.spaces.Box)
    wide, acts = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]

    def network(outputs, last):
        layers = []
        for inputs, width, gain in ((wide, 64, 2**0.5), (64, 64, 2**0.5), (64, outputs, last)):
            layers += [torch.nn.Linear(inputs, width), torch.nn.Tanh()]
            torch.nn.init.orthogonal_(layers[-2].weight, gain)
            torch.nn.init.zeros_(layers[-2].bias)
        return torch.nn.Sequential(*layers[:-1])

    actor, critic = network(acts, 0.01), network(1, 1.0)
    spread = torch.nn.Parameter(torch.full((1, acts), -0.7))
    parameters = [*actor.parameters(), *critic.parameters(), spread]
    adam, ends = torch.optim.Adam(parameters, lr=1e-3, eps=1e-5), []
    seen, done = torch.Tensor(envs.reset(seed=1)[0]), torch.zeros(n)
    for _ in range(12):  # 19,200 steps
        rows = []
        for _ in range(length):
            with torch.no_grad():
                law = torch.distributions.Normal(actor(seen), spread.exp())
                action = law.sample()
                row = [seen, action, law.log_prob(action).sum(1), critic(seen)[:, 0], done]
            seen, reward, terminated, truncated, infos = envs.step(action.numpy())
            seen, done = torch.Tensor(seen), torch.Tensor(terminated | truncated)
            rows.append([*row, torch.Tensor(reward)])
            if "final_info" in infos:
                over = np.nonzero(infos["final_info"]["_episode"])[0]
                ends += list(infos["final_info"]["episode"]["r"][over])
                assert (infos["final_info"]["episode"]["l"][over] <= 150).all()
        x, action, density, value, dones, reward = (torch.stack(part) for part in zip(*rows))
        with torch.no_grad():
            after, over, carried, gain = critic(seen)[:, 0], done, 0.0, torch.zeros_like(reward)
            for t in reversed(range(length)):
                carried = reward[t] + gamma * after * (1 - over) - value[t] + gamma * 0.95 * (1 - over) * carried
                gain[t], after, over = carried, value[t], dones[t]
        target = (gain + value).flatten()
        x, action, density, gain = x.flatten(0, 1), action.flatten(0, 1), density.flatten(), gain.flatten()
        for _ in range(10):
            for part in torch.randperm(len(target)).split(400):
                law = torch.distributions.Normal(actor(x[part]), spread.exp())
                ratio = (law.log_prob(action[part]).sum(1) - density[part]).exp()
                chosen = (gain[part] - gain[part].mean()) / (gain[part].std() + 1e-8)
                loss = torch.max(-chosen * ratio, -chosen * ratio.clamp(0.8, 1.2)).mean()
                loss = loss + 0.25 * ((critic(x[part])[:, 0] - target[part]) ** 2).mean()
                adam.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(parameters, 0.5)
                adam.step()
    before, learned = np.mean(ends[:n]), np.mean(ends[-n:])
    assert before < 1.0 and learned > 3.0, (before, learned)  # 0.6 to 0.7 and 4.9 to 5.5 for three seeds
    envs.close()
