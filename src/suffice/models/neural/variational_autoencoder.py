"""The variational autoencoder: a density with latent numbers, by a bound of its likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from ... import params
from ...errors import InvalidData
from ...estimator import estimator
from ...holds import number, optional, require, whole
from ...layers import Plan
from ...params import derived, param
from ...randomness import generator, seed_of
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .base import Built
from .cells import Cells
from .engine import DType, Engine, engine_of
from .generating import Generator, sample_size
from .inputs import Inputs
from .joined import JoinedEngine, JoinedPlan
from .rebuilding import RebuildingNetwork
from .variational import Variational, divergence, drawn_outputs, likelihood, split

_DRAWS = 64  # of a code, for one likelihood


@estimator
class VariationalAutoencoder(Generator, RebuildingNetwork):
    """A density with latent numbers, p(x) = ∫ p(x | z) N(z; 0, I) dz.

    It maximises the evidence lower bound (ELBO) Σ w (E log p(x | z) − KL(q(z | x) ‖ N(0, I))) / Σ w. An encoder gives
    mean and variances of q(z | x) = N(μ, diag s²), a decoder p(x | z), and one z = μ + s ε is drawn for each row and
    update (Kingma and Welling, 2014). `history_` has the bound's negative and its terms, `reconstruction`, which is
    −E log p(x | z), and `kl`, in units of the standard deviations of the columns. Gaussian cells have a noise of
    variance σ², learned unless it is given; with linear nets the model is PPCA. `beta` weighs the KL term. Missing
    cells are left out.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.layers import Dense
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> model = sf.VariationalAutoencoder([Dense(16, "tanh")], n_components=2, learning_rate=0.01, random_state=0)
    >>> model = model.fit(crabs)
    >>> model.sample(3).shape, model.interpolate(crabs[:1], crabs[-1:], steps=4).shape
    ((3, 5), (4, 5))
    >>> model.history_.iterations[-1].metrics["kl"] > 1
    True
    """

    exemptions: ClassVar = {
        **RebuildingNetwork.exemptions,
        **dict.fromkeys(
            (
                "check_sample_weight_equivalence_on_dense_data", "weights_equal_repetition",
                "order_of_rows_does_not_matter",
            ),
            "a code is drawn for each row of a batch: fits are equal in distribution",
        ),
    }  # fmt: skip
    _outputs_a_component: ClassVar[int] = 2

    beta: float = param(1.0, number=True, at_least=0, doc="β, what the KL term counts; 1 is the bound itself.")
    noise_variance: float | None = param(
        None, number=True, above=0, choices=(None,),
        doc="σ² of Gaussian cells, in units of the columns' variances; None learns it.",
    )  # fmt: skip

    holds: ClassVar = {"_variance": optional(number(above=0)), "_seed": whole()}

    def _built(self, inputs: Inputs, dtype: DType, encoder: Plan, decoder: Plan, cells: Cells) -> Built:
        owner = type(self).__name__
        plan = JoinedPlan(("encoder", "decoder"), (encoder, decoder), more=1)
        engines = [engine_of(part, dtype, self.device, owner) for part in plan.parts]
        engines[1].passes_on = True
        variance = None if self.noise_variance is None else float(self.noise_variance)
        work = Variational(JoinedEngine(plan, engines, dtype), cells, float(self.beta), variance)

        def targets(y: Reals, kind: np.dtype[np.floating]) -> Reals:
            return cells.targets(y, inputs).astype(kind, copy=False)

        known = {"_variance": variance, "_seed": seed_of(self.random_state) % (1 << 31)}  # type: ignore[arg-type]
        return Built(plan, work, targets, decoder.outputs, known)

    # ---- the fitted net ----

    def _stack(self) -> JoinedPlan:  # type: ignore[override]
        return JoinedPlan(("encoder", "decoder"), self._parts(), more=1)

    @derived
    def noise_variance_(self) -> float:
        """σ², in units of the columns' variances; 1 for Bernoulli cells."""
        self._check_fitted("_theta")
        if not self._cells.has_noise:
            return 1.0
        return float(self._running[-1]) if self._variance is None else float(self._variance)

    def check_loaded(self) -> None:
        super().check_loaded()
        if hasattr(self, "_theta"):
            require(0 < float(self._running[-1]) < np.inf, "the last of _running must be a variance")

    # ---- how likely rows are ----

    def elbo(self, X: TableLike) -> Floats:
        """The evidence lower bound of each row, (n,), in the units of the table."""
        self._check_fitted("_theta")

        def bound(missed: Floats, mean: Reals, log_variance: Reals, noise: Floats) -> Floats:
            return np.asarray(-missed.mean(axis=0) - divergence(mean, log_variance))

        return self._of_rows(X, self._by_draws(bound, _even(self._seed, self._code)))

    def score_samples(self, X: TableLike) -> Floats:
        """log p(x) of each row, (n,), by draws of its code weighted by their importance: on average a lower bound."""
        self._check_fitted("_theta")
        return self._of_rows(X, self._by_draws(_importance, self._draws()))

    def _of_rows(self, X: TableLike, f: Callable[[Reals, Reals, Engine], Floats]) -> Floats:
        found: Floats = self._rows(X, self._checked(self._through(f)), lean=True)
        return found

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """The mean of `score_samples`."""
        self._check_fitted("_theta")
        return self._mean(X, sample_weight, self._by_draws(_importance, self._draws()))

    def _draws(self) -> Floats:
        """ε for the codes of all rows, (draws, k)."""
        return np.random.default_rng(self._seed).standard_normal((_DRAWS, self._code))

    def _by_draws(
        self, combined: Callable[[Floats, Reals, Reals, Floats], Floats], noise: Floats
    ) -> Callable[[Reals, Reals, Engine], Floats]:
        """A function of −log p(x | z), (draws, m), for the same draws of ε for every row."""
        cells, inputs, variance = self._cells, self._inputs, self.noise_variance_
        log_scale = np.log(inputs.scale) if cells.has_noise else np.zeros(len(inputs.scale))

        def of_rows(X: Reals, h: Reals, decoder: Engine) -> Floats:
            mean, log_variance = split(h)
            targets = cells.targets(X, inputs)
            missed = np.stack([
                likelihood(cells, drawn_outputs(decoder, mean, log_variance, one), targets, variance)[0]
                for one in noise
            ])  # fmt: skip
            found = combined(missed, mean.astype(np.float64), log_variance.astype(np.float64), noise)
            return np.asarray(found - (~np.isnan(X)) @ log_scale, dtype=X.dtype)

        return of_rows

    # ---- drawing ----

    def sample(self, n_samples: int = 1, noise: bool = True) -> Floats:
        """Rows drawn from the model, (n, d); without `noise` the means of p(x | z) for drawn codes z."""
        self._check_fitted("_theta")
        params.check(self)
        n = sample_size(n_samples, type(self).__name__)
        rng, cells, inputs = generator(self.random_state), self._cells, self._inputs  # type: ignore[arg-type]
        Z = rng.standard_normal((n, self._code)).astype(self._theta.dtype)
        eta = self._engine(1).outputs(Z).astype(np.float64)
        if noise and cells.has_noise:
            eta += np.sqrt(self.noise_variance_) * rng.standard_normal(eta.shape)
        rows = cells.rows(eta, inputs)
        if noise and not cells.has_noise:
            return np.asarray(rng.random(rows.shape) < rows, dtype=np.float64)
        return np.asarray(rows, dtype=np.float64)

    def interpolate(self, one: TableLike, other: TableLike, steps: int = 10) -> Reals:
        """Rows on the straight way between the codes of two rows, both of them included, (steps, d)."""
        first, last = self.transform(one), self.transform(other)
        if len(first) != 1 or len(last) != 1:
            raise InvalidData(
                f"{type(self).__name__}: interpolate goes from one row to another; got {len(first)} and {len(last)}. "
                "Give X[:1] and X[1:2]."
            )
        share = np.linspace(0, 1, sample_size(steps, type(self).__name__, "steps"))[:, None]
        return self.inverse_transform(first + share.astype(first.dtype) * (last - first))


def _even(seed: int, k: int) -> Floats:
    """ε whose mean is 0 and whose second moments are those of a Gaussian, I, as far as they go round; (draws, k)."""
    drawn = np.random.default_rng(seed).standard_normal((max(_DRAWS // 2, k), k))
    axes, _ = np.linalg.qr(drawn)
    half = axes * np.sqrt(len(drawn))
    return np.vstack([half, -half])


def _importance(missed: Floats, mean: Reals, log_variance: Reals, noise: Floats) -> Floats:
    """log of the mean of p(x | z) p(z) / q(z | x), of each row."""
    z = mean + np.exp(0.5 * log_variance) * noise[:, None, :]  # (draws, m, k)
    ratio = 0.5 * (noise[:, None, :] ** 2 + log_variance - z**2).sum(axis=2)
    return np.asarray(logsumexp(ratio - missed, axis=0) - np.log(len(noise)))
