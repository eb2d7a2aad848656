"""Rows of nets: tables, or images as arrays (n, height, width[, channels])."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...data import Needs, Source
from ...data.recode import extended, recoder
from ...errors import InvalidData, InvalidParameter
from ...estimator import Estimator
from ...typing import TableLike, WeightLike
from .images import as_images, flattened, is_image_table
from .inputs import Inputs


class TakesImages(Estimator):
    """Base: images become the rows of a table, and those of later calls must have the shape that the fit had."""

    image_shape: tuple[int, ...] | None
    standardize: bool
    _image: tuple[int, ...]
    _inputs: Inputs

    def _open(self, X: TableLike, y: object, sample_weight: WeightLike, *, reset: bool) -> Source:
        shape, known = self._image_of(X), getattr(self, "_schema", None)
        source = super()._open(as_images(X, type(self).__name__), y, sample_weight, reset=reset)
        if not reset:
            self._check_image(shape)
            return source
        self._image = shape or self._declared_image(len(source.schema))
        if known is None or not self._goes_on() or known.names != source.schema.names:
            return source
        self._schema = extended(known, source.schema)  # a warm start keeps the codes of categories
        recode = recoder(self._schema, source.schema, type(self).__name__)
        return source if recode is None else source.mapped(recode, self._schema)

    def _goes_on(self) -> bool:
        """Whether a fit begins where the last one ended."""
        return False

    def _known(
        self, X: TableLike, sample_weight: WeightLike, late: bool = False
    ) -> tuple[Source, Callable[[Any], Any]]:
        self._check_fitted("_theta")
        self._check_image(self._image_of(X))
        return super()._known(as_images(X, type(self).__name__), sample_weight, late)

    def _needs(self) -> Needs:
        """Of rows after the fit: images have no gaps."""
        return super()._needs().but(missing=self.needs.missing and not getattr(self, "_image", ()))

    def _fit_needs(self) -> Needs:
        """Columns are squared where they are brought to one scale."""
        return self.needs.but(owner=type(self).__name__, squares=self.standardize)

    def _image_of(self, X: object) -> tuple[int, ...]:
        return flattened(X, type(self).__name__) if is_image_table(X) else ()

    def _declared_image(self, d: int) -> tuple[int, ...]:
        if self.image_shape is None:
            return ()
        shape = tuple(int(side) for side in self.image_shape)
        shape = shape if len(shape) == 3 else (*shape, 1)
        if prod(shape) != d:
            raise InvalidParameter(
                f"{type(self).__name__}: image_shape={self.image_shape} has {prod(shape)} cells, but X has {d} columns."
            )
        return shape

    def _check_image(self, shape: tuple[int, ...]) -> None:
        known = self._inputs.image if hasattr(self, "_inputs") else ()
        if shape and shape != known:
            raise InvalidData(
                f"{type(self).__name__}: X has images of shape {shape}, but the fit had "
                f"{f'images of shape {known}' if known else 'no images'}; give what the fit had."
            )


def is_image_shape(value: object) -> bool:
    """Whether it is (height, width), or that with channels."""
    return (
        isinstance(value, list | tuple)
        and len(value) in (2, 3)
        and all(isinstance(side, int | np.integer) and not isinstance(side, bool) and side > 0 for side in value)
    )
