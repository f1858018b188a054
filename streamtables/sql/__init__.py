"""Reading and writing SQL: text to plan, plan to text."""
