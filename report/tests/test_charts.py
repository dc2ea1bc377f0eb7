"""Records become charts, machines get names, indexes get colours."""

import json
import pathlib
import tempfile
import unittest

import fixture
from rtindex_report import charts, colours, experiments, machines, names, records, words


def read_fixture():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        fixture.write(root)
        return records.read([root]), experiments.read([root])


class Charts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all, cls.described = read_fixture()
        cls.machines = machines.all_machines(cls.all)
        shown = charts.largest_scale(cls.all)
        cls.charts = {
            experiment.name: charts.of_experiment(
                experiment,
                [one for one in shown if one.experiment == experiment.name],
                cls.machines,
            )
            for experiment in experiments.in_order(cls.described, shown)
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
        (one,) = experiments.in_order({}, measured)
        (chart,) = charts.of_experiment(one, measured, machines.all_machines(measured))
        labels = [series.label for series in chart.series]
        self.assertEqual(labels, ["hash, group=2", "hash, group=4", "btree"])
        cases = [record.category for record in chart.series[0].records]
        self.assertEqual(cases, ["all hit, dense", "all hit, sparse", "misses"])

    def test_a_point_measured_again_replaces_the_older(self):
        made = [json.dumps({**next(fixture.keys(fixture.CPU, 1)), "value": v}) for v in (5.0, 7.0)]
        measured = [records.parse(line, "f") for line in made]
        chart = charts.of_experiment(
            self.described["keys"], measured, machines.all_machines(measured)
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
        described = {"keys": experiments._described(only_time)}
        (shown,) = [one for one in experiments.in_order(described, self.all) if one.name == "keys"]
        self.assertEqual([metric.name for metric in shown.metrics], ["lookup_ms"])

    def test_an_experiment_that_is_not_described_gets_a_title(self):
        (guessed,) = experiments.in_order(
            {}, [one for one in self.all if one.experiment == "cpu-peers"]
        )
        self.assertEqual(guessed.title, "CPU peers")
        self.assertTrue(guessed.metrics[0].lower_is_better)


class Machines(unittest.TestCase):
    def test_own_machines_come_first(self):
        found = machines.all_machines(read_fixture()[0]).values()
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

    def test_rt_cores(self):
        made = [
            machines.Machine(0, "", False, facts)
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
