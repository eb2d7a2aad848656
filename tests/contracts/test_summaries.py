"""Every class with a `+` is checked: by the laws of statistics, in a fit that uses it, or by itself."""

import warnings
from functools import cache, partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import suffice as sf
from suffice import contracts
from suffice.backend.mixture import Rule
from suffice.contracts import check_summary, summed_in_pieces
from suffice.contracts.summary_laws import classes_in
from suffice.data import Chunk, Needs
from suffice.data.dask_table import _kinds
from suffice.data.dask_worker import labels
from suffice.data.derived import _Parts
from suffice.data.digest import RowsDigest
from suffice.data.gathering import Pile, joined
from suffice.data.schema import Column, Schema
from suffice.description.drawn_rows import DrawnRows
from suffice.description.looking import Look
from suffice.description.table_summary import TableSummary
from suffice.distances import Euclidean, Mahalanobis
from suffice.distributions import Gaussian
from suffice.indices import Scanned
from suffice.layers import Dense
from suffice.models.factorise.dirichlet_topics import WordSums
from suffice.models.factorise.divergence import RatioSums, started
from suffice.models.factorise.documents import Documents
from suffice.models.factorise.leading_axes import AlongSums, PowerSums
from suffice.models.neighbors.training import Training
from suffice.resampling.fold_sums import FoldParts
from suffice.resampling.source_folds import FoldAnswers
from suffice.statistics import Moments

pytestmark = pytest.mark.native

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 3)) + RNG.integers(0, 3, (120, 1)) * 4
Y = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, 120)]
WEIGHT = RNG.integers(0, 3, 120).astype(float)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
SOME = np.where(RNG.random(120) < 0.3, RNG.integers(0, 3, 120), -1)
CODES = RNG.integers(0, 3, (120, 4)).astype(float)
ROWS = Chunk(X, Y, WEIGHT)
FOLDS = RNG.integers(0, 3, 120)

FITS = {
    "k-means||": (sf.KMeans(3, init="k-means||", random_state=0), X, None),
    "empty clusters": (sf.KMeans(8, init=np.repeat(X[:1], 8, axis=0), random_state=0), X, None),
    "halves of clusters": (sf.DPMeans(4.0), X, None),
    "clusters of models": (sf.PerCluster(sf.KMeans(2, random_state=0)), X, Y),
    "unseen directions": (sf.KMeans(2, metric=Mahalanobis(np.diag([1.0, 1.0, 0.0])), random_state=0), X, None),
    "soft": (sf.SoftKMeans(3, random_state=0), X, None),
    "categories": (sf.KModes(2, random_state=0), CODES, None),
    "first rows of a mixture": (sf.GaussianMixture(2, random_state=0), X, None),
    "random responsibilities": (sf.GaussianMixture(2, init_params="random", random_state=0), X, None),
    "labelled rows": (sf.GaussianMixture(3, unlabelled=-1, random_state=0), X, SOME),
    "heavy tails": (sf.MixtureModel(2, component="student_t", random_state=0), X, None),
    "several families": (sf.NaiveBayes({0: "gaussian", 1: "laplace", 2: "normal"}), X, Y),
    "missing cells": (sf.LinearDiscriminantAnalysis(), GAPS, Y),
    "thresholds": (sf.DensityAnomaly(), X, None),
    "mixture of each class": (sf.MixtureBayes(2, random_state=0), X, Y),
    "bins": (sf.KBinsDiscretizer(3), X, None),
    "centres of bumps": (sf.RBFFeatures(4, random_state=0), X, None),
    "categories with missing cells": (sf.OneHotEncoder(), CODES, None),
    "filled cells": (sf.SimpleImputer(), GAPS, None),
    "filled cells by median": (sf.SimpleImputer(strategy="median"), GAPS, None),
    "knots": (sf.SplineTransformer(), X, None),
    "classes and planes": (sf.LogisticRegression(C=np.inf), X, X[:, 0] > 1),
    "ratings": (sf.MatrixFactorization(2, random_state=0), GAPS, None),
    "counts of ratings": (sf.MatrixFactorization(2, implicit=True, random_state=0), CODES, None),
    "parts": (sf.NMF(2, random_state=0), CODES, None),
    "parts of known cells": (sf.NMF(2, random_state=0), np.abs(GAPS), None),
    "words": (sf.PLSA(2, random_state=0), CODES, None),
    "bins by classes": (sf.KBinsDiscretizer(strategy="entropy"), X, Y),
    "rows and targets of a net": (sf.NeuralRegressor([Dense(3)], max_iter=2, random_state=0), X, X[:, 0]),
}


@cache
def summed_by(name):
    """The classes that a fit has summed up, all of which have kept the laws."""
    model, X, y = FITS[name]
    source = summed_in_pieces(X, y, WEIGHT, needs=model._fit_needs())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(source)
    return source.seen


def lists_in_pieces():
    """The classes summed up by a search within a radius, among rows that stay in a source."""
    source = summed_in_pieces(X, needs=Needs())
    Scanned.over(source, Euclidean(), None, len(X), "")._within(X[:5], 2.0)
    return source.seen


ABC = Schema(tuple(map(Column, "abc")))


def frame(chunk):
    return pd.DataFrame(chunk.X.round(), columns=list("abc"), dtype=object)


def look(chunk):
    batch = pa.record_batch({name: chunk.X[:, j] for j, name in enumerate("abc")})
    return Look(TableSummary.of(batch), DrawnRows.of(batch, chunk.start, 10))


def share(chunk):
    parts = [Gaussian(mean, np.eye(3)) for mean in (np.zeros(3), np.ones(3))]
    return Gaussian.share(parts, np.log([0.5, 0.5]), chunk.X, chunk.weight, Rule())


def cost(chunk):
    return sf.KMeans(2, random_state=0).fit(X)._cost(chunk)


def weight_and_rows(chunk):
    return Moments.of(chunk.X, chunk.weight)


def ratios(chunk):
    found, columns = Documents.of(Chunk(np.abs(chunk.X), None, chunk.weight), "a test"), np.ones((3, 2)) / 2
    return RatioSums.of(found, started(found, columns), columns)


def word_counts(chunk):
    return WordSums(np.abs(chunk.X).T @ chunk.X[:, :2], float(chunk.X.sum()))


def told(model, rows):
    return {"told": model * rows.X[:, 0]}


def itself(value):
    return value


ALONE = {
    "gathered rows": (Pile.of, lambda pile: joined(pile.chunks)),
    "results of rows": (partial(_Parts.of, f=lambda rows: rows.X), lambda found: np.concatenate(found.parts)),
    "digest": (RowsDigest.of, itself),
    "rows kept for neighbours": (lambda chunk: Training(chunk.X, chunk.y, chunk.weight), itself),
    "labels of partitions": (lambda chunk: labels(frame(chunk), [0, 1, 2], ABC, 0, "a test"), itself),
    "kinds of partitions": (lambda chunk: _kinds(frame(chunk), list("abc"), ABC, 0), itself),
    "a look at a table": (look, itself),
    "rows shared out": (share, itself),
    "cost of centres": (cost, itself),
    "ratios of columns": (ratios, itself),
    "words of topics": (word_counts, itself),
    "powers of a block": (lambda chunk: PowerSums.of(chunk.X, chunk.weight, np.eye(3)[:, :2]), itself),
    "rows along axes": (lambda chunk: AlongSums.of(chunk.X, chunk.weight, np.eye(3)[:, :2]), itself),
    "answers of folds": (
        partial(FoldAnswers.of, models=(1.0, 2.0, None), fold=FOLDS, answer=told),
        lambda found: [np.concatenate(own["told"]) for own in found.folds[:2]],
    ),
    "folds": (partial(FoldParts.of, summarise=weight_and_rows, fold=FOLDS, k=3), lambda found: found.parts),
}


@pytest.mark.parametrize("name", FITS)
def test_of_a_fit(name):
    assert summed_by(name)


@pytest.mark.parametrize("name", ALONE)
def test_alone(name):
    summarise, result = ALONE[name]
    check_summary(summarise, ROWS, result)


def test_none_is_left_out():
    seen = set(contracts.statistics()) | lists_in_pieces()
    seen |= {cls for name in FITS for cls in summed_by(name)}
    for summarise, _ in ALONE.values():
        seen |= classes_in(summarise(ROWS))
    assert [cls.__name__ for cls in contracts.summaries() if cls not in seen] == []


def test_what_does_not_add_up_is_found():
    with pytest.raises(AssertionError, match="float: the parts add up to the whole"):
        check_summary(lambda chunk: float(chunk.X.max(initial=0.0)), ROWS)
