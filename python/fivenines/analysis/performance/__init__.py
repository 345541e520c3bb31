"""Performance: throughput, response times, clients, sweeps, interleaved comparisons."""
