"""A robot with legs learns to walk: PPO of Stable-Baselines3 over a batch, from the robot's MJCF.

    python walk.py mujoco_menagerie/unitree_go2/go2.xml --steps 650000

Needs stable_baselines3, torch and gymnasium. docs/gym.md has what came of it."""

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize
from tenon.gym.sb3 import BatchVecEnv
from tenon.gym.tasks.legged import Legged


class Log(BaseCallback):
    """A line each 60,000 steps."""

    begin, next = time.time(), 0

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        ended = self.model.ep_info_buffer
        if not ended or self.num_timesteps < self.next:
            return
        self.next = self.num_timesteps + 60000
        sim = self.training_env.venv.envs.simulation
        print(f"{time.time() - self.begin:6.0f} s {self.num_timesteps:9d} steps: return {np.mean([e['r'] for e in ended]):6.2f}, "
              f"length {np.mean([e['l'] for e in ended]):4.0f}, {sim.qvel[:, 0].mean():5.2f} m/s of {sim.goal[:, 0].mean():4.2f}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="MJCF of a robot whose first joint is free")
    parser.add_argument("--ground", choices=("flat", "rough"), default="flat")
    parser.add_argument("--steps", type=float, default=650000, help="of all environments together; default %(default)s")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", default="walk", help="the policy goes to OUT.zip, what it needs to see to OUT.norm; default %(default)s")
    given = parser.parse_args()
    batch = BatchVecEnv(Legged(given.model, given.ground), given.envs, threads=given.threads, max_episode_steps=300)
    batch.seed(0)
    envs = VecNormalize(batch, gamma=0.97)
    net = dict(log_std_init=-1.0, net_arch=dict(pi=[128, 64], vf=[128, 64]), activation_fn=torch.nn.ELU)
    model = PPO("MlpPolicy", envs, n_steps=24, batch_size=384, n_epochs=5, learning_rate=1e-3, gamma=0.97, ent_coef=0.003,
                target_kl=0.02, policy_kwargs=net, device="cpu", seed=0)
    model.learn(int(given.steps), callback=Log())
    model.save(given.out)
    envs.save(f"{given.out}.norm")


if __name__ == "__main__":
    main()
