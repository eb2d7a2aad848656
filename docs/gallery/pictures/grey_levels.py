"""A few grey levels

One pixel is one observation: K centres of its 8 bits. N pixels then take N log₂ K + 8 K bits. For 64,000 pixels and K
= 4 these are 128,032 bits, a quarter of 512,000.

Corrected: the course prints 513k bits for the original; 64k pixels of 8 bits are 512k.

Row: B10
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("flower.jpg")[100:300, 200:520].mean(axis=2).astype("uint8")
assert image.size == 64_000

figure, panels = plt.subplots(1, 3, figsize=(9.6, 2.4), layout="constrained")
panels[0].imshow(image, cmap="gray", vmin=0, vmax=255)
panels[0].set_title("original: 512,000 bits")
bits = {}
for ax, k in zip(panels[1:], (2, 4), strict=True):
    found = sf.compress_image(image, k, random_state=0)
    bits[k] = found.total_bits
    ax.imshow(found.image, cmap="gray", vmin=0, vmax=255)
    ax.set_title(f"K = {k}: {bits[k]:,} bits")
for ax in panels:
    ax.axis("off")

assert bits == {2: 64_016, 4: 128_032}
