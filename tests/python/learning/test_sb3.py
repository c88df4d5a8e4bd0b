"""Stable-Baselines3 as a client: PPO learns to put a cable into a hole."""
import gymnasium
import numpy as np
import tenon.gym  # noqa: F401
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecNormalize
from tenon.gym.sb3 import BatchVecEnv

torch.set_num_threads(1)


def test_its_checker_accepts_an_environment():
    env = gymnasium.make("tenon/CableInsertion-v0")
    check_env(env, warn=True, skip_render_check=True)
    env.close()


def test_ppo_learns_to_insert_a_cable():
    batch = BatchVecEnv("CableInsertion", 32, threads=2)
    batch.seed(0)
    envs = VecNormalize(batch, norm_reward=False)
    model = PPO("MlpPolicy", envs, n_steps=50, batch_size=400, n_epochs=10, learning_rate=1e-3, gamma=0.98, seed=0,
                device="cpu", policy_kwargs={"log_std_init": -0.7})
    before, _ = evaluate_policy(model, envs, n_eval_episodes=32, warn=False)
    model.learn(16000)
    envs.training = False
    after, _ = evaluate_policy(model, envs, n_eval_episodes=32, warn=False)
    assert before < 1.0 and after > 3.0  # about 0 before, 6.5 to 6.9 after, for three seeds
    envs.close()


def test_time_that_is_over_is_no_end():
    envs = BatchVecEnv("Reacher", 2, max_episode_steps=3)
    envs.seed(0)
    envs.reset()
    for _ in range(3):
        seen, _, done, infos = envs.step(np.zeros((2, 2), dtype=np.float32))
    assert done.all() and all(info["TimeLimit.truncated"] for info in infos)
    assert not np.array_equal(infos[0]["terminal_observation"], seen[0]) and infos[0]["episode"]["l"] == 3
    envs.close()
