"""Records become charts, machines get names, indexes get colours."""

import dataclasses
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import fixture
from rtindex_report import (
    charts,
    colours,
    experiments,
    machines,
    names,
    programs,
    records,
    words,
)


def read_fixture():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        fixture.write(root)
        return records.read([root])


def record(experiment, x, **workload):
    return records.Record(
        experiment, "hash@cpu", "lookup_ms", fixture.CPU, "f", x=x, value=1.0, workload=workload
    )


class Charts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        replaced = fixture.described()
        replaced.start()
        cls.addClassCleanup(replaced.stop)
        cls.all = read_fixture()
        cls.machines = machines.all_machines(cls.all)
        shown = charts.largest_scale(cls.all)
        cls.charts = {
            experiment.name: charts.of_experiment(
                experiment,
                [one for one in shown if one.experiment == experiment.name],
                cls.machines,
            )
            for experiment in experiments.in_order(shown)
        }

    def test_described_experiments_come_in_their_order_and_others_after_them(self):
        self.assertEqual(
            list(self.charts),
            ["hit-rate", "keys", "key-modes", "key-size", "zipf", "hardware", "cpu-peers"],
        )

    def test_one_chart_per_metric(self):
        self.assertEqual(
            [c.metric.name for c in self.charts["keys"]], ["lookup_ms", "resident_bytes"]
        )

    def test_the_largest_scale_is_shown(self):
        scales = {
            one.scale
            for chart in self.charts["hit-rate"]
            for series in chart.series
            for one in series.records
            if not one.published
        }
        self.assertEqual(scales, {"laptop"})

    def test_points_come_in_the_order_of_x(self):
        for series in self.charts["keys"][0].series:
            places = [one.x for one in series.records]
            self.assertEqual(places, sorted(places))

    def test_records_without_x_become_bars(self):
        self.assertEqual(self.charts["key-size"][0].kind, "bars")
        self.assertEqual(self.charts["keys"][0].kind, "lines")

    def test_older_records_are_grouped_by_their_question(self):
        (chart,) = self.charts["cpu-peers"]
        self.assertEqual(chart.common, "points, sum")
        self.assertEqual(list(chart.short_category.values()), ["unsorted", "sorted"])
        labels = [series.label for series in chart.series]
        self.assertEqual(labels, ["rx:native", "hash", "btree", "sorted", "std::lower_bound"])

    def test_older_records_of_one_question_are_told_apart_by_their_workload(self):
        measured = [
            records.Record(
                "e",
                index,
                "lookup_ms",
                fixture.CPU,
                "f",
                value=1.0,
                workload={"question": question, "keys": keys, "keys_log2": 20},
            )
            for index in ("hash@cpu,group=2", "hash@cpu,group=4", "btree@cpu,order=on")
            for question, keys in (("all hit", "dense"), ("all hit", "sparse"), ("misses", "dense"))
        ]
        (one,) = experiments.in_order(measured)
        (chart,) = charts.of_experiment(one, measured, machines.all_machines(measured))
        labels = [series.label for series in chart.series]
        self.assertEqual(labels, ["hash, group=2", "hash, group=4", "btree"])
        cases = [record.category for record in chart.series[0].records]
        self.assertEqual(cases, ["all hit, dense", "all hit, sparse", "misses"])

    def test_a_point_measured_again_replaces_the_older(self):
        made = [json.dumps({**next(fixture.keys(fixture.CPU, 1)), "value": v}) for v in (5.0, 7.0)]
        measured = [records.parse(line, "f") for line in made]
        chart = charts.of_experiment(
            experiments.described()["keys"], measured, machines.all_machines(measured)
        )[0]
        self.assertEqual([one.value for one in chart.series[0].records], [7.0])

    def test_page_data_tells_why_a_point_is_missing(self):
        series = charts.page_data(self.charts["keys"][0])["series"]
        lost = [p for one in series for p in one["points"] if p.get("status") == "timed out"]
        self.assertTrue(lost)
        self.assertTrue(all(p["reason"] == "more than 300 s" and "value" not in p for p in lost))

    def test_the_same_condition_has_the_same_marker_in_the_paper(self):
        series = charts.page_data(self.charts["hit-rate"][0])["series"]
        markers = {(one["label"].partition(", ")[2], one["marker"]) for one in series}
        self.assertEqual(len(markers), 2)

    def test_powers_of_two_are_recognised(self):
        self.assertEqual(self.charts["keys"][0].x_form, "power")
        self.assertEqual(self.charts["key-modes"][0].x_form, "exponent")
        self.assertEqual(self.charts["hit-rate"][0].x_form, "plain")

    def test_the_label_does_not_say_log2_where_powers_are_written(self):
        self.assertEqual(charts.page_data(self.charts["key-modes"][0])["x"]["label"], "keys")

    def test_other_batches_than_the_papers_are_shown_per_lookup_first(self):
        first = {
            name: charts.page_data(drawn[0])["perLookup"]
            for name, drawn in self.charts.items()
            if drawn
        }
        self.assertEqual(first["hit-rate"], {"first": True})
        self.assertEqual(first["key-modes"], {"first": False})  # the paper has no such figure here
        self.assertIsNone(first["cpu-peers"])  # these records do not say how many lookups

    def test_only_times_of_lookups_are_shown_per_lookup(self):
        self.assertIsNone(charts.page_data(self.charts["keys"][1])["perLookup"])

    def test_metrics_that_a_description_leaves_out_are_left_out(self):
        only_time = {**fixture.EXPERIMENTS[1], "metrics": fixture.EXPERIMENTS[1]["metrics"][:1]}
        known = {"keys": experiments.from_entry(only_time)}
        with mock.patch.object(experiments, "described", lambda: known):
            shown = {one.name: one for one in experiments.in_order(self.all)}["keys"]
        self.assertEqual([metric.name for metric in shown.metrics], ["lookup_ms"])

    def test_an_experiment_of_a_program_has_its_title(self):
        (found,) = experiments.in_order([o for o in self.all if o.experiment == "cpu-peers"])
        self.assertEqual(found.title, "Beside the C++ libraries")
        self.assertTrue(found.metrics[0].lower_is_better)

    def test_an_unknown_experiment_is_derived_from_its_records(self):
        for workload, label in (
            ({"threads": 4.0}, "threads"),
            ({"keys": 16}, "keys, log2"),
            ({"keys": 5}, "x of the records"),
        ):
            (found,) = experiments.in_order([record("my-own", 4.0, **workload)])
            self.assertEqual((found.title, found.page, found.x.label), ("My own", "other", label))
            self.assertEqual(found.metrics[0].label, "time of the lookups [ms]")

    def test_powers_of_two_of_a_workload_are_written_as_such(self):
        measured = [record("my-own", None, keys_log2=keys) for keys in (20, 26)]
        (one,) = experiments.in_order(measured)
        (chart,) = charts.of_experiment(one, measured, machines.all_machines(measured))
        self.assertEqual(list(chart.short_category.values()), ["2²⁰ keys", "2²⁶ keys"])

    def test_categories_that_differ_in_a_number_are_in_its_order(self):
        measured = [
            dataclasses.replace(record("my-own", None), category=text)
            for text in ("refit, 2^8", "rebuild", "refit, 2^12", "refit, 2^4")
        ]
        (one,) = experiments.in_order(measured)
        (chart,) = charts.of_experiment(one, measured, machines.all_machines(measured))
        cases = [made.category for made in chart.series[0].records]
        self.assertEqual(cases, ["refit, 2^4", "refit, 2^8", "refit, 2^12", "rebuild"])


class Programs(unittest.TestCase):
    def assigned(self, experiment, question, **workload):
        made = record(experiment, None, question=question, **workload)
        (found,) = programs.assigned([made])
        return found

    def test_each_question_has_its_page(self):
        for experiment, question, page in (
            ("cpu-peers", "strings", "strings"),
            ("cpu-peers", "inserts in batches of 2^10", "changes"),
            ("cpu-peers", "points, sorted", "points"),
            ("gpu-indexes", "urls, any", "strings"),
            ("gpu-indexes", "any, pinned", "host-memory"),
            ("python-intervals", "", "intervals"),
            ("python-filters", "", "filters"),
            ("duckdb-join", "", "joins"),
        ):
            (one,) = experiments.in_order([self.assigned(experiment, question)])
            self.assertEqual(one.page, page, question)
            self.assertTrue(one.title and one.question)

    def test_the_memory_of_a_question_is_a_series(self):
        found = self.assigned("gpu-indexes", "range count, ordinary")
        self.assertEqual((found.series, found.category), ("hash, pageable memory", "range count"))

    def test_the_size_of_a_batch_is_its_place(self):
        found = self.assigned("gpu-indexes", "any, batch of 2^10, pinned")
        self.assertEqual((found.x, found.category), (1024.0, "any"))

    def test_a_column_that_is_skewed_is_on_the_page_of_skew(self):
        found = self.assigned("gpu-indexes", "build", distribution="clusters")
        self.assertEqual(found.experiment, "gpu-skew")

    def test_records_of_tests_are_not_shown(self):
        self.assertEqual(programs.assigned([record("fuzz", None)]), [])


class Machines(unittest.TestCase):
    def test_own_machines_come_first(self):
        found = machines.all_machines(read_fixture()).values()
        named = [(machine.name, machine.published) for machine in found]
        self.assertEqual(
            named,
            [
                ("Example CPU, 8 cores", False),
                ("Example H", False),
                ("RTX 4090", True),
                ("RTX 3090", True),
            ],
        )

    def test_twins_are_told_apart_by_their_folders(self):
        line = json.dumps(next(fixture.keys(fixture.CPU, 1)))
        found = machines.all_machines([records.parse(line, "desk"), records.parse(line, "shelf")])
        self.assertEqual(
            [machine.name for machine in found.values()],
            ["Example CPU, 8 cores (desk)", "Example CPU, 8 cores (shelf)"],
        )

    def shown_first(self, measured, wanted=None):
        return machines.first_shown(machines.all_machines(measured), measured, wanted).folder

    def test_the_newest_records_are_shown_first(self):
        line = next(fixture.keys(fixture.CPU, 1))
        many = [records.parse(json.dumps(line), "many")] * 3
        dated = [
            records.parse(json.dumps({**line, "date": f"2026-01-0{day}T00:00:00Z"}), folder)
            for day, folder in ((2, "new"), (1, "old"))
        ]
        self.assertEqual(self.shown_first([*many, *dated]), "new")
        self.assertEqual(self.shown_first([*many, records.parse(json.dumps(line), "one")]), "many")
        self.assertEqual(self.shown_first([*many, *dated], "old"), "old")
        with self.assertRaisesRegex(records.ReportError, "--machine desk: .* many, new, old"):
            self.shown_first([*many, *dated], "desk")

    def test_records_without_a_gpu_belong_to_the_machine_of_their_folder(self):
        made = [next(fixture.keys(facts, 1)) for facts in (fixture.GPU, fixture.CPU)]
        measured = [records.parse(json.dumps(line), "f") for line in made]
        self.assertEqual(len(machines.all_machines(machines.with_gpus(measured))), 1)

    def test_rt_cores(self):
        made = [
            machines.Machine(0, "", False, "", facts)
            for facts in (fixture.GPU, {**fixture.GPU, "rt_cores": 30}, fixture.CPU)
        ]
        self.assertEqual([machine.has_no_rt_cores for machine in made], [True, False, False])


class Names(unittest.TestCase):
    def test_families(self):
        for index, family in (
            ("rx:native@cuda0,threads=2", "rx:native"),
            ("rx", "rx"),
            ("sorted@cpu,order=auto", "sorted"),
            ("RX", "rx:optix"),
            ("B+", "btree"),
            ("absl::flat_hash_map, one at a time", "absl::flat_hash_map"),
            ("hashbrown", "hashbrown"),
        ):
            self.assertEqual(names.family(index), family)

    def test_every_colour_used_is_defined_for_both_pages(self):
        families = ["rx:native", "hash", "some::peer", "another"]
        sheet = colours.style_sheet(families)
        used = [
            colours.css_name(family, shade)
            for family in families
            for shade in range(len(colours.SHADES))
        ]
        self.assertEqual(len(set(used)), len(used))
        for name in used:
            self.assertEqual(sheet.count(f"--{name}: #"), 2, name)

    def test_an_index_keeps_its_colour_whatever_stands_beside_it(self):
        def colour(families):
            sheet = colours.style_sheet(families)
            return [line for line in sheet.splitlines() if "--hash-0" in line]

        self.assertEqual(colour(["hash"]), colour(["btree", "hash", "zebra"]))

    def test_colours_stand_out_from_the_page(self):
        """At least 3 to 1 against white and against the dark surface, as WCAG asks of graphics."""
        light, dark = colours.style_sheet(colours.KNOWN).split("@media")
        for sheet, ground in ((light, "#ffffff"), (dark, "#181c25")):
            for line in sheet.splitlines():
                name, _, value = line.strip().rstrip(";").partition(": ")
                if name.endswith("-0"):
                    self.assertGreaterEqual(contrast(value, ground), 3.0, f"{name} on {ground}")


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class Words(unittest.TestCase):
    def test_numbers(self):
        for value, text in (
            (0, "0"),
            (0.01234, "0.0123"),
            (12.34, "12.3"),
            (12345, "12\u202f345"),
            (2, "2"),
        ):
            self.assertEqual(words.number(value), text)

    def test_powers(self):
        self.assertEqual(words.powers("2^12 keys, 12^2"), "2¹² keys, 12^2")

    def test_factors(self):
        self.assertEqual(words.times(1.041, 1.042), "1.04×")
        self.assertEqual(words.times(1.2, 12.4), "1.2 to 12×")

    def test_lists(self):
        self.assertEqual(
            [words.listed(["a", "b", "c"][:n]) for n in range(4)],
            ["", "a", "a and b", "a, b and c"],
        )


if __name__ == "__main__":
    unittest.main()
