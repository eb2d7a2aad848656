"""Nyström's features of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Needs, Source
from ...data.schema import unnamed
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, instance, integers, sometimes
from ...kernels import KERNELS, Function, Kernel, as_kernel, is_function
from ...kernels.gram import checked
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import JOBS, Counterpart
from ...typing import Floats, RandomState, Reals, Whole
from .base import FeatureMap, check_room, finite, selected
from .landmarks import Way, drawn, independent, times_inverse
from .waves import n_components_param, numbered


def _unusable(kernel: Kernel) -> str:
    if kernel.reads_text:
        return f"{type(kernel).__name__} reads texts; take the features of its matrix, `suffice.kernels.gram_features`"
    return "" if kernel.is_positive else f"{type(kernel).__name__} is no inner product of features"


@estimator
class Nystroem(FeatureMap):
    """Nyström's features of any positive kernel: φ(x) = L⁻¹ (k(x, z₁), …, k(x, z_D)), L Lᵀ = K, of D landmarks z.

    K is the matrix of the landmarks. φ(x)·φ(y) is k(x, y) projected on the span of the landmarks' features; with all
    different rows as landmarks it is k(x, y) itself. A landmark whose features are those of others is left out. A
    linear model of the features is a kernel machine whose work grows with the number of rows. The landmarks are
    different rows: each as likely ("uniform"), far apart in the space of the kernel ("k-means++"), or by their ridge
    leverage ("leverage": rows that others do not explain; two more passes). Units matter: scale the columns first.

    Examples
    --------
    >>> import suffice as sf
    >>> import numpy as np
    >>> t = np.linspace(0, 2 * np.pi, 100)
    >>> rings = np.vstack([np.c_[np.cos(t), np.sin(t)], 2 * np.c_[np.cos(t), np.sin(t)]])
    >>> model = sf.make_pipeline(sf.Nystroem(n_components=20, random_state=0), sf.LogisticRegression())
    >>> model.fit(rings, np.repeat([0, 1], 100)).score(rings, np.repeat([0, 1], 100))
    1.0
    """

    complexity = "n_components"

    counterpart: ClassVar = Counterpart(
        "sklearn.kernel_approximation",
        ignored={"n_jobs": JOBS},
        absent={"kernel_params": "give a kernel with its hyperparameters, such as GaussianKernel(gamma=0.5)"},
    )
    needs = Needs(scaled=True, one_hot=True)

    kernel: object = param(
        "rbf",
        positional=True,
        names=KERNELS.only(_unusable),
        accept=is_function,
        allowed="a function of X (n, d) and Y (m, d) that gives (n, m)",
        doc="The kernel: a name, a kernel, or a function.",
    )
    gamma: float | None = param(
        None, number=True, above=0, below=np.inf, choices=(None,), doc="The scale of a kernel by name; None: its own."
    )
    coef0: float | None = param(
        None, number=True, at_least=0, below=np.inf, choices=(None,), doc="coef0 of a kernel by name; None: its own."
    )
    degree: int | None = param(
        None, integer=True, at_least=1, at_most=1000, choices=(None,), doc="The degree of one by name; None: its own."
    )
    n_components: int = n_components_param()
    landmarks: Way = param("uniform", choices=("uniform", "k-means++", "leverage"), doc="How the landmarks are drawn.")
    random_state: RandomState = random_state_param()

    components_: Floats = learned("The landmarks, (D, m).", holds=floats("D", "m"))
    component_indices_: Whole = learned(
        "The numbers of their rows; of equal rows the first.", holds=integers("D", at_least=0)
    )
    normalization_: Floats = learned("L⁻¹, (D, D), which stands for any root of K⁻¹.", holds=floats("D", "D"))
    holds: ClassVar = {"_fitted_kernel": sometimes(instance(Kernel))}  # but of a function that is no kernel

    def _needs(self) -> Needs:
        coded = isinstance(self.kernel, Kernel) and self.kernel.reads_categories
        return super()._needs().but(scaled=not coded, one_hot=not coded, categories=coded)

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        owner, kernel = type(self).__name__, self._function()
        rows = source.mapped(partial(selected, columns=chosen), unnamed(len(chosen)))
        components, numbers = drawn(rows, kernel, self.n_components, self.landmarks, generator(self.random_state))
        K = checked(kernel, components, components, owner)
        if not np.diagonal(K).max() > 0:
            raise InvalidData(f"{owner}: k(x, x) is 0 for all {len(K)} landmarks; take another kernel.")
        kept, inverse = independent(K)
        return {
            "components_": components[kept],
            "component_indices_": numbers[kept],
            "normalization_": inverse,
            **({"_fitted_kernel": kernel} if isinstance(kernel, Kernel) else {}),
        }

    def _function(self) -> Function:
        given = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        some = {name: value for name, value in given.items() if value is not None}
        if some and not isinstance(self.kernel, str):
            raise InvalidParameter(
                f"{type(self).__name__}: {', '.join(some)} are of kernels by name; got them with {self.kernel!r}."
            )
        return as_kernel(self.kernel, type(self).__name__, **some)

    def _features(self, X: Reals) -> Reals:
        owner, D = type(self).__name__, len(self.components_)
        check_room(X, D, owner, "lower n_components, or transform fewer rows at a time")
        kernel: Function = getattr(self, "_fitted_kernel", None) or self._function()
        with np.errstate(over="ignore", invalid="ignore"):
            K = np.asarray(kernel(X, self.components_.astype(X.dtype, copy=False)), dtype=X.dtype)
            return finite(times_inverse(K, self.normalization_, isinstance(kernel, Kernel)), owner)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return numbered(self, len(self.components_))
