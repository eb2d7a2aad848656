"""A picture cut into segments

Pixels are rows of three colours and two places; k-means groups those that are alike and near. Left the photograph, in
the middle each pixel in the mean colour of its segment, right the segments when the place counts more.

Row: B16
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_image

import suffice as sf

image = load_sample_image("flower.jpg")[:400:2, 100:600:2]
figure, panels = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
panels[0].imshow(image)
panels[0].set_title("photograph")
for ax, position in zip(panels[1:], (0.2, 1.5), strict=True):
    found = sf.segment_image(image, 5, position=position, random_state=0)
    ax.imshow(found.image)
    ax.set_title(f"5 segments, weight of the place {position}")
    assert found.n_segments == 5
    assert abs(found.features()["share"].sum() - 1) < 1e-9
for ax in panels:
    ax.axis("off")
