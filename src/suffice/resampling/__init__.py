"""Splits, fold-wise fits, measures and intervals: what models need to judge answers, and so lies below them.

=====================  ================================================================================
`split`                rows to learn from and rows to test on: `Folds`, `MonteCarlo`, `LeaveOneOut`, `Forward` in
                       time, a number of folds, any splitter of scikit-learn; classes balanced, groups kept together
`problem`              rows, target, weights and groups, checked once; `.split(…)` cuts them
`run_folds`            fit to each split in turn and answer about the rows that were left out
`FoldedRows`           summaries of all rows but those of each fold, from one pass; `run_folds` and `Search` fit by them
`Search`               the parameters with the best score over folds, for `alpha="cv"` and the like
`MEASURES`, `measure`  functions from `Answers` to a number; what larger means, and how they may be pooled
`wilson`, …            intervals of rates (`wilson`, `wald`) and of scores of folds (`corrected_t`)
`jackknife`            a figure of pooled answers without each fold or row, and Student's t from that
`bootstrap`            standard errors and intervals of any statistic, by resampling rows
`silhouettes`          how well rows are apart, from their distances
=====================  ================================================================================

A model is anything with `fit`, `get_params` and what its answers need, such as `predict`; no base class is asked for.
Every function that checks its input takes the name of who speaks in messages, `owner`. The penalty of a ridge
regression by five folds, and its predictions of rows that it did not see:

>>> import suffice as sf
>>> arrests = sf.datasets.load("usarrests").matrix()
>>> X, y = arrests[:, 1:], arrests[:, 0]
>>> of = problem([sf.Ridge()], X, y, owner="Ridge").split(5, seed=0)
>>> search = Search.over({"alpha": [1.0, 1e3, 1e6]}, sf.Ridge(), MEASURES["rmse"], splits=5, owner="Ridge")
>>> chosen = search.best(sf.Ridge(), of, seed=0)
>>> chosen
{'alpha': 1000.0}
>>> folds = list(run_folds(sf.Ridge(**chosen), of, frozenset({"predicted"}), seed=0))
>>> answers = Answers.joined([fold.answers(of) for fold in folds])
>>> print(bootstrap(lambda counts: MEASURES["rmse"](answers.weighted(counts)), of.n).bca())
2.675 [2.242, 3.426]
"""

from . import class_measures, cluster_measures, density_measures, number_measures  # noqa: F401 (they register)
from .answers import Answers
from .bootstrap_intervals import bca
from .bootstrap_result import Bootstrap
from .bootstrap_statistics import Quantile
from .bootstrapping import bootstrap
from .class_measures import detection_cost, f_beta
from .contingency import Contingency, Pairs
from .fold_sums import FoldedRows
from .folds import Fold, Search, run_folds
from .forward import Forward
from .intervals import Interval, corrected_t, wald, wilson
from .jackknife import Jackknife, Units, jackknife
from .measure_registry import MEASURES, Measure, measure
from .problem import Problem, problem
from .silhouettes import silhouettes
from .splits import Folds, InSample, LeaveOneOut, MonteCarlo, holdout, split

__all__ = [
    "MEASURES", "Answers", "Bootstrap", "Contingency", "Fold", "FoldedRows", "Folds", "Forward", "InSample",
    "Interval", "Jackknife", "LeaveOneOut", "Measure", "MonteCarlo", "Pairs", "Problem", "Quantile", "Search", "Units",
    "bca", "bootstrap", "corrected_t", "detection_cost", "f_beta", "holdout", "jackknife", "measure", "problem",
    "run_folds", "silhouettes", "split", "wald", "wilson",
]  # fmt: skip
