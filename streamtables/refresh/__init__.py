"""One refresh, from choice to commit."""
