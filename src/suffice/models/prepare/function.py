"""One function of every cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from ...errors import InvalidData
from ...estimator import estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals
from .in_place import Invertible

_NAMED = "functions are called by name, so that model files hold them; any other goes into scikit-learn's own class"


class _Function(NamedTuple):
    """A function, its inverse, and where it is defined: above, or from, some number."""

    of: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    above: float = -np.inf
    at_least: float = -np.inf


_FUNCTIONS = {
    "log": _Function(np.log, np.exp, above=0.0),
    "log1p": _Function(np.log1p, np.expm1, above=-1.0),
    "sqrt": _Function(np.sqrt, np.square, at_least=0.0),
    "cbrt": _Function(np.cbrt, lambda z: z**3),
    "arcsinh": _Function(np.arcsinh, np.sinh),
    "arctan": _Function(np.arctan, np.tan),
}


@estimator
class FunctionTransformer(Invertible):
    """A function of every cell, against skew and heavy tails: x ↦ log x, log(1 + x), √x, ∛x, arsinh x or arctan x.

    The logarithm makes factors of differences, and is for numbers above 0; log1p also for 0. arsinh is a logarithm on
    both sides of 0, and straight near it. arctan presses everything into (−π/2, π/2): scale the columns before. Missing
    values stay missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.FunctionTransformer("log1p").fit([[0.0], [9.0]])
    >>> model.transform([[0.0], [9.0]]).round(3)
    array([[0.   ],
           [2.303]])
    """

    row_by_row = True

    read_late = ("func",)

    counterpart: ClassVar = Counterpart(
        "sklearn.preprocessing",
        ignored={"check_inverse": "the inverses are known", "validate": "rows are always checked"},
        absent=dict.fromkeys(("inverse_func", "accept_sparse", "feature_names_out", "kw_args", "inv_kw_args"), _NAMED),
    )

    squares = False

    func: str | None = param(
        None, positional=True, choices=(None, *_FUNCTIONS), doc="The function by name; None leaves cells as they are."
    )

    def _features(self, X: Reals) -> Reals:
        if self.func is None:
            return np.array(X)
        function = _FUNCTIONS[self.func]
        if function.above == function.at_least:  # it is defined everywhere
            return function.of(X)  # type: ignore[arg-type]
        least = X.min(initial=np.inf)
        inside = least > function.above and least >= function.at_least  # not if a value is missing
        bad = np.zeros((0, 1), dtype=bool) if inside else (function.above >= X) | (function.at_least > X)
        if bad.any():
            j = int(np.argmax(bad.any(axis=0)))
            bound = f"above {function.above:g}" if np.isfinite(function.above) else f"at least {function.at_least:g}"
            raise InvalidData(
                f"{type(self).__name__}: column {self.mapped_[j]} holds {X[bad[:, j], j][0]:g}, and {self.func} needs "
                f"numbers {bound}; use arcsinh or PowerTransformer, or leave the column out with columns=…."
            )
        return function.of(X)  # type: ignore[arg-type]

    def _back(self, X: Reals) -> Reals:
        with np.errstate(over="ignore"):
            return np.array(X) if self.func is None else _FUNCTIONS[self.func].inverse(X)  # type: ignore[arg-type]
