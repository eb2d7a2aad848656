"""Who wins a tie

A new row at 0.4 with one neighbour of each class, so k = 2 ties. The rules of the course: the nearest decides, or the
class with the higher prior, or the flip of a coin, the same for the same row and seed. An odd k avoids ties of two
classes.

Row: F1
"""

import suffice as sf

rows, classes = [[0.0], [1.0], [10.0], [11.0]], ["b", "a", "a", "a"]
wanted = [[0.4]]
found = {}
for rule in ("nearest", "prior", "random"):
    model = sf.KNeighborsClassifier(2, ties=rule).fit(rows, classes)
    found[rule] = str(model.predict(wanted)[0])
odd = str(sf.KNeighborsClassifier(3).fit(rows, classes).predict(wanted)[0])

assert found["nearest"] == "b"  # at 0.4 from the row at 0
assert found["prior"] == "a"  # three of four rows
assert odd == "a"
lines = ["x        0.0  0.4  1.0  10.0  11.0", "class      b    ?    a     a     a", ""]
lines += [f"k = 2, {rule + ' decides':<16}: {winner}" for rule, winner in found.items()]
table = "\n".join([*lines, f"{'k = 3, no tie':<23}: {odd}"])
