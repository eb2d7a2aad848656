"""An estimator of one's own: every row belongs to the class whose centroid is nearest."""

import numpy as np

from suffice.data import Needs
from suffice.engine import Step
from suffice.errors import InvalidData
from suffice.estimator import SummaryClassifier, estimator
from suffice.holds import floats
from suffice.params import learned, param
from suffice.statistics import PerClass


@estimator
class Centroids(SummaryClassifier):
    """Nearest centroid: the class c with the smallest ‖x − mean_c‖².

    The objective is Σ w ‖x − mean_c(x)‖², the squared distances of the rows to the centroids of their own classes.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> round(Centroids().fit(iris.matrix(), iris["species"]).score(iris.matrix(), iris["species"]), 3)
    0.927
    """

    needs = Needs(target="classes")

    shrink: float = param(
        0.0, number=True, at_least=0, at_most=1, doc="How far the centroids move to the mean of all rows, as a share."
    )

    centroids_: np.ndarray = learned("The centroid of each class, (k, d).", holds=floats("k", "d"))
    class_count_: np.ndarray = learned("The weight of the rows of each class, (k,).", holds=floats("k", at_least=0))

    def summarise(self, chunk):
        return PerClass.of(chunk.X, chunk.y, chunk.weight)

    def solve(self, summary):
        present = np.flatnonzero(summary.weight > 0)  # `remove` may have emptied a class
        if not len(present):
            raise InvalidData("Centroids: no rows are left; at least one must stay.")
        parts = [summary.parts[k] for k in present]
        count = summary.weight[present]  # (k,)
        means = np.stack([part.mean for part in parts])  # (k, d)
        moved = self.shrink * (count @ means / count.sum() - means)
        within = sum(part.scatter.sum() for part in parts) + count @ (moved**2).sum(axis=1)
        attributes = {
            "classes_": summary.classes[present],
            "centroids_": means + moved,
            "class_count_": count,
        }
        return Step(attributes, float(within))

    def predict(self, X):
        """The class with the nearest centroid."""
        return self._rows(X, self._nearest)

    def _nearest(self, chunk):
        centroids = self.centroids_.astype(chunk.X.dtype)
        distance = np.stack([((chunk.X - c) ** 2).sum(axis=1) for c in centroids], axis=1)  # (n, k)
        return self.classes_[np.argmin(distance, axis=1)]


if __name__ == "__main__":
    from suffice.contracts import check_estimator

    check_estimator(Centroids)
    print("Centroids keeps every promise.")
