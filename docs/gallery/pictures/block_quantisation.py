"""Vector quantisation of 3 × 3 blocks

Blocks of nine pixels in colour are replaced by the nearest of K codewords, the centres of k-means. A block takes
⌈log₂ K⌉ bits: 1.11, 0.78 and 0.44 bits per pixel for 1024, 128 and 16 codewords, instead of 24.

Corrected: of its picture of 1,402 kB the course gives the sizes 88, 50 and 27 kB; codes and a codebook of 24 bits per
pixel take 93, 49 and 26 kB.

Row: B10
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("china.jpg")[60:300, 180:480]
figure, panels = plt.subplots(2, 2, figsize=(8, 6.8), layout="constrained")
panels[0, 0].imshow(image)
panels[0, 0].set_title("original: 24 bits per pixel")
rates, kilobytes = [], []
for ax, k in zip(panels.flat[1:], (1024, 128, 16), strict=True):
    found = sf.compress_image(image, k, block=3, random_state=0, max_iter=20)
    rates.append(round(found.bits_per_pixel, 2))
    kilobytes.append(round((1402e3 / 3 * found.bits_per_pixel + 8 * 27 * k) / 8e3))
    ax.imshow(found.image)
    ax.set_title(f"{k} codewords: {found.bits_per_pixel:.2f} bits per pixel, PSNR {found.psnr:.1f} dB")
for ax in panels.flat:
    ax.axis("off")

assert rates == [1.11, 0.78, 0.44]
assert kilobytes == [93, 49, 26]
