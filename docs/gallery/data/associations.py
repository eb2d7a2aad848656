"""Which columns go together

The strength of association between columns of any kind: correlation between numbers, and what a category explains of
a number. The five lengths of the crabs nearly determine each other; species and sex depend on no single one of them.

Row: A1
"""

import suffice as sf
from suffice.report import associations, read_rows

shown = sf.plots.AssociationDisplay.from_associations(associations(read_rows("crabs")))

assert shown.strength.max() > 0.98  # two lengths of the carapace
figure = shown.figure_
