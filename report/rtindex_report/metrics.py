"""The labels of metrics, with their units, where an experiment does not describe its own."""

from __future__ import annotations

# Label, and whether lower is better; None: neither.
LABELS: dict[str, tuple[str, bool | None]] = {
    "lookup_ms": ("time of the lookups [ms]", True),
    "ns_per_lookup": ("time of one lookup [ns]", True),
    "mlookups_per_s": ("throughput [million lookups/s]", False),
    "total_ms": ("sort and lookups together [ms]", True),
    "build_ms": ("time of the build [ms]", True),
    "bytes_per_key": ("memory of one key [bytes]", True),
    "resident_bytes": ("size of the index [bytes]", True),
    "insert_ms": ("time of the inserts [ms]", True),
    "mkeys_per_s": ("throughput [million keys/s]", False),
    "update_ms": ("time of the update [ms]", True),
    "gb_per_s": ("bytes moved [GB/s]", False),
    "call_ms": ("time of the call [ms]", True),
    "call_us": ("time of the call [µs]", True),
    "launch_ms": ("time of the launch [ms]", True),
    "copy_ms": ("time of the copy [ms]", True),
    "task_ms": ("time of the task [ms]", True),
    "milliseconds": ("time of the query [ms]", True),
    "build_cpu_ms": ("CPU time of the build [ms]", True),
    "lookup_cpu_ms": ("CPU time of the lookups [ms]", True),
    "build_and_two_batches_ms": ("time of the build and two batches [ms]", True),
    "times_cpp": ("time relative to C++", None),
    "times_fastest_peer": ("speed relative to the fastest peer", None),
    "share_of_uniform": ("speed relative to uniform keys", None),
    "relative_to_uniform": ("time relative to uniform keys", None),
    "most_hits_to_fewest": ("time of the longest ranges relative to the shortest", None),
}
UNITS = ("ms", "s", "ns", "us", "bytes")


def label_of(name: str) -> tuple[str, bool | None]:
    """The label of a metric and whether lower is better, from the table or from its name."""
    if name in LABELS:
        return LABELS[name]
    lower = True if name.endswith(tuple(f"_{unit}" for unit in UNITS)) else None
    return plain(name), lower


def plain(name: str) -> str:
    """lookup_ms -> lookup [ms]"""
    words = name.replace("-", " ").split("_")
    if len(words) > 1 and words[-1] in UNITS:
        return " ".join(words[:-1]) + f" [{words[-1]}]"
    return " ".join(words)
