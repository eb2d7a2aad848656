"""Model files: what they hold comes back; what they should not hold is refused with a sentence."""

import io
import os
import sys
import zipfile

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from model_file_helpers import Held, rewritten, round_trip
from suffice.contracts.model_files import pack, unpacked
from suffice.distributions import Mixture, Poisson
from suffice.errors import InvalidData, InvalidModelFile, InvalidParameter


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 2.5, float("inf"), "naïve", [1, (2, "x")], {("a", 1): 0.1, 2: None}, 10**30, (), {}],
    ids=repr,
)
def test_plain_values(value, tmp_path):
    assert round_trip(value, tmp_path) == value


def test_nan(tmp_path):
    assert np.isnan(round_trip(float("nan"), tmp_path))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool", "<U3", "complex128", ">f8"])
def test_arrays_keep_type_and_bits(dtype, tmp_path):
    array = np.array([[0, 1], [1, 0]]).astype(dtype)
    again = round_trip(array, tmp_path)
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


def test_numpy_numbers_and_objects(tmp_path):
    again = round_trip([np.float32(0.1), np.array(["a", None, 3.5], dtype=object)], tmp_path)
    assert isinstance(again[0], np.float32)
    assert again[1].tolist() == ["a", None, 3.5]


def test_sparse_rows(tmp_path):
    matrix = sparse.random(5, 7, density=0.4, format="csr", random_state=0)
    again = round_trip(matrix, tmp_path)
    assert (again != matrix).nnz == 0


def test_a_generator_goes_on_where_it_was(tmp_path):
    rng = np.random.default_rng(3)
    rng.random(10)
    again = round_trip(rng, tmp_path)
    assert again.random(5).tolist() == rng.random(5).tolist()


def test_an_array_that_stands_twice_is_written_once(tmp_path):
    big = np.zeros(100_000)
    round_trip([big, big, big], tmp_path)
    assert (tmp_path / "held.sff").stat().st_size < 1_000_000


def test_distributions(tmp_path):
    mixture = Mixture.of([0.3, 0.7], [Poisson([1.0]), Poisson([9.0])])
    sf.save(mixture, tmp_path / "mixture.sff")
    again = sf.load(tmp_path / "mixture.sff")
    counts = np.arange(10.0)[:, None]
    assert again.log_prob(counts).tolist() == mixture.log_prob(counts).tolist()


def test_a_function_is_refused_and_nothing_is_left(tmp_path):
    model = sf.KernelKMeans(2, kernel=lambda a, b: float(a @ b))
    with pytest.raises(InvalidParameter, match=r"save: kernel is .*function.*cannot hold"):
        sf.save(model, tmp_path / "model.sff")
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_survives_a_failed_save(saved):
    before = saved.read_bytes()
    with pytest.raises(InvalidParameter):
        sf.save(Held(lambda: None), saved)
    assert saved.read_bytes() == before


def test_not_a_model_file(tmp_path):
    path = tmp_path / "notes.sff"
    path.write_text("hello")
    with pytest.raises(InvalidData, match="is no model file"):
        sf.load(path)


def test_a_zip_of_something_else(tmp_path):
    path = tmp_path / "other.sff"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.json", "[1, 2]")
    with pytest.raises(InvalidData, match="no model of Suffice"):
        sf.load(path)


def test_a_cut_file(saved):
    saved.write_bytes(saved.read_bytes()[:-200])
    with pytest.raises(InvalidData, match="damaged"):
        sf.load(saved)


def test_a_newer_version_says_what_to_do(saved):
    rewritten(saved, lambda document: document.update(version=3, suffice="9.9"))
    with pytest.raises(InvalidData, match=r"version 3, written by Suffice 9\.9.*pip install -U suffice"):
        sf.load(saved)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "name",
    ["os:system", "subprocess:Popen", "suffice.persist:importlib", "suffice.persist.reading:Reader", "suffice:KMeans",
     "suffice.nowhere:Model", "suffice.persist:json.loads", "builtins:eval", "Report", "suffice.report.page:Report",
     "report", "datasets", "statistic/NumberSummary", "distribution/Distribution", "distribution/ByGradient", 7, None,
     []],
)  # fmt: skip
def test_no_other_class_is_made(saved, version, name):
    def change(document):
        document["version"] = version
        document["model"]["class"] = name

    import suffice.report  # whose classes are then there, but not registered

    assert suffice.report
    with pytest.raises(InvalidModelFile, match="does not have"):
        sf.load(rewritten(saved, change))


def test_a_name_of_version_two_means_nothing_in_version_one(saved):
    with pytest.raises(InvalidModelFile, match="a KMeans, which this version"):
        sf.load(rewritten(saved, lambda document: document.update(version=1)))


def test_unknown_kinds_are_refused(saved):
    rewritten(saved, lambda document: document["model"]["state"].update(n_clusters={"$": "pickle", "at": "x"}))
    with pytest.raises(InvalidData, match="'pickle', which this version does not know"):
        sf.load(saved)


def test_names_and_not_modules_stand_in_a_file(saved):
    document = unpacked(saved)["model.json"].decode()
    assert '"class": "KMeans"' in document
    assert '"class": "metric/euclidean"' in document
    assert "suffice.models" not in document


def test_a_member_is_imported_when_its_name_is_met(saved):
    code = f"""if True:
        import sys, suffice
        suffice.load({os.fspath(saved)!r})
        sys.exit("suffice.models.hierarchy" in sys.modules)
    """
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


def test_pickled_arrays_are_refused(tmp_path):
    path = tmp_path / "model.sff"
    sf.save(Held(np.zeros(2)), path)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.array([{}], dtype=object), allow_pickle=True)
    pack({**unpacked(path), "arrays/0.npy": buffer.getvalue()}, path)
    with pytest.raises(InvalidModelFile, match="of type object"):
        sf.load(path, classes=[Held])
