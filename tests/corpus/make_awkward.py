"""Makes files as people send them, each with one thing that trips readers: `python tests/corpus/make_awkward.py`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

TABLES = Path(__file__).parent / "tables"
Rng = np.random.Generator


def _line(rng: Rng, n: int = 60) -> pd.DataFrame:
    """y = 3 x + noise, so that R² is about 0.9 where x and y are read as numbers."""
    x = rng.uniform(0, 100, n).round(2)
    return pd.DataFrame({"x": x, "y": (3 * x + rng.normal(0, 25, n) + 900).round(2)})


def _text(table: pd.DataFrame, **options: object) -> str:
    return str(table.to_csv(index=False, lineterminator="\n", **options))


def decimal_commas(rng: Rng) -> str:
    """German numbers: decimal commas, and semicolons between cells."""
    return _text(_line(rng), sep=";", decimal=",")


def money(rng: Rng) -> str:
    """$1,234, 12 % and 1,234 as accountants write them."""
    table = _line(rng)
    rows = [f'"${1000 + 40 * y:,.0f}",{x:.0f} %,"{int(1000 + 30 * x):,}"' for x, y in table.to_numpy()]
    return "\n".join(["revenue,share,units", *rows]) + "\n"


def days_first(rng: Rng) -> str:
    """Dates as dd/mm/yyyy, some with a day beyond 12."""
    days = pd.date_range("2020-01-01", periods=80, freq="9D")
    return _text(pd.DataFrame({"day": days.strftime("%d/%m/%Y"), "sales": rng.poisson(40, 80)}))


def pandas_index(rng: Rng) -> str:
    """What `DataFrame.to_csv` writes by default: an unnamed column from 0 on."""
    return str(_line(rng).to_csv(lineterminator="\n"))


def r_row_names(rng: Rng) -> str:
    """What R's `write.csv` writes by default: an unnamed column of quoted names."""
    rows = [f'"{i + 1}",{x},{y}' for i, (x, y) in enumerate(_line(rng).to_numpy())]
    return "\n".join(['"","x","y"', *rows]) + "\n"


def repeated_headers(rng: Rng) -> str:
    """Two columns called value."""
    table = _line(rng)
    table.insert(1, "value", rng.normal(size=60).round(2))
    return _text(table.set_axis(["value", "value", "y"], axis=1))


def empty_columns(rng: Rng) -> str:
    """Two columns without a cell."""
    table = _line(rng)
    table["notes"], table["checked"] = None, None
    return _text(table)


def constant_target(rng: Rng) -> str:
    """Everybody passed."""
    return _text(_line(rng).assign(passed="yes"))


def missing_target(rng: Rng) -> str:
    """A target without a cell."""
    return _text(_line(rng).assign(result=None))


def one_row(rng: Rng) -> str:
    """A single row."""
    return "a,b,c\n1,2.5,x\n"


def two_rows(rng: Rng) -> str:
    """Two rows."""
    return "a,b,c\n1,2.5,x\n2,3.5,y\n"


def header_only(rng: Rng) -> str:
    """No rows at all."""
    return "a,b,c\n"


def one_column(rng: Rng) -> str:
    """One column, of two groups of waiting times."""
    waits = np.concatenate([rng.normal(55, 6, 90), rng.normal(80, 6, 130)])
    return _text(pd.DataFrame({"wait": rng.permutation(waits).round(1)}))


def unicode_names(rng: Rng) -> str:
    """Names of columns and categories in several scripts."""
    n = 90
    city = rng.choice(["Zürich", "København", "北京", "القاهرة", "Łódź"], n)
    hot = pd.Series(city).isin(["北京", "القاهرة"]).to_numpy()
    return _text(pd.DataFrame({"Stadt 🏙": city, "Größe (m²)": rng.normal(80, 20, n).round(1),
                               "température": (15 + 12 * hot + rng.normal(0, 2, n)).round(1)}))  # fmt: skip


def free_text(rng: Rng) -> str:
    """Comments in words of their own, with commas, quotes and line breaks."""
    words = [
        "good",
        "slow",
        "never again",
        'said "fine"',
        "arrived, broken",
        "two\nlines",
        "would buy",
        "ok",
        "loved it",
    ]
    n = 70
    said = [" ".join(rng.choice(words, 4)) + f" {i}" for i in range(n)]
    return _text(pd.DataFrame({"comment": said, "stars": rng.integers(1, 6, n), "length": [len(s) for s in said]}))


def long_names(rng: Rng) -> str:
    """Questions as headers, sentences as categories."""
    n = 120
    asked = [
        f"How often did you, over the last twelve months, {what}?"
        for what in (
            "visit a doctor who is not your family doctor",
            "exercise for more than thirty minutes",
            "sleep badly",
        )
    ]
    table = pd.DataFrame(rng.poisson(4, (n, 3)), columns=asked)
    answers = ["I agree with most of what was said", "I agree with some of what was said", "I do not want to answer"]
    table["Which of the following statements describes your own opinion best?"] = rng.choice(answers, n)
    return _text(table)


def stray_words(rng: Rng) -> str:
    """Two words among 58 numbers."""
    table = _line(rng).astype({"x": object})
    table.loc[[7, 31], "x"] = ["unknown", "see note"]
    return _text(table)


def tiny_class(rng: Rng) -> str:
    """Two classes of 60 rows and one of 2."""
    code = np.repeat([0, 1, 2], [60, 60, 2])
    table = pd.DataFrame((4.0 * code[:, None] + rng.normal(size=(122, 2))).round(2), columns=["p", "q"])
    return _text(table.assign(kind=np.array(["one", "two", "odd"])[code]).sample(frac=1, random_state=5))


def equal_columns(rng: Rng) -> str:
    """The same column twice, and a near-constant one."""
    table = _line(rng, 200)
    flag = np.zeros(200, int)
    flag[17] = 1
    return _text(table.assign(x_again=table["x"], flag=flag))


def leading_zeros(rng: Rng) -> str:
    """Post codes with leading zeros name places; they are not quantities."""
    codes = rng.choice(["01067", "04109", "10115", "20095", "50667"], 100)
    return _text(
        pd.DataFrame({"post_code": codes, "rent": (8 + 2 * (codes == "10115") + rng.normal(0, 1, 100)).round(2)})
    )


def comments(rng: Rng) -> str:
    """Lines that begin with # above the header."""
    return "# exported by the logger\n# units: m, kg\n" + _text(_line(rng))


def byte_order_mark(rng: Rng) -> str:
    """As spreadsheets write UTF-8; with an empty line at the end."""
    return "\ufeff" + _text(_line(rng)) + "\n"


def times(rng: Rng) -> str:
    """Date and time of each event."""
    when = pd.Timestamp("2022-03-01") + pd.to_timedelta(np.sort(rng.uniform(0, 60, 120)), unit="D")
    return _text(pd.DataFrame({"when": when.strftime("%Y-%m-%d %H:%M:%S"), "load": rng.normal(50, 9, 120).round(1)}))


def gaps_of_many_names(rng: Rng) -> str:
    """Missing cells as NA, N/A, null, - and nothing."""
    table = _line(rng).astype(object)
    for i, gap in enumerate(["NA", "N/A", "null", "", "NaN"]):
        table.loc[i * 7, "x"] = gap
    return _text(table)


def infinities(rng: Rng) -> str:
    """Two cells are infinite."""
    table = _line(rng)
    table.loc[[3, 9], "x"] = [np.inf, -np.inf]
    return _text(table)


def trailing_delimiters(rng: Rng) -> str:
    """A delimiter at the end of every row, but not of the header."""
    return "x;y\n" + "".join(f"{x};{y};\n" for x, y in _line(rng).to_numpy())


def short_header(rng: Rng) -> str:
    """What R's `write.table` writes by default: row names without a header, here with tabs."""
    rows = [f'"case {i}"\t{x}\t{y}' for i, (x, y) in enumerate(_line(rng).to_numpy())]
    return "\n".join(['"x"\t"y"', *rows]) + "\n"


def swiss_francs(rng: Rng) -> str:
    """Apostrophes between thousands, a space in French ones, and a sign of money after the number."""
    rows = [f"{1000 + 50 * x:,.2f};{900 + 30 * y:,.0f} €" for x, y in _line(rng).to_numpy()]
    swapped = [row.replace(",", "'", 1 if row.index(",") < row.index(";") else 0) for row in rows]
    return "\n".join(["price;rent", *(row.replace(",", " ") for row in swapped)]) + "\n"


def days_or_months_first(rng: Rng) -> str:
    """Dates that can be read in two ways, as no day is beyond 12."""
    days = [f"{rng.integers(1, 13):02d}/{rng.integers(1, 13):02d}/2021" for _ in range(60)]
    return _text(_line(rng).assign(day=days))


def spreadsheet(rng: Rng) -> str:
    """As spreadsheets write CSV: sep=; above the header, carriage returns, blank lines and a mark at the start."""
    lines = ["sep=;", "x;y", "", *(f"{x};{y}" for x, y in _line(rng).to_numpy()), "", ""]
    return "\ufeff" + "\r\n".join(lines)


def latin_letters(rng: Rng) -> bytes:
    """Not UTF-8."""
    return _text(_line(rng).assign(ville="Orléans")).encode("latin-1")


def hash_header(rng: Rng) -> str:
    """A header that begins with #, as of tables of genes."""
    return "# made by a pipeline\n#x\ty\n" + "".join(f"{x}\t{y}\n" for x, y in _line(rng).to_numpy())


def shares_with_words(rng: Rng) -> str:
    """Percent signs, and one cell that says why there is none."""
    table = _line(rng)
    cells = [f"{x:.1f} %" for x in table["x"]]
    cells[11] = "not asked"
    return _text(table.assign(x=cells))


def seasons(rng: Rng) -> str:
    """Sales with a year's season and a weekly one, in the order of time."""
    days = pd.date_range("2019-01-01", periods=400, freq="3D")
    level = 200 + 60 * np.sin(2 * np.pi * days.day_of_year / 365.25) + 40 * (days.day_of_week >= 5)
    return _text(pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "sales": (level + rng.normal(0, 8, 400)).round(1)}))


def late_codes(rng: Rng) -> str:
    """A class that is known afterwards: the column of the refund is filled for returned orders alone."""
    n = 200
    returned = rng.random(n) < 0.3
    refund = np.where(returned & (rng.random(n) < 0.8), rng.uniform(5, 90, n).round(2), np.nan)
    order = 700_000 + rng.permutation(5 * n)[:n]
    return _text(pd.DataFrame({"order_no": order, "price": rng.uniform(5, 90, n).round(2), "refund": refund,
                               "returned": np.where(returned, "yes", "no")}))  # fmt: skip


MAKERS: tuple[Callable[[Rng], str | bytes], ...] = (
    decimal_commas,
    money,
    days_first,
    pandas_index,
    r_row_names,
    repeated_headers,
    empty_columns,
    constant_target,
    missing_target,
    one_row,
    two_rows,
    header_only,
    one_column,
    unicode_names,
    free_text,
    long_names,
    stray_words,
    tiny_class,
    equal_columns,
    leading_zeros,
    comments,
    byte_order_mark,
    times,
    gaps_of_many_names,
    infinities,
    trailing_delimiters,
    short_header,
    swiss_francs,
    days_or_months_first,
    spreadsheet,
    latin_letters,
    hash_header,
    shares_with_words,
    seasons,
    late_codes,
)


def main() -> None:
    """Write every file."""
    for seed, maker in enumerate(MAKERS):
        made = maker(np.random.default_rng(100 + seed))
        made = made if isinstance(made, bytes) else made.encode("utf-8")
        (TABLES / f"{maker.__name__}.csv").write_bytes(made)


if __name__ == "__main__":
    main()
