"""Mutants: a module's code with one thing changed, made from its syntax tree and never written."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

ORDER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
}
CHANGED = (
    ast.Compare,
    ast.Slice,
    ast.Constant,
    ast.BinOp,
    ast.AugAssign,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Call,
    ast.Return,
    ast.Continue,
    ast.Break,
    ast.Raise,
    ast.Expr,
)
Function = tuple[str, int]  # a function's qualified name and its first line, as its code has them


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: where it is, how the statement read and reads now, and the module's code.

    ``inner`` is the function that holds the change; ``outer`` the outermost one around it, whose
    code is put in the place of the living one's. Both are None for what runs at import.
    """

    path: Path
    line: int
    old: str
    new: str
    code: CodeType
    inner: Function | None
    outer: Function | None


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of the module at ``path``."""
    source = path.read_text()
    for number, node in enumerate(ast.walk(ast.parse(source))):
        if isinstance(node, CHANGED):
            for variant in range(_variants(node)):
                made = _mutant(path, source, number, variant)
                if made is not None:
                    yield made


def find(code: CodeType, function: Function) -> CodeType | None:
    """The code of a function, in that of its module."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if (each.co_qualname, each.co_firstlineno) == function:
                return each
            found = find(each, function)
            if found is not None:
                return found
    return None


def _mutant(path: Path, source: str, number: int, variant: int) -> Mutant | None:
    """The mutant of the ``number``-th node; None where there is nothing to change."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    parents = {id(child): each for each in nodes for child in ast.iter_child_nodes(each)}
    node = nodes[number]
    ancestors = list(_up(node, parents))
    if any(_untouched(each, parents) for each in ancestors):
        return None
    functions = _functions(ancestors)
    statement = next(each for each in ancestors if isinstance(each, ast.stmt))
    old, line = _head(statement), getattr(node, "lineno", None) or statement.lineno
    new = _mutate(node, variant)
    if new is None:
        return None
    if new is not node:
        _put(parents[id(node)], node, new)
    ast.fix_missing_locations(tree)
    shown = _head(new if node is statement else statement)
    code = compile(tree, str(path), "exec", dont_inherit=True)
    return Mutant(path, line, old, shown, code, *functions)


def _functions(ancestors: list[ast.AST]) -> tuple[Function | None, Function | None]:
    """The innermost and the outermost function in whose body a node is."""
    names: list[str] = []
    found: list[Function] = []
    below: ast.AST | None = None
    for each in reversed(ancestors):
        above, below = below, each
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
            if each not in above.body:
                break  # a default or a decorator: it runs where the function is defined
            first = min([above.lineno, *(d.lineno for d in above.decorator_list)])
            found.append((".".join([*names, above.name]), first))
            names += [above.name, "<locals>"]
        elif isinstance(above, ast.ClassDef):
            names.append(above.name)
    return (found[-1], found[0]) if found else (None, None)


def _up(node: ast.AST, parents: dict[int, ast.AST]) -> Iterator[ast.AST]:
    at: ast.AST | None = node
    while at is not None:
        yield at
        at = parents.get(id(at))


def _variants(node: ast.AST) -> int:
    """How many ways there are to change this node (an upper bound)."""
    return 2 if isinstance(node, ast.Compare | ast.Constant | ast.Slice) else 1


def _untouched(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Annotations, ``__all__``, docstrings and protocols say nothing that runs."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.AnnAssign) and node is parent.annotation:
        return True
    if isinstance(parent, ast.arg | ast.FunctionDef | ast.AsyncFunctionDef) and node is getattr(
        parent, "annotation", getattr(parent, "returns", None)
    ):
        return True
    if isinstance(node, ast.ClassDef):
        return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    if isinstance(node, ast.Assign):
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        return "__all__" in names or "Literal[" in ast.unparse(node.value)
    return (
        (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in {"list", "dict", "set", "tuple", "Callable", "Sequence"}
        )
        or (isinstance(node, ast.keyword) and node.arg in {"frozen", "slots"})
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile")
        or isinstance(node, ast.JoinedStr)
    )


def _mutate(node: ast.AST, variant: int) -> ast.AST | None:
    """The changed node (itself where it was changed in place), None where it stays."""
    if isinstance(node, ast.Compare):
        ways = ORDER[type(node.ops[0])]
        if variant >= len(ways):
            return None
        node.ops[0] = ways[variant]()
        return node
    if isinstance(node, ast.Slice):
        side = "lower" if variant == 0 else "upper"
        if getattr(node, side) is None:
            return None
        setattr(node, side, None)
        return node
    if isinstance(node, ast.Constant):
        return _constant(node, variant)
    if isinstance(node, ast.BinOp | ast.AugAssign):
        kind = SUMS.get(type(node.op))
        if kind is None or _textual(node):
            return None
        node.op = kind()
        return node
    if isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        swapped = {"min": "max", "max": "min", "any": "all", "all": "any"}.get(node.func.id)
        if swapped is None:
            return None
        node.func.id = swapped
        return node
    if isinstance(node, ast.Return):
        if node.value is None or ast.unparse(node.value) == "None":
            return None
        node.value = ast.Constant(None)
        return node
    if isinstance(node, ast.Continue | ast.Break | ast.Raise):
        return ast.Pass()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        return ast.Pass()
    return None


def _constant(node: ast.Constant, variant: int) -> ast.Constant | None:
    value = node.value
    if isinstance(value, bool):
        return ast.Constant(not value) if variant == 0 else None
    if isinstance(value, int):
        return ast.Constant(value + (1 if variant == 0 else -1))
    if isinstance(value, float) and variant == 0:
        return ast.Constant(value * 1.1)
    return None


def _textual(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether the sum is of texts, lists or types, which have no difference."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
    kinds = (ast.JoinedStr, ast.List, ast.ListComp)
    return any(
        isinstance(each, kinds) or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in sides
    )


def _put(parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for name, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, name, new)
        elif isinstance(value, list):
            value[:] = [new if each is old else each for each in value]


def _head(statement: ast.AST) -> str:
    """A statement on one line, without its body."""
    if hasattr(statement, "body") and isinstance(statement, ast.stmt):
        statement = copy.copy(statement)
        statement.body = [ast.Pass()]  # type: ignore[attr-defined]
        if hasattr(statement, "orelse"):
            statement.orelse = []
    lines = [line.strip() for line in ast.unparse(statement).splitlines()]
    return " ".join(line for line in lines if line != "pass")[:180]
