"""The interactive prompt behind its terminal: what a line means, and a commit of several statements as one epoch."""
