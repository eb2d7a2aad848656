"""Digits that a variational autoencoder draws

Scikit-learn's digits as shares of ink, 8 × 8 cells. Above, the means of what the decoder makes of codes drawn from a
Gaussian; in the middle, the way from a 0 to a 6 between their codes; below, some real digits and what is left of them
after 8 numbers. With `beta` below 1 a code may say more about its digit than the bound of the likelihood would allow.

Row: J4
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf
from suffice.layers import Dense

digits = load_digits()
X = digits.data / 16
vae = sf.VariationalAutoencoder(
    [Dense(128), Dense(64)], n_components=8, reconstruction="bernoulli", beta=0.3, standardize=False,
    learning_rate=4e-3, schedule="cosine", batch_size=100, max_iter=120, random_state=0,
).fit(X)  # fmt: skip

zero, six = (X[digits.target == k][:1] for k in (0, 6))
rows = [vae.sample(12, noise=False), vae.interpolate(zero, six, steps=12), X[:12], vae.reconstruct(X[:12])]
figure, panels = plt.subplots(4, 12, figsize=(9, 3.3), layout="constrained")
for line, pictures in zip(panels, rows, strict=True):
    for ax, picture in zip(line, pictures, strict=True):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[], frame_on=False)
for ax, name in zip(panels[:, 0], ("drawn", "0 to 6", "real", "rebuilt"), strict=True):
    ax.set_ylabel(name, rotation=0, ha="right", va="center")
last = vae.history_.iterations[-1].metrics
figure.suptitle(f"−E log p(x | z) = {last['reconstruction']:.1f}, KL = {last['kl']:.1f}")

assert last["kl"] > 3
assert vae.history_.objective[-1] < 0.95 * vae.history_.objective[5]
