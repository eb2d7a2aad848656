"""Makes tables like those people have, with what is in them known: `python tests/corpus/make_imitations.py`.

Every table is drawn with a seed of its own from the law that its function states, so that what a page says about it can
be compared with the law, and not with what it said yesterday.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

TABLES = Path(__file__).parent / "tables"
Rng = np.random.Generator


def passengers(rng: Rng) -> pd.DataFrame:
    """Like the Titanic's: sex and class decide; the cabin is mostly missing, and names differ in every row."""
    n = 300
    rank, female = rng.choice([1, 2, 3], n, p=[0.25, 0.2, 0.55]), rng.random(n) < 0.36
    chance = 1 / (1 + np.exp(-(-1.6 + 2.8 * female + 1.0 * (rank == 1) - 0.5 * (rank == 3))))
    age = np.where(rng.random(n) < 0.2, np.nan, rng.gamma(6, 5, n).round())
    first, last = ["Ann", "Bo", "Carl", "Dora", "Eve", "Finn"], ["Abel", "Berg", "Cole", "Dahl", "Ek", "Falk", "Gray"]
    return pd.DataFrame(
        {
            "survived": (rng.random(n) < chance).astype(int),
            "class": rank,
            "sex": np.where(female, "female", "male"),
            "age": age,
            "fare": np.exp(rng.normal(4.4 - 0.8 * rank, 0.5)).round(2),
            "name": [f"{rng.choice(last)}, {rng.choice(first)} {i}" for i in rng.permutation(n)],
            "cabin": [
                f"{rng.choice(list('ABCDEF'))}{rng.integers(1, 99)}" if rng.random() < 0.2 else None for _ in range(n)
            ],
            "embarked": rng.choice(["S", "C", "Q"], n, p=[0.72, 0.19, 0.09]),
        }
    )


def penguins(rng: Rng) -> pd.DataFrame:
    """Three species apart in bill and flipper, one island each for two of them; some cells missing."""
    mean = {"Adelie": (38.8, 18.3, 190, 3700), "Chinstrap": (48.8, 18.4, 196, 3730), "Gentoo": (47.5, 15.0, 217, 5080)}
    species = np.repeat(list(mean), [110, 50, 90])
    values = np.array([mean[s] for s in species]) + rng.normal(size=(250, 4)) * (2.7, 1.0, 6.5, 400)
    table = pd.DataFrame(values, columns=["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]).round(
        1
    )
    table[rng.random(table.shape) < 0.02] = np.nan
    home = {"Chinstrap": "Dream", "Gentoo": "Biscoe"}
    table.insert(0, "species", species)
    table.insert(1, "island", [home.get(s) or rng.choice(["Torgersen", "Dream", "Biscoe"]) for s in species])
    table["sex"] = [rng.choice(["male", "female"]) if rng.random() > 0.03 else None for _ in species]
    return table.sample(frac=1, random_state=1)


def diamonds(rng: Rng) -> pd.DataFrame:
    """Price as a power of the weight; three widths of 0, and one of 58.9."""
    n = 400
    carat = np.exp(rng.normal(-0.4, 0.55, n)).clip(0.2, 4).round(2)
    width = (6.4 * carat ** (1 / 3) + rng.normal(0, 0.05, n)).round(2)
    x, y = width.copy(), (width + rng.normal(0, 0.03, n)).round(2)
    x[:3], y[3] = 0.0, 58.9
    clarity = rng.choice(["I1", "SI1", "VS1", "IF"], n)
    worth = pd.Series(clarity).map({"I1": -0.35, "SI1": 0, "VS1": 0.15, "IF": 0.4}).to_numpy()
    price = np.exp(8.3 + 1.65 * np.log(carat) + worth + rng.normal(0, 0.12, n)).round()
    return pd.DataFrame(
        {
            "carat": carat,
            "cut": rng.choice(["Fair", "Good", "Ideal"], n),
            "clarity": clarity,
            "price": price.astype(int),
            "x": x,
            "y": y,
        }
    )


def genes(rng: Rng) -> pd.DataFrame:
    """Wider than tall: 36 samples, 140 genes, of which 6 differ by two standard deviations between the classes."""
    ill = np.arange(36) % 2
    levels = rng.normal(8, 1, (36, 140)) + 2.0 * np.outer(ill, np.arange(140) < 6)
    table = pd.DataFrame(levels.round(2), columns=[f"gene_{j:03d}" for j in range(140)])
    table.insert(0, "status", np.where(ill, "ill", "well"))
    return table


def prices(rng: Rng) -> pd.DataFrame:
    """A random walk by day: neighbours in time look alike, and nothing tells tomorrow."""
    n = 350
    close = 100 * np.exp(np.cumsum(rng.normal(0, 0.012, n)))
    days = pd.bdate_range("2021-01-04", periods=n)
    return pd.DataFrame(
        {
            "date": days.strftime("%Y-%m-%d"),
            "close": close.round(2),
            "volume": rng.lognormal(12, 0.3, n).round().astype(int),
            "index": (4000 * np.exp(np.cumsum(rng.normal(0, 0.009, n)))).round(1),
        }
    )


def survey(rng: Rng) -> pd.DataFrame:
    """Answers from 1 to 5 that share one attitude, with gaps; whether to recommend depends on it."""
    n = 260
    attitude = rng.normal(size=n)
    answers = {f"q{j}": np.clip(np.round(3 + attitude + rng.normal(0, 0.9, n)), 1, 5) for j in range(1, 9)}
    table = pd.DataFrame(answers)
    table[rng.random(table.shape) < 0.04] = np.nan
    table["recommend"] = np.where(attitude + rng.normal(0, 0.5, n) > 0.2, "yes", "no")
    return table.astype({f"q{j}": "Int64" for j in range(1, 9)})


def shuffled_ids(rng: Rng) -> pd.DataFrame:
    """A whole number that names the customer, in no order; spending depends on income alone."""
    n = 240
    income = rng.gamma(9, 4, n).round(1)
    return pd.DataFrame(
        {
            "customer_id": rng.permutation(n) + 100_001,
            "income": income,
            "visits": rng.poisson(4, n),
            "spent": (3 * income + rng.normal(0, 18, n)).round(1),
        }
    )


def complement(rng: Rng) -> pd.DataFrame:
    """Hours awake are 24 less hours asleep: a leak, whichever is the target."""
    n = 80
    asleep = rng.normal(9.5, 3.5, n).clip(2, 20).round(1)
    body = np.exp(rng.normal(2, 2, n) - 0.3 * (asleep - 9.5)).round(3)
    return pd.DataFrame(
        {
            "sleep_total": asleep,
            "awake": (24 - asleep).round(1),
            "bodywt": body,
            "diet": rng.choice(["carni", "herbi", "omni"], n),
        }
    )


def filled_for_one_class(rng: Rng) -> pd.DataFrame:
    """The reason for leaving is known of those who left, and of nobody else."""
    n = 220
    left = rng.random(n) < 0.35
    reason = rng.choice(["price", "moved", "service"], n)
    return pd.DataFrame(
        {
            "months": rng.poisson(18, n),
            "fee": rng.normal(30, 6, n).round(1),
            "reason": np.where(left, reason, None),
            "left": np.where(left, "yes", "no"),
        }
    )


def rare_class(rng: Rng) -> pd.DataFrame:
    """6 of 363 fail, and all six are told by the vibration: the ROC AUC is 1."""
    n = 363
    failed = np.zeros(n, bool)
    failed[rng.choice(n, 6, replace=False)] = True
    return pd.DataFrame(
        {
            "temperature": rng.normal(60, 5, n).round(1),
            "load": rng.random(n).round(3),
            "vibration": np.where(failed, rng.normal(9, 0.5, n), rng.normal(2, 0.6, n)).round(2),
            "failure": np.where(failed, "failed", "fine"),
        }
    )


def noise(rng: Rng) -> pd.DataFrame:
    """Nothing has to do with anything."""
    n = 160
    table = pd.DataFrame(rng.normal(size=(n, 5)).round(3), columns=list("abcde"))
    table["group"] = rng.choice(["left", "right"], n)
    return table


def exclusive_or(rng: Rng) -> pd.DataFrame:
    """The class is the product of two signs: no column alone tells anything, both tell all but 5 %."""
    n = 320
    u, v = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    right = (u * v > 0) ^ (rng.random(n) < 0.05)
    return pd.DataFrame(
        {"u": u.round(3), "v": v.round(3), "w": rng.normal(size=n).round(3), "side": np.where(right, "same", "other")}
    )


def many_classes(rng: Rng) -> pd.DataFrame:
    """24 classes of 12 rows, each around a place of its own."""
    places = rng.uniform(-10, 10, (24, 3))
    code = np.repeat(np.arange(24), 12)
    table = pd.DataFrame((places[code] + rng.normal(0, 0.8, (288, 3))).round(2), columns=["x", "y", "z"])
    table["station"] = [f"station {chr(65 + k)}" for k in code]
    return table.sample(frac=1, random_state=2)


def counts(rng: Rng) -> pd.DataFrame:
    """Claims are Poisson with a rate of e^(−1 + 0.8 risk), whole numbers up to seven or so."""
    n = 300
    risk = rng.normal(size=n)
    return pd.DataFrame(
        {
            "risk": risk.round(3),
            "age": rng.integers(18, 80, n),
            "region": rng.choice(list("NSEW"), n),
            "claims": rng.poisson(np.exp(0.6 + 0.8 * risk)),
        }
    )


def loans(rng: Rng) -> pd.DataFrame:
    """A logistic law with a best possible ROC AUC of about 0.75; yes and no as true and false."""
    n = 400
    income, debt = rng.gamma(4, 12, n), rng.beta(2, 4, n)
    chance = 1 / (1 + np.exp(-(-1.2 - 0.03 * (income - 48) + 4 * (debt - 0.33))))
    return pd.DataFrame(
        {
            "income": income.round(1),
            "debt_ratio": debt.round(3),
            "owns_home": rng.random(n) < 0.5,
            "purpose": rng.choice(["car", "home", "study"], n),
            "default": rng.random(n) < chance,
        }
    )


def heavy_tails(rng: Rng) -> pd.DataFrame:
    """Cauchy noise: the mean is worthless, the median is not."""
    n = 200
    x = rng.uniform(0, 10, n)
    return pd.DataFrame({"x": x.round(3), "y": (2 * x + rng.standard_cauchy(n)).round(3)})


def clusters(rng: Rng) -> pd.DataFrame:
    """Three clear groups in four columns of different units."""
    code = np.repeat([0, 1, 2], [60, 70, 50])
    centres = np.array([[0, 0, 0, 0], [6, 6, 0, 3], [0, 6, 6, -3]])
    rows = (centres[code] + rng.normal(size=(180, 4))) * (1, 100, 0.01, 5) + (0, 5000, 1, 20)
    return pd.DataFrame(rows, columns=["width", "weight", "ratio", "angle"]).round(4).sample(frac=1, random_state=3)


def years(rng: Rng) -> pd.DataFrame:
    """Cars by model year, 1998 to 2012; the value falls with age."""
    n = 180
    year = rng.integers(1998, 2013, n)
    return pd.DataFrame(
        {
            "year": year,
            "miles": ((2014 - year) * rng.normal(9000, 1500, n)).round().astype(int),
            "gearbox": rng.choice(["manual", "automatic"], n),
            "price": (900 * (year - 1995) + rng.normal(0, 900, n)).round().astype(int),
        }
    )


def ordered_levels(rng: Rng) -> pd.DataFrame:
    """Small, medium, large: the price rises by 10 with each."""
    n = 150
    size = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "size": np.array(["small", "medium", "large"])[size],
            "colour": rng.choice(["red", "blue"], n),
            "price": (20 + 10 * size + rng.normal(0, 3, n)).round(2),
        }
    )


def few_possible_rows(rng: Rng) -> pd.DataFrame:
    """Three columns of two and three categories: equal rows are no copies here."""
    n = 200
    odor, ring = rng.choice(["none", "foul"], n), rng.choice(["one", "two"], n)
    bad = (odor == "foul") ^ (rng.random(n) < 0.1)
    return pd.DataFrame(
        {
            "odor": odor,
            "ring": ring,
            "habitat": rng.choice(["wood", "field", "path"], n),
            "edible": np.where(bad, "no", "yes"),
        }
    )


def copies(rng: Rng) -> pd.DataFrame:
    """120 rows of measurements and 40 of them again."""
    table = pd.DataFrame(rng.normal(size=(120, 4)).round(4), columns=["a", "b", "c", "y"])
    return pd.concat([table, table.sample(40, random_state=4)], ignore_index=True)


MAKERS: tuple[Callable[[Rng], pd.DataFrame], ...] = (
    passengers,
    penguins,
    diamonds,
    genes,
    prices,
    survey,
    shuffled_ids,
    complement,
    filled_for_one_class,
    rare_class,
    noise,
    exclusive_or,
    many_classes,
    counts,
    loans,
    heavy_tails,
    clusters,
    years,
    ordered_levels,
    few_possible_rows,
    copies,
)


def main() -> None:
    """Write every table."""
    for seed, maker in enumerate(MAKERS):
        table = maker(np.random.default_rng(seed))
        table.to_csv(TABLES / f"{maker.__name__}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
