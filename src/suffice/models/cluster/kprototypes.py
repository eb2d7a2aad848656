"""k-prototypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...data import Source
from ...data.validate import positions
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...params import has_dimensions, learned, param
from ...randomness import random_state_param
from ...statistics import DiagonalMoments
from ...typing import Floats, RandomState
from .alternation import max_iter_param, n_clusters_param, n_init_param
from .categories import Coding
from .mixed import MixedClusterer
from .prototypes import Rows, spread


def _names_columns(value: Sequence[object]) -> bool:
    return has_dimensions(value, 1) and all(isinstance(item, str | int | np.integer) for item in value)


@estimator
class KPrototypes(MixedClusterer):
    """Clusters of rows with numbers and categories: minimise Σᵢ wᵢ (‖xᵢ − m_c(i)‖² + γ · mismatches(xᵢ, m_c(i))).

    The numbers of a centre are means, its categories modes. Columns of text, categories and truth values are
    categorical, and those named by `categorical`. An iteration puts each row to the nearest centre, the first among
    equals, and is one pass over any source. A cluster without rows gets the row farthest from its centre, one cluster
    an iteration. Missing cells are left out of the distances, the means and the counts. Without categorical columns
    this is k-means; with nothing else, k-modes.

    Examples
    --------
    >>> import suffice as sf
    >>> import pandas as pd
    >>> pets = pd.DataFrame({"kilos": [4.0, 5.0, 20.0, 24.0], "colour": ["red", "tan", "tan", "tan"]})
    >>> model = sf.KPrototypes(2, random_state=0).fit(pets)
    >>> model.labels_.tolist(), model.cluster_centers_.tolist()
    ([1, 1, 0, 0], [[22.0, 'tan'], [4.5, 'red']])
    """

    complexity = "n_clusters"

    units = "common"

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "it shuffles the rows of one of the two tables, and rows are "
        "drawn in row order; `weights_equal_repetition` has them in order",
    }

    n_clusters: int = n_clusters_param()
    gamma: float | None = param(
        None,
        number=True,
        at_least=0,
        at_most=1e150,
        choices=(None,),
        doc="What a mismatch counts; None takes half the mean standard deviation of the numbers (Huang, 1998).",
    )
    categorical: Any = param(
        None,
        choices=(None,),
        accept=_names_columns,
        allowed="a list of column names or positions",
        doc="Columns that are categorical though they hold numbers.",
    )
    init: object = param(
        "k-means++",
        choices=("k-means++", "random"),
        accept=lambda value: has_dimensions(value, 2),
        allowed="an array (n_clusters, d)",
        doc="The first centres: rows drawn with probability proportional to w times their distance from the centres "
        "so far, different rows drawn by weight alone, or these.",
    )
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(100)
    random_state: RandomState = random_state_param()

    gamma_: float = learned("γ, what a mismatch counted.")

    def _categorical(self, source: Source) -> tuple[int, ...]:
        schema, d = source.schema, len(source.schema)
        given = [] if self.categorical is None else list(self.categorical)
        names = tuple(item for item in given if isinstance(item, str))
        chosen = {int(item) for item in given if not isinstance(item, str)}
        outside = next((j for j in sorted(chosen) if not 0 <= j < d), None)
        if outside is not None:
            raise InvalidParameter(
                f"{type(self).__name__}: categorical must be names or positions from 0 to {d - 1}; got {outside}."
            )
        chosen |= set(positions(schema, names, type(self).__name__))
        chosen |= {j for j, column in enumerate(schema.columns) if column.kind in ("categorical", "boolean")}
        return tuple(sorted(chosen))

    def _gamma(self, source: Source, coding: Coding) -> float:
        if self.gamma is not None:
            return float(self.gamma)
        if not coding.numbers:
            return 1.0
        numbers = list(coding.numbers)
        moments = source.reduce(lambda chunk: DiagonalMoments.of(chunk.X[:, numbers], chunk.weight))
        some = moments.weight > 0
        half = float(np.sqrt(moments.variance()[some]).mean()) / 2 if some.any() else 0.0
        return half or 1.0  # constant numbers say nothing of the scale

    def _starts(self, rows: Rows, rng: np.random.Generator) -> list[Floats]:
        return spread(rows, self.n_clusters, self.init == "k-means++", rng)

    def _attributes(self, rows: Rows, centres: Floats, iterations: int) -> Attributes:
        return {**super()._attributes(rows, centres, iterations), "gamma_": rows.metric.gamma}
