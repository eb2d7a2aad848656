"""`suffice compress`: a picture with few codes, and what that costs."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack

import click

from ._json import echo_json
from ._outputs import writes_a_file


def _size(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    """Rows and columns of a block, from one number or two as in 2x3."""
    found = re.fullmatch(r"(\d{1,6})(?:[x×](\d{1,6}))?", value)
    size = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if 0 in size:
        raise click.BadParameter(f"{value!r} is no size of a block; give one as in 3, or rows and columns as in 2x3.")
    return size


@click.command("compress")
@click.argument("picture")
@click.option("-k", "--codes", default=64, show_default=True, type=click.IntRange(min=1), help="How many codes.")
@click.option(
    "--block",
    default="1",
    show_default=True,
    metavar="N|NxM",
    callback=_size,
    help="Pixels that share a code, as 3 or 2x3.",
)
@writes_a_file("Where to write the picture; without it only the figures are shown.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the random numbers.")
@click.option("--json", "as_json", is_flag=True, help="Write the figures as JSON.")
@click.option("--progress/--no-progress", default=True, help="A progress bar, where stderr is a terminal.")
def command(
    picture: str, codes: int, block: tuple[int, int], output: str | None, seed: int, as_json: bool, progress: bool
) -> None:
    """Compress a picture: each block becomes the nearest of a few codes.

    PICTURE is a file such as photo.png. The figures are for the codes and the codebook, stored plainly.
    """
    from ..models.pictures.compression import compress_image
    from ..models.pictures.images import save_image

    with ExitStack() as stack:
        if progress and sys.stderr.isatty():
            from ..engine import progress as bar

            stack.enter_context(bar())
        found = compress_image(picture, codes, block, random_state=seed)
    if output is not None:
        save_image(found.image, output)
    if as_json:
        echo_json({"picture": picture, "output": output, **found.figures()})
    else:
        click.echo(str(found) + (f"\nwritten to      {output}" if output else ""))
