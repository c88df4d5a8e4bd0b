"""A hash of what a task does, to notice that results were made by an earlier text of it.

Of the file of a function, that is the function and all definitions at the top level that it uses, directly or through
others; comments and layout do not count. Imported modules are not looked into."""

import ast
import hashlib
import inspect
import textwrap
from typing import Any, Dict, List, Set


def _bound(statement: ast.stmt) -> Set[str]:
    """Names that a statement at the top level binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return set()


def _used(module: ast.Module, name: str) -> List[ast.stmt]:
    """Statements that define `name` and what it uses, in their order."""
    makers: Dict[str, List[int]] = {}
    for place, statement in enumerate(module.body):
        for bound in _bound(statement):
            makers.setdefault(bound, []).append(place)
    found: Set[int] = set()
    waiting = [name]
    while waiting:
        for place in makers.pop(waiting.pop(), ()):
            found.add(place)
            waiting += [node.id for node in ast.walk(module.body[place]) if isinstance(node, ast.Name)]
    return [module.body[place] for place in sorted(found)]


def source_hash(call: Any) -> str:
    """Empty where the text is not to be had, as of functions typed at a prompt."""
    try:
        own = textwrap.dedent(inspect.getsource(call))
        file = inspect.getsourcefile(call)
        with open(file or "", encoding="utf-8") as opened:
            parts = _used(ast.parse(opened.read()), call.__qualname__.split(".")[0])
        text = "\n".join(ast.unparse(part) for part in parts) or own
    except (OSError, TypeError, SyntaxError):
        try:
            text = inspect.getsource(call)
        except (OSError, TypeError):
            return ""
    return hashlib.sha256(text.encode()).hexdigest()
