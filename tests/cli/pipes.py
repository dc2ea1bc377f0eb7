"""Pipes and formats: standard input and output, CSV, JSON lines and .npy, jq, cut and DuckDB."""

import csv
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest

from command import RTINDEX, CommandTest, npy_bytes, read_npy

try:
    import duckdb
    DUCKDB = hasattr(duckdb, "connect")
except ImportError:
    DUCKDB = False

SOURCE = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])


class Pipes(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.column = [rng.randrange(500) for _ in range(3000)]
        self.keys = [rng.randrange(600) for _ in range(5000)]
        self.write_npy("column.npy", "<i4", self.column)
        self.write_npy("keys.npy", "<i4", self.keys)
        self.write("cities.csv", 'city,day,n\n"Rio, Sul",2024-01-31,3\nOslo,2024-02-01,4\n'
                                 '"say ""hi""",2024-02-01,5\nOslo,2024-01-31,\n')
        self.first = {key: self.column.index(key) for key in set(self.column)}

    def bash(self, line):
        path = f"{pathlib.Path(RTINDEX).parent}:{os.environ['PATH']}"
        ran = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=self.folder, text=True,
                             env={**os.environ, "PATH": path}, capture_output=True, check=False)
        self.assertEqual(ran.returncode, 0, f"{line}: {ran.stderr}")
        return ran.stdout

    def rows_of(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def test_csv_of_many_lookups(self):
        lookup = ["lookup", "--column", "column.npy", "--keys", "keys.npy", "--answer", "first,count",
                  "-o"]
        text = self.succeed(*lookup, "-").stdout
        expected = [{"key": str(key), "first": str(self.first.get(key, "")),
                     "count": str(self.column.count(key))} for key in self.keys]
        self.assertEqual(self.rows_of(text), expected)
        self.succeed(*lookup, "out.csv")
        self.assertEqual((self.folder / "out.csv").read_text(), text)
        self.succeed(*lookup, "out.jsonl")
        lines = (self.folder / "out.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line) for line in lines], [
            {"key": key, "first": self.first.get(key), "count": self.column.count(key)}
            for key in self.keys])

    def test_a_table_of_many_lookups_in_a_pipe(self):
        text = self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy").stdout
        self.assertEqual(len(text.splitlines()), len(self.keys) + 2)

    def test_npy_through_pipes(self):
        command = [RTINDEX, "lookup", "--column", "column.npy", "--keys", "-", "--answer", "count",
                   "-o", "-", "--output-format", "npy", "-q"]
        ran = subprocess.run(command, cwd=self.folder, input=npy_bytes("<i4", self.keys),
                             capture_output=True, check=True)
        self.write("counts.npy", ran.stdout)
        self.assertEqual(read_npy(self.folder / "counts.npy"),
                         ("<u4", [self.column.count(key) for key in self.keys]))
        self.reject("lookup", "--column", "column.npy", "--key", 1, "--answer", "rows", "-o", "-",
                    "--output-format", "npy", says="several arrays cannot go to standard output")

    def test_rtindex_into_rtindex(self):
        out = self.bash("rtindex lookup --column column.npy --keys keys.npy --answer first -q -o - | "
                        "rtindex lookup --column - --csv-column first --keys - --keys-csv-column first "
                        "--answer count -q -o - | rtindex info - --format csv --json")
        infos = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(info["column"], info["rows"]) for info in infos],
                         [("key", 5000), ("count", 5000)])
        self.assertEqual(infos[0]["nulls"], sum(key not in self.first for key in self.keys))

    def test_composite_keys_with_quotes_and_commas(self):
        composite = "--csv-column city --csv-column day"
        out = self.bash(f"rtindex lookup --column cities.csv {composite} --key '\"Rio, Sul\",2024-01-31' "
                        "--key '\"say \"\"hi\"\"\",2024-02-01' --answer rows,count -q -o -")
        self.assertEqual(self.rows_of(out), [
            {"key1": "Rio, Sul", "key2": "2024-01-31", "count": "1", "rows": "0"},
            {"key1": 'say "hi"', "key2": "2024-02-01", "count": "1", "rows": "2"}])
        out = self.bash(f"rtindex lookup --column cities.csv {composite} --keys cities.csv --answer rows "
                        f"-q -o - | rtindex join --column cities.csv {composite} --keys - "
                        "--keys-csv-column key1 --keys-csv-column key2 -q -o - --output-format jsonl")
        self.assertEqual([json.loads(line) for line in out.splitlines()][0],
                         {"lookup": 0, "key1": "Rio, Sul", "key2": "2024-01-31", "row": 0})

    def test_several_columns_of_a_pipe(self):
        for column in "<(cat cities.csv) --format csv", "- < cities.csv":
            out = self.bash("rtindex lookup --csv-column city --key Oslo --values n --answer count,sum -q -o - "
                            f"--column {column}")
            self.assertEqual(out, "key,count,sum\nOslo,2,4\n")
            out = self.bash("rtindex filter --where city=Oslo --where day=2024-02-01 --values n --answer sum "
                            f"-q -o - --column {column}")
            self.assertEqual(out.splitlines()[1], "city=Oslo and day=2024-02-01,4")

    def test_rows_ranges_and_nulls(self):
        self.write("few.csv", "k\n5\n7\n5\n\n")
        def records(*arguments):
            out = self.succeed(*arguments, "-q", "-o", "-", "--output-format", "jsonl").stdout
            return [json.loads(line) for line in out.splitlines()]
        few = ["--column", "few.csv"]
        self.assertEqual(records("range", *few, "--range", "6:", "--range", ":5", "--answer", "rows"),
                         [{"lower": 6, "upper": None, "rows": [1]},
                          {"lower": None, "upper": 5, "rows": [0, 2]}])
        self.assertEqual(records("lookup", *few, "--key", "5", "--key", "9", "--answer", "any,rows"),
                         [{"key": 5, "any": 0, "rows": [0, 2]}, {"key": 9, "any": None, "rows": []}])
        self.assertEqual(records("nulls", *few), [{"row": 3}])
        self.assertEqual(records("rank", *few, "--key", 7), [{"key": 7, "rank": 2}])
        self.assertEqual(records("select", *few, "--rank", 0, "--rank", 9),
                         [{"rank": 0, "row": 0, "key": 5}, {"rank": 9, "row": None, "key": None}])
        self.assertEqual(records("join", *few, "--key", 5, "--how", "semi"), [{"lookup": 0, "key": 5}])
        self.assertEqual(records("nearest", "--column", "cities.csv", "--csv-column", "city", "--key", "P",
                                 "--answer", "key"), [{"lookup": "P", "key": "Oslo"}])

    def test_infinities_are_no_nulls(self):
        self.write("few.csv", "k,x\n1,inf\n2,-inf\n3,\n")
        out = self.succeed("lookup", "--column", "few.csv", "--csv-column", "k", "--values", "x", "--key", "1", "--key",
                           "2", "--key", "3", "--answer", "sum", "-q", "-o", "-", "--output-format", "jsonl").stdout
        self.assertEqual([json.loads(line)["sum"] for line in out.splitlines()], ["Infinity", "-Infinity", None])

    def test_devices_pipes_and_open_files_are_written_directly(self):
        self.write("few.csv", "k\n5\n7\n")
        (self.folder / "link.csv").symlink_to("/dev/fd/3")
        (self.folder / "null.npy").symlink_to("/dev/null")
        os.mkfifo(self.folder / "pipe.csv")
        lookup = "rtindex lookup --column few.csv --key 7 -q"
        records = "key,any\n7,1\n"
        self.write("log.txt", "before\n")
        (self.folder / "same.txt").hardlink_to(self.folder / "log.txt")
        self.bash(f"{lookup} -o /dev/stdout --output-format csv >> log.txt")
        self.bash(f"{lookup} -o link.csv 3>> log.txt")
        self.bash(f"{lookup} -o null.npy")
        self.assertEqual((self.folder / "same.txt").read_text(), "before\n" + 2 * records)
        self.assertEqual(self.bash(f"{lookup} -o /dev/stdout --output-format csv | cat"), records)
        self.assertEqual(self.bash(f"cat pipe.csv & {lookup} -o pipe.csv; wait"), records)
        self.assertTrue((self.folder / "link.csv").is_symlink() and (self.folder / "null.npy").is_symlink())

    def test_notes_stay_out_of_the_data(self):
        out = self.succeed("lookup", "--column", "column.npy", "--key", 1, "--describe", "-o", "-")
        self.assertEqual(len(out.stdout.splitlines()), 2)
        self.assertIn("rx:native", out.stderr)

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_jq(self):
        out = self.bash("rtindex lookup --column column.npy --keys keys.npy --answer count -q -o - "
                        "--output-format jsonl | jq -s 'map(.count) | add'")
        self.assertEqual(int(out), sum(map(self.column.count, self.keys)))

    def test_cut(self):
        out = self.bash("rtindex lookup --column column.npy --keys keys.npy --answer count -q -o - | "
                        "cut -d, -f2 | tail -n +2")
        self.assertEqual([int(line) for line in out.split()], [self.column.count(key) for key in self.keys])

    @unittest.skipUnless(DUCKDB, "DuckDB is not installed")
    def test_duckdb(self):
        self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "--answer", "first,count",
                     "-o", "out.csv")
        self.succeed("lookup", "--column", "cities.csv", "--csv-column", "city", "--keys", "cities.csv",
                     "--answer", "rows", "-o", "out.jsonl")
        connection = duckdb.connect()
        self.assertEqual(connection.sql(f"SELECT sum(count), count(first) FROM '{self.folder}/out.csv'")
                         .fetchall(), [(sum(map(self.column.count, self.keys)),
                                        sum(key in self.first for key in self.keys))])
        self.assertEqual(connection.sql(f"SELECT key, rows FROM '{self.folder}/out.jsonl'").fetchall(),
                         [("Rio, Sul", [0]), ("Oslo", [1, 3]), ('say "hi"', [2]), ("Oslo", [1, 3])])

    def test_completion(self):
        script = SOURCE / "cli/completions/rtindex.bash"

        def completed(*words):
            line = (f"source '{script}'; COMP_WORDS=(rtindex {' '.join(words)}); COMP_CWORD={len(words)}; "
                    "_rtindex; printf '%s\\n' \"${COMPREPLY[@]}\"")
            return self.bash(line).split()
        self.assertEqual(completed("loo"), ["lookup"])
        self.assertEqual(completed("lookup", "--keys"), ["--keys", "--keys-csv-column"])
        self.assertEqual(completed("--ver"), ["--version"])
        self.assertIn("--range-ends", completed("overlaps", "--ra"))


if __name__ == "__main__":
    unittest.main()
