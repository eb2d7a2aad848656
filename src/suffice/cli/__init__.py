"""The command line: each command is one file here with a click command called `command`."""
