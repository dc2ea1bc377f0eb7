"""Turns the published measurements of RTIndeX into records.

usage: records.py published-results.csv RESULTS_FOLDER

The CSV holds what the authors published, one value a line: experiment, gpu, index, x_name, x, metric,
value. Each line that lies behind a figure or table of the paper becomes a record of the experiment of
`rtindex bench` that repeats it; printed_tables.py adds what the paper prints without raw data.
"""

import collections
import csv
import json
import pathlib
import re
import sys

from printed_tables import printed_records

# OptiX's numbers for the generations of ray-tracing cores.
GPUS = {
    "RTX4090": ("RTX 4090", 30),
    "A6000": ("RTX A6000", 20),
    "RTX3090": ("RTX 3090", 20),
    "RTX2080Ti": ("RTX 2080 Ti", 10),
}
MODES = {"naive": "naive", "safe": "naive", "ext": "extended", "3d": "3d"}
LOOKUPS = {"probe_time_ms": "lookup_ms", "total_probe_time_ms": "lookup_ms"}


def series(index, *what):
    return ", ".join([index, *[word for word in what if word]])


class Published:
    """The CSV as {(experiment, gpu, index, x): {metric: value}}."""

    def __init__(self, path):
        self.rows = collections.OrderedDict()
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = (row["experiment"], row["gpu"], row["index"], row["x"])
                self.rows.setdefault(key, {})[row["metric"]] = float(row["value"])

    def matching(self, pattern):
        """Yields (match, gpu, index, x, values) of experiments that match as a whole."""
        for (experiment, gpu, index, x), values in self.rows.items():
            match = re.fullmatch(pattern, experiment)
            if match:
                yield match, gpu, index, x, values


class Records:
    def __init__(self):
        self.of = collections.OrderedDict()

    def add(self, experiment, figure, gpu, index, name, place, workload, values):
        """place: {"x": number} or {"category": text}; values: {metric: value}."""
        gpu_name, rt_cores = GPUS[gpu]
        for metric, value in values.items():
            if value is None:
                continue
            self.of.setdefault(experiment, []).append({
                "experiment": experiment, "index": index, "series": name, **place,
                "metric": metric, "value": value, "status": "ok", "scale": "paper",
                "workload": workload, "machine": {"gpu": gpu_name, "rt_cores": rt_cores},
                "source": f"RTIndeX, PVLDB 16, {figure}"})

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for experiment, records in self.of.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (folder / f"{experiment}.jsonl").write_text(lines, encoding="utf-8")


def sizes(keys_log2, lookups_log2, **more):
    return {"key_count": 2**keys_log2, "lookup_count": 2**lookups_log2, **more}


def times(values, is_sorted):
    lookup = values["probe_time_ms"]
    if not is_sorted:
        return {"lookup_ms": lookup}
    sort = values["sort_time_ms"]
    return {"lookup_ms": lookup, "sort_ms": sort, "total_ms": lookup + sort}


def scaling(published, records):
    for _, gpu, index, x, values in published.matching(
            r"pq\.probe_size\.k32\.ins_u\.look_u\.build2\^26"):
        records.add("lookups", "fig:probe_size", gpu, index, index, {"x": int(x)},
                    sizes(26, int(x)),
                    {"mlookups_per_s": values["throughput_mlookups_per_s"],
                     "lookup_ms": values["probe_time_ms"]})
    for match, gpu, index, x, values in published.matching(
            r"pq\.build_size\.k32\.ins_([us])\.look_u"):
        is_sorted = match[1] == "s"
        if not is_sorted:
            records.add("keys", "fig:varying_build_size:throughput", gpu, index, index,
                        {"x": int(x)}, sizes(int(x), 27),
                        {"mlookups_per_s": values["throughput_mlookups_per_s"],
                         "lookup_ms": values["probe_time_ms"]})
        if x in ("25", "26"):
            records.add("build-time", "fig:varying_build_size:build_time", gpu, index,
                        series(index, "sorted inserts" if is_sorted else ""), {"x": int(x)},
                        {"key_count": 2**int(x)}, {"build_ms": values["build_time_ms"]})
        if x == "26" and not is_sorted:
            resident = values["gpu_resident_bytes"]
            records.add("memory", "tab:build_size", gpu, index, index, {"category": "2^26 keys"},
                        {"key_count": 2**26},
                        {"resident_bytes": resident,
                         "build_overhead_bytes": max(0, values["build_bytes"] - resident)})


def order_and_hardware(published, records):
    words = {"u": "unsorted", "s": "sorted"}
    for match, gpu, index, x, values in published.matching(
            r"pq\.build_size\.k32\.ins_([us])\.look_([us])"):
        if x != "26":
            continue
        found = times(values, match[2] == "s")
        case = f"{words[match[1]]} inserts, {words[match[2]]} lookups"
        records.add("order", "fig:ordering", gpu, index, index, {"category": case}, sizes(26, 27),
                    found)
        if match[1] == "u":
            records.add("hardware", "fig:hardware", gpu, index, index,
                        {"category": f"{words[match[2]]} lookups"}, sizes(26, 27), found)
    for match, gpu, index, x, values in published.matching(
            r"pq\.build_size\.k(32|64)\.ins_u\.look_u"):
        if x == "26":
            records.add("key-size", "fig:key_size", gpu, index, index,
                        {"category": f"{match[1]}-bit keys"},
                        sizes(26, 27, key_bits=int(match[1])),
                        {"lookup_ms": values["probe_time_ms"],
                         "resident_bytes": values["gpu_resident_bytes"]})


def point_lookups(published, records):
    for _, gpu, index, x, values in published.matching(r"pq\.key_multiplicity\.k32\.ins_u\.look_u"):
        records.add("multiplicity", "fig:key_multiplicity_normalized", gpu, index, index,
                    {"x": int(x)}, sizes(26, 27),
                    {"lookup_ms_per_match": values["probe_time_ms"] / 2**int(x),
                     "lookup_ms": values["probe_time_ms"]})
    for experiment, figure, pattern in [
            ("batches", "fig:batching", r"pq\.batching\.k32\.ins_u\.look_([us])"),
            ("hit-rate", "fig:hitsandmisses",
             r"pq\.hit_rate\.k32\.ins_u\.look_([us])\.miss_in_range"),
            ("outside-misses", "section 4.6",
             r"pq\.hit_rate\.k32\.ins_u\.look_([us])\.miss_outliers"),
            ("lookup-skew", "fig:queryskew", r"pq\.probe_skew\.k32\.ins_u\.look_([us])"),
            ("key-skew", "section 4.8", r"pq\.build_skew\.k32\.ins_u\.look_([us])")]:
        for match, gpu, index, x, values in published.matching(pattern):
            if experiment == "lookup-skew" and float(x) > 2:
                continue  # the figure ends at 2
            is_sorted = match[1] == "s"
            records.add(experiment, figure, gpu, index,
                        series(index, "sorted lookups" if is_sorted else ""), {"x": float(x)},
                        sizes(26, 27), times(values, is_sorted))


def ranges(published, records):
    for _, gpu, index, x, values in published.matching(r"rq\.dense\.k32\.look_u"):
        records.add("ranges", "fig:range_queries", gpu, index, index, {"x": int(x)}, sizes(26, 27),
                    {"lookup_ms_per_hit": values["probe_time_ms_per_hit"],
                     "lookup_ms": values["probe_time_ms"]})
    for match, gpu, index, x, values in published.matching(
            r"preprint\.design\.range-query-start-ray-at-zero\.from_(offset|zero)\.build2\^25"):
        records.add("range-rays", "tab:ray-origin-time", gpu, index,
                    series(index, f"from {match[1]}"), {"x": int(x)}, sizes(25, 27),
                    {"lookup_ms": values["total_probe_time_ms"]})
    for match, gpu, index, x, values in published.matching(
            r"design\.range-query-key-decomposition\.hits(2\^\d+)\.lookups2\^20"):
        records.add("decomposition-ranges", "fig:decomp_range_lookups", gpu, index,
                    series(index, f"{match[1]} hits"), {"x": int(x.split("_")[0])}, sizes(26, 20),
                    {"lookup_ms": values["total_probe_time_ms"]})


def key_modes(published, records):
    rays = {"perp": "perpendicular", "parallel_zero": "parallel"}
    for match, gpu, index, x, values in published.matching(
            r"design\.int-to-ray\.(naive|safe|ext|3d)\.(perp|parallel_zero)"):
        mode = MODES[match[1]]
        found = {"lookup_ms": values["total_probe_time_ms"]}
        if match[2] == "perp":
            records.add("key-modes", "fig:keyconv:standard", gpu, index, series(index, mode),
                        {"x": int(x)}, sizes(int(x), 27), found)
        records.add("point-rays", "fig:parallel-vs-perpendicular-time", gpu, index,
                    series(index, mode, rays[match[2]]), {"x": int(x)}, sizes(int(x), 27), found)
    for match, gpu, index, x, values in published.matching(
            r"design\.stride\.(safe|ext|3d)\.stride([124])"):
        records.add("key-stride", "fig:keyconv:stride", gpu, index,
                    series(index, MODES[match[1]], f"stride {match[2]}"), {"x": int(x)},
                    sizes(int(x), 27, stride=int(match[2])),
                    {"lookup_ms": values["total_probe_time_ms"]})


def scenes(published, records):
    for match, gpu, index, x, values in published.matching(
            r"design\.key-decomposition-x([yz])\.build2\^26\.dense"):
        records.add("decomposition-points", "fig:decomp_point_lookups", gpu, index,
                    series(index, f"x+{match[1]}"), {"x": int(x.split("_")[0])}, sizes(26, 27),
                    {"lookup_ms": values["total_probe_time_ms"]})
    for _, gpu, index, x, values in published.matching(
            r"design\.key-decomposition-uniform\.build2\^26\.uniform"):
        records.add("decomposition-uniform", "section 3.4", gpu, index, index,
                    {"category": x.replace("_", "+")}, sizes(26, 27, key_bits=64),
                    {"lookup_ms": values["total_probe_time_ms"]})
    for match, gpu, index, x, values in published.matching(
            r"design\.primitive\.(triangle|sphere|aabb)\.(un)?compacted\.p_sfl"):
        records.add("primitives", "fig:primitives", gpu, index,
                    series(index, match[1], "" if match[2] else "compacted"), {"x": int(x)},
                    sizes(int(x), 27),
                    {"lookup_ms": values["total_probe_time_ms"],
                     "build_ms": values["convert_build_compact_time_ms"],
                     "resident_bytes": values["final_size"]})


def updates(published, records):
    names = {"pos": "swap adjacent positions", "rank": "swap adjacent keys"}
    for match, gpu, index, x, values in published.matching(
            r"design\.update-(then-probe|only)\.(pos|rank)_local\.b_sfl\.build2\^26"):
        # Both hold updates up to 2^12; only the first has the lookups, only the second 2^24.
        wanted = ("0", "4", "8", "12") if match[1] == "then-probe" else ("24",)
        if x not in wanted:
            continue
        is_rebuild = x == "0"
        update = values["convert_build_compact_time_ms" if is_rebuild
                        else "convert_and_update_time_ms"]
        lookup = values.get("total_probe_time_ms")
        records.add("updates", "fig:update-time", gpu, index, series(index, names[match[2]]),
                    {"category": "rebuild" if is_rebuild else f"refit, 2^{x}"}, sizes(26, 27),
                    {"lookup_ms": lookup, "update_ms": update,
                     "update_and_lookup_ms": None if lookup is None else update + lookup})


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip())
        return 2
    published = Published(arguments[0])
    records = Records()
    for part in (key_modes, scenes, updates, scaling, point_lookups, order_and_hardware, ranges):
        part(published, records)
    printed_records(records)
    records.write(pathlib.Path(arguments[1]))
    print(sum(len(each) for each in records.of.values()), "records of", len(records.of),
          "experiments")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
