"""Optimal control over a horizon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._model import Model, Numbers, Which

if TYPE_CHECKING:
    from ._world import World

KINDS: List[str] = list(_core._plan_cost_kinds)
METHODS: List[str] = list(_core._plan_methods)


class Cost(NamedTuple):
    """Weighted squares of residuals, at every knot (running) and once more at the last one (terminal). docs/control.md"""

    #: "position": of a joint (none: of everything) from a goal in the layout of qpos, as displacements in that of qvel;
    #: "velocity": qvel of a joint from a goal; "point": m, the origin of a site or body from a goal, world axes, or from
    #: that of another site or body plus the goal; "sensor": data of a sensor; "ctrl": control of an actuator, running only;
    #: "tail": what the running costs come to after the horizon, about a goal in the layout of qpos, terminal only
    kind: str
    running: float = 0.0
    terminal: float = 0.0
    goal: Optional[npt.ArrayLike] = None  #: default: the reference pose, else zeros
    weights: Optional[npt.ArrayLike] = None  #: one per residual; default ones
    name: str = ""  #: in results and messages; default: the kind
    joint: Optional[Which] = None
    actuator: Optional[Which] = None
    sensor: Optional[Which] = None
    site: Optional[Which] = None  #: of a point: either a site or a body
    body: Optional[Which] = None
    to_site: Optional[Which] = None
    to_body: Optional[Which] = None


def _cost(model: Model, cost: Cost) -> Dict[str, Any]:
    if not isinstance(cost, Cost):
        raise UsageError(f"costs: expected tenon.Cost, got {type(cost).__name__}")
    if cost.kind not in KINDS:
        raise UsageError(f"costs: no kind {cost.kind!r}; expected {', '.join(KINDS)}")

    def number(which: Optional[Which], find: Any) -> int:
        return 0 if which is None else int(find(which)) + 1

    def array(numbers: Optional[npt.ArrayLike]) -> Optional[Numbers]:
        return None if numbers is None else np.atleast_1d(np.asarray(numbers, dtype=float)).ravel()

    return dict(kind=KINDS.index(cost.kind), name=cost.name, running=cost.running, terminal=cost.terminal,
                goal=array(cost.goal), weights=array(cost.weights), joint=number(cost.joint, model.joint),
                actuator=number(cost.actuator, model.actuator), sensor=number(cost.sensor, model.sensor),
                site=number(cost.site, model.site), body=number(cost.body, model.body),
                to_site=number(cost.to_site, model.site), to_body=number(cost.to_body, model.body))


class PlanResult:
    """Controls u_0 … u_T-1, the states x_0 … x_T that they lead to by steps of the engine, and what they cost."""

    ctrl: Numbers  #: (T, nu)
    qpos: Numbers  #: (T + 1, nq)
    qvel: Numbers  #: (T + 1, nv)
    act: Numbers  #: (T + 1, na)
    gains: Numbers  #: (T, nu, 2 nv + na): K of u + K (x ⊖ x_k); zeros of samplers
    cost: float  #: infinite: a step of every roll-out diverged
    start_cost: float  #: of the plan that the solve began with
    costs: Dict[str, float]  #: parts of `cost` by name
    knot: float  #: s between two knots
    iterations: int
    converged: bool  #: the last iteration found nothing better to do
    late: bool  #: the time was over
    steps: int  #: in roll-outs
    derivative_steps: int  #: for columns of derivatives
    rough: int  #: steps of the roll-out that are not to be trusted
    at_limit: int  #: controls at a limit
    without: int  #: knots without derivatives
    seconds: float  #: that the solve took
    remark: str  #: what should be known
    unmoved: List[str]  #: costs that no control changes over this horizon

    def __init__(self, model: Model, found: Dict[str, Any]):
        states = found.pop("states")
        nq, nv = model.nq, model.nv
        self.qpos, self.qvel, self.act = states[:, :nq], states[:, nq:nq + nv], states[:, nq + nv:]
        names, self.costs = found.pop("names"), {}
        moved = found.pop("moved")
        for name, part in zip(names, found.pop("parts")):
            self.costs[name] = self.costs.get(name, 0.0) + float(part)
        self.unmoved = [name for name, one in zip(names, moved) if not one]
        self.__dict__.update(found)

    @property
    def step_equivalents(self) -> int:
        """Steps of the engine that the solve took, in roll-outs and for derivatives."""
        return self.steps + self.derivative_steps

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {value:.4g}" for name, value in self.costs.items())
        return (f"<tenon.PlanResult: cost {self.cost:.6g} ({parts}), {self.iterations} iterations, "
                f"{self.step_equivalents} steps{', converged' if self.converged else ''}"
                f"{'; ' + self.remark if self.remark else ''}>")


class Plan:
    """Controls over the next `horizon` knots of `repeat` steps each that cost least.

    method: "ddp" (derivatives of the steps, smoothed), "mppi" or "cem" (random controls). iterations None: 3, 1, 3.
    seconds: no iteration begins later; 0: no limit. tolerance: nor after one that lowered the cost by no more than this
    share. seeds: random controls that DDP tries first. smoothing and compliance: as of World.derivatives. samples, nodes,
    noise, temperature, seed: of samplers. world: options of the worlds of the roll-outs, as of tenon.World."""

    def __init__(self, model: Model, costs: Sequence[Cost], *, horizon: int = 20, repeat: int = 1, method: str = "ddp",
                 iterations: Optional[int] = None, seconds: float = 0.0, threads: int = 1, smoothing: float = 1.0,
                 compliance: float = 1.0 / 60.0, derivative_every: int = 1, tolerance: float = 0.0, seeds: int = 0,
                 samples: int = 64, nodes: int = 0, noise: float = 0.3, temperature: float = 0.1, seed: int = 0, **world: Any):
        if method not in METHODS:
            raise UsageError(f"method: expected {', '.join(METHODS)}, got {method!r}")
        self.model = model
        self.repeat = repeat
        self.costs = list(costs)
        self._own = _core._Plan(model, dict(
            horizon=horizon, repeat=repeat, method=METHODS.index(method), iterations=iterations or 0, seconds=seconds,
            threads=threads, smoothing=smoothing, compliance=compliance, derivative_every=derivative_every,
            tolerance=tolerance, seeds=seeds, samples=samples, nodes=nodes, noise=noise, temperature=temperature, seed=seed,
            world=world),
            [_cost(model, c) for c in self.costs])

    def solve(self, world: "World") -> PlanResult:
        """Better controls, from the world's state; they cost no more than those that the plan had. Another thread may
        step the world meanwhile."""
        self._own._solve(world._handle())
        return self.result

    @property
    def result(self) -> PlanResult:
        """Of the last solve."""
        return PlanResult(self.model, self._own._result())

    def shift(self, knots: int = 1) -> None:
        """The plan moves on by so many knots."""
        self._own._shift(knots)

    def drive(self, world: "World", seconds: float, every: int = 1) -> Iterator[PlanResult]:
        """Receding horizon: plans, gives the first `every` knots' controls to the world, steps it, and so on. Yields each
        plan before its steps are taken."""
        if every < 1:
            raise UsageError("every: expected 1 or more knots")
        end = world.time + seconds
        while world.time < end - 1e-9:
            found = self.solve(world)
            yield found
            for k in range(min(every, len(found.ctrl))):
                world.ctrl[:] = found.ctrl[k]
                world.step(self.repeat)
            self.shift(every)

    def policy(self, knot: int, world: "World") -> Numbers:
        """The control of a knot at the world's state, which is not quite the planned one."""
        control: Numbers = self._own._policy(knot, world.qpos, world.qvel, world.act)
        return control

    def _which(self, cost: Union[int, str]) -> int:
        if not isinstance(cost, str):
            return int(cost)
        for k, c in enumerate(self.costs):
            if (c.name or c.kind) == cost:
                return k
        raise UsageError(f"no cost {cost!r}; there are {', '.join(c.name or c.kind for c in self.costs)}")

    def off(self, world: "World", cost: Union[int, str]) -> float:
        """How far the world is from a cost's goal now: the length of the residual, without weights."""
        return float(self._own._off(world._handle(), self._which(cost)))

    def set_goal(self, cost: Union[int, str], goal: npt.ArrayLike) -> None:
        """Of a cost by its name or index."""
        self._own._set_goal(self._which(cost), np.atleast_1d(np.asarray(goal, dtype=float)).ravel())

    def set_weight(self, cost: Union[int, str], running: float, terminal: float = 0.0) -> None:
        """Of a cost by its name or index; 0: it does not count."""
        self._own._set_weight(self._which(cost), running, terminal)

    def set_ctrl(self, ctrl: npt.ArrayLike) -> None:
        """A first guess, (horizon, nu)."""
        self._own._set_ctrl(ctrl)
