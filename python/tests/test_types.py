"""Every public name has a docstring and types, and mypy believes them."""
import dataclasses
import inspect
import os
import pathlib
import subprocess
import sys

import pytest
import tenon

HERE = pathlib.Path(__file__).resolve().parent


def public():
    """(name, object) of everything that someone may call or read."""
    for name in tenon.__all__:
        thing = getattr(tenon, name)
        if not inspect.isclass(thing):
            if inspect.isfunction(thing):
                yield f"tenon.{name}", thing
            continue
        yield f"tenon.{name}", thing
        if issubclass(thing, BaseException):
            continue
        for base in thing.__mro__[:-1]:
            for member, value in vars(base).items():
                if not member.startswith("_"):
                    yield f"tenon.{name}.{member}", value


def test_every_name_has_a_docstring():
    fields = {f"tenon.{c.__name__}.{f.name}" for c in (tenon.Rows, tenon.Solution) for f in dataclasses.fields(c)}
    without = [name for name, thing in public() if not inspect.getdoc(thing) and name not in fields]
    assert not without


def test_every_function_of_python_has_types():
    without = []
    for name, thing in public():
        if isinstance(thing, property):
            thing = thing.fget
        thing = getattr(thing, "__func__", thing)  # of a class method
        if not inspect.isfunction(thing) or thing.__name__ in tenon._core.builder_methods:  # the stub has their types
            continue
        signature = inspect.signature(thing)
        given = [parameter.annotation for parameter in list(signature.parameters.values())
                 if parameter.name not in ("self", "cls")] + [signature.return_annotation]
        if inspect.Signature.empty in given:
            without.append(name)
    assert not without


def test_mypy_agrees(tmp_path):
    pytest.importorskip("mypy")
    modules = ["typed", *(f"tenon.{name}" for name in ("_core", "_errors", "_model", "_builder", "_solver", "_world"))]
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--warn-unused-ignores",
                           "--check-untyped-defs", "--disallow-incomplete-defs", "--disallow-untyped-calls",
                           *(word for module in modules for word in ("-m", module))],
                          cwd=tmp_path, env={**os.environ, "MYPYPATH": str(HERE)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


def test_the_typed_program_runs():
    done = subprocess.run([sys.executable, str(HERE / "typed.py")], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert "[ 4. -1.  0.]" in done.stdout
