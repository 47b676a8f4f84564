"""Chat exports in and out: one module a format, one report for all."""
