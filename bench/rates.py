"""Rates of several rounds in one run, beside those of the same server's reference client."""
import statistics


def spread(megabytes, seconds):
    """The median, and the slowest and the fastest round: "54 (49-60) MB/s"."""
    rates = sorted(megabytes / one for one in seconds)
    return f"{statistics.median(rates):.0f} ({rates[0]:.0f}-{rates[-1]:.0f}) MB/s"


def ratio(ours, theirs):
    """How many times as fast as theirs ours is, by the medians of the seconds."""
    return f"{statistics.median(theirs) / statistics.median(ours):.2f}"
