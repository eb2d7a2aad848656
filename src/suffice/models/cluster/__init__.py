"""Clustering: groups of rows that belong together."""
