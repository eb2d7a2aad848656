"""Gradients that vanish, and those that do not

The norm of the gradient of each layer in the first epoch of a net of ten hidden layers. A sigmoid passes back at most
a quarter of it, layer by layer; with ReLU and He's start all layers learn at a like pace.

Row: J2
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.layers import Dense

iris = sf.datasets.load("iris")
kinds = {"sigmoid, Glorot": ("sigmoid", "glorot_uniform"), "tanh, Glorot": ("tanh", "glorot_uniform")}
kinds["ReLU, He"] = ("relu", "he_normal")
layers = np.arange(1, 11)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
norms = {}
for name, (activation, start) in kinds.items():
    net = sf.NeuralClassifier([Dense(16, activation, start)] * 10, max_iter=1, random_state=0)
    history = net.fit(iris.matrix(), iris["species"]).history_
    norms[name] = np.array([history.metric(f"gradient_norm_{k}")[0] for k in layers])
    ax.semilogy(layers, norms[name], marker="o", label=name)
ax.set(xlabel="hidden layer, from the first", ylabel="norm of the gradient of its weights", xticks=layers)
ax.legend()

assert norms["sigmoid, Glorot"][0] < 1e-4 * norms["sigmoid, Glorot"][-1]
assert norms["ReLU, He"][0] > 0.1 * norms["ReLU, He"][-1]
