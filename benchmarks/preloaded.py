"""Imported by the server from which processes are forked: all contests and all they import."""

import warnings

from suffice.models.registry import estimators

from .families import contests

warnings.simplefilter("ignore")
estimators()
contests()
