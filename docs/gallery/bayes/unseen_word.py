"""Naive Bayes and a word that a class has never had

Eight e-mails, which words they have, and whether they are spam. "dollar" never occurs in ham: by maximum likelihood
an e-mail with it cannot be ham, whatever else it says. Adding one to every count (Laplace) lets the other words
count. A word that is missing (unknown) is left out.

Row: D1
"""

import numpy as np

import suffice as sf

words = ("physics", "calculus", "dollar", "prize")
X = np.array(
    [[0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 1]]
)
y = np.repeat(["spam", "ham"], 4)
mails = {
    "physics calculus dollar": [1, 1, 1, 0],
    "physics calculus, dollar unknown": [1, 1, np.nan, 0],
    "dollar prize": [0, 0, 1, 1],
}
found = {}
for alpha in (1e-10, 1.0):
    model = sf.BernoulliNB(alpha=alpha).fit(X, y)
    found[alpha] = model.predict_proba(list(mails.values()))[:, list(model.classes_).index("ham")]

smoothed = (0.5 * (4 / 6) * (4 / 6) * (1 / 6) * (4 / 6)) / (
    0.5 * (4 / 6) * (4 / 6) * (1 / 6) * (4 / 6) + 0.5 * (2 / 6) * (2 / 6) * (4 / 6) * (2 / 6)
)
assert found[1e-10][0] < 1e-6
assert np.isclose(found[1.0][0], smoothed)

rows = [f"{'P(ham | e-mail)':<36}{'α = 0':>8}{'α = 1':>8}"]
rows += [f"{mail:<36}{a:8.3f}{b:8.3f}" for mail, a, b in zip(mails, found[1e-10], found[1.0], strict=True)]
table = "\n".join(rows)
