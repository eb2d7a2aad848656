"""Hyperparameters: the space of a search, strategies that go through it, and what was found.

>>> import suffice as sf
>>> geyser = sf.datasets.load("faithful")
>>> found = search(sf.Ridge(), {"alpha": Between(0.01, 100.0, log=True)}, geyser.matrix(["eruptions"]),
...                geyser["waiting"], strategy=GridSearch(3), measures="rmse")
>>> print(found)
Ridge: 3 candidates, 272 rows, 5 folds from sums of folds, fitted in ... s
<BLANKLINE>
rank  alpha          rmse
1 *    0.01  5.935 ± 0.16
2         1  5.935 ± 0.16
3       100  6.752 ± 0.13
<BLANKLINE>
smaller is better; value ± standard error over folds
"""

from .bayesian import BayesianSearch
from .candidates import Candidate
from .dimensions import Between
from .result import SearchResult
from .search import search
from .strategies import GridSearch, HalvingSearch, RandomSearch, Strategy

__all__ = [
    "BayesianSearch", "Between", "Candidate", "GridSearch", "HalvingSearch", "RandomSearch", "SearchResult", "Strategy",
    "search",
]  # fmt: skip
