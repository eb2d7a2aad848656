"""GaussianMixture from files and Dask, on rows that make it difficult, and within little memory."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import suffice as sf
from suffice.errors import IllConditioned, InvalidData

TYPES = ["full", "tied", "diag", "spherical"]
INITIALISERS = ["kmeans", "k-means++", "random_from_data", "random"]
quiet = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")


@pytest.fixture(scope="module")
def many():
    """More rows than a start looks at, with weights and some missing values in a copy."""
    rng = np.random.default_rng(5)
    corner = rng.integers(0, 3, 24_000)
    X = rng.normal(size=(24_000, 4)) @ rng.normal(size=(4, 4)) + 6 * rng.normal(size=(3, 4))[corner]
    holed = np.where(rng.random(X.shape) < 0.02, np.nan, X)
    return X, holed, rng.integers(0, 4, 24_000).astype(float)


@pytest.fixture(scope="module")
def files(many, tmp_path_factory):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("rows")
    for name, X in {"whole": many[0], "holed": many[1]}.items():
        frame = pd.DataFrame(X, columns=list("abcd")).assign(weight=many[2])
        frame.to_parquet(folder / f"{name}.parquet", row_group_size=5000)
    frame = pd.DataFrame(many[0], columns=list("abcd")).assign(weight=many[2])
    frame[:3000].to_csv(folder / "rows.csv", index=False)
    return folder


def assert_same_model(mine, theirs, rtol=1e-7):
    for name in ("weights_", "means_", "covariances_"):
        found, expected = getattr(mine, name), getattr(theirs, name)
        assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max(), err_msg=name)
    assert_allclose(mine.lower_bounds_, theirs.lower_bounds_, rtol=1e-9)


@quiet
@pytest.mark.parametrize("algorithm", ["soft", "hard", "stochastic"])
@pytest.mark.parametrize("kind", TYPES)
def test_files_and_dask_give_what_an_array_gives(many, files, kind, algorithm):
    da = pytest.importorskip("dask.array")
    X, _, weight = many
    options = {"covariance_type": kind, "algorithm": algorithm, "random_state": 0, "max_iter": 4, "tol": 0}
    inside = sf.GaussianMixture(3, **options).fit(X, sample_weight=weight)
    source = sf.scan(files / "whole.parquet", weight="weight")
    assert_same_model(sf.GaussianMixture(3, **options).fit(source), inside)
    lazy = da.from_array(X, chunks=(7000, 4))
    model = sf.GaussianMixture(3, **options).fit(lazy, sample_weight=da.from_array(weight, chunks=7000))
    assert_same_model(model, inside)
    assert_allclose(model.score(lazy), inside.score(X), rtol=1e-9)
    assert_allclose(model.bic(lazy), inside.bic(X), rtol=1e-9)
    assert_array_equal(np.asarray(inside.predict(source)), inside.predict(X))
    assert_allclose(inside.bic(source), inside.bic(X, sample_weight=weight), rtol=1e-9)


@quiet
@pytest.mark.parametrize("init", INITIALISERS)
def test_every_start_sees_the_same_rows_in_a_file(many, files, init):
    X, _, weight = many
    options = {"init_params": init, "random_state": 0, "max_iter": 3, "tol": 0}
    inside = sf.GaussianMixture(3, **options).fit(X, sample_weight=weight)
    assert_same_model(sf.GaussianMixture(3, **options).fit(sf.scan(files / "whole.parquet", weight="weight")), inside)
    few = sf.GaussianMixture(3, **options).fit(X[:3000], sample_weight=weight[:3000])
    assert_same_model(sf.GaussianMixture(3, **options).fit(sf.scan(files / "rows.csv", weight="weight")), few)


@quiet
@pytest.mark.parametrize("kind", TYPES)
def test_missing_values_in_a_file(many, files, kind):
    _, holed, weight = many
    options = {"covariance_type": kind, "random_state": 0, "max_iter": 3, "tol": 0}
    inside = sf.GaussianMixture(3, **options).fit(holed, sample_weight=weight)
    source = sf.scan(files / "holed.parquet", weight="weight")
    assert_same_model(sf.GaussianMixture(3, **options).fit(source), inside)
    assert_allclose(inside.impute(source), inside.impute(holed), rtol=1e-9)


@quiet
@pytest.mark.parametrize("kind", TYPES)
def test_a_piece_of_no_weight(kind):
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).normal(size=(300, 3))
    weight = np.r_[np.zeros(100), np.ones(200)]
    options = {"covariance_type": kind, "random_state": 0, "max_iter": 3, "tol": 0}
    inside = sf.GaussianMixture(2, **options).fit(X[100:])
    pieces = da.from_array(X, chunks=(100, 3)), da.from_array(weight, chunks=100)
    assert_same_model(sf.GaussianMixture(2, **options).fit(pieces[0], sample_weight=pieces[1]), inside)


class TestDifficultRows:
    @pytest.mark.parametrize("kind", TYPES)
    @pytest.mark.parametrize("iterations", [1, 100])
    def test_few_different_rows(self, kind, iterations):
        X = np.repeat(np.random.default_rng(0).normal(size=(3, 4)), 20, axis=0)
        model = sf.GaussianMixture(3, covariance_type=kind, reg_covar=0, random_state=0, max_iter=iterations)
        with pytest.warns(IllConditioned, match=r"component \d has collapsed onto too few different rows"):
            model.fit(X)
        assert_allclose(np.sort(model.weights_), 1 / 3)
        assert np.all(np.isfinite(model.score_samples(X)))
        assert np.all(np.isfinite(model.precisions_))

    @quiet
    @pytest.mark.parametrize("kind", TYPES)
    @pytest.mark.parametrize("algorithm", ["soft", "hard", "stochastic"])
    def test_equal_rows(self, kind, algorithm):
        model = sf.GaussianMixture(3, covariance_type=kind, algorithm=algorithm, reg_covar=0, random_state=0)
        model.fit(np.ones((20, 2)))
        assert_allclose(model.means_[model.weights_ > 0], 1)
        assert np.all(np.isfinite(model.predict_proba(np.ones((3, 2)))))

    @quiet
    @pytest.mark.parametrize("value", [0.0, 0.1, 1e5 + 0.1])
    @pytest.mark.parametrize("kind", TYPES)
    def test_a_constant_column(self, kind, value):
        """It says nothing about components, so they are those of the other columns."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2)) + 6 * rng.integers(0, 2, (300, 1))
        wide = np.column_stack([X, np.full(300, value)])
        plain = sf.GaussianMixture(2, covariance_type=kind, random_state=0, reg_covar=0).fit(X)
        model = sf.GaussianMixture(2, covariance_type=kind, random_state=0, reg_covar=0).fit(wide)
        assert np.mean(model.predict(wide) == plain.predict(X)) in (0.0, 1.0)
        assert_allclose(model.means_[:, 2], value)

    @quiet
    @pytest.mark.parametrize("init", INITIALISERS)
    @pytest.mark.parametrize("kind", TYPES)
    def test_fewer_rows_than_columns(self, kind, init):
        X = np.random.default_rng(0).normal(size=(6, 20))
        model = sf.GaussianMixture(2, covariance_type=kind, init_params=init, random_state=0, reg_covar=0).fit(X)
        assert np.all(np.isfinite(model.score_samples(X)))
        assert np.all(np.isfinite(model.precisions_cholesky_))

    @pytest.mark.parametrize("kind", TYPES)
    def test_one_row(self, kind):
        model = sf.GaussianMixture(1, covariance_type=kind).fit([[1.0, 2.0]])
        assert_allclose(model.means_, [[1, 2]])
        assert_allclose(model.mixture_.parts[0].moments()[1], 1e-6, rtol=1e-5)

    @pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
    @pytest.mark.parametrize("init", INITIALISERS)
    def test_as_many_components_as_rows(self, init):
        X = np.random.default_rng(0).normal(size=(5, 2))
        model = sf.GaussianMixture(5, init_params=init, random_state=0).fit(X)
        assert np.all(np.isfinite(model.score_samples(X)))

    def test_more_components_than_rows(self):
        with pytest.raises(InvalidData, match=r"n_components=6, but there are only 5 rows"):
            sf.GaussianMixture(6).fit(np.eye(5))
        with pytest.raises(InvalidData, match=r"n_components=2, but there are only 1 rows"):
            sf.GaussianMixture(2).fit(np.eye(5), sample_weight=[0, 0, 1, 0, 0])

    @pytest.mark.parametrize("scale", [1e160, 1e200, 1e307])
    @pytest.mark.parametrize("kind", TYPES)
    def test_numbers_whose_squares_overflow(self, kind, scale):
        X = scale * np.random.default_rng(0).normal(size=(30, 3))
        with pytest.raises(InvalidData, match="so large that their squares overflow; scale the columns down"):
            sf.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)

    @quiet
    @pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e140])
    @pytest.mark.parametrize("kind", TYPES)
    def test_numbers_of_any_size(self, kind, scale):
        X = np.random.default_rng(0).normal(size=(200, 3)) + 5 * np.array([[0], [1]] * 100)
        model = sf.GaussianMixture(2, covariance_type=kind, random_state=0, reg_covar=0).fit(scale * X)
        assert np.all(np.isfinite(model.score_samples(scale * X)))
        if scale > 1e-100:
            plain = sf.GaussianMixture(2, covariance_type=kind, random_state=0, reg_covar=0).fit(X)
            assert_allclose(model.means_ / scale, plain.means_, rtol=1e-5, atol=1e-5)

    @quiet
    @pytest.mark.parametrize("algorithm", ["soft", "hard"])
    @pytest.mark.parametrize("kind", TYPES)
    def test_a_dead_component_begins_again(self, kind, algorithm):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2)) + 10 * rng.integers(0, 3, (300, 1))
        model = sf.GaussianMixture(
            3, covariance_type=kind, algorithm=algorithm, means_init=[[0, 0], [10, 10], [1e4, 1e4]], max_iter=300
        )
        with pytest.warns(IllConditioned, match="component 2 had lost all its rows; it begins again as one half"):
            model.fit(X)
        assert_allclose(np.sort(model.means_[:, 0]), [0, 10, 20], atol=0.5)
        assert model.history_.metric("restarted").sum() >= 1

    @quiet
    def test_a_dead_component_has_time_to_find_rows(self):
        """A large tolerance does not end the fit in the iteration in which a component began again."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 2)) + 10 * rng.integers(0, 3, (20_000, 1))
        model = sf.GaussianMixture(3, means_init=[[0, 0], [15, 15], [1e4, 1e4]], covariance_type="spherical").fit(X)
        assert model.weights_.min() > 0.2

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinite_cells_are_named(self, bad):
        X = np.ones((5, 2))
        X[3, 1] = bad
        with pytest.raises(InvalidData, match="row 3"):
            sf.GaussianMixture(1).fit(X)

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("means_init", np.zeros((3, 3)), "means_init must have one row a component, shape"),
            ("weights_init", [0.3, 0.3], "sum to 1"),
            ("weights_init", [-1.0, 2.0], "probabilities"),
            ("precisions_init", np.zeros((2, 3, 3)), "positive"),
            ("precisions_init", np.ones((2, 3)), "shape"),
        ],
    )
    def test_starts_that_cannot_be(self, name, value, message):
        with pytest.raises(ValueError, match=message):
            sf.GaussianMixture(2, **{name: value}).fit(np.random.default_rng(0).normal(size=(20, 3)))


def test_pickle_and_clone():
    X = np.random.default_rng(0).normal(size=(100, 3))
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.partial_fit(X).means_, model.partial_fit(X).means_)
    assert not hasattr(clone(model), "means_")


PEAK = """
import warnings
import numpy as np
import suffice as sf

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

warnings.simplefilter("ignore")
{make}
{fit}.fit({small})
before = peak()
{fit}.fit({rows})
print((peak() - before) / 1024)
"""


def megabytes(**parts):
    done = subprocess.run([sys.executable, "-c", PEAK.format(**parts)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("options", ["", "covariance_type='diag'", "init_params='random'", "algorithm='stochastic'"])
@pytest.mark.parametrize("missing", [False, True])
def test_a_fit_takes_less_than_a_quarter_of_its_input(options, missing):
    make = "X = np.random.default_rng(0).normal(size=(400_000, 16))"  # 51 MB
    make += "\nX[::7, 3] = np.nan" if missing else ""
    fit = f"sf.GaussianMixture(5, max_iter=2, random_state=0, {options})"
    assert megabytes(make=make, fit=fit, small="X[:20_000]", rows="X") < 51 / 4


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_does_not_grow_with_a_file(tmp_path):
    """Two threads read; what they hold is the same for 96 MB and for 384 MB."""
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(8)])
    taken = []
    for groups in (6, 24):
        with pq.ParquetWriter(tmp_path / f"{groups}.parquet", schema) as writer:
            for _ in range(groups):
                writer.write_table(pa.table({f"x{j}": rng.normal(size=250_000) for j in range(8)}, schema=schema))
        rows = f"sf.scan({str(tmp_path / f'{groups}.parquet')!r})"
        fit = "sf.threads(2); sf.GaussianMixture(4, max_iter=2, random_state=0)"
        taken.append(
            megabytes(make="X = np.random.default_rng(0).normal(size=(5000, 8))", fit=fit, small="X", rows=rows)
        )
    assert taken[1] < taken[0] + 50
    assert taken[1] < 240


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("model", [sf.GaussianMixture(2, random_state=0), sf.PPCA(1), sf.FactorAnalysis(1)])
def test_the_weights_of_a_file_count_in_scores(model, tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(150, 3)), rng.integers(0, 5, 150)
    pd.DataFrame(X).rename(columns=str).assign(w=weight).to_parquet(tmp_path / "rows.parquet", row_group_size=40)
    source, repeated = sf.scan(tmp_path / "rows.parquet", weight="w"), np.repeat(X, weight, axis=0)
    model.fit(X)
    for score in (model.score, model.bic, model.aic):
        assert_allclose(score(source), score(repeated), rtol=1e-12)
        assert_allclose(score(X, sample_weight=weight), score(repeated), rtol=1e-12)
    with pytest.raises(ValueError, match="a source brings its own target and weights"):
        model.score(source, sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight"):
        model.bic(X, sample_weight=weight[:-1])
