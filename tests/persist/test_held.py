"""What an object in a file holds is compared with what its class declares, before it is saved and when it is loaded."""

import io
import json
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from model_file_helpers import Held, rewritten
from suffice.contracts.model_files import npy, pack, unpacked
from suffice.errors import InvalidModelFile, InvalidParameter
from suffice.models.bayes.gaussian_nb import GaussianNB


def test_an_attribute_that_is_not_declared_is_refused(saved):
    rewritten(saved, lambda document: document["model"]["state"].update(predict=3))
    with pytest.raises(InvalidModelFile, match="predict is no attribute of KMeans"):
        sf.load(saved)


def test_an_attribute_that_is_not_declared_is_not_saved(tmp_path):
    model = sf.KMeans(2)
    model.note = "mine"
    with pytest.raises(InvalidParameter, match=r"save: KMeans: note is no attribute of KMeans\."):
        sf.save(model, tmp_path / "model.sff")


@pytest.mark.parametrize("name", ["cluster_centers_", "_centres", "n_features_in_", "history_"])
def test_a_missing_attribute_is_refused(saved, name):
    rewritten(saved, lambda document: document["model"]["state"].pop(name))
    with pytest.raises(InvalidModelFile, match=f"{name} is missing"):
        sf.load(saved)


def test_a_parameter_that_a_file_does_not_know_has_its_default(saved):
    rewritten(saved, lambda document: document["model"]["state"].pop("tol"))
    assert sf.load(saved).tol == sf.KMeans().tol


def test_parameters_are_checked_by_their_rules(saved):
    rewritten(saved, lambda document: document["model"]["state"].update(n_clusters=0))
    with pytest.raises(InvalidModelFile, match="n_clusters must be an integer, at least 1; got 0"):
        sf.load(saved)
    with pytest.raises(InvalidParameter, match="n_clusters must be an integer, at least 1; got 0"):
        sf.save(sf.KMeans(0), saved)


def test_what_would_not_be_loaded_is_not_saved(tmp_path):
    model = sf.KMeans(2, random_state=0).fit(np.arange(12.0).reshape(6, 2))
    model._centres = model._centres[:, :1]
    with pytest.raises(InvalidParameter, match="save: KMeans: _centres must have 2 columns"):
        sf.save(model, tmp_path / "model.sff")
    assert list(tmp_path.iterdir()) == []


def test_set_output_is_kept(saved, tmp_path):
    model = sf.load(saved).set_output(transform="pandas")
    sf.save(model, tmp_path / "frames.sff")
    assert hasattr(sf.load(tmp_path / "frames.sff").transform(np.zeros((1, 2))), "columns")


def test_a_model_of_ones_own(tmp_path):
    class Mine(GaussianNB):
        pass

    model = Mine().fit(np.arange(4.0)[:, None], [0, 0, 1, 1])
    model.extra = {"anything": [1.0]}
    sf.save(model, tmp_path / "mine.sff")
    with pytest.raises(InvalidModelFile, match=r"Mine, which this version .* classes=\[…\]"):
        sf.load(tmp_path / "mine.sff")
    again = sf.load(tmp_path / "mine.sff", classes=[Mine, int])
    assert again.extra == model.extra
    assert again.predict([[3.0]]).tolist() == [1]


@pytest.mark.parametrize("name", ["_doc_link_template", "_repr_html_", "predict"])
def test_a_file_sets_nothing_that_a_class_of_ones_own_has(tmp_path, name):
    """A template of scikit-learn's links, set from a file, would put foreign HTML into a notebook."""

    class Mine(GaussianNB):
        pass

    path = tmp_path / "mine.sff"
    sf.save(Mine().fit(np.arange(4.0)[:, None], [0, 0, 1, 1]), path)
    rewritten(path, lambda document: document["model"]["state"].update({name: '"><script>alert(1)</script>'}))
    with pytest.raises(InvalidModelFile, match=f"has {name}, which is a name of its class"):
        sf.load(path, classes=[Mine])


def test_annotations_of_others_are_no_rules(tmp_path):
    @dataclass
    class Mine:
        n: int
        name: str

    sf.save(Mine(-1, None), tmp_path / "mine.sff")
    assert sf.load(tmp_path / "mine.sff", classes=[Mine]) == Mine(-1, None)


@pytest.mark.parametrize("change", [{"pos": 625}, {"pos": -1}, {"pos": "x"}, {"more": 1}])
def test_the_state_of_a_generator_is_checked(change, tmp_path):
    path = tmp_path / "held.sff"
    sf.save(Held(np.random.Generator(np.random.MT19937(1))), path)

    def edit(document):
        state = dict(map(tuple, document["model"]["state"]["value"]["state"]["items"]))
        inner = [[key, value] for key, value in state["state"]["items"] if key not in change]
        state["state"]["items"] = inner + [list(pair) for pair in change.items()]

    with pytest.raises(InvalidModelFile, match="the state of MT19937 is none"):
        sf.load(rewritten(path, edit), classes=[Held])


@pytest.mark.parametrize(
    ("name", "at", "cell"),
    [("indices", 2, 2**30), ("indices", 2, -1), ("indptr", 2, 2**30), ("indptr", -1, 0), ("indptr", 0, 1)],
)
def test_sparse_matrices_are_checked(name, at, cell, tmp_path):
    path = tmp_path / "held.sff"
    sf.save(Held(sparse.random(5, 7, density=0.4, format="csr", random_state=0)), path)
    members = unpacked(path)
    part = json.loads(members["model.json"])["model"]["state"]["value"][name]["at"]
    changed = np.load(io.BytesIO(members[part]))
    changed[at] = cell
    pack({**members, part: npy(changed)}, path)
    with pytest.raises(InvalidModelFile, match=r"within its shape|parts of its cells"):
        sf.load(path, classes=[Held])


def test_a_picture_model_can_be_saved(tmp_path):
    picture = np.add.outer(np.arange(0, 96, 8), np.arange(0, 96, 8)).astype(np.uint8)
    model = sf.VectorQuantizer(4, block=2, random_state=0).fit(picture)
    sf.save(model, tmp_path / "codes.sff")
    again = sf.load(tmp_path / "codes.sff")
    assert again.dtype_ == np.uint8
    assert np.array_equal(again.decode(again.encode(picture)), model.decode(model.encode(picture)))


def test_rows_that_stay_in_files_are_not_saved(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{i},{i * i}\n" for i in range(50)))
    model = sf.NearestNeighbors(n_neighbors=2, memory=100).fit(sf.scan(tmp_path / "rows.csv"))
    with pytest.raises(InvalidParameter, match="a model file cannot hold"):
        sf.save(model, tmp_path / "model.sff")
