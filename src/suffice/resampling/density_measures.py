"""Measures of densities: how likely rows are that the fit did not see."""

from __future__ import annotations

import math

from .answers import Answers
from .measure_registry import measure


@measure(
    "log_likelihood", "density", needs="log_density", bounds=(-math.inf, math.inf), zone=0.01, truth=False,
    each=lambda answers: answers.log_density,
)  # fmt: skip
def log_likelihood(answers: Answers) -> float:
    """The mean log density of rows that the fit did not see."""
    return answers.mean(answers.log_density)
