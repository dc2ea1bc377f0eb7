"""`update` inserts, erases and changes rows of a saved index."""

import unittest

from command import CommandTest, available_indexes


class Update(CommandTest):
    def setUp(self):
        super().setUp()
        self.column = [30, -10, 20, 20] + list(range(100, 140))
        self.write_npy("column.npy", "<i8", self.column)
        self.write_npy("new.npy", "<i4", [7, 20, 5000])
        self.write_npy("rows.npy", "<i8", [2, 5])
        self.write_npy("keys.npy", "<i8", [41, -300])
        self.write_npy("values.npy", "<i2", list(range(44)))

    def build(self, *arguments, column="column.npy", output="a.rtindex"):
        return self.succeed("build", "--column", column, "-o", output, "-q", *arguments)

    def update(self, *arguments, index="a.rtindex"):
        return self.succeed("update", index, *arguments)

    def rows(self, key, index="a.rtindex"):
        """The rows that hold the key."""
        self.succeed("lookup", "--load", index, "--key", key, "--answer", "rows", "-o", "out.npy",
                     "-q")
        return sorted(self.read("out.rows.npy")[1])

    def sums(self, *keys, index="a.rtindex"):
        self.succeed("lookup", "--load", index, *[f"--key={key}" for key in keys], "--answer",
                     "sum", "-o", "out.npy", "-q")
        return self.read("out.npy")[1]

    def test_every_index(self):
        for spec in available_indexes():
            with self.subTest(spec):
                self.build("--index", spec)
                text = self.update("--insert", "new.npy", "--erase", "rows.npy").stdout
                self.assertIn("erased   2 rows by rowID\n", text)
                self.assertIn("inserted 3 rows from rowID 44\n", text)
                self.assertIn("rows     47, 45 valid\n", text)
                self.assertRegex(text, r"(?m)^segments \d+ with \d+ keys")
                self.assertEqual(self.rows(20), [3, 45])
                self.assertEqual([self.rows(key) for key in (7, 101, 5000)], [[44], [], [46]])

    def test_another_file(self):
        self.build()
        before = (self.folder / "a.rtindex").read_bytes()
        self.update("--insert", "new.npy", "-o", "b.rtindex")
        self.assertEqual((self.folder / "a.rtindex").read_bytes(), before)
        self.assertEqual(self.rows(7), [])
        self.assertEqual(self.rows(7, index="b.rtindex"), [44])
        self.assertEqual(self.files().count("b.rtindex"), 1)

    def test_keys_and_rows_of_the_command_line(self):
        self.build()
        text = self.succeed("update", "--erase-key", 20, "--erase-key", 77, "--erase-row", 0,
                            "--erase-row", 1, "--insert-key", 30, "a.rtindex").stdout
        self.assertIn("erased   2 rows by rowID\nerased   2 rows by key\n"
                      "inserted 1 row from rowID 44\nrows     45, 41 valid\n", text)
        self.assertEqual([self.rows(key) for key in (20, -10, 30)], [[], [], [44]])

    def test_changes_come_in_the_order_of_the_help(self):
        self.build("--include", "values.npy")
        self.write_npy("numbers.npy", "<i2", [1000, 2000])
        text = self.update("--insert-key", 20, "--insert-key", 41, "--include", "numbers.npy",
                           "--set-included", "rows.npy", "numbers.npy", "--merge", "--set-keys",
                           "rows.npy", "keys.npy", "--erase-key", 41, "--erase-row", 3).stdout
        self.assertEqual(text.splitlines()[:7],
                         ["erased   1 row by rowID", "erased   0 rows by key", "changed  2 keys",
                          "changed  2 included values", "inserted 2 rows from rowID 44",
                          "merged   all segments", "rows     46, 45 valid"])
        self.assertRegex(text.splitlines()[7], "^segments 1 with 45 keys")
        # Row 3 was erased before row 2 got another key and another row got its old one.
        self.assertEqual([self.rows(key) for key in (20, 41, -300)], [[44], [2, 45], [5]])
        self.assertEqual(self.sums(20, 41, -300, 30), [1000, 3000, 2000, 0])

    def test_replacing_rows_by_key(self):
        self.build("--include", "values.npy")
        self.write_npy("k.npy", "<i8", [20, 30, 9])
        self.write_npy("v.npy", "<i2", [5, 6, 7])
        text = self.update("--erase-keys", "k.npy", "--insert", "k.npy", "--include",
                           "v.npy").stdout
        self.assertIn("erased   3 rows by key\ninserted 3 rows from rowID 44\n", text)
        self.assertEqual(self.sums(20, 30, 9, -10), [5, 6, 7, 1])

    def test_a_csv_file_with_everything(self):
        self.build("--include", "values.npy")
        self.write("more.csv", "row,key,price\n1,77,700\n4,78,800\n")
        self.update("--set-keys", "more.csv", "more.csv", "--set-included", "more.csv", "more.csv",
                    "--insert", "more.csv", "--include", "more.csv", "--csv-column", "key",
                    "--rows-csv-column", "row", "--include-csv-column", "price")
        self.assertEqual([self.rows(77), self.rows(78)], [[1, 44], [4, 45]])
        self.assertEqual(self.sums(77, 78), [1400, 1600])

    def test_several_included_columns(self):
        self.write("sales.csv", "key,price,tax\n1,10,1\n2,20,\n")
        self.build("--csv-column", "key", "--include", "price", "--include", "tax", column="sales.csv")
        self.write("more.csv", "key,tax,price\n1,5,50\n")
        insert = ["--insert", "more.csv", "--csv-column", "key"]
        self.update(*insert, "--include", "tax", "--include", "price")
        self.write("rows.csv", "row\n0\n")
        self.write("tax.csv", "tax\n7\n")
        self.update("--set-included", "rows.csv", "tax.csv")
        self.write_npy("new.npy", "<i8", [20])
        self.update("--set-included", "rows.csv", "price=new.npy")
        self.update("--set-included", "rows.csv", "tax=more.csv", "--include-csv-column", "tax")
        for name, total in ("price", 70), ("tax", 10):
            out = self.succeed("lookup", "--load", "a.rtindex", "--key", 1, "--values", name, "--answer", "sum",
                               "-o", "-").stdout
            self.assertEqual(out.splitlines()[1], f"1,{total}")
        self.reject("update", "a.rtindex", *insert, "--include", "tax", says=["'price' is missing"])
        self.reject("update", "a.rtindex", "--set-included", "rows.csv", "rows.csv",
                    says=["'price', 'tax'", "named 'rows'", "--set-included ROWS NAME=FILE"])
        self.reject("update", "a.rtindex", "--set-included", "rows.csv", "qty=new.npy",
                    says=["includes 'price', 'tax', not 'qty'"])
        self.reject("update", "a.rtindex", "--set-included", "rows.csv", "price=missing.npy", says=["missing.npy"])
        self.write_npy("a=b.npy", "<i8", [20])
        self.reject("update", "a.rtindex", "--set-included", "rows.csv", "a=b.npy", says=["named 'a=b'"])

    def test_strings_nulls_and_times(self):
        self.write("people.csv", "city,seen\nOslo,2024-01-31\n,2024-02-01\nBergen,2024-02-02\n")
        self.build("--csv-column", "city", column="people.csv")
        self.write("more.csv", "city\nUlm\n\"\"\nOslo\n")
        self.update("--insert", "more.csv", "--erase-key", "Bergen")
        self.assertEqual([self.rows(key) for key in ("Oslo", "Bergen", "Ulm")], [[0, 5], [], [3]])
        self.build("--csv-column", "seen", column="people.csv")
        self.update("--insert-key", "2024-03-01", "--erase-key", "2024-02-01")
        self.assertEqual(self.rows("2024-03-01"), [3])
        self.write("null.csv", "row,key\n0,\n2,2024-03-01\n")
        text = self.update("--set-keys", "null.csv", "null.csv", "--rows-csv-column", "row",
                           "--csv-column", "key").stdout
        self.assertIn("rows     4, 2 valid\n", text)
        self.assertEqual(self.rows("2024-03-01"), [2, 3])

    def test_numbers_take_the_type_of_the_included_values(self):
        for descr in "|u1", "<u8", "<f4", "<f8":
            with self.subTest(descr):
                self.write_npy("small.npy", descr, [0] * 44)
                self.build("--include", "small.npy")
                self.write("price.csv", "price\n3\n4\n5\n")
                self.update("--insert", "new.npy", "--include", "price.csv")
                self.assertEqual(self.sums(7, 5000), [3, 5])

    def test_summary(self):
        self.build("--index", "rx:native@cpu")
        result = self.update("--merge", "--describe")
        for part in ["merged   all segments\n", "rows     44, 44 valid\n", "index: rx:native@cpu"]:
            self.assertIn(part, result.stdout)
        self.assertRegex(result.stdout, r"segments: 1 \D*44\b")
        for part in ["loaded   a.rtindex in ", "changed  in ", "wrote    a.rtindex: "]:
            self.assertIn(part, result.stderr)
        self.assertEqual(self.update("--merge", "-q").stderr, "")

    def test_bad_input(self):
        self.build("--include", "values.npy")
        self.build(output="plain.rtindex")
        whole = (self.folder / "a.rtindex").read_bytes()
        self.write_npy("twice.npy", "<i8", [3, 3])
        self.write_npy("beyond.npy", "<i8", [3, 44])
        self.write_npy("negative.npy", "<i8", [-1])
        self.write_npy("floats.npy", "<f8", [0.5])
        self.write_npy("large.npy", "<i8", [1, 2, 40000])
        self.write_npy("three.npy", "<i2", [1, 2, 3])
        self.write("gap.csv", "row\n1\n\"\"\n")
        update = ["update", "a.rtindex"]
        self.reject(*update, says=["missing change", "--insert"])
        self.reject("update", "--merge", says=["missing index"])
        self.reject("update", "none.rtindex", "--merge", says=["none.rtindex"])
        self.reject("update", "column.npy", "--merge", says=["not an index file"])
        self.reject(*update, "--merge", "--verify", "twice", says=["quick or full"])
        self.reject(*update, "--erase", "twice.npy", says=["row 3", "twice"])
        self.reject(*update, "--erase", "beyond.npy", says=["44"])
        self.reject(*update, "--erase", "negative.npy", says=["-1", "uint32"])
        self.reject(*update, "--erase", "floats.npy", says=["float64", "rowIDs"])
        self.reject(*update, "--erase", "gap.csv", says=["gap.csv has missing rowIDs"])
        self.reject(*update, "--erase", "none.npy", says=["none.npy"])
        self.reject(*update, "--erase-row", "x", says=["--erase-row"])
        self.reject(*update, "--erase-key", "Oslo", says=["int64"])
        self.reject(*update, "--erase-keys", "floats.npy", says=["float64", "int64"])
        self.reject(*update, "--set-keys", "rows.npy", says=["--set-keys"])
        self.reject(*update, "--set-keys", "rows.npy", "new.npy", says=["2 rows and 3 keys"])
        self.reject(*update, "--insert", "new.npy", says=["a.rtindex includes 'values'", "--include"])
        self.reject(*update, "--insert", "new.npy", "--include", "large.npy",
                    says=["40000", "int16"])
        self.reject(*update, "--insert", "new.npy", "--include", "floats.npy", says=["0.5"])
        self.reject(*update, "--insert-key", 5, "--include", "three.npy", says=["3 values"])
        self.reject(*update, "--include", "three.npy", "--merge", says=["--insert"])
        self.reject(*update, "--insert", "new.npy", "--insert-key", 5, says=["not both"])
        self.reject(*update, "--erase", "rows.npy", "--erase-row", 5, says=["not both"])
        self.reject(*update, "--erase-keys", "new.npy", "--erase-key", 5, says=["not both"])
        self.reject(*update, "--erase", "rows.npy", "-o", "rows.npy", says=["also an input"])
        self.reject(*update, "--erase", "rows.npy", "-o", "no/b.rtindex", says=["folder"])
        self.reject("update", "plain.rtindex", "--insert", "new.npy", "--include", "three.npy",
                    says=["plain.rtindex includes no values"])
        self.reject("update", "plain.rtindex", "--set-included", "rows.npy", "three.npy",
                    says=["plain.rtindex includes no values"])
        # The first change is fine, the second is not: nothing is written.
        self.reject(*update, "--erase", "rows.npy", "--set-keys", "rows.npy", "keys.npy",
                    says=["row 2 is erased"])
        self.assertEqual((self.folder / "a.rtindex").read_bytes(), whole)


if __name__ == "__main__":
    unittest.main()
