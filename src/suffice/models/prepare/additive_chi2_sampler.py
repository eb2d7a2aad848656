"""Features of the additive χ² kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import number, whole
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, Whole
from .base import FeatureMap, check_above

_INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}  # the best for few steps (Vedaldi & Zisserman, 2012)


@estimator
class AdditiveChi2Sampler(FeatureMap):
    """Features of the additive chi-squared kernel: φ(x)·φ(y) is near Σⱼ 2 xⱼ yⱼ / (xⱼ + yⱼ), for xⱼ ≥ 0.

    The spectrum sech(πλ) of the kernel, sampled at λ = 0, L, 2L, …: of each cell √(x L), and for step j
    √(2 x L sech(π j L)) times cos(j L log x) and sin(j L log x) (Vedaldi & Zisserman, 2012). Nothing is drawn and
    nothing is learned; there are 2 · sample_steps − 1 features a column.

    Examples
    --------
    >>> import suffice as sf
    >>> import numpy as np
    >>> X = np.array([[0.2, 0.8], [0.5, 0.5]])
    >>> phi = sf.AdditiveChi2Sampler(sample_steps=3).fit_transform(X)
    >>> (phi @ phi.T).round(2)
    array([[0.95, 0.87],
           [0.87, 0.95]])
    >>> sf.kernels.AdditiveChi2Kernel()(X).round(2)
    array([[1. , 0.9],
           [0.9, 1. ]])
    """

    counterpart: ClassVar = Counterpart("sklearn.kernel_approximation")
    needs = Needs(one_hot=True)
    squares = False

    sample_steps: int = param(2, integer=True, at_least=1, at_most=1000, doc="How many places of the spectrum.")
    sample_interval: float | None = param(
        None,
        number=True,
        above=0,
        below=np.inf,
        choices=(None,),
        doc="How far apart they are, L; None takes the best for 1, 2 or 3 steps.",
    )

    sample_steps_: int = learned("The number of places.", holds=whole(at_least=1, at_most=1000))
    sample_interval_: float = learned("The interval L.", holds=number(above=0))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X, _ = super().example(rng, n)
        return np.abs(X), None

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        interval = self.sample_interval or _INTERVALS.get(self.sample_steps)
        if interval is None:
            raise InvalidParameter(
                f"{type(self).__name__}: sample_interval must be given for more than 3 steps; got None with "
                f"sample_steps={self.sample_steps}."
            )
        source.reduce(partial(self._looked, chosen=chosen))
        return {"sample_steps_": self.sample_steps, "sample_interval_": float(interval)}

    def _looked(self, chunk: Chunk, chosen: Whole) -> int:
        """The number of rows, after a look at their cells."""
        owner = type(self).__name__
        remedy = f"Negative values in data passed to X in {owner} cannot be used; shift the column, or leave it out."
        check_above(chunk, chosen, 0.0, owner, remedy)
        return len(chunk)

    def _forward(self, chunk: Chunk) -> Reals:
        self._looked(chunk, self.mapped_)
        return super()._forward(chunk)

    def _features(self, X: Reals) -> Reals:
        L = self.sample_interval_
        logs = L * np.log(np.where(X > 0, X, 1))
        made = [np.sqrt(X * L)]
        for j in range(1, self.sample_steps_):
            factor = np.sqrt(2 * X * (L / np.cosh(min(np.pi * j * L, 700.0))))
            made += [factor * np.cos(j * logs), factor * np.sin(j * logs)]
        return np.hstack(made).astype(X.dtype, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        steps = [f"{wave}{j}" for j in range(1, self.sample_steps_) for wave in ("cos", "sin")]
        prefix = type(self).__name__.lower()
        return (f"{prefix}_{name}_{step}" for step in ("sqrt", *steps) for name in names)
