"""What is true of each table of the corpus, from its law or its cells, and so what a page must and must not say."""

from dataclasses import dataclass, field

NOTHING = r"nothing to learn|better than the dummy"
"""How a page says that a target cannot be predicted."""


@dataclass(frozen=True, eq=False)
class Case:
    """One table: its shape, the kinds of its columns, what to say, and how well its target can be predicted."""

    table: str
    shape: tuple[int, int]
    target: str | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    """Of columns whose kind is easily mistaken."""
    says: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    score: tuple[str, float, float] | None = None
    """A measure, and the range in which the best model's must lie by the law of the table."""
    refused: str = ""
    """What the error says where no report can be made."""
    unfit: str = ""
    """What the shell's error says where no model can be fitted to the columns as they are."""
    untold: str = ""
    """What the page says where no models can be compared."""


NO_COPIES = r"cop(y|ies) of an earlier row"
TIME = r"compare by time"
LEAK = r"straight line of the target|only where the target"
INDEX = "'column_1' has no name and differs in every row: it names the rows and is not learned from"

REAL = (
    Case("anes96", (472, 10), "'vote'", says=("'vote'",), score=("accuracy", 0.80, 0.97)),
    Case("co2", (571, 2), kinds={"co2": "numeric"}, says=("16 cells",)),
    Case("elnino", (61, 13), kinds={"JAN": "numeric"}, says=("no cell is missing",)),
    Case("engel", (235, 2), "foodexp", says=("3 rows are copies",), silent=(NOTHING,), score=("r2", 0.6, 0.9)),
    Case("grunfeld", (220, 5), "invest", kinds={"firm": "categorical"}, silent=(NOTHING,), score=("r2", 0.7, 0.99)),
    Case("longley", (16, 8), "TOTEMP", silent=(NOTHING,), score=("r2", 0.85, 1.0)),
    Case("macrodata", (203, 14), "unemp", silent=(NO_COPIES,), score=("r2", 0.5, 1.0)),
    Case("modechoice", (840, 9), "mode", silent=(NOTHING,), score=("accuracy", 0.7, 1.0)),
    Case("nile", (100, 2), "volume", score=("r2", 0.1, 0.5)),
    Case("randhie", (612, 10), "mdvis", score=("r2", -0.1, 0.25)),
    Case("stackloss", (21, 4), "STACKLOSS", silent=(NOTHING,), score=("r2", 0.7, 0.97)),
    Case("statecrime", (51, 8), "murder", kinds={"state": "categorical"}, says=("'state'",), score=("r2", 0.4, 0.95)),
    Case("strikes", (62, 2), "duration", score=("r2", -0.3, 0.3)),
    Case("sunspots", (309, 2), "SUNACTIVITY", silent=(NO_COPIES,)),
)

IMITATIONS = (
    Case("passengers", (300, 8), "survived", {"name": "categorical", "cabin": "categorical", "age": "numeric"},
         says=("'cabin' is missing in 79", "'name'", "298 cells"), silent=(NOTHING,), score=("accuracy", 0.72, 0.87)),
    Case("penguins", (250, 7), "species", {"island": "categorical", "bill_length_mm": "numeric"},
         says=("27 cells",), silent=(NOTHING, NO_COPIES), score=("accuracy", 0.96, 1.0)),
    Case("diamonds", (400, 6), "price", {"clarity": "categorical"}, silent=(NOTHING,), score=("r2", 0.75, 0.99)),
    Case("genes", (36, 141), "status", says=("60 of 141 columns",), silent=(NOTHING,), score=("accuracy", 0.75, 1.0)),
    Case("prices", (350, 4), "close", {"date": "date"}, silent=(NO_COPIES,),
         says=(r"Rows are in the order of 'date', and the target 'close' is much like that of the row before",)),
    Case("survey", (260, 9), "recommend", {"q1": "numeric"}, says=("78 cells",), silent=(NOTHING,),
         score=("accuracy", 0.74, 0.93)),
    Case("shuffled_ids", (240, 4), "spent", silent=(NOTHING, NO_COPIES, TIME), score=("r2", 0.65, 0.88),
         says=("'customer_id' has a different whole number in every row, like an id",)),
    Case("complement", (80, 4), "sleep_total", silent=(NOTHING, NO_COPIES, TIME), score=("r2", 0.98, 1.0),
         says=(r"'awake' is a straight line of the target 'sleep_total' \(r² = 1\)",)),
    Case("filled_for_one_class", (220, 4), "left", says=("'reason' is missing in 64.1", r"'reason[^']*' alone tells",
         "'reason' is filled only where the target 'left' is 'yes'"), silent=(NOTHING, TIME),
         score=("accuracy", 0.98, 1.0)),
    Case("rare_class", (363, 4), "failure", says=("'failed' has 6 rows",), silent=(NO_COPIES, r"\[1, 1\]"),
         score=("accuracy", 0.99, 1.0)),
    Case("noise", (160, 6), "group", says=(NOTHING,), silent=("alone tells", NO_COPIES), score=("accuracy", 0.4, 0.62)),
    Case("exclusive_or", (320, 4), "side", silent=(NOTHING, "alone tells"), score=("accuracy", 0.85, 0.97)),
    Case("many_classes", (288, 4), "station", {"station": "categorical"}, silent=(NOTHING,),
         score=("accuracy", 0.8, 1.0)),
    Case("counts", (300, 4), "claims", silent=(NOTHING,), score=("r2", 0.3, 0.75)),
    Case("loans", (400, 5), "default", {"default": "boolean", "owns_home": "boolean"}, silent=("alone tells",),
         score=("accuracy", 0.68, 0.82)),
    Case("heavy_tails", (200, 2), "y", silent=("alone tells",)),
    Case("clusters", (180, 4), says=(r"k = 3",)),
    Case("years", (180, 4), "price", {"year": "numeric"}, silent=(NOTHING, r"2\.\d+k"), score=("r2", 0.88, 0.97)),
    Case("ordered_levels", (150, 3), "price", {"size": "categorical"}, silent=(NOTHING,), score=("r2", 0.8, 0.95)),
    Case("few_possible_rows", (200, 4), "edible", silent=(NOTHING,), score=("accuracy", 0.84, 0.96)),
    Case("copies", (160, 4), "y", says=("40 rows are copies",)),
)  # fmt: skip

UNTOLD = r"No models were compared|no models were compared"
AWKWARD = (
    Case("empty_columns", (60, 4), "y", says=("120 cells", "'notes' has no values", "'checked' has no values"),
         score=("r2", 0.8, 0.97)),
    Case("constant_target", (60, 3), "passed", says=("'passed' is constant",), untold=UNTOLD),
    Case("missing_target", (60, 3), "result", says=("'result' has no values",), untold=UNTOLD),
    Case("one_row", (1, 3), "c", says=("1 row, 3 columns",), silent=("1 rows",), untold=UNTOLD),
    Case("two_rows", (2, 3), "c", untold=UNTOLD),
    Case("header_only", (0, 3), refused="no rows"),
    Case("one_column", (220, 1), says=("k = 2", "1 column "), silent=("1 columns",)),
    Case("unicode_names", (90, 3), "température", {"Stadt 🏙": "categorical"}, ("北京", "Größe"), (NOTHING,),
         score=("r2", 0.8, 0.96)),
    Case("free_text", (70, 3), "stars", {"comment": "categorical"}, ("'comment'", NOTHING), ("alone tells",),
         score=("accuracy", 0.1, 0.45)),
    Case("long_names", (120, 4),
         kinds={"Which of the following statements describes your own opinion best?": "categorical"}),
    Case("tiny_class", (122, 3), "kind", says=("'odd' has 2 rows",), silent=(NOTHING,), score=("accuracy", 0.95, 1.0)),
    Case("equal_columns", (200, 4), "y", says=("'x_again' is the same as 'x'",), score=("r2", 0.85, 0.97)),
    Case("leading_zeros", (100, 2), "rent", {"post_code": "categorical"}, ("begin with 0 are codes: 'post_code'",),
         (NOTHING,), score=("r2", 0.2, 0.7)),
    Case("byte_order_mark", (60, 2), "y", {"x": "numeric"}, score=("r2", 0.8, 0.97)),
    Case("times", (120, 2), "load", {"when": "date"}, says=(NOTHING,), score=("r2", -0.6, 0.12), unfit="holds dates"),
    Case("gaps_of_many_names", (60, 2), "y", {"x": "numeric"}, says=("5 cells",), score=("r2", 0.7, 0.97)),
    Case("infinities", (60, 2), "y", {"x": "numeric"}, says=("2 infinite",),
         score=("r2", 0.75, 0.97), unfit="infinity"),
    Case("decimal_commas", (60, 2), "y", {"x": "numeric", "y": "numeric"},
         ("Read as numbers written like 1234,5: 'x', 'y'",), (NOTHING, LEAK), score=("r2", 0.8, 0.97)),
    Case("money", (60, 3), "revenue", dict.fromkeys(("revenue", "share", "units"), "numeric"),
         (r"written like \$1,234.5: 'revenue'", "written like 12 %: 'share'", "written like 1,234.5: 'units'"),
         (NOTHING, LEAK), score=("r2", 0.75, 0.97)),
    Case("swiss_francs", (60, 2), "rent", {"price": "numeric", "rent": "numeric"},
         ("written like 1'234.5: 'price'", "written like 1 234.5 €: 'rent'"), (NOTHING,), score=("r2", 0.75, 0.97)),
    Case("days_first", (80, 2), "sales", {"day": "date"}, ("dates written like dd/mm/yyyy: 'day'", NOTHING),
         score=("r2", -0.6, 0.12), unfit="holds dates"),
    Case("days_or_months_first", (60, 3), "y", {"day": "categorical"},
         ("'day' looks like dates such as '[^']*', which can be read in two ways",), score=("r2", 0.7, 0.97)),
    Case("pandas_index", (60, 3), "y", {"column_1": "numeric"}, (INDEX,), (NOTHING, TIME), score=("r2", 0.8, 0.97)),
    Case("r_row_names", (60, 3), "y", {"column_1": "numeric"}, (INDEX,), (NOTHING, TIME), score=("r2", 0.75, 0.97)),
    Case("short_header", (60, 3), "y", {"column_1": "categorical"}, (INDEX,), (NOTHING,), score=("r2", 0.8, 0.97)),
    Case("repeated_headers", (60, 3), "y", says=("2 columns are named 'value'; they are called 'value', 'value.2'",),
         silent=(NOTHING,), score=("r2", 0.7, 0.97)),
    Case("trailing_delimiters", (60, 2), "y", says=("'column_3' has neither a name nor a value", "no cell is missing"),
         score=("r2", 0.8, 0.97)),
    Case("comments", (60, 2), "y", {"x": "numeric"}, ("2 lines above the header left out",), score=("r2", 0.8, 0.97)),
    Case("hash_header", (60, 2), "y", {"x": "numeric"}, ("1 line above the header",), score=("r2", 0.75, 0.97)),
    Case("spreadsheet", (60, 2), "y", {"x": "numeric"}, ("1 line above the header",), score=("r2", 0.8, 0.97)),
    Case("stray_words", (60, 2), "y", {"x": "categorical"},
         ("'x' looks like numbers with 2 other cells among them \\('unknown', 'see note'\\)",), untold=UNTOLD),
    Case("shares_with_words", (60, 2), "y", {"x": "categorical"},
         ("'x' looks like numbers with 1 other cell among them \\('not asked'\\)",)),
    Case("latin_letters", (60, 3), refused="not written in utf-8"),
    Case("seasons", (400, 2), "sales", {"day": "date"}, ("Rows are in the order of 'day'",), (NOTHING,),
         score=("r2", 0.85, 0.98), unfit="holds dates"),
    Case("late_codes", (200, 4), "returned", {"refund": "numeric"},
         ("'refund' is filled only where the target 'returned' is 'yes'", "'order_no' has a different whole number"),
         (TIME,), score=("accuracy", 0.8, 1.0)),
)  # fmt: skip

CASES = (*REAL, *IMITATIONS, *AWKWARD)
