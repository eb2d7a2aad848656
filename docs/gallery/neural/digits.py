"""What the filters of a small convolutional net see

Scikit-learn's digits, 8 × 8 cells: eight filters of 3 × 3, the maximum of each 2 × 2, and a dense layer. Above are the
filters, below what each of them gives for one digit: strokes and edges of one direction show.

Row: J3
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

import suffice as sf
from suffice.layers import Convolution, Flatten, Pooling

digits = load_digits()
images, y = digits.images.astype(np.float32), digits.target
layers = [Convolution(8, 3, padding=1), Pooling(2), Flatten()]
net = sf.NeuralClassifier(layers, learning_rate=0.01, batch_size=64, max_iter=12, random_state=0)
score = net.fit(images[:1200], y[:1200]).score(images[1200:], y[1200:])

filters, bias = net.parameters_["1.weight"][:, 0], net.parameters_["1.bias"]  # (8, 3, 3)
shown = np.pad((images[3] - images.mean()) / images.std(), 1)
windows = np.lib.stride_tricks.sliding_window_view(shown, (3, 3))  # (8, 8, 3, 3)
maps = np.maximum(np.einsum("ijab,kab->kij", windows, filters) + bias[:, None, None], 0)
figure, panels = plt.subplots(2, 9, figsize=(10, 2.8), layout="constrained")
most = np.abs(filters).max()
for column, (weight, given) in enumerate(zip(filters, maps, strict=True), 1):
    panels[0, column].imshow(weight, cmap="RdBu_r", vmin=-most, vmax=most)
    panels[1, column].imshow(given, cmap="gray_r", vmin=0)
panels[1, 0].imshow(images[3], cmap="gray_r")
panels[1, 0].set_title("a digit", fontsize="medium")
panels[0, 4].set_title("filters: red adds, blue subtracts", fontsize="medium")
panels[1, 4].set_title("what each of them gives for it", fontsize="medium")
for ax in panels.flat:
    ax.set_axis_off()
figure.suptitle(f"accuracy on digits that it has not seen: {score:.3f}")

assert score > 0.9
