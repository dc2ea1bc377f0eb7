"""The tables and figures of the pages. To add one: give it a name here, and put its marker into a page."""

from __future__ import annotations

import collections
import functools
import operator

from records import ROOT, figure, find, pivot, records, same, table, text

SHOWN = {}  # in Markdown, by their names

# An H200
gpu = functools.partial(figure, "nvidia-h200/gpu.jsonl", "value")
LOOKUPS = {"metric": "lookup_ms", "keys_log2": 26, "lookups_log2": 27}
HIT, MISS, SORTED, ANY, ZIPF = ({**LOOKUPS, "question": question} for question in (
    "sum, unsorted, all hit", "sum, unsorted, all miss", "sum, sorted, all hit", "any, unsorted, all hit",
    "sum, unsorted, Zipf 1.5"))
BYTES, BUILD = {"metric": "bytes_per_key", "question": "resident"}, {"metric": "build_ms", "question": "build"}
NATIVE, OPTIX = "rx:native@cuda,order=auto,gather=auto,cell=12$", r"rx:optix.*split=\d+$"
BUCKETS = "rx:optix.*bucket=16,drop=auto"
ON_CUDA = {"`rx:native@cuda`": NATIVE, "`hash@cuda`": "hash@cuda,group=2,load=0.8,delta=auto$",
           "`btree@cuda`": "btree@cuda,order=auto,gather=auto,group=1$",
           "`sorted@cuda`": "sorted@cuda,order=auto,gather=auto$"}
WARPCORE, MVGPUBTREE = {"WarpCore, group 8, load 0.8": "WarpCore"}, {"MVGpuBTree, 16 threads a node": "MVGpuBTree"}


def range_sum(row: str | tuple[str, str], hits) -> float | None:
    index, included = row if isinstance(row, tuple) else (row, "")
    return gpu(index=index, metric="lookup_ms", question=f"range sum, {hits} hits{included}")


SHOWN["h200_peers"] = pivot(
    "NVIDIA H200, 2^26 32-bit keys, 2^27 lookups, milliseconds",
    {"all hit": HIT, "all miss": MISS, "sorted": SORTED, "2^24 range sums of 1024 rows": None, "bytes a key": BYTES},
    {"`rx:native`, the default": NATIVE, "`rx:optix` (no RT cores: traced in software)": OPTIX,
     "WarpCore, hash table": "WarpCore", "MVGpuBTree, B+-tree": "MVGpuBTree"},
    lambda index, column: gpu(index=index, keys="uniform 32-bit", **column) if column else range_sum(index, 1024))
for bits, peers in ((32, {**WARPCORE, **MVGPUBTREE}), (64, WARPCORE)):
    SHOWN[f"h200_points_{bits}"] = pivot(
        f"{bits}-bit keys, milliseconds", {"all hit": HIT, "all miss": MISS, "sorted, all hit": SORTED,
                                           "`any`, all hit": ANY, "bytes a key": BYTES, "build": BUILD},
        {**ON_CUDA, **peers}, lambda index, column: gpu(index=index, keys=f"uniform {bits}-bit", **column))
    SHOWN[f"h200_sort_{bits}"] = text(gpu(index="cub::", metric="build_ms", keys=f"uniform {bits}-bit",
                                          commit="39c36d83afdf"))
SHOWN["h200_distributions"] = pivot(
    "64 / 32 bits",
    {**same(["lognormal", "long tail", "clusters", "ids with gaps"]), "bursts": "timestamps with bursts",
     "one outlier": "outlier above", "Zipf-repeated": "Zipf-repeated"},
    {"`rx:native@cuda`": "rx:native@cuda", "`hash@cuda`": "hash@cuda"},
    # Ids with gaps span less than 2^32: as 64-bit keys they are stored like 32-bit ones.
    lambda index, kind: [gpu(index=index, metric="relative_to_uniform", keys=f"{kind} {bits}-bit")
                         if (kind, bits) != ("ids with gaps", 64) else None for bits in (64, 32)], decimals=2)
SHOWN["h200_sorted"] = pivot(
    "64 / 32 bits",
    {"uniform": "uniform in order", "bursts": "timestamps with bursts in order", "dense sequence": "sequence in order"},
    {"bytes a key": "bytes_per_key", "2^27 points, relative to unsorted uniform keys": "relative_to_uniform",
     "build of 2^26 keys, ms": "build_ms"},
    lambda metric, kind: [gpu(index="rx:native@cuda", metric=metric, keys=f"{kind} {bits}-bit") for bits in (64, 32)],
    decimals=2)
SHOWN["h200_host_memory"] = pivot(
    "data in host memory, 2^26 lookups, 32-bit keys, 16 cores, milliseconds",
    {"pinned": "pinned", "pageable": "ordinary"},
    {"build of 2^26 keys": ("build_ms", ["build"]), "`any`": ("lookup_ms", ["any"]),
     "`sum`, values on the GPU / on the host": ("lookup_ms", ["sum, values on the GPU", "sum, values on the host"]),
     "`count` of ranges": ("lookup_ms", ["range count"]),
     "update of 2^22 rows": ("update_ms", ["update of 4194304 rows"])},
    lambda row, memory: [gpu(index="rx:native@cuda", metric=row[0], keys="32-bit", question=f"{question}, {memory}")
                         for question in row[1]])
SHOWN["h200_strings"] = pivot(
    "`any` / from the host / build / bytes a key",
    {"URLs": "urls", "long URLs": "long urls", **same(["uuids", "names", "short"])},
    {name: name.strip("`") for name in ON_CUDA},
    lambda index, kind: [gpu(index=index, metric=metric, keys=kind, question=f"{kind}, {question}")
                         for metric, question in (("lookup_ms", "any"), ("lookup_ms", "any, host memory"),
                                                  ("build_ms", "build"), ("bytes_per_key", "memory"))])
SHOWN["h200_ranges"] = pivot(
    "range sums, 2^24 lookups, 2^26 dense keys, milliseconds", {"1 match": 1, "16": 16, "256": 256, "1024": 1024},
    {"`rx:native@cuda`": NATIVE, "`rx:native@cuda`, included values": (NATIVE, ", included values"),
     **{name: ON_CUDA[name] for name in ("`btree@cuda`", "`sorted@cuda`")}, **MVGPUBTREE,
     "`rx:optix,bucket=16` (software)": BUCKETS, "`rx:optix` (software)": OPTIX,
     "`rx:native@cuda,gather=off`": NATIVE.replace("gather=auto", "gather=off")}, range_sum)
SHOWN["h200_long_ranges"] = pivot(
    "few long ranges, sums, 2^26 dense keys, milliseconds",
    {"2^10 matches": 10, "2^16": 16, "2^19": 19, "2^22": 22, "2^25": 25},
    {"`rx:native@cuda`, 1 range": 1, "`rx:native@cuda`, 64 ranges": 64},
    lambda count, bits: range_sum(NATIVE, f"{count} of 2^{bits}"))
SHOWN["h200_latency"] = pivot(
    "microseconds until it is done", {"a call with one lookup": ("rx:native@cuda", "batch of 2^0"),
                                      "a graph of the call": ("rx:native@cuda", "graph, batch of 2^0"),
                                      "an empty kernel": ("an empty kernel", "launch")}, same(["H200"]),
    lambda _, column: gpu(index=column[0], metric="call_us", question=f"{column[1]}, until it is done"))
SHOWN["h200_included_bytes"] = text(
    gpu(index=NATIVE, metric="bytes_per_key", keys="dense 32-bit", question="resident with included values")
    - gpu(index=NATIVE, keys="uniform 32-bit", **BYTES))


# OptiX on the same GPU
def beside_bare_program(**scene) -> list:
    overhead = functools.partial(figure, "nvidia-h200/optix-overhead.jsonl", "median", **scene)
    bare, ours = (overhead(index=index, metric="lookup_ms") for index in ("bare", "rx:optix"))
    return [bare, ours, text(ours / bare, 2), overhead(index="rx:optix", metric="launch_ms")]


SHOWN["optix_overhead"] = table(
    "milliseconds", ["bare program", "`rx:optix`", "ratio", "of which rays"],
    [[f"{keys} keys, {order} lookups", *beside_bare_program(keys=f"{keys} uint32", order=order)]
     for keys in ("dense", "uniform") for order in ("unsorted", "sorted")], decimals=1)
SHOWN["optix_points"] = pivot(
    "milliseconds", {"all hit": HIT, "all miss": MISS, "sorted, all hit": SORTED, "Zipf 1.5": ZIPF,
                     "bytes a key": BYTES, "build": BUILD},
    {f"`rx:optix{option}`, {keys} keys": {"index": index, "keys": keys.replace("random", "uniform")}
     for keys, option, index in (("random 32-bit", "", OPTIX), ("random 32-bit", ",bucket=16", BUCKETS),
                                 ("random 64-bit", "", OPTIX), ("random 64-bit", ",bucket=16", BUCKETS),
                                 ("random 64-bit", ",bucket=16,drop=0", BUCKETS.replace("auto", "0")),
                                 ("clustered 64-bit", ",bucket=16", BUCKETS),
                                 ("clustered 64-bit", ",bucket=16,drop=0", BUCKETS.replace("auto", "0")))},
    lambda row, column: gpu(**row, **column))
SHOWN["optix_traffic"] = pivot(
    "", {"read from L1, MB": "l1_read_bytes", "from L2, MB": "l2_read_bytes", "from memory, MB": "memory_read_bytes",
         "million instructions": "instructions"},
    {"rebuilt": ("updates", "rebuild"),
     "refitted, 2^8 pairs of neighbouring keys swapped": ("updates", "refit, swapped keys"),
     "refitted, 2^8 pairs of neighbouring rows swapped": ("updates", "refit, swapped positions"),
     "`mode=extended`": ("modes", "extended")},
    lambda row, metric: figure(f"nvidia-h200/profile-{row[0]}.jsonl", "value", index="rx:optix", metric=metric,
                               category=row[1]) / 1e6, decimals=0)


# CPUs
def million_a_second(file: str, **wanted) -> float | None:
    record = find(file, metric="lookup_ms", **wanted)
    return record["lookups"] / record["median"] / 1e3 if record else None


PEERS = "neoverse-n1-2core/cpu-peers.jsonl"
INDEXES = {f"`{name}`": name for name in ("rx:native", "hash", "btree", "sorted")}
SHOWN["cpu_peers"] = pivot(
    "million lookups a second", {"unsorted, all hit": {"lookup_kind": "unsorted, all hit"},
                                 "sorted, all hit": {"lookup_kind": "sorted, all hit"},
                                 "all miss": {"lookup_kind": "unsorted, all miss"},
                                 "ranges of 16": {"hits": 16, "answer": "sum"}, "bytes a key": None},
    {**INDEXES, "absl::flat_hash_map, 16 prefetched": "absl::flat_hash_map, prefetch 16 ahead",
     **same(["absl::flat_hash_map, one at a time", "absl::btree_multimap", "std::lower_bound"])},
    lambda index, column: million_a_second(PEERS, index=index, **column) if column else figure(
        PEERS, "value", index=index, metric="bytes_per_key", keys="uniform uint64"))
SHOWN["cpu_included_ns"] = text(1e3 / million_a_second(PEERS, index="rx:native.*included", hits=65536), 0)
SHOWN["cpu_distributions"] = pivot(
    "", {**{kind: [kind] for kind in ("uniform", "lognormal", "long tail", "clusters", "ids with gaps")},
         "bursts": ["timestamps with bursts"], "outlier above / below": ["outlier above", "outlier below"],
         "Zipf-repeated": ["Zipf-repeated"]}, {**INDEXES, "absl::flat_hash_map, prefetched": "absl::flat_hash_map"},
    lambda index, kinds: [million_a_second("neoverse-v1-2core/cpu-peers-skew.jsonl", index=index, keys=kind,
                                           question="distributions") for kind in kinds], decimals=0)


def strings(index: str, metric: str, kind: str) -> float:
    """Nanoseconds a lookup, or milliseconds of a build."""
    milliseconds = figure("neoverse-v1-2core/cpu-peers-strings.jsonl", "median", index=index, metric=metric, keys=kind)
    return milliseconds * 1e6 / 2**20 if metric == "lookup_ms" else milliseconds


SHOWN["cpu_strings"] = pivot(
    "strings, such as", {"`rx:native`": ("rx:native", "lookup_ms"), "`hash`": ("hash", "lookup_ms"),
                         "build in ms": ("rx:native", "build_ms"), "`absl::flat_hash_map`": ("absl", "lookup_ms"),
                         "polars' join": None},
    {"`https://shop.example.com/blog/585417`": "urls",
     "`https://shop.example.com/blog/about-54/4760cfdd?id=585417`": "long urls",
     "`5f75c75a49b0cb75e9a5437097ff18c7`": "uuids", "`customer-000585417`": "names", "`9a3919f9`": "short"},
    lambda kind, column: strings(*column, kind) if column else figure(
        "neoverse-v1-2core/python-peers-strings.jsonl", "median", index="polars", metric="ns_per_lookup", kind=kind),
    decimals=0)
SHOWN["python_peers"] = pivot(
    "", {"points": (0, "point lookups"), "range counts": (1, "range counts")},
    {"rtindex": ["rtindex"] * 2,
     "pandas `Index.get_indexer`, `searchsorted`": ["pandas get_indexer", "pandas searchsorted"],
     "DuckDB hash join, range join": ["DuckDB hash join", "DuckDB range join"],
     "polars join, `search_sorted`": ["polars join", "polars search_sorted"],
     "pyarrow `index_in`": ["pyarrow index_in", None],
     "`numpy.searchsorted`": ["numpy.searchsorted"] * 2, "DuckDB with an ART index": ["DuckDB ART index"] * 2},
    lambda series, column: figure("neoverse-n1-2core/python-peers.jsonl", "median", metric="ns_per_lookup",
                                  series=series[column[0]], category=column[1]))
python, cpp = (figure("xeon-2core/python-overhead.jsonl", "median", metric="call_ms", category="a batch of 1",
                      series=f"rtindex from {language}") for language in ("Python", "C++"))
SHOWN["python_call_us"] = text((python - cpp) * 1e3, 1)
SHOWN["python_one_key"] = pivot(
    "microseconds", {name: f"one {name}" for name in ("int", "float", "str", "datetime", "tuple")},
    {"`key in index`": "rtindex in", "`index.lookup(key)`": "rtindex lookup", "`index.nearest(key)`": "rtindex nearest",
     "pandas `get_loc`": "pandas get_loc", "`numpy.searchsorted`": "NumPy searchsorted"},
    lambda series, category: figure("xeon-2core/python-objects.jsonl", "median", series=series, category=category,
                                    metric="call_us"), decimals=1)
stops = {record["category"]: record for record in records("xeon-2core/python-interrupts.jsonl")
         if record["metric"] == "stop_ms"}
own_stops = [record for record in stops.values() if record["series"] == "rtindex"]
SHOWN["python_stop_ms"] = " to ".join(text(end(record["median"] for record in own_stops), 0) for end in (min, max))
SHOWN["python_slowest_stop_ms"] = text(max(max(record["runs"]) for record in own_stops), 0)
SHOWN["pandas_stop_ms"] = text(stops["sort of pandas"]["median"], 0)
for name, answers in (("c_buffers_us", "into buffers"), ("c_arrow_us", "as Arrow arrays")):
    c, cpp = (figure("neoverse-v1-2core/c-call-cost.jsonl", "value", index=language, metric="call_us", answers=answers,
                     lookups=1) for language in ("C$", r"C\+\+$"))
    SHOWN[name] = text(c - cpp, 1)


def duckdb_gains(case: str) -> list[float]:
    duckdb, ours, build = (figure("neoverse-v1-2core/duckdb-join.jsonl", "median", series=series, category=case)
                           for series in ("duckdb", "rtindex", "rtindex_build"))
    return [duckdb / ours, 2 * duckdb / (build + 2 * ours)]


SHOWN["duckdb_join"] = table(
    "keys", ["index of", "lookups", "index built before", "build counted, used twice"],
    [["unique", "10^7 rows", "10^6", *duckdb_gains("unique keys, index of the large table")],
     ["unique, one in ten found", "10^6 rows", "10^7", *duckdb_gains("unique keys, index of the small table")],
     ["foreign keys, ten rows each", "10^7 rows", "10^6", *duckdb_gains("foreign keys, index of the large table")],
     ["foreign keys, all found", "10^6 rows", "10^7", *duckdb_gains("foreign keys, index of the small table")]],
    decimals=1)

# Intervals
INTERVALS = "xeon-2core/python-intervals.jsonl"


def interval_peer(category: str) -> str:
    """The fastest peer of a category, and its name."""
    peers = [record for record in records(INTERVALS)
             if record["category"] == category and not record["series"].startswith("rtindex")]
    best = min(peers, key=lambda record: record["median"])
    return f"{text(best['median'], 0)} ({best['series']})"


def interval_figure(lengths: str, what: str) -> str | float | None:
    if what == "matches":
        return text(figure(INTERVALS, "matches", lengths=lengths), 1)
    if what.endswith(" of a peer"):
        return interval_peer(f"{what.removesuffix(' of a peer')}, {lengths}")
    return text(figure(INTERVALS, "median", series="rtindex", category=f"{what}, {lengths}"), 0)


SHOWN["intervals_cpu"] = pivot(
    "lengths", {"matches": "matches", "count": "counts", "fastest count of a peer": "counts of a peer",
                "pairs": "pairs", "fastest pairs of a peer": "pairs of a peer"},
    {"up to 8 gaps between starts": "short",
     "the same, one in a thousand up to 2,000 gaps": "one in a thousand long", "heavy tail": "heavy tail"},
    interval_figure)
SHOWN["intervals_gpu"] = pivot(
    "lengths", {"counts, ms": "counts", "pairs in any order, ms": "pairs"},
    {"up to 8 gaps between starts": "up to 8 gaps",
     "the same, one in a thousand up to 2,000 gaps": "one in a thousand up to 2,000 gaps",
     "heavy tail": "heavy tail"},
    lambda lengths, what: figure("nvidia-h200/intervals.jsonl", "value", metric="lookup_ms",
                                 series=f"rx:native@cuda, {what}", category=lengths))

# Filters
def filter_figure(values: str, series: str, share: float, unit: float) -> float | None:
    found = figure("nvidia-h200/filters.jsonl", "value", metric="lookup_ms", series=f"{series}, three {values} columns",
                   x=share)
    return None if found is None else found * unit


SHOWN["filters_gpu"] = pivot(
    "rows that match", {"10^-6": 1e-6, "10^-5": 1e-5, "10^-4": 1e-4, "10^-3": 1e-3, "10^-2": 1e-2, "one half": 0.5},
    {f"{what}{unit}, {values} columns": (values, series, factor) for values in ("uniform", "correlated")
     for what, unit, series, factor in (
         ("scan of all rows", ", us", "scan on cuda, count", 1000),
         ("count of one box", ", us", "rx:native@cuda, count", 1000),
         ("its rows", ", us", "rx:native@cuda, rows", 1000),
         ("its bitmap", ", us", "rx:native@cuda, bitmap", 1000),
         ("counts of 2^16 boxes", ", ms", "rx:native@cuda, counts of 65536 boxes", 1))},
    lambda row, share: filter_figure(row[0], row[1], share, row[2]))

FEW_SHARES = {"10^-6": 1e-6, "10^-5": 1e-5, "10^-4": 1e-4, "10^-3": 1e-3}
traced = functools.partial(figure, "nvidia-h200/filters-rays.jsonl", "value")
SHOWN["filters_rays"] = pivot(
    "rows that match", FEW_SHARES,
    {"counts of 2^12 boxes, `rx:optix`, ms": ("rx:optix, counts of 4096 boxes", "lookup_ms"),
     "`rx:native@cuda`, ms": ("rx:native@cuda, counts of 4096 boxes", "lookup_ms"),
     "rays of a box": ("rx:optix, counts of 4096 boxes", "rays_per_lookup"),
     "rows that they hit": ("rx:optix, counts of 4096 boxes", "hits_per_lookup")},
    lambda row, share: traced(metric=row[1], series=f"{row[0]}, three uniform columns", x=share))
rtscan = functools.partial(figure, "nvidia-h200/filters-peers.jsonl", "median", metric="lookup_ms")
SHOWN["filters_rtscan"] = pivot(
    "rows that match", {**FEW_SHARES, "10^-2": 1e-2},
    {"RTScan, one-sided box, us": "RTScan, bitmap of a one-sided box",
     "RTScan, rays alone, us": "RTScan, bitmap of a box, refinement alone",
     "`rx:native@cuda`, us": ""},
    lambda series, share: rtscan(series=f"{series}, three uniform columns", x=share) * 1000 if series
    else filter_figure("uniform", "rx:native@cuda, bitmap", share, 1000))
SHOWN["filters_cpu"] = pivot(
    "us a query, rows that match", {"10^-6": "1e-06", "10^-4": "0.0001", "10^-2": "0.01", "one half": "0.5"},
    {**{f"{what}, {series}": (series, what, "uniform") for what in ("count", "rows")
        for series in ("rtindex", "polars", "DuckDB", "NumPy")},
     "count, rtindex from C++": ("rtindex, C++", "count", "uniform"),
     "rows, rtindex from C++": ("rtindex, C++", "rows", "uniform"),
     "count, rtindex, many in a batch": ("rtindex, batch", "count", "uniform"),
     **{f"{what}, rtindex, correlated columns": ("rtindex", what, "correlated") for what in ("count", "rows")}},
    lambda row, share: figure("xeon-2core/python-filters.jsonl", "median", series=row[0],
                              category=f"{row[1]} at {share}, {row[2]}", metric="ns_per_lookup") / 1000)

# Changes
SHOWN["changes_batches"] = pivot(
    "rows in a batch", {"1": 0, "2^12": 12, "2^16": 16, "2^20": 20, "2^22": 22, "2^24": 24},
    {f"{change}, ms": change for change in ("insert", "update", "erase")},
    lambda change, x: figure("nvidia-h200/changes.jsonl", "value", metric="change_ms",
                             series=f"rx:native@cuda, {change}", x=x))
BESIDE = "all kinds, beside a reader"
single = functools.partial(figure, "xeon-2core/changes-single.jsonl", "value", series="rx:native@cpu")
SHOWN["changes_single"] = pivot(
    "microseconds", {"p50": "p50", "p99": "p99", "p99.9": "p999"},
    {**{f"{change}{', first lookups' if of == 'lookup' else ''}": (change, of)
        for change in ("insert", "erase", "update", "set_included") for of in ("change", "lookup")},
     "change of any kind, beside a reader": (BESIDE, "change"), "lookup of one key, beside a writer": (BESIDE, "lookup")},
    lambda row, rank: single(metric=f"{row[1]}_{rank}_us", category=row[0]))
SHOWN["changes_single_rate"] = text(single(metric="changes_per_s", category=BESIDE))
SHOWN["changes_python"] = pivot(
    "microseconds", {"p50": "p50", "p99": "p99"},
    {f"{change}{', first lookups' if of == 'lookup' else ''}": (change, of)
     for change in ("insert", "erase", "update", "set_included") for of in ("change", "lookup")},
    lambda row, rank: figure("xeon-2core/python-changes.jsonl", "value", metric=f"{row[1]}_{rank}_us", category=row[0]))
changed = functools.partial(figure, "nvidia-h200/changes-lookups.jsonl", "value")
SHOWN["changes_lookups"] = pivot(
    "", {"just built": "rx:native@cuda, static", "before a merge": "rx:native@cuda, fullest delta, 5% erased"},
    {"2^26 point lookups, sum, ms": ["points"],
     "2^21 ranges of 16 / 1024 rows, sum, ms": ["ranges of 16", "ranges of 1024"],
     "2^26 point lookups, sum of included values, ms": ["points, included values"],
     "2^21 ranges of 16 / 1024 rows, sum of included values, ms": ["ranges of 16, included values",
                                                                   "ranges of 1024, included values"],
     "memory, MB": None},
    lambda categories, series: [changed(metric="lookup_ms", series=series, category=category)
                                for category in categories]
    if categories else changed(metric="resident_bytes", series=series, category="points") / 1e6)
SHOWN["changes_readers"] = pivot(
    "milliseconds", {"no changes": "no changes", "updates of 2^12 rows": "updates of 2^12", "2^16": "updates of 2^16",
                     "2^20": "updates of 2^20", "2^22": "updates of 2^22"},
    {"median": "p50_ms", "99th percentile": "p99_ms"},
    lambda metric, category: figure("nvidia-h200/changes-readers.jsonl", "value", metric=metric, category=category),
    decimals=3)
SHOWN["changes_mix"] = text(figure("nvidia-h200/changes-mix.jsonl", "value", metric="moperations_per_s",
                                   series="rx:native@cuda, uniform", x=0.5))
SHOWN["changes_peers"] = pivot(
    "", {"batches of 2^10": 2**10, "2^16": 2**16, "2^20": 2**20, "one at a time": None},
    {"`rx:native`": "rx:native", "`sorted`": "sorted", "`btree`": "btree", "ALEX": "ALEX",
     "`absl::btree_map`": "absl::btree_map"},
    lambda index, batch: figure("neoverse-v1-2core/cpu-peers-changes.jsonl", "value", index=index, metric="mkeys_per_s",
                                batch=batch))

# Joins
joins = functools.partial(figure, "neoverse-v1-2core/python-asof.jsonl", "median", metric="ns_per_lookup")
SHOWN["joins_asof"] = pivot(
    "", {f"{order}{', 500 groups' * (groups == '500')}": f"ASOF join, {order} left rows, {groups} groups"
         for groups in ("no", "500") for order in ("sorted", "unsorted")},
    {"`join_asof` over a built index": "rtindex join_asof",
     "`rtindex.pandas.merge_asof`, index built for the call": "rtindex.pandas",
     "`rtindex.polars.join_asof`, index built for the call": "rtindex.polars",
     "pandas `merge_asof`": "pandas merge_asof", "polars `join_asof`": "polars join_asof",
     "DuckDB `ASOF JOIN`": "DuckDB ASOF JOIN"},
    lambda series, category: joins(series=series, category=category))
SHOWN["joins_ranges"] = pivot(
    "nanoseconds a range", {"`join_range`": "rtindex join_range", "DuckDB": "DuckDB inequality join",
                            "polars `join_where`": "polars join_where"},
    same(["2^20 ranges with 8 matches each"]), lambda _, series: joins(series=series))
SHOWN["joins_h200"] = pivot(
    "milliseconds", {"backward": ("asof", {"category": "no groups, unsorted lookups"}),
                     "backward, 500 groups": ("asof", {"category": "500 groups, unsorted lookups"}),
                     "nearest of both sides": ("neighbours", {"series": "rx:native@cuda, nearest", "x": 1.0})},
    same(["H200"]),
    lambda _, column: figure(f"nvidia-h200/{column[0]}.jsonl", "value", metric="lookup_ms", **column[1]))


# Dask
def dask(machine: str, metric: str = "call_ms", **wanted) -> float | None:
    return figure(f"{machine}/dask.jsonl", "median", metric=metric, **wanted)


def on_dask(compare, machine: str, lookups: str) -> float:
    return compare(*(dask(machine, series=series, category=lookups) for series in ("on Dask", "in memory")))


def two_workers(machine: str, category: str, metric: str) -> float:
    return dask(machine, metric, category=category, workers=1) / dask(machine, metric, category=category, workers=2)


def faster_than(machine: str, peer: str, lookups: str, metric: str = "call_ms") -> float | None:
    theirs, ours = (dask(machine, metric, series=series, category=f"{lookups} lookups, 2 workers")
                    for series in (peer, "rtindex.dask"))
    return theirs / ours if theirs else None


SHOWN["dask"] = pivot(
    "", {"CPU, two cores": "neoverse-v1-2core", "H200 shared by two workers": "nvidia-h200"},
    {"one worker and an index in memory: a batch of one, milliseconds more":
         lambda machine: on_dask(operator.sub, machine, "a batch of one"),
     "the same, 2^24 lookups in a Dask array, times as long":
         lambda machine: on_dask(operator.truediv, machine, "16,777,216 lookups"),
     "two workers and one, 4 partitions: build, times faster":
         lambda machine: two_workers(machine, "4 partitions", "build_ms"),
     "the same, 2^24 lookups": lambda machine: two_workers(machine, "4 partitions", "lookup_ms"),
     "the same with a copy on each worker": lambda machine: two_workers(machine, "a copy on each worker", "lookup_ms"),
     "10^6 lookups, times faster than Dask's `merge` / `loc`":
         lambda machine: [faster_than(machine, peer, "1,000,000") for peer in ("Dask merge", "Dask loc")],
     "10^7 lookups, times faster than `merge`": lambda machine: faster_than(machine, "Dask merge", "10,000,000"),
     "build and two batches of 10^6, times faster than two of `merge`":
         lambda machine: faster_than(machine, "Dask merge", "1,000,000", "build_and_two_batches_ms")},
    lambda row, machine: row(machine))


def ns_a_key(metric: str, category: str) -> float:
    record = find("neoverse-v1-2core/dask.jsonl", experiment="dask-scaling", category=category, metric=metric,
                  workers=1)
    return record["median"] * 1e6 / record["keys"]


SHOWN["dask_costs"] = pivot(
    "nanoseconds a key", {"one partition": "default", "four partitions": "4 partitions"},
    {"build": "build_cpu_ms", "lookup": "lookup_cpu_ms"}, ns_a_key, decimals=0)


# Reliability
def counted(record: dict) -> str | None:
    """What a record counts."""
    series = record.get("series")
    if record["experiment"] == "coverage" and not (ROOT / "src" / series).is_dir():
        raise SystemExit(f"a record of coverage names src/{series}/, which does not exist: remove it")
    if record["experiment"] == "soak":
        return "answers of large random columns checked" if record["metric"] == "answers_checked" else None
    return {"reliability": series, "fuzz": f"executions of the fuzzer {series}",
            "coverage": f"lines of `{series}/` that the tests run"}[record["experiment"]]


def totals() -> list[list[str]]:
    found = collections.defaultdict(list)
    for path in sorted(path for name in ("coverage", "fuzz", "reliability", "soak")
                       for path in ROOT.glob(f"results/*/{name}.jsonl")):
        for record in records(f"{path.parent.name}/{path.name}"):
            if what := counted(record):
                found[what, path.parent.name, record["command"].split(" --")[0]].append(record)
    rows = []
    for (what, machine, command), group in found.items():
        total, last = sum(record["value"] for record in group), group[-1]
        detail = f" of {last['lines']:,}, {total / last['lines']:.0%}" if "lines" in last else ""
        if last["experiment"] == "soak":
            detail = f" in {sum(record['seconds'] for record in group) / 60:.0f} minutes"
        rows.append([what, f"{total:,.0f}{detail}", f"{machine}, {last['commit'][:7]}", f"`{command}`"])
    return rows


SHOWN["reliability"] = table("what", ["how many", "where, commit", "by"], totals())
