"""`rtindex bench` from the shell: every experiment at smoke scale, records, tables, going on."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RTINDEX = os.environ["RTINDEX"]
SOURCE = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
LIST = "report/rtindex_report/experiments.json"

# The questions of the paper that must be there, by name, with what they repeat.
FIGURES = {
    "key-modes": "fig:keyconv:standard", "key-stride": "fig:keyconv:stride",
    "coordinate-scale": "text", "point-rays": "fig:parallel-vs-perpendicular-time",
    "range-rays": "tab:ray-origin-time", "decomposition-points": "fig:decomp_point_lookups",
    "decomposition-uniform": "text", "decomposition-ranges": "fig:decomp_range_lookups",
    "primitives": "fig:primitives", "updates": "fig:update-time", "lookups": "fig:probe_size",
    "keys": "fig:varying_build_size:throughput", "build-time": "fig:varying_build_size:build_time",
    "memory": "tab:build_size", "multiplicity": "fig:key_multiplicity_normalized",
    "order": "fig:ordering", "batches": "fig:batching", "sorting-floor": "text",
    "hit-rate": "fig:hitsandmisses", "outside-misses": "text", "key-size": "fig:key_size",
    "lookup-skew": "fig:queryskew", "key-skew": "text", "ranges": "fig:range_queries",
    "hardware": "fig:hardware", "profile-lookups": "tab:lookup-util",
    "profile-skew": "tab:skew_profiling",
}
FIELDS = ["experiment", "index", "series", "metric", "status", "scale", "workload", "machine",
          "date", "commit", "version", "command"]


def bench(*arguments, folder, code=0):
    result = subprocess.run([RTINDEX, "bench", *arguments], cwd=folder, capture_output=True,
                            text=True, check=False)
    assert result.returncode == code, f"{arguments}: {result.returncode}\n{result.stderr}"
    return result


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


class Smoke(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.result = bench("all", "--scale", "smoke", "-o", "out/", folder=cls.folder.name)
        cls.out = pathlib.Path(cls.folder.name, "out")
        cls.listed = json.loads(bench("--list", "--json", folder=cls.folder.name).stdout)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_experiment_is_listed_with_its_figure(self):
        listed = {entry["name"]: entry["figure"] for entry in self.listed}
        for name, figure in FIGURES.items():
            self.assertEqual(listed.get(name), figure)
        text = bench("--list", folder=self.folder.name).stdout
        for name in listed:
            self.assertIn(name, text)

    def test_the_committed_list_is_this_one(self):
        committed = json.loads((SOURCE / LIST).read_text())
        self.assertEqual(committed, self.listed,
                         f"write it again: rtindex bench --list --json > {LIST}")

    def test_every_experiment_left_valid_records(self):
        for entry in self.listed:
            records = read(self.out / f"{entry['name']}.jsonl")
            self.assertTrue(records, entry["name"])
            if "needs" not in entry:
                metrics = {metric["name"] for metric in entry["metrics"]}
                self.assertLessEqual(metrics, {record["metric"] for record in records})
            for record in records:
                self.check_record(entry, record)

    def check_record(self, entry, record):
        for field in FIELDS:
            self.assertIn(field, record)
        self.assertEqual(record["experiment"], entry["name"])
        self.assertNotEqual("x" in record, "category" in record, "one place, of one kind")
        self.assertEqual(record["status"] == "ok", "value" in record)
        if record["status"] == "ok":
            self.assertAlmostEqual(record["value"], sum(record["runs"]) / len(record["runs"]),
                                   delta=1e-9 * abs(record["value"]))
        else:
            self.assertGreater(len(record["reason"]), 10)

    def test_every_measured_experiment_has_a_value(self):
        for entry in self.listed:
            records = read(self.out / f"{entry['name']}.jsonl")
            if "needs" not in entry:
                self.assertTrue(any(r["status"] == "ok" for r in records), entry["name"])

    def test_tables_show_ours_and_the_published_figures(self):
        lines = self.result.stdout.splitlines()
        start = lines.index(next(line for line in lines if line.startswith("hit-rate (")))
        table = "\n".join(lines[start:start + 40])
        hash_name = "hash@cuda" if "hash@cuda" in table else "hash"
        for part in ["share of lookups that hit", f"{hash_name}, sorted lookups", "RX (RTX 4090)",
                     "HT, sorted lookups (RTX 4090)"]:
            self.assertIn(part, table)
        header = next(line for line in lines[start:] if "share of lookups that hit" in line)
        ours, published = (next(line for line in lines[start:] if line.startswith(f"  {name} "))
                           for name in [hash_name, "RX (RTX 4090)"])
        end = header.index(" 0.5 ") + len(" 0.5")
        for row in (ours, published):
            self.assertRegex(row[:end], r"[0-9.]+$", "columns are aligned")

    def test_changed_indexes_are_measured_beside_static_ones(self):
        records = [record for record in read(self.out / "changes-lookups.jsonl")
                   if record["metric"] == "lookup_ms" and record["status"] == "ok"]
        static = {(r["index"], r["category"]) for r in records if r["series"].endswith("static")}
        changed = {(r["index"], r["category"]) for r in records if r["series"].endswith("erased")}
        self.assertEqual(static, changed)
        self.assertTrue(any("included values" in category for _, category in static))
        for record in records:
            self.assertEqual("segments" in record["workload"], record["series"].endswith("erased"))

    def test_distributions_are_compared_with_uniform_keys(self):
        records = [record for record in read(self.out / "distributions.jsonl")
                   if record["metric"] == "relative_to_uniform" and record["status"] == "ok"]
        cases = {}
        for record in records:
            self.assertGreater(record["value"], 0)
            cases.setdefault(record["series"], set()).add(record["category"])
        for bits in (32, 64):
            self.assertTrue(any(series.endswith(f"{bits}-bit keys") for series in cases))
        for series, categories in cases.items():
            self.assertEqual(len(categories), 9, series)
            self.assertIn("uniform", categories)

    def test_neighbours_have_rays_where_rays_are_cast(self):
        rays = [record for record in read(self.out / "neighbours.jsonl")
                if record["metric"] == "rays_per_lookup" and record["status"] == "ok"]
        self.assertTrue(rays)
        for record in rays:
            casts = not record["index"].startswith("rx:native")
            self.assertEqual(record["value"] >= 1, casts, record["series"])

    def test_asof_joins_have_a_peer_on_the_host(self):
        series = {}
        for record in read(self.out / "asof.jsonl"):
            if record["status"] == "ok":
                series.setdefault(record["series"], set()).add(record["category"])
        self.assertEqual({len(cases) for cases in series.values()}, {4}, series)
        on_host = any("@cpu" in record["index"] for record in read(self.out / "asof.jsonl"))
        self.assertEqual("std::upper_bound" in series, on_host)

    def test_an_index_ages_alike_after_going_on(self):
        path = self.out / "changes-ageing.jsonl"
        lines = path.read_text().splitlines(keepends=True)

        def sizes():
            return {(r["series"], r["x"]): r["value"] for r in read(path)
                    if r["metric"] == "resident_bytes" and r["index"].startswith("sorted")}

        before = sizes()
        latest = max(json.loads(line)["x"] for line in lines)
        path.write_text("".join(line for line in lines if json.loads(line)["x"] < latest))
        bench("changes-ageing", "--scale", "smoke", "-o", "out/", "--continue",
              folder=self.folder.name)
        self.assertEqual(sizes(), before)

    def test_going_on_measures_only_what_is_missing(self):
        path = self.out / "keys.jsonl"
        before = path.read_text()
        lines = before.splitlines(keepends=True)
        path.write_text("".join(lines[:-2]))
        bench("keys", "--scale", "smoke", "-o", "out/", "--continue", folder=self.folder.name)
        after = path.read_text().splitlines(keepends=True)
        self.assertEqual(len(after), len(lines))
        self.assertEqual(after[:-2], lines[:-2])

    def test_time_may_run_out(self):
        def remaining():
            name, points = bench("keys", "--scale", "smoke", "-o", "short.jsonl", "--dry-run",
                                 folder=self.folder.name).stdout.split()
            self.assertEqual(name, "keys")
            return int(points)

        points = remaining()
        self.assertGreater(points, 0)
        stopped = bench("keys", "--scale", "smoke", "-o", "short.jsonl", "--minutes", "1e-9",
                        folder=self.folder.name).stdout
        self.assertIn(f"{points} of {points} points remain", stopped)
        self.assertEqual(remaining(), points)
        bench("keys", "--scale", "smoke", "-o", "short.jsonl", "--continue",
              folder=self.folder.name)
        self.assertEqual(remaining(), 0)

    def test_an_existing_file_is_not_touched(self):
        before = (self.out / "keys.jsonl").read_text()
        result = bench("keys", "--scale", "smoke", "-o", "out/keys.jsonl", folder=self.folder.name,
                       code=2)
        self.assertIn("--continue", result.stderr)
        self.assertEqual((self.out / "keys.jsonl").read_text(), before)

    def test_only_the_last_folder_is_made(self):
        for output in "no/such/", "no/keys.jsonl":
            with self.subTest(output):
                stderr = bench("keys", "--scale", "smoke", "-o", output, folder=self.folder.name,
                               code=2).stderr
                self.assertIn("the folder no does not exist; create it first", stderr)
                self.assertFalse(pathlib.Path(self.folder.name, "no").exists())
        bench("nothing", "-o", "unused/", folder=self.folder.name, code=2)
        self.assertFalse(pathlib.Path(self.folder.name, "unused").exists())
        stderr = bench("keys", "-o", "out/keys.jsonl/", folder=self.folder.name, code=2).stderr
        self.assertIn("cannot create out/keys.jsonl", stderr)
        self.assertIn("the last folder is created", bench("--help", folder=self.folder.name).stdout)

    def test_bad_requests_are_explained(self):
        for arguments, part in [(["nothing"], "hit-rate"), ([], "--list"),
                                (["keys", "--scale", "huge"], "smoke, laptop or paper"),
                                (["keys", "--index", "tree"], "tree"),
                                (["keys", "--continue"], "-o FILE"),
                                (["keys", "--minutes", "nan"], "a number above 0"),
                                (["real-data"], "--column FILE"),
                                (["real-data", "--column", "none_uint64"], "does not exist"),
                                (["keys", "--index", "rx:embree,bucket=0"], "bucket"),
                                (["buckets", "--index", "rx:embree,bucket=4"], "unexpected bucket"),
                                (["claims", "out", "--update", "."], "cannot read"),
                                (["profiles", "out/keys.jsonl", ".", "-o", "p"], "cannot read")]:
            with self.subTest(arguments):
                self.assertIn(part, bench(*arguments, folder=self.folder.name, code=2).stderr)

    def test_what_cannot_run_here_is_no_record(self):
        available = subprocess.run([RTINDEX, "indexes"], capture_output=True, text=True,
                                check=True).stdout
        if "rx:optix@cuda   yes" in available:
            self.skipTest("there is a GPU")
        bench("keys", "--scale", "smoke", "--index", "rx:optix", "-o", "none.jsonl",
              folder=self.folder.name, code=2)
        self.assertFalse(pathlib.Path(self.folder.name, "none.jsonl").exists())

    def test_an_index_named_twice_takes_part_once(self):
        result = bench("keys", "--scale", "smoke", "--index", "sorted", "--index", "sorted",
                       folder=self.folder.name)
        self.assertNotIn("points remain", result.stdout)

    def test_only_the_indexes_named_take_part(self):
        bench("hit-rate", "--scale", "smoke", "--index", "sorted", "--index", "hash,threads=1",
              "-o", "two.jsonl", folder=self.folder.name)
        series = {record["series"] for record in read(pathlib.Path(self.folder.name, "two.jsonl"))}
        self.assertEqual(series, {"sorted", "sorted, sorted lookups", "hash,threads=1",
                                  "hash,threads=1, sorted lookups"})

    def test_a_column_of_yours(self):
        keys = b"".join((i * i % 997).to_bytes(8, "little") for i in range(5000))
        pathlib.Path(self.folder.name, "squares_uint64").write_bytes(
            (5000).to_bytes(8, "little") + keys)
        bench("real-data", "--scale", "smoke", "--column", "squares_uint64", "-o",
              "real.jsonl", folder=self.folder.name)
        records = read(pathlib.Path(self.folder.name, "real.jsonl"))
        self.assertTrue(all(record["category"].startswith("squares") for record in records))
        self.assertTrue(any(record["status"] == "ok" and "ranges" in record["category"]
                            for record in records))


if __name__ == "__main__":
    sys.exit(unittest.main())
