"""The strength of any penalty of composed models: given beside it, or chosen by cross-validation."""

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.penalties import L1, L2, ElasticNetPenalty, GroupLasso

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 8))
Y = 2 * X[:, 0] - X[:, 1] + RNG.normal(size=120)
COUNTS = np.round(np.exp(Y / 3))
CLASSES = np.array(["ant", "bee"])[(Y > 0).astype(int)]
PAIRS = GroupLasso(groups=(0, 0, 1, 1, 2, 2, 3, 3))


@pytest.mark.parametrize("penalty", ["l1", "l2", "elastic_net", PAIRS], ids=str)
@pytest.mark.parametrize("loss", ["squared", "huber", "student_t", "poisson"])
def test_the_chosen_strength_is_the_best_over_folds(loss, penalty):
    y = COUNTS if loss == "poisson" else Y
    model = sf.LinearModel(loss, penalty=penalty, alpha="cv", n_alphas=15).fit(X, y)
    path = model.cv_path_
    assert model.alpha_ == path.alpha == path.alphas[path.best]
    assert path.errors.shape == (5, 15)
    again = sf.LinearModel(loss, penalty=penalty, alpha=model.alpha_).fit(X, y)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    wide = sf.LinearModel(loss, penalty=penalty, alpha="cv", n_alphas=15, rule="1se").fit(X, y)
    assert wide.alpha_ >= model.alpha_


def test_composed_models_choose_what_named_models_choose():
    ours = sf.LinearModel(penalty="l1", alpha="cv").fit(X, Y)
    named = sf.Lasso("cv").fit(X, Y)
    assert ours.alpha_ == pytest.approx(named.alpha_, rel=1e-12)
    np.testing.assert_allclose(ours.coef_, named.coef_, atol=1e-6)
    poisson = sf.PoissonRegressor(alpha="cv", n_alphas=20).fit(X, COUNTS)
    for model in (sf.LinearModel("poisson"), sf.GeneralizedLinearRegressor("poisson")):
        found = model.set_params(penalty="l2", alpha="cv", n_alphas=20).fit(X, COUNTS)
        assert found.alpha_ == pytest.approx(poisson.alpha_, rel=1e-12)
        np.testing.assert_allclose(found.coef_, poisson.coef_, atol=1e-6)
    logistic = sf.LogisticRegression(C="cv", n_alphas=20).fit(X, CLASSES)
    found = sf.LinearModelClassifier(penalty="l2", alpha="cv", n_alphas=20).fit(X, CLASSES)
    assert found.alpha_ == pytest.approx(1 / (len(X) * logistic.C_), rel=1e-9)


@pytest.mark.parametrize("loss", ["softmax", "logistic"])
def test_classes_from_sparse_rows(loss):
    rows, y = sparse.csr_array(X), CLASSES
    if loss == "softmax":
        y = np.array(["ant", "bee", "cat"])[np.digitize(Y, [-1, 1])]
    model = sf.LinearModelClassifier(loss, penalty=L1(), alpha="cv", n_alphas=8).fit(rows, y)
    dense = sf.LinearModelClassifier(loss, penalty=L1(), alpha="cv", n_alphas=8).fit(X, y)
    assert model.alpha_ == pytest.approx(dense.alpha_, rel=1e-9)


@pytest.mark.parametrize("penalty", [L1(3.0), L2(3.0), ElasticNetPenalty(3.0, 0.4)], ids=str)
def test_a_number_stands_in_place_of_the_strength_of_the_penalty(penalty):
    given = sf.LinearModel("huber", penalty=penalty, alpha=0.05).fit(X, Y)
    known = sf.LinearModel("huber", penalty=penalty.of_strength(0.05)).fit(X, Y)
    np.testing.assert_array_equal(given.coef_, known.coef_)


def test_no_penalty_has_no_strength():
    np.testing.assert_array_equal(sf.LinearModel(alpha=5.0).fit(X, Y).coef_, sf.LinearModel().fit(X, Y).coef_)


def test_a_model_file_holds_the_path(tmp_path):
    model = sf.LinearModel(penalty="l1", alpha="cv", n_alphas=6).fit(X, Y)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    assert again.alpha_ == model.alpha_
    np.testing.assert_array_equal(again.cv_path_.errors, model.cv_path_.errors)


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (sf.LinearModel(alpha="cv"), Y, "LinearModel: a path needs a penalty whose strength falls; give one"),
        (sf.LinearModel(penalty="non_negative", alpha="cv"), Y, "a path needs a penalty whose strength falls"),
        (sf.LinearModel("absolute", penalty="l1", alpha="cv"), Y, "a gradient everywhere, which AbsoluteLoss has not"),
        (sf.LinearModelClassifier("hinge", penalty="l2", alpha="cv"), CLASSES, "which HingeLoss has not"),
        (sf.LinearModelClassifier(penalty="l2", alpha="cv"), np.arange(120) % 3, "3 classes take one each; take 'soft"),
        (sf.LinearModel(penalty="l1", alpha="best"), Y, "alpha must be a number"),
        (sf.LinearModel(penalty="l1", alpha=-1.0), Y, "alpha must be a number, at least 0"),
    ],
)
def test_refusals(model, y, words):
    with pytest.raises(InvalidParameter, match=words):
        model.fit(X, y)
