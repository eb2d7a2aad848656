"""Add the rows of SciPy to distributions.json: one for each family, by its registered name.

Run from the root of the repository, after make_distribution_values.R, which writes the file anew:
    python tests/reference/make_distribution_values.py
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy import optimize, stats

FILE = Path(__file__).with_name("distributions.json")
MITES = np.repeat(np.arange(8), [70, 38, 17, 10, 9, 3, 2, 1])  # on apple leaves; Bliss and Fisher (1953)
WAITING = [79, 54, 74, 62, 85, 55, 88, 85, 51, 85, 54, 84, 78, 47, 83, 52, 62, 84, 52, 79, 51, 47, 78, 69]  # faithful


class Written(float):
    """A number as it stands in the file, so that the rows of R keep every digit."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def columns(frozen, X):
    """The log density of independent columns."""
    log = getattr(frozen, "logpmf", None) or frozen.logpdf
    return log(np.asarray(X)).sum(axis=1)


def row(X, log_prob, parameters, moments=None, entropy=None, fit=None):
    """What a test compares: densities of rows, and where they are known moments, the entropy and a fit."""
    known = (
        {"mean": None, "variance": None} if moments is None else dict(zip(("mean", "variance"), moments, strict=True))
    )
    found = {"parameters": parameters, "x": X, "log_prob": log_prob, **known, "entropy": entropy, "fit": fit}
    return {key: plain(value) for key, value in found.items() if value is not None}


def independent(frozen, X, parameters, fit=None, entropy=True):
    """The row of a family whose columns are independent."""
    total = float(np.sum(frozen.entropy())) if entropy else None
    return row(X, columns(frozen, X), parameters, frozen.stats("mv"), total, fit)


def gamma_fit():
    a, _, scale = stats.gamma.fit(WAITING, floc=0)
    return {"x": WAITING, "parameters": {"shape": [a], "rate": [1 / scale]}, "rtol": 1e-7}


def size_fit():
    mean = MITES.mean()
    loss = lambda log_size: -stats.nbinom.logpmf(MITES, np.exp(log_size), 1 / (1 + mean / np.exp(log_size))).sum()  # noqa: E731
    found = optimize.minimize_scalar(loss, (-1.0, 1.0), tol=1e-14)
    return {"x": MITES, "parameters": {"mean": [mean], "size": [float(np.exp(found.x))]}, "rtol": 1e-6}


def lomax_fit():
    x = stats.lomax.ppf((np.arange(40) + 0.5) / 40, 2.5, scale=3.0).round(3)
    loss = lambda free: -stats.lomax.logpdf(x, np.exp(free[0]), scale=np.exp(free[1])).sum()  # noqa: E731
    options = {"xatol": 1e-12, "fatol": 1e-15, "maxiter": 20_000, "maxfev": 20_000}
    a, b = np.exp(optimize.minimize(loss, [1.0, 1.0], method="Nelder-Mead", options=options).x)
    return {"x": x, "parameters": {"shape": [a], "scale": [b]}, "rtol": 1e-5}


def rows():
    """The row of every family."""
    p, rate, scale, centre = [0.2, 0.3, 0.5], [0.5, 1.0, 4.0], [0.3, 1.0, 2.5], [1.0, -2.0, 0.5]
    spread = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.7]])
    tables = [[0.25, 0.75], [0.1, 0.2, 0.7]]
    W, noise = np.array([[1.0], [0.5], [-2.0]]), np.array([0.5, 1.0, 0.25])
    X = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [3.5, -7.25, 1.0], [-20.0, 1.0, 4.0]])
    counts, flags = [[1, 0, 3], [2, 2, 2], [0, 0, 5], [40, 1, 900]], [[0, 1, 1], [1, 1, 0]]
    amounts = [[0.1, 1.0, 30.0], [1e-3, 7.0, 2.0], [25.0, 0.5, 0.001]]
    angles = [[0.0, -1.0, 3.0], [2.5, 0.1, -3.1]]
    size, mean = np.array([0.4, 3.0, 100.0]), np.array([2.0, 0.7, 5.0])
    normal = {kind: stats.multivariate_normal(centre, C) for kind, C in {
        "full": spread, "low": W @ W.T + 0.5 * np.eye(3), "factor": W @ W.T + np.diag(noise)}.items()}  # fmt: skip

    def gaussian(kind, **parameters):
        frozen = normal[kind]
        moments = (frozen.mean, np.diag(frozen.cov))
        return row(X, frozen.logpdf(X), {"mean": centre, **parameters}, moments, float(frozen.entropy()))

    student = stats.multivariate_t(centre, spread, 4.5)
    return {
        "bernoulli": independent(stats.bernoulli(p), flags, {"probability": p}),
        "categorical": row([[0, 2], [1, 0]], np.log([0.25 * 0.7, 0.75 * 0.1]), {"probability": tables}),
        "diagonal_gaussian": independent(stats.norm(centre, np.sqrt(scale)), X, {"mean": centre, "variance": scale}),
        "dirichlet_multinomial": row(
            counts, [stats.dirichlet_multinomial(rate, sum(x)).logpmf(x) for x in counts], {"concentration": rate}
        ),
        "exponential": independent(stats.expon(scale=1 / np.array(rate)), amounts, {"rate": rate}),
        "factor_gaussian": gaussian("factor", loadings=W, noise=noise),
        "gamma": independent(
            stats.gamma(scale, scale=1 / np.array(rate)), amounts, {"shape": scale, "rate": rate}, gamma_fit()
        ),
        "gaussian": gaussian("full", covariance=spread),
        "laplace": independent(stats.laplace(centre, scale), X, {"location": centre, "scale": scale}),
        "lomax": independent(
            stats.lomax(size + 2.5, scale=scale), amounts, {"shape": size + 2.5, "scale": scale}, lomax_fit()
        ),
        "low_rank_gaussian": gaussian("low", loadings=W, noise=[0.5]),
        "multinomial": row(counts, [stats.multinomial(sum(x), p).logpmf(x) for x in counts], {"probability": p}),
        "negative_binomial": independent(
            stats.nbinom(size, size / (size + mean)), counts, {"mean": mean, "size": size}, size_fit(), entropy=False
        ),
        "poisson": independent(stats.poisson(rate), counts, {"rate": rate}, entropy=False),
        "spherical_gaussian": independent(stats.norm(centre, np.sqrt(2.5)), X, {"mean": centre, "variance": [2.5]}),
        "student_t": row(
            X, student.logpdf(X), {"mean": centre, "scale": spread, "df": 4.5}, entropy=float(student.entropy())
        ),
        "tied_gaussian": gaussian("full", covariance=spread),
        "von_mises": row(
            angles, columns(stats.vonmises(rate, centre), angles), {"mean": centre, "concentration": rate}
        ),
    }  # fmt: skip


def plain(value):
    """Arrays as lists, in JSON's terms."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def written(value, indent=0):
    """JSON as R writes it: an entry a line, a list of numbers in one."""
    if isinstance(value, Written):
        return value.text
    pad, end = "\n" + " " * (indent + 1), "\n" + " " * indent
    if isinstance(value, dict):
        entries = (f"{json.dumps(key)}: {written(item, indent + 1)}" for key, item in value.items())
        return "{" + pad + f",{pad}".join(entries) + end + "}"
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return "[" + pad + f",{pad}".join(written(item, indent + 1) for item in value) + end + "]"
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    return json.dumps(value)


if __name__ == "__main__":
    values = json.loads(FILE.read_text(encoding="utf-8"), parse_float=Written)
    values["scipy"] = {"made_with": {"scipy": scipy.__version__}, "rows": rows()}
    FILE.write_text(written(values) + "\n", encoding="utf-8")
