"""The crabs in numbers

What every column is and holds, from one pass over the rows: kind, missing values, extremes and quartiles.

Row: A1
"""

import suffice as sf

crabs = sf.datasets.load("crabs")
described = sf.describe(crabs.to_frame())

assert crabs.n_rows == 200
table = str(described)
