"""The models: thin estimators, one a file."""
