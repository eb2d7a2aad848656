"""The registry of estimators: one list for contracts, command line, report and docs."""

import pytest

import suffice as sf
from suffice import contracts
from suffice.errors import InvalidParameter
from suffice.estimator import Estimator
from suffice.models.registry import KINDS, estimator_named, estimators, family_of, kinds_of


def test_every_public_estimator_is_registered_and_every_registered_one_is_public():
    public = {value for value in (getattr(sf, name) for name in dir(sf)) if isinstance(value, type)}
    assert {cls for cls in public if issubclass(cls, Estimator)} - {sf.Pipeline} == set(estimators().values())
    assert list(estimators().values()) == contracts.estimators()


def test_kinds_follow_scikit_learn():
    from sklearn.base import is_classifier, is_clusterer, is_regressor

    for cls in estimators().values():
        try:
            model = cls()
        except TypeError:
            continue  # it needs arguments
        assert ("classifier" in kinds_of(cls)) == is_classifier(model)
        assert ("regressor" in kinds_of(cls)) == is_regressor(model)
        assert ("clusterer" in kinds_of(cls)) == is_clusterer(model)


def test_every_estimator_has_a_kind_but_a_search_and_a_game():
    """A search for neighbours predicts nothing, and a game draws rows without a density."""
    assert [name for name, cls in estimators().items() if not kinds_of(cls)] == ["GAN", "NearestNeighbors"]
    assert all(estimators(kind) for kind in KINDS)


def test_several_kinds_are_joined():
    both = set(estimators("clusterer", "density"))
    assert both == set(estimators("clusterer")) | set(estimators("density"))
    assert {"KMeans", "GaussianMixture"} <= both
    assert "PCA" not in both


def test_a_misspelt_name_gets_a_hint():
    assert estimator_named("GAUSSIANnb") is sf.GaussianNB
    with pytest.raises(InvalidParameter, match=r"There is no model 'KMean'\. Did you mean 'KMeans'\?"):
        estimator_named("KMean")
    with pytest.raises(InvalidParameter, match="There is no clusterer 'PCA'"):
        estimator_named("PCA", "clusterer", "density")


def test_families_are_folders():
    assert (family_of(sf.KMeans), family_of(sf.PCA)) == ("cluster", "projection")
