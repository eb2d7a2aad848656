"""Active learning: a model asks for the labels that it learns most from.

>>> import suffice as sf
>>> X, y = sf.datasets.load("iris").matrix(), sf.datasets.load("iris")["species"]
>>> asking = sf.ActiveLearner(sf.GaussianNB(), first=6).begin(X)
>>> row = asking.ask()[0]
>>> asking.tell(row, y[row])
Labelling(1 of 150 rows have a label)
"""

from .committee import Committee
from .curve import QueryCurve
from .labelling import Labelling
from .learner import ActiveLearner
from .query import QUERIES, Pool, Query
from .reducing import ErrorReduction, VarianceReduction
from .uncertain import DensityWeighted, Entropy, ExpectedCost, LeastConfident, Margin, RandomQuery

__all__ = [
    "QUERIES", "ActiveLearner", "Committee", "DensityWeighted", "Entropy", "ErrorReduction", "ExpectedCost",
    "Labelling", "LeastConfident", "Margin", "Pool", "Query", "QueryCurve", "RandomQuery", "VarianceReduction",
]  # fmt: skip
