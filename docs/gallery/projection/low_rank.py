"""The best approximation of low rank

A photograph is a matrix. Its singular value decomposition with only the r largest values is the matrix of rank r that
is nearest to it; principal components give it, with the mean of the columns apart.

Row: E1
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("china.jpg")[60:300, 180:480].mean(axis=2)
figure, panels = plt.subplots(1, 4, figsize=(10, 2.4), layout="constrained")
errors = []
for ax, rank in zip(panels, (5, 20, 60, None), strict=True):
    model = sf.PCA(rank).fit(image)
    near = model.inverse_transform(model.transform(image))
    errors.append(np.linalg.norm(near - image) / np.linalg.norm(image))
    ax.imshow(near, cmap="gray", vmin=0, vmax=255)
    ax.set_title("all" if rank is None else f"{rank} components: error {errors[-1]:.1%}")
    ax.axis("off")

values = np.linalg.svd(image - image.mean(axis=0), compute_uv=False)
assert np.isclose(errors[1] * np.linalg.norm(image), np.sqrt((values[20:] ** 2).sum()))
assert errors[-1] < 1e-10
