"""The measurements in tables of the pages are those of the records in results/. Each table below says which record a
cell quotes; the number must be that of the record, rounded to as many decimals as the cell shows."""

import json
import os
import pathlib
import re
import sys

source = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
compared = 0
wrong = []


def records(file):
    return [json.loads(line) for line in (source / "results" / file).read_text().splitlines()]


def fits(record, index, metric, wanted):
    fields = {**record.get("workload", {}), **record}
    return (record["metric"] == metric and record["status"] == "ok" and re.match(index, record["index"])
            and all(fields.get(name) == value for name, value in wanted.items()))


def record_of(found, index, metric, **wanted):
    """The last record that fits: a later line of a file replaces an earlier one."""
    fitting = [record for record in found if fits(record, index, metric, wanted)]
    if not fitting:
        sys.exit(f"no record of {index}, {metric}, {wanted}")
    return fitting[-1]


def mean(found, index, metric, **wanted):
    return record_of(found, index, metric, **wanted)["value"]


def median(found, index, metric, **wanted):
    return record_of(found, index, metric, **wanted)["median"]


def table(page, header):
    """The rows of the table of a page whose first line begins so: name, cells."""
    lines = (source / page).read_text().splitlines()
    (begin,) = [number for number, line in enumerate(lines) if line.startswith(f"| {header}")]
    rows = []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            break
        name, *cells = [cell.strip() for cell in line[1:-1].split("|")]
        rows.append((name, cells))
    return rows


def same(where, text, *values):
    """A cell, or a sentence, shows these values; `–` and nothing show none."""
    global compared
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", text)
    values = [value for value in values if value is not None]
    if len(numbers) != len(values):
        wrong.append(f"{where}: '{text}' has {len(numbers)} numbers, the records {len(values)}")
        return
    for number, value in zip(numbers, values):
        decimals = len(number.partition(".")[2])
        compared += 1
        if f"{value:,.{decimals}f}".replace(",", "") != number.replace(",", ""):
            wrong.append(f"{where}: '{text}' quotes {number}, the record has {value:.4g}")


def in_text(page, pattern, *values):
    """The numbers that the groups of a pattern find in a page."""
    match = re.search(pattern.replace(" ", r"\s+"), (source / page).read_text(), re.DOTALL)
    if not match:
        wrong.append(f"{page}: no sentence like '{pattern}'")
        return
    for text, value in zip(match.groups(), values, strict=True):
        same(page, text, value)


gpu = records("nvidia-h200/gpu.jsonl")
BUCKETS = r"rx:optix.*bucket=16,drop=auto"
GPU_INDEXES = {
    "`rx:native`": r"rx:native@cuda,order=auto,gather=auto,cell=12$",
    "`rx:native@cuda`": r"rx:native@cuda,order=auto,gather=auto,cell=12$",
    "`hash@cuda`": r"hash@cuda,group=2,load=0.8,delta=auto$",
    "`btree@cuda`": r"btree@cuda,order=auto,gather=auto,group=1$",
    "`sorted@cuda`": r"sorted@cuda,order=auto,gather=auto$",
    "WarpCore, hash table": "WarpCore", "WarpCore, group 8, load 0.8": "WarpCore",
    "MVGpuBTree, B+-tree": "MVGpuBTree", "MVGpuBTree, 16 threads a node": "MVGpuBTree",
    "`rx:optix`": r"rx:optix.*split=\d+$", "`rx:optix` (software)": r"rx:optix.*split=\d+$",
    "`rx:optix,bucket=16`": BUCKETS, "`rx:optix,bucket=16` (software)": BUCKETS,
    "`rx:native@cuda,gather=off`": r"rx:native@cuda,order=auto,gather=off,cell=12$",
}
HIT, MISS, SORTED = "sum, unsorted, all hit", "sum, unsorted, all miss", "sum, sorted, all hit"


def of_gpu(index, column, keys):
    if column == "build":
        return mean(gpu, index, "build_ms", keys=keys, question="build")
    if column == "bytes":
        return mean(gpu, index, "bytes_per_key", keys=keys, question="resident")
    return mean(gpu, index, "lookup_ms", keys=keys, question=column, keys_log2=26, lookups_log2=27)


def points(page, header, keys, columns, index_of=GPU_INDEXES.get):
    for name, cells in table(page, header):
        for cell, column in zip(cells, columns, strict=True):
            if cell != "–":
                same(f"{page}, {name}", cell, of_gpu(index_of(name), column, keys))


def on_a_gpu():
    points("README.md", "NVIDIA H200", "uniform 32-bit", [HIT, MISS, SORTED, "bytes"])
    columns = [HIT, MISS, SORTED, "any, unsorted, all hit", "bytes", "build"]
    points("docs/gpu.md", "milliseconds |", "uniform 32-bit", columns)
    points("docs/gpu.md", "64-bit keys, milliseconds", "uniform 64-bit", columns)
    for sentence, keys in ((r"SortPairs alone takes ([\d.]+) ms", "uniform 32-bit"),
                           (r"SortPairs takes ([\d.]+) ms here", "uniform 64-bit")):
        in_text("docs/gpu.md", sentence, mean(gpu, "cub::", "build_ms", keys=keys, commit="39c36d83afdf"))


def ranges_on_a_gpu():
    for name, cells in table("docs/gpu.md", "range sums, 2^24 lookups"):
        plain = name.removesuffix(", included values")
        for cell, hits in zip(cells, (1, 16, 256, 1024), strict=True):
            question = f"range sum, {hits} hits" + ", included values" * (plain != name)
            if cell != "–":
                same(f"docs/gpu.md, {name}", cell,
                     mean(gpu, GPU_INDEXES[plain], "lookup_ms", question=question))
    for name, cells in table("docs/gpu.md", "few long ranges"):
        count = 64 if "64 ranges" in name else 1
        for cell, bits in zip(cells, (10, 16, 19, 22, 25), strict=True):
            same(f"docs/gpu.md, {name}", cell, mean(gpu, GPU_INDEXES["`rx:native`"], "lookup_ms",
                                                    question=f"range sum, {count} of 2^{bits} hits"))
    native = GPU_INDEXES["`rx:native`"]
    in_text("docs/memory-and-speed.md", r"and ([\d.]+) bytes a key for 32-bit values on a GPU",
            mean(gpu, native, "bytes_per_key", keys="dense 32-bit", question="resident with included values")
            - of_gpu(native, "bytes", "uniform 32-bit"))
    question = "range sum, 1024 hits"
    in_text("README.md", r"range sums of 1024 rows each take `rx:native` ([\d.]+) ms",
            mean(gpu, GPU_INDEXES["`rx:native`"], "lookup_ms", question=question))


def skewed_and_strings_on_a_gpu():
    kinds = ["lognormal", "long tail", "clusters", "ids with gaps", "timestamps with bursts", "outlier above",
             "Zipf-repeated"]
    for name, cells in table("docs/gpu.md", "64 / 32 bits"):
        for cell, kind in zip(cells, kinds, strict=True):
            bits = (64, 32) if "–" not in cell else (32,)
            same(f"docs/gpu.md, {name}, {kind}", cell,
                 *(mean(gpu, name.strip("`"), "relative_to_uniform", keys=f"{kind} {width}-bit") for width in bits))
    for name, cells in table("docs/gpu.md", "`any` / from the host"):
        for cell, kind in zip(cells, ("urls", "long urls", "uuids", "names", "short"), strict=True):
            index = name.strip("`")
            same(f"docs/gpu.md, {name}, {kind}", cell,
                 mean(gpu, index, "lookup_ms", keys=kind, question=f"{kind}, any"),
                 mean(gpu, index, "lookup_ms", keys=kind, question=f"{kind}, any, host memory"),
                 mean(gpu, index, "build_ms", keys=kind, question=f"{kind}, build"),
                 mean(gpu, index, "bytes_per_key", keys=kind, question=f"{kind}, memory"))


def host_memory_and_latency():
    def of(metric, question):
        return mean(gpu, "rx:native@cuda", metric, keys="32-bit", question=question)

    rows = table("docs/gpu.md", "data in host memory")
    metrics = [("build_ms", ["build"]), ("lookup_ms", ["any"]),
               ("lookup_ms", ["sum, values on the GPU", "sum, values on the host"]),
               ("lookup_ms", ["range count"]), ("update_ms", ["update of 4194304 rows"])]
    for (name, cells), (metric, questions) in zip(rows, metrics, strict=True):
        for cell, memory in zip(cells, ("pinned", "ordinary"), strict=True):
            same(f"docs/gpu.md, {name}", cell, *(of(metric, f"{question}, {memory}") for question in questions))
    one = "batch of 2^0, until it is done"
    in_text("docs/gpu.md", r"took ([\d.]+) microseconds on an H200 until its answer was there, where an empty kernel took"
            r" ([\d.]+), and a \[graph\]\(#cuda-graphs\) of the same call ([\d.]+) ",
            mean(gpu, "rx:native@cuda", "call_us", question=one), mean(gpu, "an empty kernel", "call_us",
                                                                       question="launch, until it is done"),
            mean(gpu, "rx:native@cuda", "call_us", question=f"graph, {one}"))


def on_optix():
    overhead = records("nvidia-h200/optix-overhead.jsonl")
    for name, cells in table("docs/optix.md", "milliseconds | bare program"):
        keys, order = re.fullmatch(r"(\w+) keys, (\w+) lookups", name).groups()
        wanted = {"keys": f"{keys} uint32", "order": order}
        bare = median(overhead, "bare", "lookup_ms", **wanted)
        ours = median(overhead, "rx:optix", "lookup_ms", **wanted)
        values = [bare, ours, ours / bare, median(overhead, "rx:optix", "launch_ms", **wanted)]
        for cell, value in zip(cells, values, strict=True):
            same(f"docs/optix.md, {name}", cell, value)
    columns = [HIT, MISS, SORTED, "bytes", "build"]
    plain, no_drop = GPU_INDEXES["`rx:optix`"], BUCKETS.replace("auto", "0")
    rows = [(plain, "uniform 32-bit"), (BUCKETS, "uniform 32-bit"), (plain, "uniform 64-bit"),
            (BUCKETS, "uniform 64-bit"), (no_drop, "uniform 64-bit"), (BUCKETS, "clustered 64-bit"),
            (no_drop, "clustered 64-bit")]
    for (name, cells), (index, keys) in zip(table("docs/optix.md", "uniform keys, milliseconds"), rows, strict=True):
        for cell, column in zip(cells, columns, strict=True):
            same(f"docs/optix.md, {name}", cell, of_gpu(index, column, keys))
    zipf = "sum, unsorted, Zipf 1.5"
    in_text("docs/optix.md", r"Zipf 1\.5 take ([\d.]+) instead of ([\d.]+) ms", of_gpu(BUCKETS, zipf, "uniform 32-bit"),
            of_gpu(plain, zipf, "uniform 32-bit"))
    in_text("docs/optix.md", r"dense keys: ([\d,]+), ([\d,]+) and ([\d,]+) ms for 16, 256 and 1024 matches, with `bucket=16`"
            r" ([\d]+), ([\d]+) and ([\d]+) ms",
            *(mean(gpu, index, "lookup_ms", question=f"range sum, {hits} hits")
              for index in (plain, BUCKETS) for hits in (16, 256, 1024)))
    profiles = records("nvidia-h200/profile-updates.jsonl") + records("nvidia-h200/profile-modes.jsonl")
    cases = ["rebuild", "refit, swapped keys", "refit, swapped positions", "extended"]
    metrics = ["l1_read_bytes", "l2_read_bytes", "memory_read_bytes", "instructions"]
    for (name, cells), case in zip(table("docs/optix.md", "| read from L1"), cases, strict=True):
        for cell, metric in zip(cells, metrics, strict=True):
            same(f"docs/optix.md, {name}", cell, mean(profiles, "rx:optix", metric, category=case) / 1e6)


def on_a_cpu():
    page = "docs/memory-and-speed.md"
    peers = records("neoverse-n1-2core/cpu-peers.jsonl")
    for name, cells in table(page, "million lookups a second"):
        index = {"absl::flat_hash_map, 16 prefetched": r"absl::flat_hash_map, prefetch 16 ahead"}.get(name, name.strip("`"))
        for cell, kind in zip(cells, ("unsorted, all hit", "sorted, all hit", "unsorted, all miss", 16, "bytes"),
                              strict=True):
            where = f"{page}, {name}, {kind}"
            if cell in ("–", ""):
                continue
            if kind == "bytes":
                same(where, cell, mean(peers, index, "bytes_per_key", keys="uniform uint64"))
            else:
                wanted = {"hits": kind, "answer": "sum"} if kind == 16 else {"lookup_kind": kind}
                record = record_of(peers, index, "lookup_ms", **wanted)
                same(where, cell, record["workload"]["lookups"] / record["median"] / 1e3)
    included = record_of(peers, "rx:native.*included", "lookup_ms", hits=65536)
    in_text(page, r"65,536 rows takes (\d+) ns", included["median"] * 1e6 / included["workload"]["lookups"])

    skew = records("neoverse-v1-2core/cpu-peers-skew.jsonl")
    kinds = [["uniform"], ["lognormal"], ["long tail"], ["clusters"], ["ids with gaps"], ["timestamps with bursts"],
             ["outlier above", "outlier below"], ["Zipf-repeated"]]
    for name, cells in table(page, "| uniform | lognormal"):
        index = name.strip("`").removesuffix(", prefetched")
        for cell, columns in zip(cells, kinds, strict=True):
            found = [record_of(skew, index, "lookup_ms", keys=keys, question="distributions") for keys in columns]
            same(f"{page}, {name}, {columns[0]}", cell,
                 *(record["workload"]["lookups"] / record["median"] / 1e3 for record in found))

    strings = records("neoverse-v1-2core/cpu-peers-strings.jsonl")
    polars = records("neoverse-v1-2core/python-peers-strings.jsonl")
    for (name, cells), kind in zip(table(page, "strings, such as"), ("urls", "long urls", "uuids", "names", "short"),
                                   strict=True):
        def ns(index):
            return median(strings, index, "lookup_ms", keys=kind) * 1e6 / 2**20

        values = [ns("rx:native"), ns("hash"), median(strings, "rx:native", "build_ms", keys=kind), ns("absl"),
                  median(polars, "polars", "ns_per_lookup", kind=kind) if kind != "long urls" else None]
        for cell, value in zip(cells, values, strict=True):
            same(f"{page}, {kind}", cell, value)


def from_python():
    peers = records("neoverse-n1-2core/python-peers.jsonl")
    names = {"rtindex": ["rtindex", "rtindex"], "pandas": ["pandas get_indexer", "pandas searchsorted"],
             "DuckDB hash": ["DuckDB hash join", "DuckDB range join"], "polars": ["polars join", "polars search_sorted"],
             "pyarrow": ["pyarrow index_in"], "`numpy": ["numpy.searchsorted"] * 2, "DuckDB with": ["DuckDB ART index"] * 2}
    for name, cells in table("docs/python.md", "| points | range counts"):
        (series,) = [found for start, found in names.items() if name.startswith(start)]
        for cell, which, category in zip(cells, series, ("point lookups", "range counts")):
            same(f"docs/python.md, {name}", cell, median(peers, "", "ns_per_lookup", series=which, category=category))
    overhead = records("neoverse-n1-2core/python-overhead.jsonl")
    python, cpp = (median(overhead, "", "call_ms", series=f"rtindex from {name}", category="a batch of 1")
                   for name in ("Python", "C++"))
    in_text("docs/python.md", r"A call costs (\d+) us more than in C\+\+", (python - cpp) * 1e3)


def from_c():
    calls = records("neoverse-v1-2core/c-call-cost.jsonl")
    in_text("docs/c.md", r"takes ([\d.]+) µs longer than in C\+\+ into buffers, ([\d.]+) µs with Arrow arrays",
            *(mean(calls, "C$", "call_us", answers=answers, lookups=1)
              - mean(calls, r"C\+\+$", "call_us", answers=answers, lookups=1)
              for answers in ("into buffers", "as Arrow arrays")))


def from_duckdb():
    joins = records("neoverse-v1-2core/duckdb-join.jsonl")
    cases = ["unique keys, index of the large table", "unique keys, index of the small table",
             "foreign keys, index of the large table", "foreign keys, index of the small table"]
    for (name, cells), case in zip(table("docs/duckdb.md", "keys | index of"), cases, strict=True):
        duckdb, ours, build = (median(joins, "", "milliseconds", series=series, category=case)
                               for series in ("duckdb", "rtindex", "rtindex_build"))
        same(f"docs/duckdb.md, {name}", cells[2], duckdb / ours)
        same(f"docs/duckdb.md, {name}", cells[3], 2 * duckdb / (build + 2 * ours))


def changes():
    page, found = "docs/changes.md", records("nvidia-h200/changes.jsonl")
    for name, cells in table(page, "rows in a batch"):
        series = f"rx:native@cuda, {name.removesuffix(', ms')}"
        for cell, x in zip(cells, (0, 12, 16, 20, 22, 24), strict=True):
            same(f"{page}, {name}", cell, mean(found, "", "change_ms", series=series, x=x))
    found = records("nvidia-h200/changes-lookups.jsonl")
    rows = [["points"], ["ranges of 16", "ranges of 1024"], ["points, included values"],
            ["ranges of 16, included values", "ranges of 1024, included values"], None]
    for (name, cells), categories in zip(table(page, "| just built"), rows, strict=True):
        for cell, series in zip(cells, ("static", "fullest delta, 5% erased"), strict=True):
            series = f"rx:native@cuda, {series}"
            values = ([mean(found, "", "lookup_ms", series=series, category=category) for category in categories]
                      if categories else [mean(found, "", "resident_bytes", series=series, category="points") / 1e6])
            same(f"{page}, {name}", cell, *values)
    readers = records("nvidia-h200/changes-readers.jsonl")

    def least_and_most(metric):
        values = [mean(readers, "", metric, category=f"updates of 2^{bits}") for bits in (12, 16, 20, 22)]
        return min(values), max(values)

    in_text(page, r"takes ([\d.]+) ms, and ([\d.]+) to ([\d.]+) ms while .* at most ([\d.]+) ms, and ([\d.]+) to ([\d.]+) ms",
            mean(readers, "", "p50_ms", category="no changes"), *least_and_most("p50_ms"),
            mean(readers, "", "p99_ms", category="no changes"), *least_and_most("p99_ms"))
    in_text(page, r"changes, (\d+) million operations", mean(records("nvidia-h200/changes-mix.jsonl"), "",
                                                            "moperations_per_s", series="rx:native@cuda, uniform", x=0.5))
    peers = records("neoverse-v1-2core/cpu-peers-changes.jsonl")
    for name, cells in table(page, "| batches of 2^10"):
        for cell, batch in zip(cells, (2**10, 2**16, 2**20, None), strict=True):
            if cell:
                same(f"{page}, {name}", cell, mean(peers, name.strip("`"), "mkeys_per_s", batch=batch))


def joins():
    page, found = "docs/joins.md", records("neoverse-v1-2core/python-asof.jsonl")
    series = ["rtindex join_asof", "rtindex.pandas", "rtindex.polars", "pandas merge_asof", "polars join_asof",
              "DuckDB ASOF JOIN"]
    for (name, cells), which in zip(table(page, "| sorted | unsorted"), series, strict=True):
        for cell, (order, groups) in zip(cells, [("sorted", "no"), ("unsorted", "no"), ("sorted", "500"),
                                                 ("unsorted", "500")], strict=True):
            same(f"{page}, {name}", cell, median(found, "", "ns_per_lookup", series=which,
                                                 category=f"ASOF join, {order} left rows, {groups} groups"))
    in_text(page, r"takes ([\d,]+) ns a range, and ([\d,]+) in DuckDB, ([\d,]+) in polars",
            *(median(found, "", "ns_per_lookup", series=which)
              for which in ("rtindex join_range", "DuckDB inequality join", "polars join_where")))
    asof = records("nvidia-h200/asof.jsonl")
    in_text(page, r"row in ([\d.]+) ms, within groups \(two 32-bit parts\) in ([\d.]+) ms, the nearest of both sides in (\d+)",
            mean(asof, "", "lookup_ms", category="no groups, unsorted lookups"),
            mean(asof, "", "lookup_ms", category="500 groups, unsorted lookups"),
            mean(records("nvidia-h200/neighbours.jsonl"), "", "lookup_ms", series="rx:native@cuda, nearest", x=1.0))


def on_dask():
    found = [records("neoverse-v1-2core/dask.jsonl"), records("nvidia-h200/dask.jsonl")]
    rows = table("docs/dask.md", "| CPU, two cores")

    def of(machine, metric, **wanted):
        return median(found[machine], "", metric, **wanted)

    def gain(machine, category, metric):
        return of(machine, metric, category=category, workers=1) / of(machine, metric, category=category, workers=2)

    def over(machine, peer, lookups, metric="call_ms"):
        category = f"{lookups:,} lookups, 2 workers"
        return (of(machine, metric, series=peer, category=category)
                / of(machine, metric, series="rtindex.dask", category=category))

    def call(machine, series, category):
        return of(machine, "call_ms", series=series, category=category)

    one, many = "a batch of one", "16,777,216 lookups"
    expected = [
        [[call(machine, "on Dask", one) - call(machine, "in memory", one)] for machine in (0, 1)],
        [[call(0, "on Dask", many) / call(0, "in memory", many)],
         [call(1, "in memory", many), call(1, "on Dask", many)]],
        [[gain(machine, "4 partitions", "build_ms")] for machine in (0, 1)],
        [[gain(machine, "4 partitions", "lookup_ms")] for machine in (0, 1)],
        [[gain(machine, "a copy on each worker", "lookup_ms")] for machine in (0, 1)],
        [[over(machine, peer, 10**6) for peer in ("Dask merge", "Dask loc")] for machine in (0, 1)],
        [[over(0, "Dask merge", 10**7)], []],
        [[over(machine, "Dask merge", 10**6, "build_and_two_batches_ms")] for machine in (0, 1)],
    ]
    for (name, cells), values in zip(rows, expected, strict=True):
        for cell, value in zip(cells, values, strict=True):
            same(f"docs/dask.md, {name}", re.sub(r" \(.*\)", "", cell), *value)


def main():
    same("the check itself", "1.3 / 2,000", 1.26, 2001)
    if len(wrong) != 1:
        sys.exit(f"the check accepts what is wrong: {wrong}")
    wrong.clear()
    for check in (on_a_gpu, ranges_on_a_gpu, skewed_and_strings_on_a_gpu, host_memory_and_latency, on_optix, on_a_cpu,
                  changes, joins, from_python, from_c, from_duckdb, on_dask):
        check()
    print("\n".join(wrong) or f"{compared} figures are those of their records")
    return 1 if wrong else 0


sys.exit(main())
