"""Whoever takes the name of a distribution or a distance takes every registered one, or says why not."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import suffice as sf
from suffice import contracts, params
from suffice.choices import Choices, Named
from suffice.distances import DISTANCES, Distance, as_distance
from suffice.distributions import FAMILIES, Independent, Mixture, as_distribution
from suffice.errors import InvalidParameter


def rows_for(name, n=60):
    member = type(as_distribution(name)).example(np.random.default_rng(0))
    return member.sample(n, 1)


def test_names_are_those_of_the_members():
    for kind, members in ((DISTANCES, contracts.distances()), (FAMILIES, contracts.distributions())):
        own = {name for name, cls in kind.classes.items() if cls.__module__.startswith("suffice.")}
        assert own == {name for cls in members for name in cls.names}
        for cls in members:
            for name in cls.names:
                assert type(kind.make(name)) is cls


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_a_component_a_density_and_a_column(name):
    X = rows_for(name)
    model = sf.MixtureModel(2, component=name, n_init=1, random_state=0, max_iter=5, tol=np.inf).fit(X)
    assert type(model.mixture_.parts[0]) is type(as_distribution(name))
    assert np.isfinite(model.score_samples(X)).all()
    assert np.isfinite(Mixture(name, 2).fit(X, max_iter=3).log_prob(X)).all()
    anomalies = sf.DensityAnomaly(name, contamination=0.1).fit(X)
    assert 0 < np.sum(anomalies.predict(X) == -1) <= 12
    assert np.isfinite(Independent({tuple(range(X.shape[1])): name}).fit(X).log_prob(X)).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_naive_bayes_takes_every_family_of_one_pass(name):
    X, y = rows_for(name), np.arange(60) % 2
    if as_distribution(name).latent:
        with pytest.raises(InvalidParameter, match="in iterations of EM, and naive Bayes goes through the rows once"):
            sf.NaiveBayes(name).fit(X, y)
        return
    assert np.isfinite(sf.NaiveBayes(name).fit(X, y).predict_log_proba(X)).all()


@pytest.mark.parametrize("name", DISTANCES)
def test_every_distance_is_taken_or_refused_with_the_reason(name):
    X = type(as_distance(name)).example(np.random.default_rng(0), 20)
    for model in (sf.KMedoids(2, metric=name), sf.AgglomerativeClustering(2, linkage="average", metric=name),
                  sf.Divisive(2, metric=name), sf.NearestNeighbors(n_neighbors=3, metric=name)):  # fmt: skip
        if not as_distance(name).is_symmetric and not isinstance(model, sf.NearestNeighbors):
            with pytest.raises(InvalidParameter, match=rf"{type(model).__name__}: metric .* is not that from y to x"):
                model.fit(X)
        else:
            model.fit(X)


MODELS = {
    "KMedoids": lambda measure: sf.KMedoids(2, metric=measure),
    "AgglomerativeClustering": lambda measure: sf.AgglomerativeClustering(2, linkage="average", metric=measure),
    "KNeighborsClassifier": lambda measure: sf.KNeighborsClassifier(3, metric=measure),
    "KMeans": lambda measure: sf.KMeans(2, metric=measure, random_state=0),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", sorted({cls.names[0] for cls in contracts.distances() if cls.names}))
def test_models_with_distances_go_into_files_and_come_back(tmp_path, model, name):
    X, y = type(as_distance(name)).example(np.random.default_rng(0), 20), np.arange(20) % 2
    for measure in (name, as_distance(name), as_distance(name).fitted(X)):
        made = MODELS[model](measure)
        if measure not in params.declared(made)["metric"].names:
            continue
        sf.save(made.fit(X, y), tmp_path / "model.sff")
        np.testing.assert_array_equal(sf.load(tmp_path / "model.sff").predict(X), made.predict(X))


@pytest.mark.parametrize("name", sorted({cls.names[0] for cls in contracts.distributions() if cls.names}))
def test_models_with_families_go_into_files_and_come_back(tmp_path, name):
    X, y = rows_for(name), np.arange(60) % 2
    mixture = {"component": as_distribution(name), "n_init": 1, "random_state": 0, "max_iter": 5, "tol": np.inf}
    models = [sf.MixtureModel(2, **mixture), sf.DensityAnomaly(name)]
    models += [] if as_distribution(name).latent else [sf.NaiveBayes(name)]
    for model in models:
        sf.save(model.fit(X, y), tmp_path / "model.sff")
        np.testing.assert_array_equal(sf.load(tmp_path / "model.sff").predict(X), model.predict(X))


def test_the_command_line_offers_what_is_registered():
    from suffice.cli._models import Value

    for cls, parameter, kind in ((sf.KMedoids, "metric", DISTANCES), (sf.MixtureModel, "component", FAMILIES)):
        rule = params.declared(cls)[parameter]
        words = Value(rule, parameter).get_metavar(None).split("|")
        assert set(words) == {str(word) for word in rule.words if word is not None}
        assert set(rule.names) <= set(kind) & set(words)
        assert Value(rule, parameter).convert(next(iter(rule.names)), None, None) == next(iter(rule.names))


def test_spaces_and_hyphens_are_underscores():
    assert type(as_distribution("student-t")) is type(as_distribution("student_t"))
    assert type(as_distribution("von mises")) is type(as_distribution("von_mises"))


class Shape(Named):
    """A kind of its own."""

    def __init_subclass__(cls):
        SHAPES.register(cls)


SHAPES = Choices("shape", Shape)


def test_a_name_belongs_to_one_class_and_is_not_inherited():
    class Round(Shape):
        names = ("round", "disc")

    class Oval(Round):
        pass

    assert Oval.names == ()
    assert list(SHAPES) == ["disc", "round"]
    with pytest.raises(TypeError, match=r"the shape 'round' is .*Round already"):

        class Ball(Shape):
            names = ("round",)


def test_what_a_user_registers_is_taken_at_once():
    @dataclass(frozen=True)
    class Signs(Distance):
        """The share of columns with another sign."""

        names: ClassVar = ("signs",)
        kind: ClassVar = "different"

        def rows(self, X):
            return np.sign(X) / np.sqrt(X.shape[1])

        def term_for(self, own, other=None, ranking=False):
            return as_distance("hamming").term_for(own)

    try:
        assert isinstance(as_distance("signs"), Signs)
        X = np.random.default_rng(0).normal(size=(20, 3))
        assert sf.KMedoids(2, metric="signs").fit(X).inertia_ >= 0
        with pytest.raises(InvalidParameter, match="'signs'"):
            sf.KMedoids(2, metric="nothing").fit(X)
    finally:
        del DISTANCES.classes["signs"]
        Distance.members.remove(Signs)
