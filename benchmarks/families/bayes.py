"""Bayes classifiers."""

from __future__ import annotations

from functools import partial

import sklearn.discriminant_analysis as da
import sklearn.naive_bayes as sk

import suffice as sf

from .contest import Contest, answers, at_most, same
from .tables import Table, categories, classes, counts, flags


def _more_rows_than_columns(n: int, d: int) -> tuple[int, int]:
    """Each class must have a covariance of full rank, or peers give up."""
    return n, min(d, n // 20, 400)


COUNTED = same("feature_log_prob_")
DISCRIMINANT = {f"scikit-learn, {s}": partial(da.LinearDiscriminantAnalysis, solver=s) for s in ("svd", "lsqr")}
QUADRATIC = {f"scikit-learn, {s}": partial(da.QuadraticDiscriminantAnalysis, solver=s) for s in ("svd", "eigen")}
ROUNDED = {"predict_log_proba": "logarithms of probabilities that are zero to rounding"}


def _scores(table: Table) -> float:
    """A product of the rows and a matrix with a column for each class."""
    return float(2.0 * table.X.shape[0] * table.X.shape[1] * table.k)


LINEAR = dict.fromkeys(("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"), _scores)
COEFFICIENT = "theirs leaves out the multinomial coefficient, log N! − Σ log x!, which takes as long as the product"
CONTESTS = [
    Contest(sf.GaussianNB, {"scikit-learn": sk.GaussianNB}, same("theta_", "var_"), rows=classes),
    Contest(sf.NaiveBayes, {"scikit-learn, GaussianNB": sk.GaussianNB}, answers("predict"), rows=classes),
    Contest(
        sf.MultinomialNB, {"scikit-learn": sk.MultinomialNB}, COUNTED, rows=counts, sparse=True, operations=LINEAR,
        unlike={"predict_joint_log_proba": "ours has the multinomial coefficient, a constant for each row"},
        remarks={"predict_joint_log_proba": {"scikit-learn": COEFFICIENT}},
    ),
    Contest(sf.BernoulliNB, {"scikit-learn": sk.BernoulliNB}, COUNTED, rows=flags, sparse=True, operations=LINEAR),
    Contest(
        sf.CategoricalNB, {"scikit-learn": sk.CategoricalNB}, answers("predict"), rows=categories,
        shape=at_most(columns=2000),
    ),
    Contest(
        sf.LinearDiscriminantAnalysis, DISCRIMINANT, answers("predict"), rows=classes, operations=LINEAR,
        free_signs=True, shape=at_most(columns=4000),
        unlike={**ROUNDED, "decision_function": "up to a constant", "transform": "up to signs and scale"},
    ),
    Contest(
        sf.QuadraticDiscriminantAnalysis, QUADRATIC, answers("predict"), rows=classes, shape=_more_rows_than_columns,
        unlike=ROUNDED,
    ),
    Contest(
        sf.GaussianBayes, QUADRATIC, answers("predict"), rows=classes, shape=_more_rows_than_columns,
        unlike={**ROUNDED, "decision_function": "log posteriors of more than two classes, theirs up to a constant"},
    ),
]  # fmt: skip
ALONE = {
    sf.DensityAndClassifier: "the time is that of the density and the classifier, which are compared by themselves",
    sf.DensityBayes: "no peer takes any density for each class; its densities are compared as MixtureModel",
    sf.MixtureBayes: "no peer has a mixture for each class; the mixtures are compared as GaussianMixture",
    sf.PoissonNB: "no peer has Poisson naive Bayes",
}
