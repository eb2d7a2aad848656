"""Formulas as MathML, which browsers draw by themselves: nothing is fetched, to build the pages or to read them.

This is the part of LaTeX that the documentation uses. What is not in it is an error, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)

LETTERS = {
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\varepsilon": "ε", r"\epsilon": "ϵ", r"\zeta": "ζ",
    r"\eta": "η", r"\theta": "θ", r"\iota": "ι", r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν", r"\xi": "ξ",
    r"\pi": "π", r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", r"\varphi": "φ", r"\phi": "ϕ", r"\chi": "χ", r"\psi":
    "ψ", r"\omega": "ω", r"\Gamma": "Γ", r"\Delta": "Δ", r"\Theta": "Θ", r"\Lambda": "Λ", r"\Pi": "Π", r"\Sigma":
    "Σ", r"\Phi": "Φ", r"\Psi": "Ψ", r"\Omega": "Ω", r"\infty": "∞", r"\ell": "ℓ",
}  # fmt: skip
FUNCTIONS = ("log", "ln", "exp", "cos", "sin", "tan", "arcsin", "arctan", "tanh", "Pr")
LIMITS = {r"\sum": "∑", r"\prod": "∏", r"\max": "max", r"\min": "min", r"\arg": "arg", r"\det": "det"}
SIGNS = {
    r"\cdot": "⋅", r"\times": "×", r"\pm": "±", r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\approx": "≈", r"\propto":
    "∝", r"\sim": "∼", r"\in": "∈", r"\cup": "∪", r"\cap": "∩", r"\varnothing": "∅", r"\to": "→", r"\leftarrow":
    "←", r"\dots": "…", r"\top": "⊤", r"\partial": "∂", r"\nabla": "∇", r"\colon": ":", r"\{": "{", r"\}": "}",
    r"\mid": "|", r"\|": "‖", r"\int": "∫", r"\subset": "⊂", r"\Leftrightarrow": "⇔", r"\Rightarrow": "⇒",
    r"\equiv": "≡", r"\circ": "∘", r"\notin": "∉", r"\emptyset": "∅", r"\setminus": "∖", r"\#": "#",
    r"\odot": "⊙", r"\neq": "≠", r"\parallel": "∥",
}  # fmt: skip
FENCES = {
    r"\lVert": "‖", r"\rVert": "‖", r"\lvert": "|", r"\rvert": "|", r"\lceil": "⌈", r"\rceil": "⌉", r"\lfloor":
    "⌊", r"\rfloor": "⌋", r"\langle": "⟨", r"\rangle": "⟩", "(": "(", ")": ")", "[": "[", "]": "]", "|": "|",
    r"\|": "‖", r"\Vert": "‖", r"\vert": "|", r"\{": "{", r"\}": "}", ".": "",
}  # fmt: skip
SPACES = {r"\,": 0.17, r"\:": 0.22, r"\;": 0.28, r"\ ": 0.33, r"\!": -0.17, r"\quad": 1.0, r"\qquad": 2.0}
ACCENTS = {r"\bar": "¯", r"\hat": "^", r"\tilde": "~", r"\overline": "―", r"\vec": "→"}
SIZES = {"big": 1.2, "Big": 1.8}
SCRIPT_HOLES = dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True))  # letters that Unicode had before the others
TOUCHING = ("", "(", "[", "}", r"\left", r"\bigl", r"\Bigl", r"\,")  # no space between a function and these
ENVIRONMENTS = {"aligned": ("", ""), "pmatrix": ("(", ")"), "cases": ("{", "")}


class Unknown(ValueError):
    """A formula that is not in the part of LaTeX that is known here."""


def mathml(source: str, display: bool = False) -> str:
    """The MathML of a formula."""
    tokens = [each for each in TOKEN.findall(source.strip()) if each]
    formula = _Formula(tokens, source)
    inside = formula.row()
    if formula.tokens:
        raise Unknown(f"{formula.tokens[-1]!r} is out of place in the formula {source!r}.")
    kind, spoken = "block" if display else "inline", escape(" ".join(source.split()))
    return f'<math display="{kind}" alttext="{spoken}">{inside}</math>'


class _Formula:
    """Reads tokens from first to last."""

    def __init__(self, tokens: list[str], source: str) -> None:
        self.tokens, self.source = tokens[::-1], source

    def peek(self) -> str:
        """The next token that is not a space; empty at the end."""
        while self.tokens and self.tokens[-1].isspace():
            self.tokens.pop()
        return self.tokens[-1] if self.tokens else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise Unknown(f"{wanted or 'more'!r} is missing in the formula {self.source!r}.")
        return self.tokens.pop()

    def row(self, *ends: str) -> str:
        """Everything up to one of the ends, which stays."""
        return _one(list(self._atoms(ends)))

    def _atoms(self, ends: tuple[str, ...]) -> Iterator[str]:
        while (token := self.peek()) and token not in ends and token != "}":
            yield self.scripted()

    def scripted(self) -> str:
        """An atom with what stands below and above it, and for a function the space before its argument."""
        first = self.peek()
        atom, scripts = self.atom(), {}
        while self.peek() in ("_", "^", "'"):
            mark = self.take()
            scripts["^" if mark == "'" else mark] = "<mo>′</mo>" if mark == "'" else self.atom()
        if scripts:
            above = first in LIMITS or first == r"\underbrace"
            kinds = ("munder", "mover", "munderover") if above else ("msub", "msup", "msubsup")
            name = kinds[2 if len(scripts) == 2 else "_^".index(next(iter(scripts)))]
            atom = f"<{name}>{atom}{''.join(scripts[each] for each in '_^' if each in scripts)}</{name}>"
        if first[1:] in FUNCTIONS and self.peek() not in TOUCHING:
            atom += self.command(r"\,")
        return atom

    def atom(self) -> str:
        """The next number, letter, sign, group or command with its arguments."""
        token = self.take()
        if token == "{":
            inside = self.row()
            self.take("}")
            return inside
        if token.startswith("\\"):
            return self.command(token)
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in FENCES:
            return f'<mo stretchy="false">{token}</mo>'
        return f"<mo>{escape({'-': '−', '*': '∗'}.get(token, token))}</mo>"

    def command(self, token: str) -> str:
        name = token[1:]
        if token in LETTERS:
            return f"<mi>{LETTERS[token]}</mi>"
        if token in LIMITS:
            return f'<mo movablelimits="true" form="prefix" rspace="0.17em">{LIMITS[token]}</mo>'
        if token in SIGNS:
            return f"<mo>{SIGNS[token]}</mo>"
        if token in FENCES:
            return f'<mo stretchy="false">{FENCES[token]}</mo>'
        if token in SPACES:
            return f'<mspace width="{SPACES[token]}em"></mspace>'
        if name in FUNCTIONS:
            return f"<mi>{name}</mi>"
        if token in ACCENTS:
            wide = "true" if name == "overline" else "false"
            return f'<mover accent="true">{self.atom()}<mo stretchy="{wide}">{ACCENTS[token]}</mo></mover>'
        return self.structure(name)

    def structure(self, name: str) -> str:
        if name in ("frac", "tfrac"):
            inside = f"<mfrac>{self.digit()}{self.digit()}</mfrac>"
            return inside if name == "frac" else f'<mstyle displaystyle="false">{inside}</mstyle>'
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        if name in ("text", "mathrm", "operatorname"):
            word = self.words()
            return f"<mtext>{escape(word)}</mtext>" if name == "text" else f'<mi mathvariant="normal">{word}</mi>'
        if name in ("mathcal", "mathbf"):
            return f"<mi>{''.join(_script(each) if name == 'mathcal' else _bold(each) for each in self.words())}</mi>"
        if name == "underbrace":
            return f"<munder>{self.atom()}<mo stretchy='true'>⏟</mo></munder>"
        if name == "left":
            before = FENCES[self.take()]
            inside = self.row(r"\right")
            self.take(r"\right")
            return f"<mrow><mo>{before}</mo>{inside}<mo>{FENCES[self.take()]}</mo></mrow>"
        if name[:3].lower() == "big" and name[3:] in ("", "l", "r"):
            size = SIZES[name[:3]]
            fence = self.take()
            return f'<mo stretchy="true" minsize="{size}em" maxsize="{size}em">{FENCES.get(fence, fence)}</mo>'
        if name == "begin":
            return self.environment()
        raise Unknown(f"\\{name} is not known in the formula {self.source!r}; docs/extensions/mathml.py says what is.")

    def digit(self) -> str:
        """An argument; of a number without braces only the first digit, as in \\frac12."""
        if (number := self.peek())[:1].isdigit() and len(number) > 1:
            self.tokens[-1:] = [number[1:], number[0]]
        return self.atom()

    def words(self) -> str:
        """The text of an argument, spaces kept."""
        if self.peek() != "{":
            return self.take()
        self.take("{")
        parts = []
        while self.tokens and self.tokens[-1] != "}":
            parts.append(self.tokens.pop())
        self.take("}")
        return "".join(parts)

    def environment(self) -> str:
        name = self.words()
        if name not in ENVIRONMENTS:
            raise Unknown(f"The environment {name!r} is not known in the formula {self.source!r}.")
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row("&", r"\\", r"\end"))
            end = self.take()
            if end == r"\end":
                break
            if end == r"\\":
                rows.append([])
        self.words()
        align = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        before, after = ENVIRONMENTS[name]
        return f'<mrow><mo>{before}</mo><mtable class="{name}">{align}</mtable><mo>{after}</mo></mrow>'


def _one(atoms: list[str]) -> str:
    return atoms[0] if len(atoms) == 1 else f"<mrow>{''.join(atoms)}</mrow>"


def _script(letter: str) -> str:
    return SCRIPT_HOLES.get(letter, chr(0x1D49C + ord(letter) - ord("A")))


def _bold(letter: str) -> str:
    return chr((0x1D400 if letter.isupper() else 0x1D41A) + ord(letter) - ord("A" if letter.isupper() else "a"))


def _inline(writer: Any, node: Any) -> None:
    _write(writer, mathml(node.astext()))


def _block(writer: Any, node: Any) -> None:
    _write(writer, f'<div class="math">{mathml(node.astext(), display=True)}</div>')


def _write(writer: Any, html: str) -> None:
    from docutils import nodes

    writer.body.append(html)
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
