"""Trees as the source of a function of Python, and as an expression of SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..data import Schema
from ..errors import InvalidParameter
from .conditions import Split, identifier, literal
from .trees import Trees

Label = str | int | float | bool
Says = tuple[float, ...]
_DEEPEST = 90  # blocks in blocks that Python and the databases read


# ---- Python ----


def python_source(trees: Trees, schema: Schema, labels: Sequence[Label] | None, name: str) -> str:
    """A function of a row, with one of its own for each tree where there are several."""
    used = np.unique(trees.column[trees.is_inner]).tolist()
    head = [
        f"def {name}(row):",
        '    """The prediction for a row, a mapping from column names to values; None and NaN are missing."""',
        *(['    nan = float("nan")'] if used else []),
        *(f"    x{j} = nan if row[{schema.names[j]!r}] is None else row[{schema.names[j]!r}]" for j in used),
    ]
    if len(trees) == 1:
        return "\n".join([*head, *_python_tree(trees, 0, schema, lambda says: _python_value(says, labels))]) + "\n"
    arguments = ", ".join(f"x{j}" for j in used)
    own = [
        "\n".join([f"def {name}_{t}({arguments}):", *_python_tree(trees, t, schema, repr)]) for t in range(len(trees))
    ]
    body = [
        f"    trees = ({', '.join(f'{name}_{t}' for t in range(len(trees)))})",
        f"    found = [0.0] * {trees.value.shape[1]}",
        "    for tree in trees:",
        f"        for i, number in enumerate(tree({arguments})):",
        "            found[i] += number",
        *_python_mean(len(trees), trees.value.shape[1], labels),
    ]
    return "\n\n\n".join([*own, "\n".join([*head, *body])]) + "\n"


def _python_mean(trees: int, q: int, labels: Sequence[Label] | None) -> list[str]:
    mean = f"    found = [number / {trees} for number in found]"
    if labels is not None:
        return [mean, f"    return {list(labels)!r}[max(range({len(labels)}), key=found.__getitem__)]"]
    return [mean, "    return found[0]" if q == 1 else "    return tuple(found)"]


def _python_value(says: Says, labels: Sequence[Label] | None) -> str:
    if labels is not None:
        return repr(labels[int(np.argmax(says))])
    return repr(says[0]) if len(says) == 1 else repr(says)


def _python_tree(trees: Trees, t: int, schema: Schema, value: Callable[[Says], str]) -> list[str]:
    """The body of a function: who goes left returns from a block, and the right side follows it."""
    first = int(trees.starts[t])
    lines: list[str] = []
    open_ = [(0, 1)]
    while open_:
        node, depth = open_.pop()
        left, indent = int(trees.left[first + node]), "    " * depth
        if left < 0:
            lines.append(f"{indent}return {value(tuple(trees.value[first + node].tolist()))}")
            continue
        _check_depth(depth)
        split = Split.of(trees, first + node, schema)
        lines.append(f"{indent}if {split.python(f'x{split.place}')}:")
        open_ += [(left + 1, depth), (left, depth + 1)]
    return lines


# ---- SQL ----


def sql_query(trees: Trees, schema: Schema, labels: Sequence[Label] | None, table: str | None, name: str) -> str:
    """An expression, or a query of a table with the prediction beside its columns."""
    q = trees.value.shape[1]
    if len(trees) == 1 and labels is not None:
        found = [_sql_tree(trees, 0, schema, lambda says: literal(labels[int(np.argmax(says))]))]
    else:
        found = [_sql_sum(trees, schema, c) for c in range(len(labels) if labels is not None else q)]
    if labels is not None and len(trees) > 1:
        return sql_vote(found, labels, table, name)
    if table is None:
        if len(found) > 1:
            raise InvalidParameter(f"as_sql: the model predicts {len(found)} numbers; name the table of the query.")
        return found[0]
    names = [name] if len(found) == 1 else [f"{name}_{c}" for c in range(len(found))]
    columns = ",\n".join(f"{own} AS {identifier(one)}" for own, one in zip(found, names, strict=True))
    return f"SELECT *,\n{columns}\nFROM {identifier(table)}"


def sql_vote(shares: list[str], labels: Sequence[Label], table: str | None, name: str) -> str:
    """The class of the greatest share, the first of equals; the shares stand in a query within the query."""
    if table is None:
        raise InvalidParameter("as_sql: of several trees, the class is found by a query; name its table.")
    own = [f"{name} share {c}" for c in range(len(shares))]
    inner = ",\n".join(f"{share} AS {identifier(one)}" for share, one in zip(shares, own, strict=True))
    cases = []
    for c, label in enumerate(labels[:-1]):
        above = " AND ".join(f"{identifier(own[c])} >= {identifier(other)}" for other in own[c + 1 :])
        cases.append(f"  WHEN {above} THEN {literal(label)}")
    chosen = "\n".join(["CASE", *cases, f"  ELSE {literal(labels[-1])}", "END"]) if cases else literal(labels[-1])
    return (
        f"SELECT *,\n{chosen} AS {identifier(name)}\nFROM (\nSELECT *,\n{inner}\nFROM {identifier(table)}\n) AS shares"
    )


def _sql_sum(trees: Trees, schema: Schema, c: int) -> str:
    """The mean over the trees of one of the numbers that they say."""
    each = [_sql_tree(trees, t, schema, lambda says: literal(says[c])) for t in range(len(trees))]
    return each[0] if len(each) == 1 else "(" + "\n+ ".join(each) + f") / {len(each)}.0"


def _sql_tree(trees: Trees, t: int, schema: Schema, value: Callable[[Says], str]) -> str:
    """CASE with a WHEN for each split on the way to the right, so that only ways to the left go deeper."""
    first, lines = int(trees.starts[t]), [""]
    open_: list[tuple[int, int, str] | str] = [(0, 0, "")]  # a node, its depth, and what it follows
    while open_:
        at = open_.pop()
        if isinstance(at, str):
            lines.append(at)
            continue
        node, depth, after = at
        left, indent = int(trees.left[first + node]), "  " * depth
        if left < 0:
            said = value(tuple(trees.value[first + node].tolist()))
            if after == "THEN":
                lines[-1] += f" {said}"
            else:
                lines.append(f"{indent}{after} {said}" if after else said)
            continue
        _check_depth(depth)
        if after != "ELSE":
            lines.append(f"{indent}CASE")
            open_.append(f"{indent}END")
            indent, depth = indent + "  ", depth + 1
        lines.append(f"{indent}WHEN {Split.of(trees, first + node, schema).sql()} THEN")
        open_ += [(left + 1, depth, "ELSE"), (left, depth + 1, "THEN")]
    return "\n".join(lines[1:])


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise InvalidParameter(f"rules: the tree is too deep for code, more than {_DEEPEST} blocks; limit max_depth.")
