"""Spark and Delta Lake: the only place that touches them."""
