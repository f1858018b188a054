"""What is due, and the daemon that runs it."""
