"""`build` writes an index file, and `lookup --load` and `range --load` answer from it."""

import unittest

from command import MISS, CommandTest, available_indexes


class Saved(CommandTest):
    def setUp(self):
        super().setUp()
        self.write_npy("column.npy", "<i8", [30, -10, 20, 20])
        self.write_npy("keys.npy", "<i4", [20, 30, 7, -10])
        self.write_npy("values.npy", "<u4", [1, 2, 4, 8])

    def build(self, *arguments, column="column.npy", output="a.rtindex"):
        return self.succeed("build", "--column", column, "-o", output, *arguments)

    def test_every_index_answers_from_its_file(self):
        for spec in available_indexes():
            with self.subTest(spec):
                self.build("--index", spec)
                self.succeed("lookup", "--load", "a.rtindex", "--keys", "keys.npy", "--values",
                             "values.npy", "--answer", "first,sum", "-o", "out.npy")
                self.assertEqual(self.read("out.first.npy")[1], [2, 0, MISS, 1])
                self.assertEqual(self.read("out.sum.npy")[1], [12, 1, 2**64 - 1, 2])
                if spec.startswith("hash"):
                    continue
                text = self.succeed("range", "--load", "a.rtindex", "--range", "-10:20",
                                    "--verify", "full", "--answer", "count").stdout
                self.assertRegex(text, r"\b3\b")

    def test_the_same_answers_as_from_the_column(self):
        self.build()
        arguments = ["--key", "20", "--key", "21", "--answer", "rows,count", "-q"]
        self.assertEqual(self.succeed("lookup", "--load", "a.rtindex", *arguments).stdout,
                         self.succeed("lookup", "--column", "column.npy", *arguments).stdout)

    def test_summary_and_description(self):
        result = self.build("--index", "rx:native@cpu")
        for part in ["column.npy: 4 rows of int64", "built    in ", "wrote    a.rtindex: "]:
            self.assertIn(part, result.stderr)
        self.assertEqual(self.build("--index", "rx:native@cpu", "-q").stderr, "")
        result = self.succeed("lookup", "--load", "a.rtindex", "--describe")
        self.assertRegex(result.stdout, r"loaded: mapped .*a\.rtindex\n")
        self.assertIn("loaded   in ", result.stderr)
        self.assertIn("a.rtindex: 4 rows of int64", result.stderr)

    def test_texts_that_look_like_numbers_have_no_order_of_numbers(self):
        self.write("prices.csv", "shop,price,until\na,$9.50,$12\nb,$10.00,$11\na,$7.25,$9\n")
        says = ["column price of a.rtindex", "'$9.50'", "10 comes before 9", "build the index",
                "--type price:string"]
        parts = ["--csv-column", "shop", "--csv-column", "price"]
        for columns, key, bounds in ((parts[2:], "$9.75", "$7:$11"), (parts, "a,$9.75", "a,$7:b,$11")):
            self.build(*columns, column="prices.csv")
            for query in (["nearest", "--key", key], ["rank", "--key", key], ["range", "--range", bounds]):
                with self.subTest(query):
                    self.reject(*query, "--load", "a.rtindex", says=says)
            self.succeed("lookup", "--load", "a.rtindex", "--key", key, "-q")
            self.build(*columns, "--type", "price:string", column="prices.csv")
            self.succeed("nearest", "--load", "a.rtindex", "--key", key, "-q")
        self.build(*parts[2:], column="prices.csv")
        self.reject("select", "--load", "a.rtindex", "--rank", "0", says=says)
        self.write("more.csv", "price\nfree\n")
        self.succeed("update", "a.rtindex", "--insert", "more.csv", "--csv-column", "price", "-o",
                     "b.rtindex")
        self.reject("select", "--load", "b.rtindex", "--rank", "0", says=["b.rtindex", "build the index"])
        self.build("--points", *parts, column="prices.csv")
        self.reject("filter", "--load", "a.rtindex", "--where", "price=$7:$9", says=says)
        self.write("rented.csv", "shop,price,until\na,$7.25,$9\nb,$10.00,$12\n")
        ends = ["--start", "price", "--end", "until", "--ends", "[)", "--by", "shop"]
        self.reject("build", "--column", "rented.csv", *ends, "-o", "c.rtindex",
                    says=["column price of rented.csv", "'$7.25'", "10 comes before 9"])
        self.build(*ends, "--type", "price:string", "--type", "until:string", column="rented.csv")
        self.succeed("contains", "--load", "a.rtindex", "--key", "a,$8", "-q")

    def test_positions_in_a_saved_index_have_rows(self):
        self.build()
        call = ["select", "--quantile", "0", "1", "-q", "-o", "-"]
        self.assertEqual(self.succeed(*call, "--column", "column.npy").stdout,
                         "quantile,row,key\n0,1,-10\n1,0,30\n")
        self.assertEqual(self.succeed(*call, "--load", "a.rtindex").stdout, "quantile,row\n0,1\n1,0\n")
        self.reject("lookup", "--column", "a.rtindex", "--key", "1",
                    says="a.rtindex is a saved index, not a column: pass it with --load")

    def test_strings_and_nulls(self):
        self.write("people.csv", "city,age\nOslo,3\n,4\nBergen,5\nOslo,6\n")
        self.build("--csv-column", "city", column="people.csv")
        text = self.succeed("lookup", "--load", "a.rtindex", "--key", "Oslo", "--answer", "count",
                            "-q").stdout
        self.assertRegex(text, r"Oslo.*\b2\b")

    def test_timestamps_keep_their_unit(self):
        self.write_npy("days.npy", "<M8[D]", [0, 31, 59])
        self.build(column="days.npy")
        text = self.succeed("lookup", "--load", "a.rtindex", "--key", "1970-02-01", "--answer",
                            "first", "-q").stdout
        self.assertRegex(text, r"\b1\b")
        self.write_npy("us.npy", "<M8[us]", [0, 31])
        self.write_npy("ns.npy", "<M8[ns]", [0, 31])
        self.build(column="us.npy")
        self.reject("lookup", "--load", "a.rtindex", "--keys", "ns.npy", "-o", "out.npy",
                    says=["ns.npy", "us"])

    def test_units_that_only_numpy_has_are_kept(self):
        self.write_npy("steps.npy", "<M8[25s]", [0, 31])
        self.build(column="steps.npy")
        self.succeed("lookup", "--load", "a.rtindex", "--keys", "steps.npy", "--answer", "first",
                     "-o", "out.npy")
        self.assertEqual(self.read("out.npy")[1], [0, 1])

    def test_times_of_a_csv_file_keep_their_unit(self):
        self.write("visits.csv", "day,seen\n2024-01-31,2024-01-31T12:30\n2024-02-01,2024-02-01\n")
        for column, key in ("day", "2024-02-01"), ("seen", "2024-01-31T12:30"):
            self.build("--csv-column", column, column="visits.csv")
            text = self.succeed("lookup", "--load", "a.rtindex", "--key", key, "--answer", "count",
                                "-q").stdout
            self.assertEqual(text.split()[-1], "1")

    def test_included_values_need_no_file(self):
        self.build("--include", "values.npy")
        self.succeed("range", "--load", "a.rtindex", "--range", "-10:20", "--range", "31:99",
                     "--answer", "sum,max", "-o", "out.npy")
        self.assertEqual(self.read("out.sum.npy")[1], [14, 2**64 - 1])
        self.assertEqual(self.read("out.max.npy")[1], [8, 2**64 - 1])
        self.write_npy("others.npy", "<u4", [100, 200, 400, 800])
        self.succeed("lookup", "--load", "a.rtindex", "--key", "20", "--values", "others.npy",
                     "--answer", "sum", "-o", "out.npy")
        self.assertEqual(self.read("out.npy")[1], [1200])

    def test_included_values_of_a_csv_file(self):
        self.write("sales.csv", "day,price\n3,10\n1,20\n3,30\n")
        self.build("--csv-column", "day", "--include", "sales.csv", "--include-csv-column", "price",
                   column="sales.csv")
        self.succeed("lookup", "--load", "a.rtindex", "--key", "3", "--answer", "sum", "-o",
                     "out.npy")
        self.assertEqual(self.read("out.npy")[1], [40])
        self.reject("build", "--column", "sales.csv", "--csv-column", "day", "--include",
                    "sales.csv", "-o", "b.rtindex", says=["--include-csv-column"])

    def test_included_columns_by_name(self):
        self.write("sales.csv", "day,price,qty,city\n3,10,\\N,Oslo\n1,20,2,Oslo\n3,30,4,Oslo\n")
        self.build("--csv-column", "day", "--include", "price", "--include", "qty", "--null", "\\N",
                   column="sales.csv")
        days = ["--key", "3", "--key", "1", "--answer", "sum", "-o", "-"]
        for name, sums in ("price", "40 20"), ("qty", "4 2"):
            out = self.succeed("lookup", "--load", "a.rtindex", *days, "--values", name).stdout
            self.assertEqual(" ".join(line.split(",")[1] for line in out.splitlines()[1:]), sums)
            out = self.succeed("range", "--load", "a.rtindex", "--range", "1:3", "--answer", "count,sum",
                               "-o", "-", "--values", name).stdout
            self.assertEqual(out.splitlines()[1], f"1,3,3,{60 if name == 'price' else 6}")
            out = self.succeed("lookup", "--column", "sales.csv", "--csv-column", "day", *days, "--values",
                               name, "--null", "\\N").stdout
            self.assertEqual(" ".join(line.split(",")[1] for line in out.splitlines()[1:]), sums)
        self.reject("lookup", "--load", "a.rtindex", *days, says=["'price', 'qty'", "--values"])
        self.reject("lookup", "--load", "a.rtindex", *days, "--values", "prize", says=["'price', 'qty'", "'prize'"])
        self.reject("build", "--column", "sales.csv", "--csv-column", "day", "--include", "prize", "-o",
                    "b.rtindex", says=["no column 'prize'", "day, price, qty, city", "--include"])
        self.reject("build", "--column", "sales.csv", "--csv-column", "day", "--include", "price", "--include",
                    "price", "-o", "b.rtindex", says=["two columns", "'price'"])
        self.reject("build", "--column", "sales.csv", "--csv-column", "day", "--include", "city", "-o",
                    "b.rtindex", says=["strings"])

    def test_included_files_have_their_names(self):
        self.write_npy("tax.npy", "<f8", [1, 2, 3, 4])
        self.build("--include", "values.npy", "--include", "tax.npy")
        for name, total in ("values", 12), ("tax", 7.0):
            self.succeed("lookup", "--load", "a.rtindex", "--key", "20", "--values", name, "--answer", "sum",
                         "-o", "out.npy")
            self.assertEqual(self.read("out.npy")[1], [total])

    def test_intervals_include_columns(self):
        self.write("prices.csv", "from,to,price,tax\n1,5,10,1\n4,9,20,2\n")
        self.build("--start", "from", "--end", "to", "--ends", "[)", "--include", "price", "--include", "tax",
                   column="prices.csv")
        out = self.succeed("contains", "--load", "a.rtindex", "--key", "4", "--values", "tax", "--answer", "sum",
                           "-o", "-").stdout
        self.assertEqual(out.splitlines()[1], "4,3")

    def test_bad_included_values(self):
        self.write_npy("short.npy", "<u4", [1, 2])
        self.reject("build", "--column", "column.npy", "--include", "short.npy", "-o", "b.rtindex",
                    says=["short.npy holds 2 values", "4 rows"])
        self.reject("build", "--column", "column.npy", "--include", "none.npy", "-o", "b.rtindex",
                    says=["none.npy"])
        self.reject("build", "--column", "column.npy", "--include", "values.npy", "-o",
                    "values.npy", says=["also an input file"])
        self.reject("build", "--column", "column.npy", "--include", "values.npy", "--index", "hash",
                    "-o", "b.rtindex", says=["hash"])
        self.build()
        self.reject("lookup", "--load", "a.rtindex", "--key", "20", "--answer", "sum",
                    says=["a.rtindex includes no values", "--values", "--include"])

    def test_bad_input(self):
        self.reject("build", "--column", "column.npy", says=["-o FILE"])
        self.reject("build", "-o", "b.rtindex", says=["--column"])
        self.reject("build", "--column", "none.npy", "-o", "b.rtindex", says=["none.npy"])
        self.reject("build", "--column", "column.npy", "-o", "column.npy", says=["also an input file"])
        self.reject("build", "--column", "column.npy", "-o", "no/b.rtindex", says=["folder"])
        self.reject("build", "--column", "column.npy", "--index", "quantum", "-o", "b.rtindex",
                    says=["quantum"])
        self.build()
        self.reject("lookup", "--keys", "keys.npy", says=["--column FILE", "--load FILE"])
        self.reject("lookup", "--load", "a.rtindex", "--column", "column.npy", "--key", "1",
                    says=["both"])
        self.reject("lookup", "--load", "a.rtindex", "--index", "sorted", "--key", "1",
                    says=["--index"])
        self.reject("lookup", "--load", "a.rtindex", "--verify", "twice", "--key", "1",
                    says=["quick or full"])
        self.reject("lookup", "--column", "column.npy", "--verify", "full", "--key", "1",
                    says=["--load"])
        self.reject("lookup", "--load", "none.rtindex", "--key", "1", says=["does not exist"])
        self.reject("lookup", "--load", "column.npy", "--key", "1", says=["not an index file"])
        self.reject("lookup", "--load", "a.rtindex", "--key", "abc", says=["int64"])
        self.reject("lookup", "--load", "a.rtindex", "--keys", "keys.npy", "--values", "keys.npy",
                    "--answer", "sum", "-o", "a.rtindex", says=[".npy"])

    def test_damage_is_told(self):
        self.build()
        whole = (self.folder / "a.rtindex").read_bytes()
        self.write("a.rtindex", whole[:-1])
        self.reject("lookup", "--load", "a.rtindex", "--key", "1", says=["a.rtindex is damaged"])
        self.write("a.rtindex", whole[:100] + b"?" + whole[101:])
        self.reject("lookup", "--load", "a.rtindex", "--key", "1", says=["checksum"])
        at = len(whole) - 4096
        self.write("a.rtindex", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        self.reject("lookup", "--load", "a.rtindex", "--verify", "full", "--key", "1",
                    says=["checksum of section"])


if __name__ == "__main__":
    unittest.main()
