"""Three block sizes

The same picture in grey with codes for single pixels, for blocks of 2 × 2 and of 3 × 3. With 4, 256 and 1024 codes
they take 2, 2 and 1.11 bits per pixel. Neighbouring pixels are alike, so larger blocks lose less at the same rate or
a lower one; the price is a larger codebook.

Row: B10
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("china.jpg")[60:264, 180:444].mean(axis=2).astype("uint8")
settings = {1: 4, 2: 256, 3: 1024}
found = {block: sf.compress_image(image, k, block=block, random_state=0, max_iter=20) for block, k in settings.items()}

assert [round(each.bits_per_pixel, 2) for each in found.values()] == [2, 2, 1.11]
assert found[1].psnr < found[2].psnr

figure, panels = plt.subplots(2, 2, figsize=(8, 6.6), layout="constrained")
panels[0, 0].imshow(image, cmap="gray", vmin=0, vmax=255)
panels[0, 0].set_title("original: 8 bits per pixel")
for ax, (block, each) in zip(panels.flat[1:], found.items(), strict=True):
    ax.imshow(each.image, cmap="gray", vmin=0, vmax=255)
    words = f"{block} × {block}, {settings[block]} codes: {each.bits_per_pixel:.2f} bits, PSNR {each.psnr:.1f} dB"
    ax.set_title(words)
for ax in panels.flat:
    ax.axis("off")
