"""Figures that the paper prints in tables or text and for which no raw data were published."""

GPU = "RTX4090"


def printed_records(records):
    lookup_util(records)
    skew_profiling(records)
    records.add("ranges", "section 4.9", GPU, "RX", "RX", {"category": "fit"}, {},
                {"traversal_ms": 102.85, "intersect_ms": 36.01})
    records.add("updates", "fig:update-time", GPU, "RX", "RX, swap adjacent keys",
                {"category": "refit, 2^24"}, {},
                {"lookup_ms": 68.2, "update_and_lookup_ms": 107.7})


def lookup_util(records):
    """Lookups, log2: active warps per SM, share of the peak bandwidth in percent."""
    table = {13: (3.89, 39.61), 15: (6.68, 61.36), 17: (12.46, 75.12), 19: (13.79, 77.97),
             21: (14.25, 78.96)}
    for log2, (warps, bandwidth) in table.items():
        records.add("profile-lookups", "tab:lookup-util", GPU, "RX", "RX",
                    {"category": f"2^{log2} lookups"},
                    {"key_count": 2**26, "lookup_count": 2**log2},
                    {"active_warps": warps, "bandwidth_percent": bandwidth})


def skew_profiling(records):
    """Zipf: L1 and L2 hit rates in percent, gigabytes read, instructions."""
    table = {
        "RX": {0.0: (26, 44, 54.31), 0.5: (26, 44, 53.82), 1.0: (36, 71, 22.19),
               1.5: (82, 90, 0.85)},
        "B+": {0.0: (39, 55, 41.32), 0.5: (39, 55, 40.80), 1.0: (89, 78, 16.18),
               1.5: (92, 93, 0.79)},
    }
    instructions = {"RX": 390e6, "B+": 22e9}
    for index, rows in table.items():
        for zipf, (l1, l2, gigabytes) in rows.items():
            records.add("profile-skew", "tab:skew_profiling", GPU, index, index,
                        {"category": f"Zipf {zipf}"},
                        {"key_count": 2**26, "lookup_count": 2**27, "exponent": zipf},
                        {"l1_hit_percent": l1, "l2_hit_percent": l2,
                         "memory_read_bytes": gigabytes * 1e9,
                         "instructions": instructions[index]})
