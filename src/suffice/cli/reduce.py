"""`suffice reduce DATA`: few columns in place of many."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ._keeping import KEEP, kept_names
from ._outputs import writes_a_table
from ._scaling import SCALE, behind
from ._tables import Reading, reads_a_table, write_columns

_SAID = {
    "stress_1_": "stress-1",
    "explained_share_": "share of the eigenvalues",
    "reconstruction_error_": "reconstruction error",
    "kl_divergence_": "divergence",
    "cross_entropy_": "cross-entropy",
}


@click.command("reduce")
@reads_a_table
@click.option("-k", "--components", default=2, show_default=True, type=click.IntRange(min=1), help="How many columns.")
@click.option(
    "--to",
    "name",
    default="PCA",
    show_default=True,
    help="PCA, or a map, such as MDS, Isomap, TSNE or UMAP; see models.",
)
@click.option("--metric", default=None, help="The distance of a map, such as gower for columns of all kinds.")
@click.option("--neighbors", default=None, type=click.IntRange(min=1), help="How many neighbours, for maps of graphs.")
@SCALE
@KEEP
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@writes_a_table
def command(components: int, name: str, metric: str | None, neighbors: int | None, scale: bool | None,
            keep: str | None, seed: int, output: str | None, **options: Any) -> None:  # fmt: skip
    """Put few columns in place of many: principal components, or the places of the rows on a map.

    DATA is a CSV or Parquet file of any size, a bundled table, or - for standard input.
    """
    model = _model(name, {"n_components": components, "metric": metric, "n_neighbors": neighbors}, seed)
    with ExitStack() as stack:
        table = Reading(stack, **options)
        source, described = table.for_model(model)
        kept = table.columns(kept_names(keep, described, ()) if keep else [])
        whole = behind(model, described, source.schema.names, scale).fit(source)
        reduced = whole.transform(source)
    click.echo(_said(model), err=True)
    write_columns(kept | {column: reduced[:, j] for j, column in enumerate(model.get_feature_names_out())}, output)


def _model(name: str, given: dict[str, Any], seed: int) -> Any:
    """The model of a name, with the options that it has; one that it has not is refused."""
    from ..errors import InvalidParameter
    from ..models.registry import estimator_named
    from ._models import made

    cls = estimator_named(name, "transformer")
    known = cls.__dataclass_fields__
    chosen = {key: value for key, value in given.items() if value is not None}
    missing = [key for key in chosen if key not in known]
    if missing:
        word = {"n_components": "--components", "metric": "--metric", "n_neighbors": "--neighbors"}[missing[0]]
        raise InvalidParameter(f"suffice reduce: {cls.__name__} has no {missing[0]}, which {word} would set.")
    return made(cls, chosen, seed)


def _said(model: Any) -> str:
    """How much of the rows the columns show."""
    shares = getattr(model, "explained_variance_ratio_", None)
    if shares is not None:
        return "share of the variance: " + ", ".join(f"{share:.1%}" for share in shares)
    figures = [f"{words} {getattr(model, key):.3g}" for key, words in _SAID.items() if hasattr(model, key)]
    return ", ".join([type(model).__name__, *figures])
