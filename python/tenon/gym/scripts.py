"""A policy by hand for each task that has one: it shows that the task can be done from what is observed.

    policy = tenon.gym.scripts.SCRIPTS["CableRouting"]
    for action in follow(policy, observation): …

A policy is a generator: it gets an observation and yields an action."""

from typing import Callable, Dict, Generator

import numpy as np

Policy = Generator[np.ndarray, np.ndarray, None]


def toward(place, target, reach: float) -> np.ndarray:
    """An action that goes to a target: full speed if it is farther than `reach`."""
    away = (np.asarray(target) - place) / reach
    return away / max(1.0, float(np.abs(away).max()))


def cable_routing(seen: np.ndarray) -> Policy:
    """North of the first post, between the two, south of the second, to the target."""
    first, second, goal = seen[22:24], seen[24:26], seen[26:28]
    side = np.array([0.0, 0.08])
    for place in (first + side + (-0.05, 0.03), first + side, (first + second) / 2, second - side, goal + (0.0, -0.03),
                  goal):
        for _ in range(60):
            if np.linalg.norm(place - seen[:2]) < 0.015 and place is not goal:
                break
            seen = yield toward(seen[:2], place, 0.03)


def cable_insertion(seen: np.ndarray) -> Policy:
    """The end in front of the hole, then in. The hand corrects what the cable bends."""
    while np.abs(seen[24:27] - (-0.015, 0.0, 0.0)).max() > 0.003:
        seen = yield toward(seen[24:27], (-0.015, 0.0, 0.0), 0.02)
    while True:
        seen = yield toward(seen[24:27], (seen[24] + 0.006, 0.0, 0.0), 0.02)


def cloth_folding(seen: np.ndarray) -> Policy:
    """The corner along half an ellipse over the diagonal to beyond the opposite corner, which pulls the fold flat, and back."""
    start, way = seen[:3].copy(), seen[33:36].copy()
    for turn in np.linspace(0.0, np.pi, 40):
        share = 0.5 * (1.0 - np.cos(turn)) * 1.08
        place = start + share * way + (0.0, 0.0, 0.12 * np.sin(turn) + 0.01 * share)
        seen = yield toward(seen[:3] + seen[6:9], place, 0.015)
    while True:
        seen = yield toward(seen[:3] + seen[6:9], start + way + (0.0, 0.0, 0.008), 0.05)


def grip(aim: np.ndarray, hand: np.ndarray, closing: float, reach: float = 0.03) -> np.ndarray:
    """An action of a gripper."""
    return np.append(toward(hand, aim, reach), closing)


def soft_grasp(seen: np.ndarray) -> Policy:
    """Above the ball, down, close until it yields by a tenth, up."""
    while np.abs(seen[19:21]).max() > 0.004 or np.abs(seen[3:6]).max() > 0.05:
        seen = yield grip(np.append(seen[13:15], 0.12), seen[:3], -1.0)
    while seen[2] > seen[15] + 0.003:
        seen = yield grip(seen[13:16], seen[:3], -1.0)
    while seen[22] > 0.9:
        seen = yield grip(seen[13:16], seen[:3], 0.5)
    while True:
        seen = yield grip(np.append(seen[:2], 0.15), seen[:3], 0.0, 0.06)


def stacking(seen: np.ndarray) -> Policy:
    """Above the block, down, close, up without haste, over the other one, down, open."""
    while np.abs(seen[13:15]).max() > 0.002 or np.abs(seen[3:6]).max() > 0.03:
        seen = yield grip(np.append(seen[13:15], 0.1 - seen[2]), np.zeros(3), -1.0)
    while seen[15] < -0.002:
        seen = yield grip(seen[13:16], np.zeros(3), -1.0, 0.05)
    for _ in range(16):
        seen = yield grip(np.zeros(3), np.zeros(3), 1.0)
    while seen[35] > -0.02:  # so far above its place
        seen = yield grip(np.array([0.0, 0.0, 0.01]), np.zeros(3), 1.0, 0.03)
    while np.abs(seen[33:35]).max() > 0.003 or np.abs(seen[3:6]).max() > 0.02:
        seen = yield grip(np.append(seen[33:35], 0.0), np.zeros(3), 1.0, 0.08)
    for _ in range(40):
        if np.abs(seen[35]) < 0.001:
            break
        seen = yield grip(np.append(seen[33:35], seen[35] - 0.002), np.zeros(3), 1.0, 0.08)
    while True:
        seen = yield grip(np.zeros(3), np.zeros(3), -1.0)


def levelling(seen: np.ndarray) -> Policy:
    """Again and again: behind the highest column, down to just above the level, and across to the lowest."""
    places = (np.arange(12) + 0.5) / 12 * 0.3 - 0.15
    for low in (0.045, 0.04, 0.04, 0.038, 0.038, 0.036, 0.036, 0.034):
        share = seen[6:]
        side = np.sign((share * places).sum())
        away = -side * 0.14
        for place, most in (((seen[0], 0.07), 8), ((side * 0.14, 0.07), 25), ((side * 0.14, low), 10), ((away, low), 30)):
            for _ in range(most):
                if np.abs(place - seen[:2]).max() < 0.008:
                    break
                seen = yield toward(seen[:2], place, 0.015)


def stirring(seen: np.ndarray) -> Policy:
    """Figures of eight across the two halves."""
    turn = 0.0
    while True:
        place = 0.071 * np.array([np.sin(turn), np.sin(1.62 * turn + 1.0)])
        turn += 0.3
        seen = yield toward(seen[:2], place, 0.02)


def knot_tying(seen: np.ndarray) -> Policy:
    """A loop over the bridge, the end below it, and out over the loop; then pull."""
    for place in ((0.5, 0.2, 0.04), (-0.3, 0.25, 0.04), (-0.8, 0.25, 0.04), (-0.4, 0.3, 0.1), (-0.24, 0.2, 0.2),
                  (-0.24, -0.1, 0.2), (-0.22, -0.2, 0.03), (-0.12, -0.15, 0.03), (-0.08, -0.1, 0.04), (-0.07, 0.1, 0.04),
                  (-0.03, 0.12, 0.15), (0.05, 0.4, 0.15), (0.4, 0.4, 0.1), (0.7, 0.2, 0.1), (1.3, 0.1, 0.1)):
        for _ in range(60):
            if np.abs(place - seen[:3]).max() < 0.015:
                break
            seen = yield toward(seen[:3], place, 0.03)


SCRIPTS: Dict[str, Callable[[np.ndarray], Policy]] = {
    "CableInsertion": cable_insertion,
    "CableRouting": cable_routing,
    "ClothFolding": cloth_folding,
    "KnotTying": knot_tying,
    "Levelling": levelling,
    "SoftGrasp": soft_grasp,
    "Stacking": stacking,
    "Stirring": stirring,
}


def play(env, name: str, seed: int, each=None):
    """Runs the script of a task in an environment for an episode: (return, info, steps). each() is called after each
    step."""
    seen, info = env.reset(seed=seed)
    policy = SCRIPTS[name](seen.astype(float))
    action, total, steps = next(policy), 0.0, 0
    while True:
        seen, reward, terminated, truncated, info = env.step(action.astype(np.float32))
        total, steps = total + reward, steps + 1
        if each:
            each()
        if terminated or truncated:
            return total, info, steps
        try:
            action = policy.send(seen.astype(float))
        except StopIteration:
            return total, info, steps
