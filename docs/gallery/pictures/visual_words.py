"""A bag of visual words

Patches of two pictures are clustered together; each cluster is a visual word. A picture becomes the histogram of its
words, and strips of the same picture have similar histograms: the nearest other strip is always of the same picture.

Row: B16
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_images

import suffice as sf

pictures = [image[:400:2, :640:2].mean(axis=2) for image in load_sample_images().images]
strips = [strip for image in pictures for strip in np.split(image, 4, axis=1)]
source = np.repeat(["temple", "flower"], 4)
words = sf.VisualWords(12, patch=8, random_state=0).fit(strips)
bags = np.asarray(words.transform(strips))  # (8, 12)
bags = bags / bags.sum(axis=1, keepdims=True)

apart = sf.distances.Euclidean().pairwise(bags, bags) + np.diag([np.inf] * 8)
assert (source[apart.argmin(axis=1)] == source).all()

figure, panels = plt.subplots(2, 4, figsize=(9, 3.6), sharey=True, sharex=True, layout="constrained")
for ax, bag, name in zip(panels.flat, bags, source, strict=True):
    ax.bar(range(12), bag, color="#0072B2" if name == "temple" else "#D55E00")
    ax.set_title(f"a strip of the {name}")
figure.supxlabel("visual word", fontsize=9)
