"""Choosing between models."""
