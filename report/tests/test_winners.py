"""Who wins: only like is compared with like, and what is too close is not called a win."""

import unittest

import fixture
from rtindex_report import charts, experiments, machines, records, winners


def record(
    index, value, series=None, x=1.0, runs=None, machine=fixture.CPU, metric="lookup_ms", **more
):
    return records.Record(
        experiment="e",
        index=index,
        series=series,
        metric=metric,
        machine=machine,
        folder="f",
        x=x,
        value=value,
        runs=tuple(runs or ()),
        **more,
    )


def contests(measured, lower=True, metrics=("lookup_ms",)):
    shown = tuple(experiments.Metric(metric, "time [ms]", False, lower) for metric in metrics)
    experiment = experiments.Experiment("e", "E", "", shown, experiments.Axis("x", "x"))
    known = machines.all_machines(measured)
    return [
        contest
        for chart in charts.of_experiment(experiment, measured, known)
        for contest in winners.contests(chart)
    ]


def winner_names(contest):
    return [contest.name_of(verdict) for verdict in contest.verdicts]


class Winners(unittest.TestCase):
    def test_the_smaller_time_wins_at_each_place(self):
        measured = [
            record("hash", 10, x=1),
            record("btree", 20, x=1),
            record("hash", 30, x=2),
            record("btree", 20, x=2),
        ]
        (contest,) = contests(measured)
        self.assertEqual(winner_names(contest), ["hash", "btree"])
        self.assertEqual([verdict.factor for verdict in contest.verdicts], [2.0, 1.5])

    def test_the_larger_throughput_wins(self):
        (contest,) = contests([record("hash", 10), record("btree", 20)], lower=False)
        self.assertEqual(winner_names(contest), ["btree"])

    def test_no_contest_where_nothing_is_better(self):
        self.assertEqual(contests([record("hash", 10), record("btree", 20)], lower=None), [])

    def test_time_and_throughput_of_the_same_lookups_are_one_contest(self):
        measured = [
            record(index, value, metric=metric)
            for index, value in (("hash", 10), ("btree", 20))
            for metric in ("mlookups_per_s", "lookup_ms", "build_ms")
        ]
        found = contests(measured, metrics=("mlookups_per_s", "lookup_ms", "build_ms"))
        self.assertEqual(
            [contest.chart.metric.name for contest in found], ["mlookups_per_s", "build_ms"]
        )

    def test_no_contest_for_one(self):
        self.assertEqual(contests([record("hash", 10)]), [])

    def test_other_work_is_not_compared(self):
        measured = [
            record("hash", 30, "hash, unsorted lookups", workload={"sorted": False}),
            record("btree", 40, "btree, unsorted lookups", workload={"sorted": False}),
            record("hash", 20, "hash, sorted lookups", workload={"sorted": True}),
            record("btree", 10, "btree, sorted lookups", workload={"sorted": True}),
        ]
        found = {contest.condition: winner_names(contest) for contest in contests(measured)}
        self.assertEqual(found, {"unsorted lookups": ["hash"], "sorted lookups": ["btree"]})

    def test_a_condition_without_a_name_is_told_by_the_other(self):
        measured = [
            record(
                index, value, f"{index}{', sorted lookups' if order else ''}", workload={"s": order}
            )
            for order in (False, True)
            for index, value in (("hash", 1), ("btree", 2))
        ]
        found = [contest.condition for contest in contests(measured)]
        self.assertEqual(found, ["without sorted lookups", "sorted lookups"])

    def test_a_condition_is_what_its_contestants_share(self):
        measured = [
            record(
                f"rx:embree,mode={mode}",
                1 + len(mode),
                f"rx:embree, {mode}, stride {stride}",
                workload={"stride": stride},
            )
            for stride in (1, 2)
            for mode in ("naive", "3d")
        ]
        found = [contest.condition for contest in contests(measured)]
        self.assertEqual(found, ["stride 1", "stride 2"])

    def test_a_note_is_no_condition(self):
        measured = [record("hash", 1, workload={"note": "busy"}), record("btree", 2, workload={})]
        self.assertEqual(len(contests(measured)), 1)

    def test_the_sort_has_no_winner(self):
        measured = [record("hash", 1, metric="sort_ms"), record("btree", 2, metric="sort_ms")]
        self.assertEqual(contests(measured, metrics=("sort_ms",)), [])

    def test_a_parameter_that_follows_x_is_no_condition(self):
        measured = [
            record(index, value, x=x, workload={"keys": 2**x})
            for x in (4, 5)
            for index, value in (("hash", 1), ("btree", 2))
        ]
        (contest,) = contests(measured)
        self.assertEqual(contest.condition, "")
        self.assertEqual(len(contest.verdicts), 2)

    def test_other_machines_are_not_compared(self):
        measured = [record("hash", 10), record("btree", 5, machine=fixture.GPU)]
        self.assertEqual(contests(measured), [])

    def test_published_figures_do_not_compete(self):
        measured = [record("hash", 10), record("btree", 20), record("HT", 1, source="a paper")]
        (contest,) = contests(measured)
        self.assertEqual(winner_names(contest), ["hash"])

    def test_what_timed_out_does_not_compete(self):
        measured = [record("hash", 10), record("btree", None, status="timed out")]
        self.assertEqual(contests(measured), [])

    def test_overlapping_runs_are_close(self):
        apart = [record("hash", 10, runs=(9, 10, 11)), record("btree", 13, runs=(12, 13, 14))]
        close = [record("hash", 10, runs=(9, 10, 12)), record("btree", 12, runs=(11, 12, 13))]
        self.assertFalse(contests(apart)[0].verdicts[0].close)
        self.assertTrue(contests(close)[0].verdicts[0].close)

    def test_one_stray_run_of_five_decides_nothing(self):
        measured = [
            record("hash", 12, runs=(10, 10, 10, 10, 20)),
            record("btree", 15, runs=(15, 15, 15, 15, 9)),
        ]
        self.assertFalse(contests(measured)[0].verdicts[0].close)

    def test_medians_decide(self):
        measured = [
            record("hash", 30, runs=(10, 10, 10, 10, 110)),
            record("btree", 15, runs=(15, 15, 15, 15, 15)),
        ]
        self.assertEqual(winner_names(contests(measured)[0]), ["hash"])

    def test_close_by_throughput(self):
        close = [record("hash", 12, runs=(10, 12)), record("btree", 11, runs=(10.5, 11.5))]
        self.assertTrue(contests(close, lower=False)[0].verdicts[0].close)

    def test_settings_of_one_index_are_no_rivals(self):
        measured = [
            record("rx:native,order=auto", 10, "rx:native, ordered"),
            record("rx:native,order=off", 11, "rx:native, unordered"),
            record("hash", 20),
        ]
        (contest,) = contests(measured)
        self.assertTrue(contest.between_indexes)
        self.assertEqual(winner_names(contest), ["rx:native"])
        self.assertEqual(contest.verdicts[0].factor, 2.0)

    def test_within_one_percent_is_close(self):
        self.assertTrue(contests([record("hash", 10), record("btree", 10.05)])[0].verdicts[0].close)

    def test_settings_of_one_index_keep_their_names(self):
        measured = [
            record("rx:embree,mode=3d", 10, "rx:embree, 3d"),
            record("rx:embree,mode=naive", 20, "rx:embree, naive"),
        ]
        (contest,) = contests(measured)
        self.assertFalse(contest.between_indexes)
        self.assertEqual(winner_names(contest), ["rx:embree, 3d"])


if __name__ == "__main__":
    unittest.main()
