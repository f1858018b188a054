"""What a registry holds, shown: the graph, where columns come from, and the page with both."""
