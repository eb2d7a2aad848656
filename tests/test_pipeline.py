"""Pipelines: the same from any source, and as scikit-learn's."""

from contextlib import suppress
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import cluster, decomposition, linear_model, pipeline, preprocessing
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import estimator_checks_generator

import suffice as sf
from suffice.contracts.resuming import killed_after
from suffice.data import Column, Schema, as_source
from suffice.engine import recording
from suffice.errors import InvalidData, InvalidParameter
from suffice.observing import Observer, observe

COLUMNS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def table():
    """Rows in three groups, of very different units, with weights."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    X = (rng.normal(size=(300, 3)) + 3 * np.eye(3)[y]) * [1.0, 100.0, 0.01] + 5
    return X, np.array(["ant", "bee", "cat"])[y], rng.integers(1, 4, 300).astype(float)


def frame_of(table):

    X, y, weight = table
    return pd.DataFrame(X, columns=COLUMNS).assign(kind=y, weight=weight)


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    frame_of(table).to_parquet(folder / "rows.parquet", row_group_size=70)
    frame_of(table).to_csv(folder / "rows.csv", index=False, float_format="%.17g")
    return folder


def classifier():
    return sf.Pipeline([("scale", sf.StandardScaler()), ("axes", sf.PCA(2)), ("model", sf.GaussianNB())])


def by_hand(table):
    X, y, weight = table
    scale = sf.StandardScaler().fit(X, sample_weight=weight)
    axes = sf.PCA(2).fit(scale.transform(X), sample_weight=weight)
    Z = axes.transform(scale.transform(X))
    return Z, sf.GaussianNB().fit(Z, y, sample_weight=weight)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_give_what_arrays_give(kind, table, files):
    Z, model = by_hand(table)
    X, y, weight = table
    rows = sf.scan(files / f"rows.{kind}", columns=COLUMNS, target="kind", weight="weight")
    for fitted, given in ((classifier().fit(X, y, weight), X), (classifier().fit(rows), rows)):
        np.testing.assert_allclose(fitted.predict_proba(given), model.predict_proba(Z), atol=1e-9)
        np.testing.assert_array_equal(fitted.predict(given), model.predict(Z))
        np.testing.assert_allclose(fitted[:-1].transform(given), Z, atol=1e-9)
    assert classifier().fit(rows).score(rows) == pytest.approx(model.score(Z, y, sample_weight=weight))
    assert classifier().fit(X, y, weight).score(X, y, weight) == pytest.approx(model.score(Z, y, sample_weight=weight))


def test_dask_works_on_the_workers(table):
    dd = pytest.importorskip("dask.dataframe")
    Z, model = by_hand(table)
    frame = dd.from_pandas(frame_of(table), npartitions=4)
    fitted = classifier().fit(frame[COLUMNS], frame["kind"], frame["weight"])
    found = fitted.predict_proba(frame[COLUMNS])
    assert hasattr(found, "compute")
    np.testing.assert_allclose(found.compute(), model.predict_proba(Z), atol=1e-9)
    assert list(fitted.feature_names_in_) == COLUMNS


def test_nothing_is_gathered_from_files(files, monkeypatch):
    """Every step sees chunks only."""
    from suffice.data import source

    def never(*_, **__):
        raise AssertionError("rows were gathered")

    monkeypatch.setattr(source.Source, "gather", never)
    rows = sf.scan(files / "rows.csv", columns=COLUMNS)
    model = sf.make_pipeline(sf.StandardScaler(), sf.KMeans(3, random_state=0)).fit(rows)
    model[:-1].transform(rows)
    sizes = [len(chunk) for chunk in rows.chunks()]
    assert sum(sizes) == 300
    assert not hasattr(model[-1], "labels_")


def test_names_of_columns_pass_through(table):
    frame = frame_of(table)
    fitted = classifier().fit(frame[COLUMNS], frame["kind"])
    assert fitted["axes"].feature_names_in_.tolist() == COLUMNS
    assert fitted["model"].feature_names_in_.tolist() == ["pca0", "pca1"]
    assert fitted[:-1].get_feature_names_out().tolist() == ["pca0", "pca1"]
    with pytest.raises(InvalidData, match="feature names should match"):
        fitted.predict(frame[COLUMNS[::-1]])
    unnamed = classifier().fit(table[0], table[1])
    assert not hasattr(unnamed["model"], "feature_names_in_")


def test_missing_values_pass_through(table):
    X, y, _ = table
    missing = np.where(np.random.default_rng(3).random(X.shape) < 0.1, np.nan, X)
    model = sf.make_pipeline(sf.StandardScaler(), sf.GaussianNB()).fit(missing, y)
    Z = sf.StandardScaler().fit_transform(missing)
    np.testing.assert_array_equal(model.predict(missing), sf.GaussianNB().fit(Z, y).predict(Z))
    with pytest.raises(InvalidData, match=r"PCA: .*missing value"):
        classifier().fit(missing, y)
    filled = sf.make_pipeline(sf.StandardScaler(), sf.GaussianImputer(), sf.PCA(1)).fit_transform(missing)
    assert np.isfinite(filled).all()


def test_weights_that_a_score_cannot_count_are_refused(table):
    X, _, weight = table
    model = sf.make_pipeline(sf.StandardScaler(), decomposition.PCA(2)).fit(X)
    assert np.isfinite(model.score(X))
    with pytest.raises(InvalidParameter, match="the score of sklearn's PCA takes no sample_weight"):
        model.score(X, sample_weight=weight)


def test_a_fit_that_fails_changes_no_step(table):
    X, y, _ = table
    model = classifier().fit(X, y)
    before = model["scale"].mean_
    with pytest.raises(InvalidParameter):
        model.set_params(axes__n_components=99).fit(X + 1, y)
    assert model["scale"].mean_ is before


def test_the_interface_of_scikit_learn(table):
    X, y, _ = table
    ours, theirs = (
        kind([("scale", sf.StandardScaler()), ("model", sf.KMeans(3, random_state=0))])
        for kind in (sf.Pipeline, pipeline.Pipeline)
    )
    assert ours.get_params().keys() == theirs.get_params().keys() - {"memory", "verbose", "transform_input"}
    assert ours.named_steps.model is ours["model"] is ours[1] is ours.steps[1][1]
    assert isinstance(ours[:1], sf.Pipeline)
    assert len(ours) == 2
    assert ours.set_params(model__n_clusters=2)["model"].n_clusters == 2
    assert isinstance(ours.set_params(scale="passthrough").fit(X)["model"], sf.KMeans)
    assert is_classifier(classifier())
    assert not is_classifier(ours)
    assert is_regressor(sf.make_pipeline(sf.StandardScaler(), sf.Ridge()))
    copied = clone(classifier().fit(X, y))
    assert not hasattr(copied["scale"], "mean_")
    names = [name for name, _ in sf.make_pipeline(sf.PCA(2), sf.PCA(1), "passthrough").steps]
    assert names == [name for name, _ in pipeline.make_pipeline(sf.PCA(2), sf.PCA(1), "passthrough").steps]
    assert not hasattr(ours, "predict_proba")
    assert not hasattr(sf.make_pipeline(sf.KMeans(2), sf.GaussianNB()), "inverse_transform")


def test_a_grid_search(table):
    X, y, _ = table
    search = GridSearchCV(classifier(), {"axes__n_components": [1, 2], "scale": ["passthrough", sf.StandardScaler()]})
    search.fit(X, y)
    assert search.best_params_["axes__n_components"] == 2
    assert search.best_params_["scale"] != "passthrough"
    assert search.best_estimator_.score(X, y) > 0.8


def test_inverse_transform(table):
    X = table[0]
    model = sf.make_pipeline(sf.StandardScaler(), sf.PCA(3)).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-9)
    assert model.set_output(transform="pandas").transform(X).columns.tolist() == ["pca0", "pca1", "pca2"]


def test_partial_fit_and_remove(table):
    X, y, _ = table
    model = sf.make_pipeline(sf.StandardScaler(with_std=False), sf.GaussianNB())
    for part in np.array_split(np.arange(300), 3):
        model.partial_fit(X[part], y[part])
    assert model[0].n_samples_seen_[0] == 300
    assert model[1].class_count_.sum() == 300
    whole = sf.make_pipeline(sf.StandardScaler(), sf.GaussianNB()).fit(X, y)
    kept = clone(whole).fit(X, y).remove(X[200:], y[200:])
    np.testing.assert_allclose(kept[0].mean_, X[:200].mean(axis=0))
    scaled = whole[0].transform(X[:200])
    np.testing.assert_allclose(kept[1].theta_, sf.GaussianNB().fit(scaled, y[:200]).theta_, rtol=1e-6)
    assert not hasattr(sf.make_pipeline(sf.StandardScaler(), sf.KMeans(2)), "partial_fit")


def test_files_hold_pipelines(table, tmp_path):
    X, y, _ = table
    model = classifier().fit(X, y)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.get_params().keys() == model.get_params().keys()
    assert again.history_.status == "converged"
    sf.save(classifier(), tmp_path / "new.sff")
    assert sf.load(tmp_path / "new.sff").fit(X, y).score(X, y) > 0.8
    with pytest.raises(InvalidParameter, match="MinMaxScaler, and a model file holds models of Suffice alone"):
        sf.save(sf.make_pipeline(preprocessing.MinMaxScaler(), sf.PCA(1)).fit(X), tmp_path / "other.sff")


def test_steps_of_scikit_learn_in_memory(table):
    X, y, weight = table
    ours = sf.make_pipeline(preprocessing.MinMaxScaler(), sf.PCA(2), linear_model.LogisticRegression()).fit(X, y)
    theirs = pipeline.make_pipeline(preprocessing.MinMaxScaler(), sf.PCA(2), linear_model.LogisticRegression()).fit(
        X, y
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.score(X, y) == theirs.score(X, y)
    assert ours.classes_.tolist() == ["ant", "bee", "cat"]
    frame = frame_of(table)
    encode = ColumnTransformer([("one-hot", preprocessing.OneHotEncoder(), ["kind"])], remainder="passthrough")
    model = sf.make_pipeline(encode, sf.StandardScaler(), sf.KMeans(3, random_state=0)).fit(frame[[*COLUMNS, "kind"]])
    assert model[1].n_features_in_ == 6
    assert model.predict(frame[[*COLUMNS, "kind"]]).tolist() == model[-1].labels_.tolist()
    with pytest.raises(InvalidParameter, match="sklearn's PCA takes no sample_weight"):
        sf.make_pipeline(decomposition.PCA(2), sf.KMeans(2)).fit(X, sample_weight=weight)


def test_steps_of_scikit_learn_from_files(table, files):
    X, y, _ = table
    rows = sf.scan(files / "rows.parquet", columns=COLUMNS, target="kind")
    model = sf.make_pipeline(sf.StandardScaler(), linear_model.SGDClassifier(random_state=0)).fit(rows)
    assert model.score(rows) > 0.7
    assert model.predict(rows).shape == (300,)
    scaled = sf.make_pipeline(preprocessing.MinMaxScaler(), sf.GaussianNB()).fit(rows)
    in_memory = sf.make_pipeline(preprocessing.MinMaxScaler(), sf.GaussianNB()).fit(X, y)
    np.testing.assert_allclose(scaled.predict_proba(rows), in_memory.predict_proba(X), atol=1e-9)
    with pytest.raises(InvalidData, match=r"sklearn's KMeans needs all rows in memory, having no partial_fit"):
        sf.make_pipeline(sf.StandardScaler(), cluster.KMeans(3)).fit(rows)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "got none"),
        ([("a", sf.PCA()), ("a", sf.PCA())], "got 'a'"),
        ([("a__b", sf.PCA())], "'a__b'"),
        ([("a", sf.GaussianNB()), ("b", sf.PCA())], "'a' is a GaussianNB, which has no transform"),
        ([("a", 3)], "a list of pairs"),
        ("steps", "a list of pairs"),
        ([("a", sf.LinearDiscriminantAnalysis()), ("b", sf.Ridge())], "others numbers"),
    ],
)
def test_bad_steps(steps, words, table):
    with pytest.raises(InvalidParameter, match=words):
        sf.Pipeline(steps).fit(table[0], table[1])


def test_observers_limits_and_checkpoints(table, tmp_path):
    X = table[0]
    make = lambda: sf.make_pipeline(sf.StandardScaler(), sf.GaussianMixture(4, random_state=0))  # noqa: E731
    with recording() as trace:
        whole = make().fit(X)
    assert [fit.name for fit in trace.fits][:3] == ["Pipeline", "StandardScaler", "GaussianMixture"]
    assert whole.history_ is whole[-1].history_
    assert len(whole[0].history_) == 1
    assert killed_after(3, tmp_path / "fit.sff", make(), X)
    with sf.checkpoint(tmp_path / "fit.sff"):
        again = make().fit(X)
    np.testing.assert_array_equal(again[-1].means_, whole[-1].means_)
    assert [fit.name for fit in sf.load(tmp_path / "fit.sff").fits] == ["Pipeline"]


class _CtrlC(Observer):
    def iteration_done(self, done, snapshot):
        if done.number == 3:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_what_the_last_step_found(table):
    model = sf.make_pipeline(sf.StandardScaler(), sf.GaussianMixture(4, random_state=0))
    with pytest.raises(KeyboardInterrupt), observe(_CtrlC()):
        model.fit(table[0])
    assert model.history_.status == "interrupted"
    assert len(model.predict(table[0])) == 300


def test_pipelines_in_other_models(table):
    X = table[0]
    density = sf.make_pipeline(sf.StandardScaler(), sf.GaussianMixture(3, random_state=0))
    assert (sf.DensityAnomaly(density).fit(X).predict(X) == -1).sum() > 0
    assert density.fit_source(as_source(X)).history_.status == "converged"


def test_pipelines_in_pipelines(table):
    X, y, _ = table
    inner = sf.make_pipeline(sf.StandardScaler(), sf.PCA(2))
    nested = sf.Pipeline([("inner", inner), ("model", sf.GaussianNB())]).fit(X, y)
    np.testing.assert_allclose(nested.predict_proba(X), classifier().fit(X, y).predict_proba(X))
    assert nested.set_params(inner__pca__n_components=1)["inner"]["pca"].n_components == 1


CHECKED = [
    sf.make_pipeline(sf.StandardScaler(), sf.KNeighborsClassifier()),
    sf.make_pipeline(sf.StandardScaler(), sf.Ridge()),
    sf.make_pipeline(sf.StandardScaler(), sf.PCA(1)),
]


def checks():
    for model in CHECKED:
        for estimator, check in estimator_checks_generator(clone(model), expected_failed_checks=dict(model.exemptions)):
            name = getattr(check, "func", check).__name__
            if name not in model.exemptions:
                yield pytest.param(estimator, check, id=f"{type(model[-1]).__name__}-{name}")


@pytest.mark.parametrize(("model", "check"), list(checks()))
@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn(model, check):
    with suppress(SkipTest):
        check(clone(model))


def test_an_imputer_of_ones_own_comes_first_and_models_of_others_get_everything(table):
    X = table[0]
    missing = np.where(np.random.default_rng(3).random(X.shape) < 0.1, np.nan, X)
    missing[:, 0] = np.nan
    medians = SimpleImputer(strategy="median", keep_empty_features=True)
    foreign = linear_model.LogisticRegression()

    def steps(model, rows, imputer=medians):
        return [name for name, _ in sf.prepared(model, rows, imputer=imputer).steps]

    assert steps(sf.Ridge(), missing) == ["simpleimputer", "standardscaler", "ridge"]
    assert steps(sf.GaussianNB(), missing) == ["simpleimputer", "gaussiannb"]
    assert steps(sf.GaussianNB(), X) == ["simpleimputer", "gaussiannb"]
    assert steps(foreign, missing) == ["simpleimputer", "standardscaler", "logisticregression"]
    assert steps(foreign, X, None) == ["simpleimputer", "standardscaler", "logisticregression"]
    fitted = sf.prepared(sf.Ridge(), missing, imputer=medians).fit(missing, X[:, 0])
    assert np.isfinite(fitted.predict(missing)).all()


def test_a_preparation_is_derived(table):
    X = table[0]
    missing = np.where(np.random.default_rng(3).random(X.shape) < 0.1, np.nan, X)

    def steps(model, rows):
        return [name for name, _ in sf.prepared(model, rows).steps]

    assert steps(sf.KMeans(2), missing) == ["standardscaler", "kmeans"]
    assert steps(sf.Ridge(), missing) == ["simpleimputer", "standardscaler", "ridge"]
    assert steps(sf.LinearRegression(), X) == ["simpleimputer", "linearregression"]
    assert steps(sf.GaussianNB(), missing) == ["gaussiannb"]
    assert steps(sf.KNeighborsClassifier(metric="cosine"), X) == ["simpleimputer", "kneighborsclassifier"]
    assert steps(sf.PCA(2), X) == ["simpleimputer", "standardscaler", "pca"]
    assert steps(sf.PCA(scaling="correlation"), X) == ["simpleimputer", "pca"]
    assert np.isfinite(sf.prepared(sf.Ridge(), missing).fit(missing, X[:, 0]).predict(missing)).all()
    text = Schema((Column("a"), Column("kind", "categorical", ("x", "y"))))
    assert steps(sf.KPrototypes(2), text) == ["kprototypes"]
    assert steps(sf.Ridge(), text) == ["onehotencoder", "simpleimputer", "standardscaler", "ridge"]
    assert sf.prepared(sf.Ridge(), text)[0].drop is None
    assert sf.prepared(sf.LinearRegression(), text)[0].drop == "first"


@pytest.mark.parametrize("model", [sf.LinearRegression(), sf.Ridge(), linear_model.Lasso(0.1)])
def test_rows_that_come_later_may_have_missing_numbers(model):
    """The fit had none: their cells are filled by what the columns are on average."""
    frame = sf.datasets.load("crabs").to_frame()[["sex", "FL", "RW", "BD"]]
    y = frame.pop("BD")
    fitted = sf.prepared(model, frame).fit(frame, y)
    later = frame.head(3).copy()
    later.loc[0, "FL"] = np.nan
    later.loc[1, "sex"] = None
    filled = later.fillna({"FL": frame["FL"].mean()})
    np.testing.assert_allclose(fitted.predict(later), fitted.predict(filled), rtol=1e-12)
    assert pd.isna(later.loc[0, "FL"])
    wide = sparse.csr_array(frame[["FL", "RW"]].to_numpy())
    assert [name for name, _ in sf.prepared(sf.Ridge(), wide).steps] == ["standardscaler", "ridge"]


def test_answers_about_a_file_need_no_target(tmp_path):
    pd = pytest.importorskip("pandas")
    iris = sf.datasets.load("iris")
    frame = pd.DataFrame(iris.matrix(), columns=list("abcd"))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = sf.make_pipeline(sf.StandardScaler(), sf.GaussianNB()).fit(frame, iris["species"])
    np.testing.assert_array_equal(model.predict(sf.scan(tmp_path / "rows.csv")), model.predict(frame))
    with pytest.raises(InvalidData, match="requires y to be passed"):
        model.score(sf.scan(tmp_path / "rows.csv"))


def test_a_preparation_is_the_same_from_every_source(tmp_path):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"town": rng.choice(["Ely", "York", "Bath"], 90), "age": rng.normal(size=90).round(2)})
    frame.loc[[4, 40], "age"] = np.nan
    frame.loc[[7, 50], "town"] = None
    y = 2.0 * (frame["town"] == "York") + frame["age"].fillna(0)
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    expected = sf.prepared(sf.LinearRegression(), frame).fit(frame, y)
    assert expected[-1].feature_names_in_.tolist() == ["town_Ely", "town_York", "town_nan", "age"]
    assert np.isfinite(expected[-1].standard_errors_).all()  # the reference leaves no dependent columns
    source = sf.scan(tmp_path / "rows.parquet", target="y")
    model = sf.prepared(sf.LinearRegression(), source).fit(source)
    np.testing.assert_allclose(model.predict(source), expected.predict(frame), rtol=1e-9)
    many = dd.from_pandas(frame, npartitions=3)
    model = sf.prepared(sf.LinearRegression(), many).fit(many, dd.from_pandas(y, npartitions=3))
    np.testing.assert_allclose(np.asarray(model.predict(many)), expected.predict(frame), rtol=1e-9)


def test_a_category_that_no_training_row_has_does_not_stop_an_evaluation():
    pd = pytest.importorskip("pandas")
    towns = ["Ely", "York"] * 20
    frame = pd.DataFrame({"town": [*towns[:39], "Rome"], "x": np.arange(40.0)})
    y = np.arange(40.0) + (frame["town"] == "York")
    for model in (sf.Ridge(), sf.LinearRegression(), linear_model.Lasso()):
        assert np.isfinite(sf.evaluate(sf.prepared(model, frame), frame, y, splits=4).intervals["r2"].value)
