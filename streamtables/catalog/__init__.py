"""The registry: definitions, frontiers, history."""
