"""The commands that fit and use models: what they write, and that every mistake ends in one sentence."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import suffice as sf
from suffice.cli.main import cli, run
from suffice.models.registry import estimators


def suffice(*arguments, text=None):
    result = CliRunner().invoke(cli, [str(a) for a in arguments], input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def messy(tmp_path):
    """A semicolon table with a decimal comma, missing values, a text column and a BOM."""
    rows = "\n".join(f"{i % 7},5;{'NA' if i % 5 == 0 else i};{'ab'[i % 2]}" for i in range(40))
    path = tmp_path / "messy table.csv"
    path.write_text("\ufeffsize;count;kind\n" + rows + "\n", encoding="utf-8")
    return path


def test_models_lists_every_estimator():
    listed = json.loads(suffice("models", "--json"))
    assert {row["model"] for row in listed} == set(estimators())
    assert all(row["summary"] for row in listed)


def test_models_shows_the_parameters_of_one():
    shown = suffice("models", "gaussianmixture")
    assert "covariance_type = 'full'" in shown
    parameters = json.loads(suffice("models", "KMeans", "--json"))["parameters"]
    assert parameters[0]["name"] == "n_clusters"


def test_datasets(tmp_path):
    assert "iris" in suffice("datasets")
    assert "species" in suffice("datasets", "iris")
    suffice("datasets", "iris", "-o", tmp_path / "iris.parquet")
    assert pq.read_table(tmp_path / "iris.parquet").num_rows == 150


def test_fit_keeps_a_model_that_predict_uses(tmp_path):
    model, out = tmp_path / "nb.sff", tmp_path / "out.json"
    summary = json.loads(suffice("fit", "GaussianNB", "iris", "--target", "species", "-o", model, "--json"))
    assert summary["status"] == "converged"
    suffice("predict", model, "iris", "--proba", "-o", out)
    rows = json.loads(out.read_text())
    iris = sf.datasets.load("iris")
    again = sf.GaussianNB().fit(iris.matrix(), iris["species"])
    assert [row["prediction"] for row in rows] == again.predict(iris.matrix()).tolist()
    np.testing.assert_allclose([row["p_setosa"] for row in rows], again.predict_proba(iris.matrix())[:, 0], atol=1e-12)


def test_fit_shows_trees_and_importances():
    shown = suffice("fit", "DecisionTreeClassifier", "iris", "--target", "species", "--max-depth", 2)
    assert "petal_length       0.562" in shown
    assert "├─ petal_length ≤ 2.45" in shown
    assert "feature_importances_" not in shown
    summary = json.loads(suffice("fit", "DecisionTreeClassifier", "iris", "--target", "species", "--json"))
    assert next(iter(summary["importances"])) == "petal_length"
    assert "tree" not in summary
    deep = suffice("fit", "DecisionTreeRegressor", "crabs", "--target", "CL")
    assert "nodes further down" in deep
    assert len(deep.splitlines()) < 90


def test_fit_of_a_forest_shows_the_error_out_of_bag():
    shown = suffice("fit", "RandomForestClassifier", "iris", "--target", "species", "--n-estimators", 20)
    assert "out of bag: error 0.0" in shown
    assert "petal_width" in shown
    numbers = suffice("fit", "RandomForestRegressor", "crabs", "--target", "CW", "--n-estimators", 20)
    assert "out of bag: r2 0.9" in numbers
    for asked in (("RandomForestClassifier", "--oob-score", "no"), ("ExtraTreesClassifier",)):
        assert "out of bag" not in suffice("fit", *asked, "iris", "--target", "species", "--n-estimators", 5)


def test_fit_shows_importances_and_rules_of_every_model_that_has_them():
    boosted = suffice("fit", "HistGradientBoostingClassifier", "iris", "--target", "species", "--max-iter", 5)
    assert "petal_length" in boosted
    assert "feature_importances_" not in boosted
    assert "outlook = overcast: yes (4)" in suffice("fit", "ID3Classifier", "play_tennis", "--target", "play")
    ada = suffice("fit", "AdaBoostClassifier", "iris", "--target", "species", "--n-estimators", 3)
    assert "petal_length" in ada
    assert "sample_weights_" not in ada  # one a row


def test_options_are_the_declared_parameters(tmp_path):
    suffice(
        "fit", "GaussianMixture", "faithful", "--n-components", 2, "--covariance-type", "diag", "-o", tmp_path / "m"
    )
    model = sf.load(tmp_path / "m")
    assert (model.n_components, model.covariance_type, model.random_state) == (2, "diag", 0)


@pytest.mark.parametrize("name", sorted(estimators()))
def test_every_model_has_help(name):
    assert "Usage:" in suffice("fit", name, "--help")


def test_a_messy_table(messy, tmp_path):
    options = ["--delimiter", ";", "--decimal", ",", "--drop", "kind"]
    out = suffice("cluster", messy, *options, "-k", 2)
    assert out.splitlines()[0] == '"cluster"'
    assert len(out.splitlines()) == 41


def test_columns_of_text_are_left_out_aloud(messy, capfd):
    assert run(["reduce", str(messy), "--delimiter", ";", "--decimal", ",", "--columns", "size", "-k", "1"]) == 0
    assert run(["cluster", "crabs", "-k", "2"]) == 0
    assert "left out, as this model needs numbers: sp, sex" in capfd.readouterr().err


def test_the_cell_that_makes_a_column_of_numbers_text_is_named(tmp_path, capfd):
    table = tmp_path / "rows.csv"
    table.write_text("a,b,kind\n" + "".join(f"{i},{'n/k' if i == 7 else i % 3},x{i}\n" for i in range(30)))
    assert run(["fit", "KMeans", str(table), "--n-clusters", "2"]) == 0
    said = f"b (row 8 of {table} holds 'n/k' among numbers; if it is a missing value: --missing 'n/k'), kind\n"
    assert f"left out, as this model needs numbers: {said}" in capfd.readouterr().err
    assert run(["fit", "KMeans", str(table), "--n-clusters", "2", "--missing", "n/k"]) == 0
    assert "left out, as this model needs numbers: kind\n" in capfd.readouterr().err


def test_a_model_with_a_target_gets_its_preparation(tmp_path, capfd):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(["Ely", "York", "Bath"], 60), "age": rng.normal(40, 9, 60)})
    frame["pay"] = 3.0 * (frame["town"] == "York") + frame["age"] / 10
    frame.loc[[4, 9], "age"] = np.nan
    frame.to_csv(tmp_path / "rows.csv", index=False)
    options = ["--target", "pay", "-o", tmp_path / "m", "--json"]
    found = json.loads(suffice("fit", "LinearRegression", tmp_path / "rows.csv", *options))
    expected = sf.prepared(sf.LinearRegression(), frame[["town", "age"]]).fit(frame[["town", "age"]], frame["pay"])
    assert [name for name, _ in expected.steps] == ["onehotencoder", "simpleimputer", "linearregression"]
    np.testing.assert_allclose(found["figures"]["coef_"], expected[-1].coef_, rtol=1e-9)
    suffice("predict", tmp_path / "m", tmp_path / "rows.csv", "--target", "pay", "-o", tmp_path / "out.csv")
    np.testing.assert_allclose(
        pd.read_csv(tmp_path / "out.csv")["prediction"], expected.predict(frame[["town", "age"]])
    )
    assert type(sf.load(tmp_path / "m")) is sf.Pipeline
    frame["age"] = frame["age"].astype(object).where(frame["age"] > 30, "young")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert run(["fit", "Ridge", str(tmp_path / "rows.csv"), "--target", "pay"]) == 0
    assert "taken as categories: age (row " in capfd.readouterr().err


@pytest.mark.parametrize("given", ["Age ,size", "Age , size", "Age,size", " Age , size "])
def test_names_of_columns_may_have_spaces_around_them(tmp_path, given):
    table = tmp_path / "rows.csv"
    table.write_text("Age ,size,other\n" + "".join(f"{i},{i % 3},{i % 5}\n" for i in range(30)))
    found = json.loads(suffice("fit", "PCA", table, "--columns", given, "--json"))
    assert np.shape(found["figures"]["components_"]) == (2, 2)
    rest = json.loads(suffice("fit", "PCA", table, "--drop", given, "--json"))
    assert np.shape(rest["figures"]["components_"]) == (1, 1)


def test_a_name_as_it_is_written_comes_before_one_without_its_spaces(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("Age ,Age\n" + "".join(f"{i},{2 * i}\n" for i in range(30)))
    for given, mean in (("Age ", 14.5), ("Age", 29.0), (" Age", 29.0)):
        found = json.loads(suffice("fit", "StandardScaler", table, "--columns", given, "--json"))
        assert found["figures"]["mean_"] == [mean]


def test_a_parameter_with_the_name_of_an_option(tmp_path):
    options = ["--columns", "FL,RW,CL", "--model-columns", '["CL"]', "-o", tmp_path / "m"]
    suffice("fit", "PolynomialFeatures", "crabs", *options)
    assert sf.load(tmp_path / "m").get_feature_names_out().tolist() == ["1", "CL", "CL^2", "FL", "RW"]


def test_standard_input():
    text = "a,b\n" + "\n".join(f"{i},{i % 3}" for i in range(30))
    assert len(suffice("cluster", "-", "-k", 3, text=text).splitlines()) == 31


def test_reduce_writes_what_pca_gives(tmp_path):
    suffice("reduce", "usarrests", "--no-scale", "-o", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet").to_pydict()
    X = sf.datasets.load("usarrests").matrix()
    np.testing.assert_allclose(np.abs(found["pca0"]), np.abs(sf.PCA(2).fit_transform(X)[:, 0]), rtol=1e-9)


def test_maps_of_tables_as_people_write_them(tmp_path):
    """Gower's distance scales columns itself, also beside categories; a column without values says nothing."""
    cells = [f"{'ab'[i % 2]},{i * i},{1000 * i},,{'' if i == 3 else i % 4}" for i in range(20)]
    (tmp_path / "rows.csv").write_text("\n".join(["kind,small,large,empty,some", *cells]))
    suffice("reduce", tmp_path / "rows.csv", "--to", "mds", "--metric", "gower", "-o", tmp_path / "out.csv")
    X = sf.scan(tmp_path / "rows.csv", columns=["kind", "small", "large", "some"])
    places = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(places, sf.MDS(2, metric="gower").fit_transform(X), rtol=1e-9)
    suffice("reduce", tmp_path / "rows.csv", "--to", "mds", "-o", tmp_path / "out.csv")
    assert np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1).shape == (20, 2)


def test_reduce_writes_the_places_of_a_map(tmp_path):
    """Of columns of all kinds by Gower's distance, or of a graph of neighbours; said on the other stream."""
    suffice("reduce", "iris", "--to", "mds", "--metric", "gower", "-k", 1, "-o", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet").to_pydict()
    table = sf.datasets.load("iris")
    assert list(found) == ["mds0"]
    assert len(found["mds0"]) == len(table["species"])
    suffice("reduce", "usarrests", "--to", "Isomap", "--neighbors", 20, "--scale", "-o", tmp_path / "out.parquet")
    assert list(pq.read_table(tmp_path / "out.parquet").to_pydict()) == ["isomap0", "isomap1"]


MISTAKES = {
    "a map without a metric": (["reduce", "iris", "--metric", "gower"], "PCA has no metric, which --metric would set"),
    "no such map": (["reduce", "iris", "--to", "Isomp"], "Did you mean 'Isomap'"),
    "a misspelt model": (["fit", "KMens", "iris"], "Did you mean 'KMeans'"),
    "a misspelt table": (["fit", "KMeans", "irs"], "Did you mean 'iris'"),
    "a missing file": (["fit", "KMeans", "nowhere.csv"], "nowhere.csv"),
    "a misspelt column": (["fit", "KMeans", "iris", "--drop", "speces"], "Did you mean 'species'"),
    "a misspelt target": (["fit", "GaussianNB", "iris", "--target", "speces"], "Did you mean 'species'"),
    "no target": (["fit", "GaussianNB", "iris"], "target"),
    "a bad number": (["fit", "KMeans", "iris", "--n-clusters", "0"], "at least 1"),
    "a bad choice": (["fit", "GaussianMixture", "iris", "--covariance-type", "round"], "'round' is not"),
    "no such clusterer": (["cluster", "iris", "--model", "PCA"], "There is no clusterer 'PCA'"),
    "no such model file": (["predict", "nowhere.sff", "iris"], "nowhere.sff"),
    "an ending that is not written": (["cluster", "faithful", "-o", "out.xls"], ".csv, .tsv, .parquet or .json"),
    "more clusters than rows": (["cluster", "usarrests", "-k", "99"], "n_clusters"),
}


@pytest.mark.parametrize("arguments", MISTAKES)
def test_mistakes_end_in_one_sentence(arguments, capfd):
    command, words = MISTAKES[arguments]
    assert run(command) == 2
    said = capfd.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("suffice: error:")
    assert words in said


def test_a_warning_is_one_line_without_places_in_code(capsys, monkeypatch):
    monkeypatch.setattr("warnings.filters", [])  # as in a shell
    assert run(["fit", "PerCluster", "iris", "--target", "species"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "TooFewRows" in line or ".py" in line] == []
    assert any(line.startswith("suffice: warning: PerCluster: the model of all rows speaks for") for line in told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "GaussianNB", "faithful"], "Name the target column: --target COLUMN."),
        (["fit", "KMeans", "iris", "--columns", "species"], "leave it out with --columns"),
    ],
)
def test_remedies_are_options_of_the_shell(arguments, said, capsys):
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "=…" not in error


def test_one_iteration_is_not_plural():
    assert "converged after 1 iteration\n" in suffice("fit", "LinearRegression", "iris", "--target", "sepal_length")
