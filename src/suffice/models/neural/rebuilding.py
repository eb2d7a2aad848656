"""What nets that make their own rows again share: an encoder to few numbers, a decoder back, and how cells are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData
from ...estimator import Attributes, Transformer, declares
from ...holds import instance, require, whole
from ...layers import Dense, Layer, Plan
from ...params import param
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .base import Built, NeuralNetwork, are_layers, is_module
from .blocks import in_blocks
from .cells import CELLS, Cells
from .engine import DType, Engine
from .inputs import Inputs

R = TypeVar("R", bound=Reals)


def is_list(value: object) -> bool:
    """Whether it is a list of layers."""
    return are_layers(value) and not is_module(value)


@declares
class RebuildingNetwork(ClassNamePrefixFeaturesOutMixin, Transformer, NeuralNetwork):  # type: ignore[misc]
    """Base: a subclass gives `_built`, how the encoder and the decoder are trained, and `_codes`."""

    needs: ClassVar = Needs(missing=True)

    layers: Sequence[Layer] = param(
        (Dense(64),), positional=True, accept=is_list, allowed="a list of layers",
        doc="The hidden layers of the encoder.",
    )  # fmt: skip
    n_components: int = param(2, integer=True, at_least=1, doc="How many numbers stand for a row, k.")
    decoder: Sequence[Layer] | None = param(
        None, choices=(None,), accept=is_list, allowed="a list of layers",
        doc="The hidden layers of the decoder; None takes the dense ones of the encoder in reverse.",
    )  # fmt: skip
    reconstruction: object = param(
        "gaussian", names=CELLS, doc="How cells are made: gaussian numbers, or bernoulli shares between 0 and 1."
    )

    holds: ClassVar = {"_cells": instance(Cells), "_encoding": whole(at_least=1), "_code": whole(at_least=1)}

    # ---- what a subclass gives ----

    def _built(self, inputs: Inputs, dtype: DType, encoder: Plan, decoder: Plan, cells: Cells) -> Built:
        """How the two nets are trained."""
        raise TypeError(f"{type(self).__name__} does not define _built")

    # How many numbers the encoder gives for each number of a code.
    _outputs_a_component: ClassVar[int] = 1

    # ---- learning ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return self._rebuilt(source, self.max_iter)

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """One epoch over these rows, from where the net stands; the first rows decide about scales."""
        return self._one_epoch(X, y, sample_weight, self._rebuilt)

    def _rebuilt(self, source: Source, max_iter: int) -> Outcome[Attributes]:
        owner = type(self).__name__
        cells = CELLS.member(self.reconstruction, owner, "reconstruction")

        def own(chunk: Chunk) -> Chunk:
            cells.check(chunk, owner)
            return replace(chunk, y=chunk.X)

        def built(rows: Source, inputs: Inputs, dtype: DType) -> Built:
            encoder = Plan.of(self._encoder_layers(), inputs.shape, (), owner)
            decoder = Plan.of(self._decoder_layers(len(inputs.mean)), (self.n_components,), (), owner)
            made = self._built(inputs, dtype, encoder, decoder, cells)
            known = {"_cells": cells, "_encoding": len(encoder.layers), "_code": self.n_components}
            return replace(made, known={**made.known, **known})

        return self._trained_by(source.mapped(own), max_iter, built)

    def _encoder_layers(self) -> tuple[Layer, ...]:
        last = Dense(self.n_components * self._outputs_a_component, "identity", "glorot_uniform")
        return (*self.layers, last)

    def _decoder_layers(self, d: int) -> tuple[Layer, ...]:
        hidden = self.decoder
        if hidden is None:
            hidden = [layer for layer in reversed(self.layers) if isinstance(layer, Dense)]
        return (*hidden, Dense(d, "identity", "glorot_uniform"))

    # ---- the fitted net ----

    def _parts(self) -> tuple[Plan, ...]:
        owner, at = type(self).__name__, self._encoding
        encoder = Plan.of(self._layers[:at], self._inputs.shape, (), owner)
        return encoder, Plan.of(self._layers[at:], (self._code,), (), owner)

    @property
    def _n_features_out(self) -> int:
        return int(self._code)

    def _through(self, then: Callable[[Reals, Reals, Engine], R]) -> Callable[[Chunk], R]:
        """A function of rows, of what the encoder gives for them, and of the decoder."""
        self._check_fitted("_theta")

        def passed(chunk: Chunk) -> R:
            encoder, decoder = self._engine(0), self._engine(1)
            return in_blocks(chunk.X, encoder, self._inputs, lambda X, h: then(X, h, decoder))

        return passed

    def transform(self, X: TableLike) -> Reals:
        """The code of each row, (n, k)."""
        coded = self._through(lambda X, h, decoder: h[:, : self._code].astype(X.dtype, copy=False))
        return self._rows(X, coded, lean=True)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The rows that some codes (n, k) stand for, in the units of the table."""
        self._check_fitted("_theta")
        cells, inputs, dtype = self._cells, self._inputs, self._theta.dtype

        def back(chunk: Chunk) -> Reals:
            bad = np.isnan(chunk.X).any(axis=1)
            if bad.any():
                raise InvalidData(
                    f"{type(self).__name__}: row {chunk.number(int(np.argmax(bad)))} of the codes holds NaN; "
                    "inverse_transform needs complete ones."
                )
            rows = self._engine(1).outputs(np.asarray(chunk.X, dtype=dtype))
            return np.asarray(cells.rows(rows, inputs), dtype=chunk.X.dtype)

        return self._rows_back(X, back, self._code)

    def reconstruct(self, X: TableLike) -> Reals:
        """Each row after it went through the encoder and the decoder, (n, d); missing cells are filled by that."""

        def again(X: Reals, h: Reals, decoder: Engine) -> Reals:
            rows = self._cells.rows(decoder.outputs(h[:, : self._code]), self._inputs)
            return np.asarray(rows, dtype=X.dtype)

        return self._rows(X, self._through(again), lean=True)

    def reconstruction_error(self, X: TableLike) -> Floats:
        """What each row costs, (n,): half the squared distance in standard deviations, or the cross-entropy."""
        found: Floats = self._rows(X, self._checked(self._through(self._missed)), lean=True)
        return found

    def _checked(self, of_rows: Callable[[Chunk], R]) -> Callable[[Chunk], R]:
        """The function, which refuses rows that cannot be made."""

        def checked(chunk: Chunk) -> R:
            self._cells.check(chunk, type(self).__name__)
            return of_rows(chunk)

        return checked

    def _missed(self, X: Reals, h: Reals, decoder: Engine) -> Floats:
        targets = self._cells.targets(X, self._inputs)
        cost: Floats = self._cells.cost(decoder.outputs(h[:, : self._code]), targets)[0]
        return cost

    def _mean(
        self, X: TableLike, sample_weight: WeightLike, of_rows: Callable[[Reals, Reals, Engine], Floats]
    ) -> float:
        """The weighted mean of a number that rows have."""
        each = self._checked(self._through(of_rows))

        def summed(chunk: Chunk) -> Floats:
            weight = np.ones(len(chunk)) if chunk.weight is None else np.asarray(chunk.weight, dtype=np.float64)
            return np.array([weight.sum(), weight @ each(chunk)])

        weight, total = self._summed(X, sample_weight, summed)
        return float(total / weight)

    def check_loaded(self) -> None:
        super().check_loaded()
        if hasattr(self, "_theta"):
            require(0 < self._encoding < len(self._layers), "_encoding must leave layers to decode")
            encoder, decoder = self._parts()
            require(encoder.outputs == self._code * self._outputs_a_component, "_code must be what is encoded")
            require(decoder.outputs == len(self._inputs.mean), "the last layer must give all columns")
