"""Measuring how good an answer is."""
