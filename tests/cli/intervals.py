"""Verbs of intervals, compared with a full scan."""

import random
import unittest

from command import CommandTest, available_indexes

ENDS = "[]", "[)", "(]", "()"


def points(low, high, ends):
    """An interval in quarters, so that points between two integers count too."""
    first = 4 * low + (0 if ends[0] == "[" else 1)
    last = 4 * high - (0 if ends[1] == "]" else 1)
    return set(range(first, last + 1))


def matches(kind, interval, wanted):
    if not interval or not wanted:
        return False
    return {"overlaps": bool(interval & wanted), "within": interval <= wanted,
            "covers": wanted <= interval}[kind]


class Intervals(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(20240131)
        self.start = [rng.randrange(60) for _ in range(80)]
        self.end = [start + rng.randrange(12) for start in self.start]
        self.room = [rng.choice(["blue", "red", "big, red"]) for _ in self.start]
        self.write_npy("start.npy", "<i4", self.start)
        self.write_npy("end.npy", "<i4", self.end)
        rows = zip(self.room, self.start, self.end)
        self.write("rooms.csv", "room,from,to\n" + "".join(f'"{r}",{s},{e}\n' for r, s, e in rows))
        self.lower = [rng.randrange(60) for _ in range(30)]
        self.upper = [lower + rng.randrange(12) for lower in self.lower]
        self.write_npy("lower.npy", "<i4", self.lower)
        self.write_npy("upper.npy", "<i4", self.upper)

    def indexes(self):
        return [spec for spec in ("rx:native@cpu", "sorted@cpu", "btree@cpu") if spec in available_indexes()]

    def rows(self, name="out"):
        offsets, rows = self.read(f"{name}.offsets.npy")[1], self.read(f"{name}.rows.npy")[1]
        return [sorted(rows[a:b]) for a, b in zip(offsets, offsets[1:])]

    def intervals(self, ends):
        return [points(s, e, ends) for s, e in zip(self.start, self.end)]

    def test_contains(self):
        for spec in self.indexes():
            for ends in ENDS:
                with self.subTest(spec=spec, ends=ends):
                    self.succeed("contains", "--start", "start.npy", "--end", "end.npy", "--ends",
                                 ends, "--keys", "lower.npy", "--answer", "rows", "--index", spec,
                                 "-o", "out.npy")
                    self.assertEqual(self.rows(), [
                        [row for row, interval in enumerate(self.intervals(ends)) if 4 * key in interval]
                        for key in self.lower])

    def test_ranges(self):
        for kind in "overlaps", "within", "covers":
            for ends in ENDS:
                for range_ends in ENDS:
                    with self.subTest(kind=kind, ends=ends, range_ends=range_ends):
                        self.succeed(kind, "--start", "start.npy", "--end", "end.npy", "--ends", ends,
                                     "--lower", "lower.npy", "--upper", "upper.npy", "--range-ends",
                                     range_ends, "--answer", "rows", "-o", "out.npy")
                        self.assertEqual(self.rows(), [
                            [row for row, interval in enumerate(self.intervals(ends))
                             if matches(kind, interval, points(low, high, range_ends))]
                            for low, high in zip(self.lower, self.upper)])

    def test_leading_columns_of_a_csv_file(self):
        column = ["--column", "rooms.csv", "--start", "from", "--end", "to", "--ends", "[]", "--by",
                  "room"]
        expected = [row for row, room in enumerate(self.room)
                    if room == "big, red" and self.start[row] <= 20 and self.end[row] >= 10]
        ranges = ["--range", '"big, red",10:20', "--answer", "rows", "--limit", "100", "-q"]
        table = self.succeed("overlaps", *column, *ranges).stdout
        shown = table.splitlines()[-1].split()[4:]
        self.assertEqual(shown[:12], [str(row) for row in expected[:12]])
        self.succeed("build", *column, "-o", "rooms.rtindex")
        self.assertEqual(self.succeed("overlaps", "--load", "rooms.rtindex", *ranges).stdout, table)
        self.write("at.csv", "room,at\nblue,30\nred,30\ngreen,30\n")
        self.succeed("contains", "--load", "rooms.rtindex", "--keys", "at.csv", "--keys-csv-column",
                     "room", "--keys-csv-column", "at", "--answer", "count", "-o", "n.npy")
        self.assertEqual(self.read("n.npy")[1], [
            sum(r == room and s <= 30 <= e for r, s, e in zip(self.room, self.start, self.end))
            for room in ("blue", "red", "green")])

    def test_keys_without_their_leading_value(self):
        self.write("r.csv", "room,s,e\nblue,2024-01-01,2024-03-01\n")
        intervals = ["--column", "r.csv", "--start", "s", "--end", "e", "--by", "room", "--ends", "[)"]
        self.reject("contains", *intervals, "--key", "2024-02-01", says=["1 of 2 values", "blue,10"])

    def test_ends_may_be_times_of_day(self):
        self.write("shifts.csv", "from,to\n2024-01-01,2024-01-02T12:00\n2024-01-02,2024-01-02T18:00\n2024-01-03,\n")
        shifts = ["--column", "shifts.csv", "--start", "from", "--end", "to", "--ends", "[)"]
        out = self.succeed("contains", *shifts, "--key", "2024-01-02T11:59", "--key", "2024-01-02T12:00",
                           "--key", "2024-01-01", "--answer", "count", "-o", "-").stdout
        self.assertEqual([line.split(",")[-1] for line in out.splitlines()[1:]], ["2", "1", "1"])

    def test_times_of_day_are_contained_in_dates(self):
        self.write("rooms.csv", "room,from,to\nA,2024-01-01,2024-01-31\nA,2024-01-31,2024-02-01\nB,2024-01-31,2024-02-01\n"
                                "A,2024-02-01,2024-02-02\n")
        for ends, noon, midnight in (("[)", "1", "3"), ("[]", "1", "1 3"), ("(]", "1", "1"), ("()", "1", "")):
            out = self.succeed("contains", "--column", "rooms.csv", "--by", "room", "--start", "from", "--end", "to",
                               "--ends", ends, "--key", "A,2024-01-31T12:00", "--key", "A,2024-02-01", "--answer", "rows",
                               "--order", "key", "-o", "-").stdout
            self.assertEqual([line.split(",")[-1] for line in out.splitlines()[1:]], [noon, midnight], ends)

    def test_an_infinite_end_is_named(self):
        self.write("prices.csv", "from,to\n2024-01-01,2024-04-01\n2024-04-01,infinity\n")
        self.reject("contains", "--column", "prices.csv", "--start", "from", "--end", "to", "--ends", "[)",
                    "--key", "2024-01-31", says=["line 3: dates and times have no 'infinity'", "column to",
                                                 "9999-12-31", "--null 'infinity'"])

    def test_wrong_ends_are_shown_as_times(self):
        self.write("prices.csv", "from,to\n2024-05-01,2024-04-01\n")
        self.write("times.csv", "from,to\n2024-05-01T08:30,2024-05-01T08:15\n")
        for file, says in (("prices.csv", "ends at 2024-04-01, before it starts at 2024-05-01"),
                           ("times.csv", "ends at 2024-05-01T08:15:00.000000, before it starts at 2024-05-01T08:30")):
            self.reject("contains", "--column", file, "--start", "from", "--end", "to", "--ends", "[)",
                        "--key", "2024-05-01", says=says)

    def test_addresses_as_text_are_rejected(self):
        self.write("nets.csv", "low,high\n9.0.0.0,9.255.255.255\n100.0.0.0,100.255.255.255\n")
        nets = ["--column", "nets.csv", "--start", "low", "--end", "high", "--ends", "[]"]
        self.reject("contains", *nets, "--key", "100.10.0.1", "-q",
                    says=["holds text, such as '9.0.0.0'", "convert the addresses to integers", "--type low:string"])
        self.reject("overlaps", *nets, "--range", "100.10.0.1:100.10.0.9", says="holds text")
        self.succeed("contains", *nets, "--type", "low:string", "--type", "high:string", "--key", "100.10.0.1")

    def test_bed_files_may_have_lines_for_a_browser(self):
        columns = ["--by", "1", "--start", "2", "--end", "3", "--ends", "[)", "--key", "chr1,160",
                   "--answer", "count", "-o", "-"]
        lines = "chr1\t100\t200\nchr1\t150\t400\n"
        for header in ('track name=x description="y z"\n', "browser position chr1:1-2\n# a comment\n",
                       "#chrom\tstart\tend\n"):
            self.write("genes.bed", header + lines)
            self.assertIn("160,2\n", self.succeed("contains", "--column", "genes.bed", *columns).stdout)
        self.write("genes.bed", "track name=x\n#chrom\tstart\tend\n" + lines)
        named = ["--header", "--by", "#chrom", "--start", "start", "--end", "end", *columns[6:]]
        self.assertIn("160,2\n", self.succeed("contains", "--column", "genes.bed", *named).stdout)
        self.write("genes.bed", "track name=x\n" + lines.replace("150", "fifty"))
        self.reject("contains", "--column", "genes.bed", *columns, says="genes.bed, line 3")
        self.write("genes.bed", "# nothing else")
        self.reject("contains", "--column", "genes.bed", *columns, says="is empty")

    def test_bed_files_have_tabs_and_no_header(self):
        genes = "chr1\t100\t200\nchr1\t150\t400\nchr2\t100\t300\n"
        columns = ["--by", "1", "--start", "2", "--end", "3", "--ends", "[)", "--key", "chr1,160",
                   "--answer", "count", "-o", "-"]
        self.write("genes.bed", genes)
        self.assertIn("160,2\n", self.succeed("contains", "--column", "genes.bed", *columns).stdout)
        self.write("genes.txt", genes)
        self.reject("contains", "--column", "genes.txt", *columns,
                    says=["genes.txt: unknown extension", "--format csv", "--delimiter tab", "--no-header"])
        self.assertIn("160,2\n", self.succeed("contains", "--column", "genes.txt", "--format", "csv", "--no-header",
                                              "--delimiter", "tab", *columns).stdout)

    def test_times(self):
        self.write("prices.csv", "from,to,price\n2024-01-01,2024-02-01,100\n2024-02-01,,110\n"
                                 "2024-01-15,2024-02-10,90\n")
        prices = ["--column", "prices.csv", "--start", "from", "--end", "to", "--ends", "[)", "--values",
                  "prices.csv", "--values-csv-column", "price"]
        out = self.succeed("contains", *prices, "--key", "2024-01-31", "--key", "2024-02-01",
                           "--answer", "min,count")
        self.assertIn("2024-01-31      2   90\n2024-02-01      1   90\n", out.stdout)
        self.assertIn("note     column to: 1 of 3 fields are null\n", out.stderr)
        out = self.succeed("overlaps", *prices, "--range", "2024-02-05:2024-03-01", "--answer", "sum")
        self.assertIn("90\n", out.stdout)

    def nearest(self, key, ends, direction):
        """The rows at the least distance, or those that contain the key."""
        inside = [row for row, interval in enumerate(self.intervals(ends)) if 4 * key in interval]
        if inside:
            return inside
        distances = {}
        for row, interval in enumerate(self.intervals(ends)):
            if not interval:
                continue
            is_before = max(interval) < 4 * key
            if direction in ("nearest", "backward" if is_before else "forward"):
                distances[row] = key - self.end[row] if is_before else self.start[row] - key
        return [row for row, distance in distances.items() if distance == min(distances.values())]

    def test_nearest(self):
        self.write_npy("keys.npy", "<i4", range(-5, 90))
        for ends in ENDS:
            for direction in "backward", "forward", "nearest":
                with self.subTest(ends=ends, direction=direction):
                    self.succeed("nearest", "--start", "start.npy", "--end", "end.npy", "--ends", ends,
                                 "--keys", "keys.npy", "--direction", direction, "--answer", "rows",
                                 "-o", "out.npy")
                    self.assertEqual(self.rows(),
                                     [self.nearest(key, ends, direction) for key in range(-5, 90)])
        table = self.succeed("nearest", "--start", "start.npy", "--end", "end.npy", "--ends", "[]",
                             "--key", 200, "--tolerance", 5, "--answer", "count", "-q").stdout
        self.assertEqual(table.splitlines()[-1].split(), ["200", "0"])

    def test_joins(self):
        files = ["--start", "start.npy", "--end", "end.npy", "--ends", "[)"]
        wanted = self.intervals("[)")

        def pairs(*options):
            self.succeed("join", *options, "-o", "out.npy")
            return sorted(zip(self.read("out.lookups.npy")[1], self.read("out.rows.npy")[1]))

        self.assertEqual(pairs(*files, "--keys", "lower.npy"), [
            (i, row) for i, key in enumerate(self.lower) for row, interval in enumerate(wanted)
            if 4 * key in interval])
        ranges = ["--lower", "lower.npy", "--upper", "upper.npy", "--range-ends", "[)"]
        overlapping = [(i, row) for i, ends in enumerate(zip(self.lower, self.upper))
                       for row, interval in enumerate(wanted) if interval & points(*ends, "[)")]
        self.assertEqual(pairs(*files, *ranges), overlapping)
        self.succeed("build", *files, "-o", "intervals.rtindex")
        self.assertEqual(pairs("--load", "intervals.rtindex", *ranges), overlapping)
        self.assertEqual(pairs(*files, "--keys", "lower.npy", "--asof", "--direction", "nearest"), [
            (i, row) for i, key in enumerate(self.lower) for row in self.nearest(key, "[)", "nearest")])
        self.reject("join", "--start", "start.npy", "--end", "end.npy", "--keys", "lower.npy",
                    says="missing --ends")

    def test_updates(self):
        self.succeed("build", "--column", "rooms.csv", "--start", "from", "--end", "to", "--ends", "[]",
                     "--by", "room", "-o", "rooms.rtindex")
        self.write("new.csv", "room,from,to\ngreen,1,5\ngreen,3,9\n")
        names = ["--start", "from", "--end", "to", "--by", "room"]
        self.succeed("update", "rooms.rtindex", "--insert", "new.csv", *names)
        self.write_npy("rows.npy", "<u4", [0, 1])
        self.succeed("update", "rooms.rtindex", "--set-keys", "rows.npy", "new.csv", *names)
        self.succeed("update", "rooms.rtindex", "--erase-row", 80)
        table = self.succeed("contains", "--load", "rooms.rtindex", "--key", "green,4", "--answer",
                             "rows", "--order", "key", "-q").stdout
        self.assertEqual(table.splitlines()[-1].split()[-3:], ["0", "1", "81"])
        self.reject("update", "rooms.rtindex", "--insert", "new.csv", "--start", "from", "--end", "to",
                    says="has 1 leading columns, got 0")
        self.reject("update", "rooms.rtindex", "--insert", "new.csv", says="pass --start and --end")
        self.reject("update", "rooms.rtindex", "--erase-key", 1, says="erased by their rows")
        self.succeed("build", "--start", "start.npy", "--end", "end.npy", "--ends", "[]", "-o",
                     "files.rtindex")
        out = self.succeed("update", "files.rtindex", "--start", "start.npy", "--end", "end.npy")
        self.assertIn("inserted 80 rows from rowID 80", out.stdout)

    def test_bad_input(self):
        files = ["--start", "start.npy", "--end", "end.npy"]
        self.reject("contains", *files, "--key", 1, says='missing --ends: pass "[)"')
        self.reject("contains", *files, "--ends", "[[", "--key", 1, says="[[")
        self.reject("contains", "--start", "start.npy", "--ends", "[)", "--key", 1, says="missing --end")
        self.reject("contains", "--column", "start.npy", "--key", 1, says="missing --start")
        self.reject("contains", "--column", "start.npy", "--start", "a", "--end", "b", "--ends", "[)",
                    "--key", 1, says="start.npy is not a CSV file")
        self.reject("contains", "--column", "rooms.csv", "--start", "from", "--end", "till", "--ends",
                    "[)", "--key", 1, says=["no column 'till'", "with --end"])
        self.reject("contains", "--start", "end.npy", "--end", "start.npy", "--ends", "[)", "--key", 1,
                    says="row ")
        self.reject("overlaps", *files, "--ends", "[)", "--range", "5", says="LOWER:UPPER")
        self.reject("overlaps", "--column", "rooms.csv", "--start", "from", "--end", "to", "--ends", "[)",
                    "--by", "room", "--range", "5:6", says="expected 1 values before the range")
        self.reject("lookup", *files, "--key", 1, says="--start")
        self.succeed("build", "--column", "start.npy", "-o", "keys.rtindex")
        self.reject("contains", "--load", "keys.rtindex", "--key", 1, says="holds keys, not intervals")
        self.reject("contains", "--load", "keys.rtindex", "--ends", "[)", "--key", 1,
                    says="a saved index keeps its intervals")
        self.succeed("build", *files, "--ends", "[)", "-o", "intervals.rtindex")
        self.reject("lookup", "--load", "intervals.rtindex", "--key", 1, says="use contains, overlaps")
        self.reject("update", "intervals.rtindex", "--insert-key", 1, says="holds intervals")


if __name__ == "__main__":
    unittest.main()
