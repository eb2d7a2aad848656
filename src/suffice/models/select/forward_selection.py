"""Greedy forward selection of columns."""

from __future__ import annotations

from ...estimator import estimator
from .stepwise import Stepwise


@estimator
class ForwardSelection(Stepwise):
    """Columns chosen one after the other: s_i = argmin_j L(S ∪ {j}), with L the error of rows left out.

    It begins without columns, and takes in each step the one that makes cross-validation best. Least squares and ridge
    regression (`rmse` or `mse`) need one pass over the rows: the errors of all candidates in all folds follow from
    products of the columns. Any other model is fitted for each candidate and fold. Columns that help only together are
    overlooked where neither helps alone; `BackwardSelection` keeps them.

    Examples
    --------
    >>> import suffice as sf
    >>> arrests = sf.datasets.load("usarrests")
    >>> X, y = arrests.matrix(["Assault", "UrbanPop", "Rape"]), arrests["Murder"]
    >>> model = sf.ForwardSelection().fit(X, y)
    >>> print(model.path_)
    taken  columns   rmse     ±
    x0           1  2.705  0.37  chosen
    x2           2  2.713  0.36
    x1           3  2.766  0.34
    >>> model.get_support().tolist(), model.transform(X).shape
    ([True, False, False], (50, 1))
    """
