"""Anomalies: rows that a density finds unlikely."""

from .density_anomaly import DensityAnomaly

__all__ = ["DensityAnomaly"]
