"""The report of a fit: one page without anything from outside."""

import html
from typing import TYPE_CHECKING, List

import numpy as np

if TYPE_CHECKING:
    from ._fit import FitResult

STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}figure{margin:1.2em 0}figcaption{font-size:90%}
.unseen{color:#a33}svg{max-width:100%;height:auto}"""
WIDTH, HEIGHT, LEFT, BOTTOM = 720, 220, 70, 24
MOST = 2000  # points of a curve


def _number(x: float) -> str:
    return f"{x:.5g}" if np.isfinite(x) else "not shown"


def _table(head: List[str], rows: List[List[str]]) -> str:
    top = "".join(f"<th>{html.escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _curve(time: np.ndarray, measured: np.ndarray, simulated: np.ndarray, title: str) -> str:
    finite = np.concatenate([measured[np.isfinite(measured)], simulated[np.isfinite(simulated)]])
    if not len(finite):
        return ""
    low, high = float(finite.min()), float(finite.max())
    span, length = (high - low) or 1.0, float(time[-1] - time[0]) or 1.0
    every = max(1, len(time) // MOST)

    def x(t: float) -> float:
        return LEFT + (t - float(time[0])) / length * (WIDTH - LEFT - 8)

    def y(v: float) -> float:
        return HEIGHT - BOTTOM - (v - low) / span * (HEIGHT - BOTTOM - 8)

    dots = "".join(f"M{x(t):.1f} {y(v):.1f}h.01" for t, v in zip(time[::every], measured[::every]) if np.isfinite(v))
    line = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in zip(time[::every], simulated[::every]) if np.isfinite(v))
    marks = "".join(f'<text x="{LEFT - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.4g}</text>' for v in (low, high))
    marks += "".join(f'<text x="{x(t):.1f}" y="{HEIGHT - 6}" text-anchor="{a}">{t:.4g} s</text>'
                     for t, a in ((time[0], "start"), (time[-1], "end")))
    return (f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12" fill="#555" role="img" aria-label="{html.escape(title)}">'
            f'<path d="M{LEFT} 8V{HEIGHT - BOTTOM}H{WIDTH - 8}" fill="none" stroke="#bbb"/>{marks}'
            f'<path d="{dots}" stroke="#d1842b" stroke-width="3" stroke-linecap="round" fill="none"/>'
            f'<polyline points="{line}" fill="none" stroke="#2b6cb0" stroke-width="1.5"/></svg>'
            f"<figcaption>{html.escape(title)}: <span style='color:#d1842b'>measured</span>, "
            f"<span style='color:#2b6cb0'>simulated</span></figcaption></figure>")


def page(fit: "FitResult") -> str:
    rows = [[name, _number(fit.start[name]), _number(value), _number(fit.sigma[name]),
             "at its bound" if name in fit.at_bound else ""] for name, value in fit.values.items()]
    parts = [f"<h1>Fit of {len(rows)} parameters</h1>",
             f"<p>{html.escape(fit.end)} after {fit.iterations} iterations (work of {fit.rollouts:.0f} simulations). chi² "
             f"{fit.chi2:.5g}, at the start {fit.start_chi2:.3g}, of {fit.measurements} measurements and {fit.unknowns} "
             "unknowns.</p>", _table(["parameter", "start", "estimate", "standard error", ""], rows)]
    parts.append("<h2>What the data show</h2>")
    parts += [f'<p class="unseen">Not shown: {html.escape(text)}</p>' for text in fit.unseen]
    parts.append(_table(["direction", "singular value", "standard deviation"],
                        [[text, f"{s:.4g}", f"{1 / s:.3g}" if s > 0 else "infinite"]
                         for text, s in zip(fit.directions, fit.singular_values)]))
    parts.append("<h2>What is left</h2>" + _table(["column", "RMS", "sigma"], [
        [name, f"{value:.4g}", f"{fit.noise[name]:.4g}"] for name, value in fit.rms.items()]))
    parts.append("<h2>Curves</h2>")
    for r, time in enumerate(fit.times):
        for c, name in enumerate(fit.columns):
            title = name if len(fit.times) == 1 else f"run {r}, {name}"
            parts.append(_curve(time, fit.measured[r][:, c], fit.simulated[r][:, c], title))
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Fit</title><style>{STYLE}</style>'
            + "\n".join(parts) + "</html>\n")
