"""Vector quantization: known figures, lossless cases, every kind of picture."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MissingExtra
from suffice.models.pictures.compression import compress_image, rate_distortion
from suffice.models.pictures.images import read_image, save_image
from suffice.models.pictures.vector_quantizer import VectorQuantizer

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def photo(rng):
    """A smooth grey picture with noise, (96, 90)."""
    y, x = np.mgrid[0:96, 0:90]
    smooth = 120 + 60 * np.sin(x / 9) + 50 * np.cos(y / 13)
    return np.clip(smooth + rng.normal(0, 8, smooth.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("codes", "bits"), [(1024, 1.11), (128, 0.78), (16, 0.44)])
def test_bits_per_pixel_of_3_by_3_blocks(rng, codes, bits):
    image = rng.integers(0, 256, (99, 99)).astype(np.uint8)  # 1089 blocks, all different
    quantizer = VectorQuantizer(codes, block=3, max_iter=1, random_state=0).fit(image)
    assert len(quantizer.codebook_) == codes
    assert quantizer.bits_per_pixel() == pytest.approx(bits, abs=0.005)
    assert quantizer.bits_per_pixel((300, 300)) == pytest.approx(bits, abs=0.005)
    with_codebook = quantizer.bits_per_pixel(with_codebook=True)
    assert with_codebook == pytest.approx(quantizer.bits_per_pixel() + codes * 9 * 8 / image.size)


def test_64k_pixels_in_4_grey_levels(photo):
    image = np.tile(photo, (3, 3))[:256, :256]
    found = compress_image(image, 4, random_state=0)
    assert found.original_bits == 64 * 1024 * 8
    assert found.total_bits == 128 * 1024 + 4 * 8
    assert found.ratio == pytest.approx(4, rel=1e-3)
    assert len(np.unique(found.image)) == 4


def test_the_figures_agree_with_each_other(photo):
    found = compress_image(photo, 16, 2, random_state=0)
    mse = np.mean((photo.astype(float) - found.image) ** 2)
    assert found.mse == pytest.approx(mse)
    assert found.psnr == pytest.approx(10 * np.log10(255**2 / mse))
    quantizer = VectorQuantizer(16, block=2, random_state=0).fit(photo)
    assert quantizer.psnr(photo) == pytest.approx(found.psnr)
    codes = quantizer.encode(photo)
    assert codes.shape == (48, 45)
    blocks = photo.reshape(48, 2, 45, 2).swapaxes(1, 2).reshape(-1, 4).astype(float)
    assert quantizer.inertia_ == pytest.approx(np.sum((blocks - quantizer.codebook_[codes.ravel()]) ** 2))
    nearest = ((blocks[:, None] - quantizer.codebook_) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(codes.ravel(), nearest)


def test_equal_blocks_as_weights_give_the_k_means_of_all_blocks(photo):
    quantizer = VectorQuantizer(4, n_init=20, random_state=0).fit(photo)
    from sklearn.cluster import KMeans

    theirs = KMeans(4, n_init=20, random_state=0).fit(photo.reshape(-1, 1).astype(float))
    assert quantizer.inertia_ == pytest.approx(theirs.inertia_, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
@pytest.mark.parametrize("channels", [(), (1,), (3,), (4,)])
@pytest.mark.parametrize("block", [1, 3, (2, 5)])
def test_shape_and_type_come_back(rng, dtype, channels, block):
    image = rng.integers(0, 200, (11, 13, *channels)).astype(dtype)
    found = compress_image(image, 8, block, random_state=0)
    assert found.image.shape == image.shape
    assert found.image.dtype == image.dtype
    assert found.codebook.shape[0] == 8
    lossless = compress_image(image, 10_000, block)
    assert_array_equal(lossless.image, image)
    assert lossless.mse == 0
    assert lossless.psnr == np.inf
    assert len(lossless.codebook) <= 11 * 13


def test_another_picture_and_codes_of_another_size(photo):
    quantizer = VectorQuantizer(32, block=4, random_state=0).fit(photo)
    other = photo[:50, :33]
    codes = quantizer.encode(other)
    assert codes.shape == (13, 9)
    assert quantizer.decode(codes).shape == (52, 36)
    assert_array_equal(quantizer.decode(codes, other.shape), quantizer.decode(codes)[:50, :33])
    with pytest.raises(InvalidData, match="no picture of shape"):
        quantizer.decode(codes, (10, 10))
    for bad in (codes + 99, codes - 99, codes.astype(float), codes[0]):
        with pytest.raises(InvalidData, match="integers from 0 to 31"):
            quantizer.decode(bad)


def test_a_single_pixel_and_a_picture_of_one_colour():
    pixel = compress_image(np.array([[7]], dtype=np.uint8), 64)
    assert (pixel.image.tolist(), pixel.total_bits, pixel.bits_per_pixel) == ([[7]], 8, 0)
    plain = compress_image(np.full((10, 10, 3), 200, np.uint8), 64, 3)
    assert len(plain.codebook) == 1
    assert plain.mse == 0


def test_the_same_seed_gives_the_same_codes(photo):
    quantizer = VectorQuantizer(16, block=3, random_state=3)
    assert_array_equal(quantizer.fit(photo).codebook_, clone(quantizer).fit(photo).codebook_)
    assert quantizer.get_params()["block"] == 3


def test_rate_distortion(photo):
    table = rate_distortion(photo, (8, 2, 4), (1, 2), random_state=0)
    assert [(row.block, row.codes) for row in table] == [((b, b), k) for b in (1, 2) for k in (2, 4, 8)]
    for block in ((1, 1), (2, 2)):
        assert np.all(np.diff([row.psnr for row in table if row.block == block]) > 0)
    assert table[1].bits_per_pixel == 2
    assert str(table).splitlines()[0].split()[:2] == ["block", "codes"]
    assert len(str(table).splitlines()) == 7
    assert table.to_dicts()[0]["block"] == (1, 1)
    steps = np.repeat(np.arange(4, dtype=np.uint8), 4).reshape(4, 4)
    assert [row.codes for row in rate_distortion(steps, (2, 4, 8, 16), (1,))] == [2, 4]


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros(5, np.uint8), "shape"),
        (np.zeros((0, 5), np.uint8), "none of them 0"),
        (np.zeros((2, 2, 2, 2), np.uint8), "shape"),
        (np.zeros((2, 2), int), "int64"),
        (np.zeros((2, 2), bool), "bool"),
        (np.array([["a"]]), "uint8, uint16 or floats"),
        (np.array([[0.0, np.nan]]), r"pixel \(0, 1\) holds nan"),
    ],
)
def test_what_is_no_picture_is_refused(image, words):
    with pytest.raises(InvalidData, match=words):
        compress_image(image)


def test_parameters_are_checked(photo):
    for bad in ({"n_codes": 0}, {"block": 0}, {"block": (1, 2, 3)}, {"block": (0, 1)}, {"block": "3"}, {"tol": -1}):
        with pytest.raises(InvalidParameter, match=f"VectorQuantizer: {next(iter(bad))} must be"):
            VectorQuantizer(**bad).fit(photo)
    with pytest.raises(NotFittedError):
        VectorQuantizer().encode(photo)
    with pytest.raises(InvalidData, match="channels must be those of the fit"):
        VectorQuantizer(2).fit(photo).encode(np.stack([photo] * 3, axis=2))
    with pytest.raises(InvalidParameter, match="at least 1 value"):
        rate_distortion(photo, ())


PICTURES = {
    "grey.png": lambda rng: Image.fromarray(rng.integers(0, 256, (6, 7), dtype=np.uint8)),
    "colour.png": lambda rng: Image.fromarray(rng.integers(0, 256, (6, 7, 3), dtype=np.uint8)),
    "alpha.png": lambda rng: Image.fromarray(rng.integers(0, 256, (6, 7, 4), dtype=np.uint8)),
    "grey_alpha.png": lambda rng: Image.fromarray(rng.integers(0, 256, (6, 7, 2), dtype=np.uint8)),
    "deep.png": lambda rng: Image.fromarray(rng.integers(0, 65_536, (6, 7), dtype=np.uint16)),
    "float.tiff": lambda rng: Image.fromarray(rng.random((6, 7), dtype=np.float32)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_files_come_back_as_they_were(name, rng, tmp_path):
    picture = PICTURES[name](rng)
    picture.save(tmp_path / name)
    pixels = read_image(tmp_path / name)
    assert_array_equal(pixels, np.asarray(picture))
    found = compress_image(tmp_path / name, 1000)
    assert found.mse == 0
    save_image(found.image, tmp_path / f"again_{name}")
    assert_array_equal(read_image(tmp_path / f"again_{name}"), pixels)


def test_palettes_and_other_modes_become_colours(rng, tmp_path):
    colours = Image.fromarray(rng.integers(0, 256, (6, 7, 3), dtype=np.uint8))
    colours.quantize(8).save(tmp_path / "palette.png")
    assert read_image(tmp_path / "palette.png").shape == (6, 7, 3)
    see_through = colours.quantize(8)
    see_through.save(tmp_path / "see_through.png", transparency=0)
    assert read_image(tmp_path / "see_through.png").shape == (6, 7, 4)
    colours.convert("1").save(tmp_path / "black.png")
    assert set(np.unique(read_image(tmp_path / "black.png"))) <= {0, 255}
    colours.convert("CMYK").save(tmp_path / "print.jpg")
    assert read_image(tmp_path / "print.jpg").shape == (6, 7, 3)


def test_bad_files_are_one_sentence(tmp_path, rng):
    (tmp_path / "text.png").write_text("no picture")
    good = tmp_path / "good.png"
    Image.fromarray(rng.integers(0, 256, (60, 70, 3), dtype=np.uint8)).save(good)
    (tmp_path / "cut.png").write_bytes(good.read_bytes()[:3000])
    for name, words in {"text.png": "not a picture", "none.png": "no file", "cut.png": "cannot be read"}.items():
        with pytest.raises(InvalidData, match=words):
            compress_image(tmp_path / name)
    with pytest.raises(InvalidData, match="folder"):
        compress_image(tmp_path)
    for name in ("out.xyz", "out.jpg", "missing/out.png"):
        with pytest.raises(InvalidData, match="cannot be written"):
            save_image(np.zeros((2, 2, 4), np.uint8), tmp_path / name)


def test_without_pillow(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(MissingExtra, match=r"suffice\[images\]"):
        compress_image(tmp_path / "photo.png")


def test_psnr_of_floats_has_a_peak():
    image = np.linspace(0, 1, 100).reshape(10, 10)
    quantizer = VectorQuantizer(4, random_state=0).fit(image)
    assert_allclose(quantizer.psnr(image, peak=2) - quantizer.psnr(image), 20 * np.log10(2))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
@pytest.mark.parametrize("block", [2, (2, 3)])
def test_a_file_keeps_the_codes(rng, tmp_path, dtype, block):
    image = rng.integers(0, 256, (12, 18, 3)).astype(dtype)
    model = sf.VectorQuantizer(5, block=block, random_state=0).fit(image)
    sf.save(model, tmp_path / "codes.sff")
    again = sf.load(tmp_path / "codes.sff")
    codes = model.encode(image)
    np.testing.assert_array_equal(again.encode(image), codes)
    np.testing.assert_array_equal(again.decode(codes), model.decode(codes))
    assert again.decode(codes).dtype == dtype


def test_shapes_peaks_and_blocks_that_make_no_sense(rng):
    image = rng.integers(0, 256, (8, 9), dtype=np.uint8)
    model = VectorQuantizer(3, block=2, random_state=0).fit(image)
    for shape in ("a", (8,), (8.5, 9), (-1, 9)):
        for ask in (model.bits, model.bits_per_pixel, lambda shape: model.decode(model.encode(image), shape)):
            with pytest.raises(InvalidParameter, match="shape must be that of a picture"):
                ask(shape)
    for peak in (0, -1, "a", np.nan, 10**400):
        with pytest.raises(InvalidParameter, match="peak must be a number, above 0"):
            model.psnr(image, peak)
    for block in (10**9, (2, 10**9)):
        with pytest.raises(InvalidParameter, match="block must be an integer, at least 1, at most 4096"):
            VectorQuantizer(3, block=block).fit(image)
    with pytest.raises(InvalidData, match="rows of one length"):
        VectorQuantizer(3).fit([[1, 2], [3]])
