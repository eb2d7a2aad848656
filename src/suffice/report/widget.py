"""The player as a live widget of a notebook; the only place that imports anywidget."""

from __future__ import annotations

from ..errors import needed
from .templating import asset, modules

# The page's scripts, in a shadow tree so that no style of the notebook meets theirs.
_RENDER = """
export default {
  render({ model, el }) {
    const root = el.attachShadow({ mode: "open" });
    root.innerHTML = `<style>${model.get("style")}</style><main>${model.get("films")}</main>`;
    mountAll(root);
  },
};
"""


def widget_of(films: str) -> object:
    """A widget that plays the figures in this HTML by the scripts of the page."""
    needed("anywidget", "notebook")
    import anywidget
    import traitlets

    script = modules("draw.js", "contours.js", "tiles.js", "plane.js", "tree.js", "player.js").replace(
        "mountAll(document);", ""
    )

    class PlayerWidget(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
        """The player in a cell of a notebook."""

        _esm = script + _RENDER
        films = traitlets.Unicode().tag(sync=True)
        style = traitlets.Unicode().tag(sync=True)

    return PlayerWidget(films=films, style=asset("page.css").replace(":root", ":host").replace("body", "main"))
