"""What the statistics promise, measured: simulations with fixed seeds, and the table of docs/statistics.md."""
