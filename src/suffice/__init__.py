"""Suffice: a model learns from a summary of the data, and summaries add up."""
