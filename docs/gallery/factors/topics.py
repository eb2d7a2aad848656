"""Topics: which words go together

200 texts of about 40 words, drawn from four lists of words: most of a text is of one or two lists, and "bank" and
"season" stand on two. The model sees how often each word is in each text, and nothing else. Latent Dirichlet
allocation finds the lists as topics, which are distributions over words, and how much of each text is of which; the
words on two lists (orange) are in two topics. The perplexity of words set aside in other texts falls from 33 with one
topic to 18 with four.

Row: E6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

LISTS = {
    "sport": "team goal match coach season final league player win score",
    "economy": "bank rate price market growth trade tax cost wage profit",
    "weather": "rain storm wind flood bank season snow heat cloud river",
    "health": "doctor patient hospital vaccine drug nurse disease trial surgery clinic",
}
rng = np.random.default_rng(0)
words = np.unique(" ".join(LISTS.values()).split())
topics = np.array([np.isin(words, text.split()) * rng.gamma(4, 1, len(words)) for text in LISTS.values()])
topics /= topics.sum(axis=1, keepdims=True)
shares = rng.dirichlet(np.full(4, 0.3), 200)
X = rng.poisson(40 * shares @ topics)
model = sf.LatentDirichletAllocation(4, random_state=0).fit(X[:150])
found = model.topic_words(8, words)

like = np.corrcoef(model.transform(X), shares, rowvar=False)[:4, 4:]  # of found and true shares
names = np.array(list(LISTS))[like.argmax(axis=1)]
figure, panels = plt.subplots(1, 4, figsize=(9.4, 2.7), layout="constrained", sharex=True)
for z in np.argsort(names):
    ax, shown = panels[list(np.sort(names)).index(names[z])], found.words[z][::-1]
    colors = ["#D55E00" if word in ("bank", "season") else "#0072B2" for word in shown]
    ax.barh(shown, found.probability[z][::-1], color=colors)
    ax.set(title=f"{names[z]}: {found.share[z]:.0%} of all words", xlabel="probability")

assert len(set(names)) == 4
assert like.max(axis=1).min() > 0.95
assert all(word in LISTS[name] for name, row in zip(names, found.words, strict=True) for word in row)
one, four = (sf.LatentDirichletAllocation(k, random_state=0).fit(X[:150]).perplexity(X[150:]) for k in (1, 4))
assert (round(one), round(four)) == (33, 18)
