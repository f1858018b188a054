"""The plan: relational operators as frozen trees, and the scalar expressions in them."""
