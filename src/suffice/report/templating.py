"""Templates and static files of the pages; the only place that imports Jinja2."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from ..errors import needed


@cache
def asset(name: str) -> str:
    """A style sheet or a script, as text."""
    return files("suffice.report").joinpath("static", name).read_text(encoding="utf-8")


def render(template: str, **values: object) -> str:
    """A template filled in; every text is escaped."""
    return str(environment().get_template(template).render(asset=asset, modules=modules, coded=coded, **values))


def modules(*names: str) -> str:
    """ES modules as one, in this order, to stand in a page; a closing tag in them cannot end their element."""
    lines = [line for name in names for line in asset(name).splitlines() if not line.startswith("import ")]
    return "\n".join(line.removeprefix("export ") for line in lines).replace("</", "<\\/")


def framed(page: str, title: str, height: str) -> str:
    """A page within another, such as a notebook: in a frame, so that no style or script of one meets the other's.

    The frame is a sandbox of an origin of its own: whatever the page holds, its scripts reach nothing outside.
    """
    style = f"width:100%;height:{height};border:0"
    return f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" title="{escape(title)}" style="{style}"></iframe>'


@cache
def environment() -> Any:
    """Where templates are found; raises `MissingExtra` without Jinja2."""
    needed("jinja2", "report")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("suffice.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def coded(line: str) -> str:
    """A sentence, escaped, with what stands between two backticks as code.

    >>> coded("use `a < b`, not `b")
    'use <code>a &lt; b</code>, not `b'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(line))
