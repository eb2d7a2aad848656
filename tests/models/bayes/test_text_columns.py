"""Columns of text: the same answers as with codes, whatever the table they come in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData

pd = pytest.importorskip("pandas")


@pytest.fixture
def pets(rng):
    n = 120
    kind = rng.choice(["cat", "dog", "eel"], n)
    colour = np.where(rng.random(n) < 0.7, np.where(kind == "cat", "red", "tan"), rng.choice(["red", "tan", "wet"], n))
    frame = pd.DataFrame({"colour": colour, "size": rng.integers(0, 3, n) + (kind == "dog")})
    return frame, kind


def _codes(frame):
    return np.column_stack([pd.Categorical(frame["colour"]).codes, frame["size"]]).astype(float)


def test_text_is_as_good_as_codes(pets):
    frame, y = pets
    model = sf.CategoricalNB().fit(frame, y)
    assert_allclose(model.predict_proba(frame), sf.CategoricalNB().fit(_codes(frame), y).predict_proba(_codes(frame)))


def test_a_table_with_other_values_keeps_the_codes(pets):
    frame, y = pets
    model = sf.CategoricalNB().fit(frame, y)
    expected = model.predict_proba(frame)
    wet = frame["colour"] == "wet"
    assert_allclose(model.predict_proba(frame[wet]), expected[wet])
    unseen = frame.assign(colour="azure").head(1)
    far = np.array([[99.0, frame["size"].iloc[0]]])
    assert_allclose(model.predict_proba(unseen), sf.CategoricalNB().fit(_codes(frame), y).predict_proba(far))


def test_missing_text_is_left_out(pets):
    frame, y = pets
    model = sf.CategoricalNB().fit(frame, y)
    gap = frame.head(1).assign(colour=[None], size=[np.nan])
    assert_allclose(model.predict_proba(gap)[0], np.exp(model.class_log_prior_))


def test_pieces_in_any_order(pets):
    frame, y = pets
    order = np.argsort(frame["colour"].to_numpy() != "wet", kind="stable")
    frame, y = frame.iloc[order].reset_index(drop=True), y[order]
    pieces = sf.CategoricalNB().partial_fit(frame[:15], y[:15]).partial_fit(frame[15:], y[15:])
    assert_allclose(pieces.predict_proba(frame), sf.CategoricalNB().fit(frame, y).predict_proba(frame), rtol=1e-10)
    pieces.remove(frame[:15], y[:15])
    rest = sf.CategoricalNB().fit(frame[15:], y[15:])
    assert_allclose(pieces.predict_proba(frame[15:]), rest.predict_proba(frame[15:]), rtol=1e-10)


def test_files(pets, tmp_path):
    frame, y = pets
    frame.assign(kind=y).to_parquet(tmp_path / "pets.parquet")
    source = sf.scan(tmp_path / "pets.parquet", target="kind")
    model = sf.NaiveBayes({"size": "poisson"}).fit(source)
    expected = sf.NaiveBayes({"size": "poisson"}).fit(frame, y).predict_proba(frame)
    assert_allclose(model.predict_proba(source), expected)
    assert_allclose(model.predict_proba(frame), expected)


def test_text_needs_the_categorical_family(pets):
    with pytest.raises(InvalidData, match="column 'colour' holds text, and its family is Poisson"):
        sf.NaiveBayes({"colour": "poisson"}).fit(*pets)
