"""Blocks of two by two

Patches of 2 × 2 pixels are rows of four numbers. With 200 codewords the picture is hardly changed at 2 bits per pixel
(8 bits a patch), with two it is a drawing at 1/4 bit per pixel.

Row: B10
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("flower.jpg")[60:320, 180:540].mean(axis=2).astype("uint8")
figure, panels = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
panels[0].imshow(image, cmap="gray", vmin=0, vmax=255)
panels[0].set_title("original: 8 bits per pixel")
rates = []
for ax, k in zip(panels[1:], (200, 2), strict=True):
    found = sf.compress_image(image, k, block=2, random_state=0, max_iter=20)
    rates.append(found.bits_per_pixel)
    ax.imshow(found.image, cmap="gray", vmin=0, vmax=255)
    ax.set_title(f"K = {k}: {found.bits_per_pixel:g} bits per pixel, PSNR {found.psnr:.1f} dB")
for ax in panels:
    ax.axis("off")

assert rates == [2.0, 0.25]
