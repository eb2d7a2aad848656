"""Samplers: sizes of classes, where new rows lie, categories, held-out rows untouched, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.imbalance import SAMPLERS


def rare(n, seed, share=0.05):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 3)) + y[:, None], y


@pytest.mark.parametrize("name", list(SAMPLERS))
@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_classes_have_the_sizes_that_were_asked_for(name, ratio):
    X, y = rare(600, 0)
    weight = np.random.default_rng(1).integers(0, 4, 600).astype(float)
    new, classes, after = SAMPLERS.make(name, ratio=ratio).resample(X, y, weight, random_state=0)
    totals = np.bincount(classes, after)
    assert totals[1] / totals[0] == pytest.approx(ratio)
    assert new.dtype == X.dtype
    single, *_ = SAMPLERS.make(name).resample(X.astype(np.float32), y, random_state=0)
    assert single.dtype == np.float32


def test_undersampling_keeps_rows_and_does_not_depend_on_their_order():
    X, y = rare(400, 2)
    new, classes, _ = sf.Undersample().resample(X, y, random_state=3)
    known = {tuple(row) for row in X}
    assert all(tuple(row) in known for row in new)
    order = np.random.default_rng(4).permutation(400)
    again, *_ = sf.Undersample().resample(X[order], y[order], random_state=3)
    assert_array_equal(np.unique(new, axis=0), np.unique(again, axis=0))
    assert np.sum(classes == 1) == y.sum()


def test_made_up_rows_lie_between_neighbours():
    X, y = rare(300, 5)
    new, classes, _ = sf.Smote(k=3).resample(X, y, random_state=0)
    assert_array_equal(new[:300], X)
    own = X[y == 1]
    scale = X.std(axis=0)
    near = np.argsort(np.linalg.norm((own[:, None] - own[None]) / scale, axis=2), axis=1)[:, 1:4]
    for row in new[300:]:
        found = False
        for i, others in enumerate(near):
            for j in others:
                u = (row - own[i]) / (own[j] - own[i])
                found |= bool(np.allclose(u, u[0]) and -1e-9 <= u[0] <= 1 + 1e-9)
        assert found
    assert np.all(classes[300:] == 1)


def test_repeated_rows_are_moved_as_much_as_was_asked_for():
    X, y = rare(2000, 6)
    as_they_are, *_ = sf.Oversample(perturbation=0.0).resample(X, y, random_state=0)
    known = {tuple(row) for row in X}
    assert all(tuple(row) in known for row in as_they_are)
    moved, *_ = sf.Oversample(perturbation=0.5).resample(X, y, random_state=0)
    off = (moved - as_they_are)[2000:] / X[y == 1].std(axis=0)
    assert_allclose(off.std(axis=0), 0.5, rtol=0.1)


def test_categories_stay_categories(tmp_path):
    rng = np.random.default_rng(7)
    colours = np.array(["red", "blue", "green"])[rng.integers(0, 3, 200)]
    y = np.where(np.arange(200) < 20, "rare", "common")
    lines = [f"{x:.6f},{c},{label}" for x, c, label in zip(rng.normal(size=200), colours, y, strict=True)]
    (tmp_path / "t.csv").write_text("size,colour,kind\n" + "\n".join(lines) + "\n", encoding="utf-8")
    for sampler in ("smote", "oversample", "undersample"):
        model = sf.Resampled(sf.DecisionTreeClassifier(max_depth=2), sampler, random_state=0)
        model.fit(sf.scan(tmp_path / "t.csv", target="kind"))
        assert set(model.classes_) == {"rare", "common"}


def test_only_training_rows_are_drawn():
    """What is measured on held-out rows is of the classes as they come; to draw before splitting measures copies."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(300, 5)), np.where(np.arange(300) < 15, 1, 0)  # nothing to learn
    inside = sf.evaluate(sf.Resampled(sf.KNeighborsClassifier(1), "oversample", random_state=0), X, y, random_state=0)
    new, classes, _ = sf.Oversample().resample(X, y, random_state=0)
    leaked = sf.evaluate(sf.KNeighborsClassifier(1), new, classes, random_state=0)
    assert leaked.intervals["balanced_accuracy"].value > 0.9
    assert abs(inside.intervals["balanced_accuracy"].value - 0.5) < 0.1


def test_in_pipelines_of_scikit_learn_and_with_its_models():
    X, y = rare(800, 9)
    model = make_pipeline(StandardScaler(), sf.Resampled(LogisticRegression(), "smote", random_state=0)).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    assert model.predict(X)[y == 1].mean() > plain.predict(X)[y == 1].mean() + 0.3
    assert model.predict_proba(X).shape == (800, 2)


def test_model_files_hold_it(tmp_path):
    X, y = rare(300, 10)
    model = sf.Resampled(sf.GaussianNB(), sf.Smote(k=4), random_state=0).fit(X, y)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.sampler == sf.Smote(k=4)


def test_refusals():
    X, y = rare(100, 11)
    with pytest.raises(InvalidParameter, match="ratio must be a number, above 0 and at most 1"):
        sf.Undersample(ratio=2)
    with pytest.raises(InvalidParameter, match="sampler must be"):
        sf.Resampled(sampler="smoke").fit(X, y)
    with pytest.raises(InvalidData, match="a class with 1 row has no neighbours"):
        sf.Smote().resample([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(InvalidParameter, match="k must be"):
        sf.Smote(k=0)


def named(n, seed):
    X, y = rare(n, seed)
    return 1.2 * X, np.where(y == 1, "rare", "often")


def test_undersampling_inside_folds_is_honest_and_before_them_it_is_not():
    """Precision of rows as they come is that of fresh ones; of a table that was balanced before the folds it is not."""
    X, y = named(4000, 3)
    model = sf.Resampled(sf.GaussianNB(), "undersample", random_state=0)
    inside = sf.evaluate(model, X, y, positive="rare", measures=("precision", "recall"))
    fresh_X, fresh_y = named(40_000, 4)
    said = model.fit(X, y).predict(fresh_X)
    truth = float(np.mean(fresh_y[said == "rare"] == "rare"))
    few_X, few_y, _ = sf.Undersample().resample(X, y, random_state=0)
    before = sf.evaluate(sf.GaussianNB(), few_X, few_y, positive="rare", measures="precision")
    assert truth in inside.intervals["precision"]
    assert before.intervals["precision"].low > 2 * truth
    assert inside.value("recall") > 0.7


def test_copies_made_before_the_folds_are_known_by_heart():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 4)), np.where(rng.random(300) < 0.1, "rare", "often")  # nothing can be learned
    nearest = sf.KNeighborsClassifier(1)
    more_X, more_y, _ = sf.Oversample(perturbation=0.0).resample(X, y, random_state=0)
    before = sf.evaluate(nearest, more_X, more_y, measures="balanced_accuracy")
    inside = sf.evaluate(sf.Resampled(nearest, "oversample", random_state=0), X, y, measures="balanced_accuracy")
    assert before.value() > 0.9
    assert inside.value() < 0.65


def test_searches_of_scikit_learn_hold_out_rows_as_they_come():
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

    X, y = named(600, 5)
    model = make_pipeline(StandardScaler(), sf.Resampled(sf.GaussianNB(), random_state=0))
    folds = StratifiedKFold(3)
    said = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    assert said.shape == (600, 2)  # every row once, and no other
    samplers = ["undersample", "oversample", "smote"]
    space = {"resampled__sampler": samplers, "resampled__model__var_smoothing": [1e-9, 0.1]}
    search = GridSearchCV(model, space, cv=folds, scoring="f1_macro").fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert search.predict(X).shape == (600,)


def mixed(library):
    """A frame of numbers, whole numbers, text with gaps and truth values, and classes of 30 and 6 rows."""
    rng = np.random.default_rng(0)
    cells = {
        "size": [None if i % 10 == 0 else float(x) for i, x in enumerate(rng.normal(size=36))],
        "age": rng.integers(20, 60, 36).tolist(),
        "kind": [None if i % 9 == 4 else ("red", "blue")[i % 2] for i in range(36)],
        "owns": [bool(i % 3) for i in range(36)],
    }
    module = pytest.importorskip(library)
    return module.table(cells) if library == "pyarrow" else module.DataFrame(cells)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("sampler", [sf.Undersample(), sf.Oversample(), sf.Oversample(perturbation=0.0), sf.Smote(k=2)])
def test_a_frame_gives_a_frame_of_its_kind(library, sampler):
    import narwhals as nw

    X = mixed(library)
    smote = isinstance(sampler, sf.Smote)
    if smote:  # which needs all cells of the small class
        X = nw.from_native(X).with_columns(nw.col("size").fill_null(0.5), nw.col("kind").fill_null("grey")).to_native()
    y = np.repeat(["often", "rare"], [30, 6])
    new, classes, weight = sampler.resample(X, y, random_state=1)
    given, made = nw.from_native(X), nw.from_native(new)
    assert type(new) is type(X)
    assert made.columns == given.columns
    assert {len(made), len(weight)} == {len(classes)}
    assert np.unique(classes, return_counts=True)[1].tolist() == (
        [6, 6] if isinstance(sampler, sf.Undersample) else [30, 30]
    )
    moved = smote or getattr(sampler, "perturbation", 0) > 0
    for name in given.columns:
        assert made[name].dtype == (nw.Float64 if moved and name == "age" else given[name].dtype)
    kept = ["kind", "owns"] if moved else given.columns
    known = set(map(repr, given.select(kept).rows()))
    assert smote or set(map(repr, made.select(kept).rows())) <= known
    assert set(map(repr, made["kind"].to_list())) <= set(map(repr, given["kind"].to_list()))
    assert set(made["owns"].to_list()) <= {True, False}
    model = sf.DecisionTreeClassifier(max_depth=2)
    direct = model.fit(sf.as_source(new, classes, weight, needs=model._needs())).predict(X)
    inside = sf.Resampled(sf.DecisionTreeClassifier(max_depth=2), sampler, random_state=1).fit(X, y).predict(X)
    assert np.mean(direct == inside) > 0.9


def test_missing_cells_of_arrays_and_levels_of_pandas():
    import pandas as pd

    X, y = np.array([[0.0], [np.nan], [2.0], [3.0], [4.0], [5.0]]), [0, 0, 0, 0, 1, 1]
    assert np.isnan(sf.Oversample().resample(X, y, random_state=0)[0]).sum() == 1
    assert sf.Undersample().resample(X, y, random_state=0)[0].shape == (4, 1)
    assert len(sf.Smote(k=1).resample(X, y, random_state=0)[0]) == 8  # it needs those of the small class alone
    with pytest.raises(InvalidData, match="Smote: rows between neighbours need all cells; fill missing ones first"):
        sf.Smote(k=1).resample(X, [1, 1, 0, 0, 0, 0], random_state=0)
    sizes = pd.Series(pd.Categorical(["S", "L", "M", "M", "S", "L"], ["S", "M", "L"], ordered=True))
    new, *_ = sf.Smote(k=1).resample(pd.DataFrame({"x": X[::-1, 0] * 0 + 1.5, "size": sizes}).fillna({"x": 1.0}), y)
    assert new["size"].dtype == sizes.dtype
    assert new.index.tolist() == list(range(8))
