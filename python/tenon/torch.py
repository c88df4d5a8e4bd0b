"""Steps of worlds as functions of PyTorch, with gradients.

    import tenon.torch

    qpos, qvel = tenon.torch.step(world, qpos, qvel, ctrl)            # a world: vectors
    qpos, qvel = tenon.torch.step(batch, qpos, qvel, ctrl)            # a batch: one row per world

Numbers are float64, on the CPU. A quaternion in qpos counts as the one that it is when scaled to unit length. Needs
PyTorch, which tenon does not install.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

try:
    import torch
except ImportError as error:
    raise ImportError("tenon.torch needs PyTorch, which is not installed: pip install torch") from error

from . import _core
from ._batch import Batch
from ._errors import UsageError
from ._world import World

__all__ = ["step"]


def _numbers(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy()


class _Step(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, simulation: Union[World, Batch], options: Dict[str, Any], qpos: Any, qvel: Any, ctrl: Any) -> Any:
        simulation.qpos[...] = _numbers(qpos)
        simulation.qvel[...] = _numbers(qvel)
        if ctrl is not None:
            simulation.ctrl[...] = _numbers(ctrl)
        if any(ctx.needs_input_grad):
            found = simulation.derivatives(**options)
            nv = simulation.qvel.shape[-1]
            rows = np.r_[0:2 * nv]
            ctx.model, ctx.nv = simulation.model, nv
            ctx.A, ctx.B = found.A[..., rows, :][..., rows], found.B[..., rows, :]
            ctx.before, ctx.after = np.array(_numbers(qpos)), found.qpos
        simulation.step()
        return torch.tensor(np.array(simulation.qpos)), torch.tensor(np.array(simulation.qvel))

    @staticmethod
    def backward(ctx: Any, by_qpos: Any, by_qvel: Any) -> Any:
        count = by_qpos.reshape(-1, by_qpos.shape[-1]).shape[0]

        def each(numbers: Any) -> Any:
            return np.ascontiguousarray(numbers, dtype=float).reshape(count, -1)

        after, before, up, uv = each(ctx.after), each(ctx.before), each(_numbers(by_qpos)), each(_numbers(by_qvel))
        A, B = ctx.A.reshape(count, *ctx.A.shape[-2:]), ctx.B.reshape(count, *ctx.B.shape[-2:])
        qpos, qvel, ctrl = [], [], []
        for i in range(count):
            g = np.concatenate([_core._to_tangent(ctx.model, after[i], up[i]), uv[i]])
            x = g @ A[i]
            unit = before[i]
            qpos.append(_core._from_tangent(ctx.model, unit, x[:ctx.nv]))
            qvel.append(x[ctx.nv:])
            ctrl.append(g @ B[i])
        shape = by_qpos.shape[:-1]

        def back(rows: Any) -> Any:
            return torch.tensor(np.array(rows).reshape(*shape, -1))

        needs = ctx.needs_input_grad
        return None, None, back(qpos), back(qvel), back(ctrl) if needs[4] else None


def step(simulation: Union[World, Batch], qpos: "torch.Tensor", qvel: "torch.Tensor",
         ctrl: Optional["torch.Tensor"] = None, **options: Any) -> Tuple["torch.Tensor", "torch.Tensor"]:
    """The state after one step from (qpos, qvel) with these controls. The world takes the step: what else is in its state
    (activations, time, applied forces) goes on. Options are those of World.derivatives: smoothing=1.0 gives smoothed
    gradients of exact steps. Gradients do not go through activations."""
    if "parameters" in options:
        raise UsageError("step: gradients by parameters are in World.derivatives(parameters=…).P")
    for name, tensor in (("qpos", qpos), ("qvel", qvel), ("ctrl", ctrl)):
        if tensor is not None and tensor.dtype != torch.float64:
            raise UsageError(f"step: {name} must be float64, not {tensor.dtype}")
    found: Tuple["torch.Tensor", "torch.Tensor"] = _Step.apply(simulation, options, qpos, qvel, ctrl)
    return found
