"""What bits buy

More codewords give a better picture at a higher rate, for each block size. At any rate up to 2 bits per pixel blocks
are better than single pixels, although the codebook is counted: at 1 bit by more than 2 dB.

Row: B10
"""

from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("china.jpg")[60:300, 180:480].mean(axis=2).astype("uint8")
found = sf.rate_distortion(image, (2, 4, 8, 16, 64, 256), (1, 2, 3), random_state=0, max_iter=15)

single = [row.psnr for row in found if row.block == (1, 1)]
assert single == sorted(single)
at_one_bit = {row.block: row.psnr for row in found if 0.9 < row.bits_per_pixel <= 1.0}
assert at_one_bit[2, 2] > at_one_bit[1, 1] + 2
figure = found.plot().figure_
