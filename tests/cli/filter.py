"""Filters over several columns, compared with a full scan."""

import json
import random
import unittest

from command import CommandTest


class Filters(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(20240201)
        self.sales = [(rng.choice([None, *range(40)]), rng.randrange(28), rng.choice(["Oslo", "Bergen, N"]))
                      for _ in range(300)]
        text = "price,day,city,amount\n"
        for row, (price, day, city) in enumerate(self.sales):
            text += f'{"" if price is None else price},2024-01-{day + 1:02},"{city}",{row}\n'
        self.write("sales.csv", text)

    def rows(self, *where):
        options = [word for one in where for word in ("--where", one)]
        out = self.succeed("filter", "--column", "sales.csv", *options, "--answer", "rows", "-o", "-",
                           "--output-format", "jsonl").stdout
        return json.loads(out)["rows"]

    def expect(self, where, condition):
        wanted = [row for row, sale in enumerate(self.sales) if condition(*sale)]
        self.assertEqual(self.rows(*where), wanted, where)

    def test_conditions(self):
        self.expect(["price=10:20", "day=2024-01-10:"],
                    lambda p, d, c: p is not None and 10 <= p <= 20 and d >= 9)
        self.expect(["price=:5", "day=:2024-01-03", 'city="Bergen, N"'],
                    lambda p, d, c: p is not None and p <= 5 and d <= 2 and c == "Bergen, N")
        self.expect(["price=1,2,30", "city=Oslo"], lambda p, d, c: p in (1, 2, 30) and c == "Oslo")
        self.expect(["price=", "day=2024-01-01:2024-01-20"], lambda p, d, c: p is None and d < 20)
        self.expect(["price=20:10", "day=2024-01-01:"], lambda p, d, c: False)
        self.expect(["price=17"], lambda p, d, c: p == 17)

    def test_a_column_whose_name_has_an_equals_sign(self):
        self.write("sales.csv", "a=b,store\n1,3\n2,3\n")
        self.assertEqual(self.rows('"a=b"=2', "store=3"), [1])

    def test_a_note_on_one_column_is_printed_once(self):
        notes = self.succeed("filter", "--column", "sales.csv", "--where", "price=1").stderr
        self.assertEqual(notes.count("fields are null"), 1)

    def test_nulls_and_empty_texts_differ(self):
        self.write("sales.csv", 'city,store\nUlm,3\n,3\n"",3\nBonn,4\n')
        self.assertEqual(self.rows("city=", "store=3"), [1])
        self.assertEqual(self.rows('city=""', "store=3"), [2])
        self.assertEqual(self.rows('city="",Ulm', "store=3"), [0, 2])
        for values in ("city=,Ulm", "city=Ulm,", "store=3,"):
            self.reject("filter", "--column", "sales.csv", "--where", values,
                        says=["has an empty value", 'write ""'])

    def test_ends_and_values(self):
        out = self.succeed("filter", "--column", "sales.csv", "--where", "price=10:20", "--where",
                           "city=Oslo", "--ends", "[)", "--values", "sales.csv", "--values-csv-column",
                           "amount", "--answer", "count,sum", "-o", "-").stdout
        wanted = [row for row, (price, _, city) in enumerate(self.sales)
                  if price is not None and 10 <= price < 20 and city == "Oslo"]
        self.assertEqual(out.splitlines()[1],
                         f"price=10:20 and city=Oslo,{len(wanted)},{sum(wanted)}")

    def test_ranges_in_brackets_have_ends_of_their_own(self):
        for name, low, high in (("[]", 10, 20), ("[)", 10, 19), ("(]", 11, 20), ("()", 11, 19)):
            self.expect([f"price={name[0]}10:20{name[1]}", "day=2024-01-01:"],
                        lambda p, d, c: p is not None and low <= p <= high)
        self.expect(["price=(10:]", "day=[:2024-01-05)"], lambda p, d, c: p is not None and p > 10 and d < 4)
        out = self.succeed("filter", "--column", "sales.csv", "--where", "price=[10:20]", "--where",
                           "day=2024-01-02:2024-01-04", "--ends", "()", "--answer", "count", "-o", "-").stdout
        wanted = sum(price is not None and 10 <= price <= 20 and day == 2 for price, day, _ in self.sales)
        self.assertEqual(out.splitlines()[1], f"price=[10:20] and day=2024-01-02:2024-01-04,{wanted}")
        self.write("sales.csv", "day,time\n1,2024-01-31T10:00\n2,2024-01-31T11:00\n")
        self.assertEqual(self.rows("time=(2024-01-31T10:00:2024-01-31T11:00]", "day=1,2"), [1])
        self.reject("filter", "--column", "sales.csv", "--where", "time=[2024-01-31T10:00]",
                    says=["invalid --where time"])
        self.reject("filter", "--column", "sales.csv", "--where", "day=[1:2", says=["invalid --where day"])

    def test_brackets_of_texts(self):
        self.write("sales.csv", 'city,store\n(a:b),3\na,3\nab,4\nb,4\n')
        self.assertEqual(self.rows('city="(a:b)"', "store=3"), [0])
        self.assertEqual(self.rows("city=(a:b)", "store=3,4"), [2])
        self.assertEqual(self.rows("city=[a:b]", "store=3,4"), [1, 2, 3])

    def test_quoted_texts_with_colons(self):
        self.write("sales.csv", 'city,store\nRome,3\na:b,3\nBonn,4\nParis,4\n')
        self.assertEqual(self.rows('city=Rome,"a:b"', "store=3,4"), [0, 1])
        self.assertEqual(self.rows('city=Bonn,"a:b"', "store=3,4"), [1, 2])
        self.assertEqual(self.rows('city="a:b",Rome', "store=3,4"), [0, 1])
        self.assertEqual(self.rows('city="a:b":', "store=3,4"), [1])
        self.assertEqual(self.rows('city="B":"a:b"', "store=3,4"), [0, 1, 2, 3])
        self.assertEqual(self.rows('city=["B":"a:b")', "store=3,4"), [0, 2, 3])
        self.assertEqual(self.rows('city=:"Bonn"', "store=3,4"), [2])
        self.reject("filter", "--column", "sales.csv", "--where", 'city="a","b":c',
                    says=["expected one end of a range"])

    def test_several_times_need_no_quotes(self):
        self.write("sales.csv", 'at,ip,store\n2024-01-01T10:00,::1,3\n2024-01-02 11:30:05,fe80::1,3\n'
                                '2024-01-03T12:00,10.0.0.1,4\n')
        self.assertEqual(self.rows("at=2024-01-01T10:00,2024-01-03 12:00:00", "store=3,4"), [0, 2])
        self.assertEqual(self.rows("at=2024-01-02T11:30:05", "store=3,4"), [1])
        self.assertEqual(self.rows("at=2024-01-01T10:00:2024-01-02T11:30:05", "store=3,4"), [0, 1])
        self.assertEqual(self.rows('ip="::1",10.0.0.1', "store=3,4"), [0, 2])
        self.reject("filter", "--column", "sales.csv", "--where", "ip=::1", "--where", "store=3",
                    says=["put a value with a colon in quotes"])

    def test_arrays_are_named_like_their_files(self):
        self.write_npy("a.npy", "<i4", [1, 2, 3, 4])
        self.write_npy("b.npy", "<i8", [9, 8, 7, 6])
        columns = ["--column", "a.npy", "--column", "b.npy"]
        self.succeed("filter", *columns, "--where", "a=2:4", "--where", "b=7:9", "--answer", "count",
                     "-o", "n.npy")
        self.assertEqual(self.read("n.npy")[1], [2])

    def build_points(self, *options):
        columns = [word for name in ("price", "day", "city") for word in ("--csv-column", name)]
        return self.succeed("build", "--column", "sales.csv", "--points", *columns, "-o", "p.rtindex", *options)

    def test_saved_points_answer_by_the_names_of_their_columns(self):
        self.build_points("--include", "amount")
        where = ["--where", "price=10:20", "--where", "city=Oslo"]
        wanted = [row for row, (price, _, city) in enumerate(self.sales)
                  if price is not None and 10 <= price <= 20 and city == "Oslo"]
        answer = self.succeed("filter", "--load", "p.rtindex", *where, "--answer", "rows,sum", "-o", "-",
                              "--output-format", "jsonl").stdout
        self.assertEqual(json.loads(answer)["rows"], wanted)
        self.assertEqual(json.loads(answer)["sum"], sum(wanted))
        self.succeed("update", "p.rtindex", "--erase-row", str(wanted[0]), "--insert", "sales.csv",
                     "--include", "amount")
        answer = self.succeed("filter", "--load", "p.rtindex", *where, "--answer", "rows", "-o", "-",
                              "--output-format", "jsonl").stdout
        self.assertEqual(json.loads(answer)["rows"], wanted[1:] + [row + 300 for row in wanted])
        info = json.loads(self.succeed("info", "p.rtindex", "--json").stdout)
        self.assertEqual((info["columns"], info["included"]), (["price", "day", "city"], ["amount"]))

    def test_bad_saved_points(self):
        self.build_points()
        self.reject("filter", "--load", "p.rtindex", "--where", "prize=3", says=["price, day, city"])
        self.reject("lookup", "--load", "p.rtindex", "--key", "3", says=["rtindex filter"])
        self.write("new.csv", "price,day\n1,2024-01-01\n")
        self.reject("update", "p.rtindex", "--insert", "new.csv", says=["no column 'city'", "price, day, city"])
        self.succeed("build", "--column", "sales.csv", "--csv-column", "price", "-o", "k.rtindex")
        self.reject("filter", "--load", "k.rtindex", "--where", "price=3", says=["--points"])
        points = ["build", "--column", "sales.csv", "--points", "-o", "q.rtindex"]
        self.reject(*points, says=["--csv-column"])
        self.reject(*points, "--csv-column", "price", says=["2 to 8 columns"])
        self.reject(*points, "--csv-column", "day", "--csv-column", "day", says=["two columns", "'day'"])

    def test_bitmaps_have_a_value_for_each_row(self):
        wanted = [price is not None and price <= 5 for price, _, _ in self.sales]
        call = ["filter", "--column", "sales.csv", "--where", "price=:5", "--answer"]
        self.succeed(*call, "bitmap", "-o", "mask.npy")
        self.assertEqual(self.read("mask.npy")[1], wanted)
        self.succeed(*call, "bitmap,count", "-o", "both.npy")
        self.assertEqual(self.read("both.bitmap.npy")[1], wanted)
        self.assertEqual(self.read("both.count.npy")[1], [sum(wanted)])
        lines = self.succeed(*call, "bitmap", "-o", "-").stdout.split()
        self.assertEqual(lines, ["bitmap"] + [str(one).lower() for one in wanted])
        lines = self.succeed(*call, "bitmap", "-o", "-", "--output-format", "jsonl").stdout
        self.assertEqual([json.loads(line)["bitmap"] for line in lines.splitlines()], wanted)
        self.reject(*call, "bitmap,count", says=["pass it alone", "OUT.npy"])
        self.reject(*call, "bitmaps", says=["bitmap, the rows of all lookups"])

    def test_a_bitmap_is_the_union_of_all_lookups(self):
        self.write_npy("k.npy", "<i4", [3, 1, 4, 1])
        self.succeed("lookup", "--column", "k.npy", "--key", "1", "--key", "4", "--answer", "bitmap", "-o", "m.npy")
        self.assertEqual(self.read("m.npy")[1], [False, True, True, True])
        self.succeed("range", "--column", "k.npy", "--range", "1:1", "--range", "4:", "--answer", "bitmap",
                     "-o", "m.npy")
        self.assertEqual(self.read("m.npy")[1], [False, True, True, True])

    def test_masks_restrict_what_may_match(self):
        keys, price = [3, 1, 4, 1, 5, 1], [1, 2, 4, 8, 16, 32]
        mask = [True, False, True, True, False, True]
        self.write_npy("k.npy", "<i4", keys)
        self.write_npy("price.npy", "<i4", price)
        self.write_npy("bytes.npy", "|u1", [2 * one for one in mask])
        self.succeed("lookup", "--column", "k.npy", "--key", "3", "--answer", "bitmap", "-o", "none.npy")
        self.succeed("range", "--column", "price.npy", "--range", "1:1", "--range", "4:8", "--range", "32:",
                     "--answer", "bitmap", "-o", "mask.npy")
        self.assertEqual(self.read("mask.npy")[1], mask)
        self.succeed("build", "--column", "k.npy", "-o", "k.rtindex")
        for source in ["--column", "k.npy"], ["--load", "k.rtindex"]:
            for file in "mask.npy", "bytes.npy":
                self.succeed("lookup", *source, "--key", "1", "--key", "5", "--filter", file, "--values", "price.npy",
                             "--answer", "count,sum", "-o", "out.npy")
                self.assertEqual(self.read("out.count.npy")[1], [2, 0])
                self.assertEqual(self.read("out.sum.npy")[1][0], 40)
            self.succeed("nearest", *source, "--key", "5", "--filter", "mask.npy", "-o", "out.npy")
            self.assertEqual(self.read("out.npy")[1], [2])
            self.succeed("range", *source, "--range", "1:", "--filter", "none.npy", "--answer", "rows", "-o", "out.npy")
            self.assertEqual(self.read("out.rows.npy")[1], [0])
        self.write_npy("end.npy", "<i4", [key + 2 for key in keys])
        self.succeed("contains", "--start", "k.npy", "--end", "end.npy", "--ends", "[)", "--key", "4",
                     "--filter", "mask.npy", "--answer", "bitmap", "-o", "out.npy")
        self.assertEqual(self.read("out.npy")[1], [True, False, True, False, False, False])
        half = [row % 2 == 0 for row in range(len(self.sales))]
        self.write_npy("half.npy", "|b1", half)
        out = self.succeed("filter", "--column", "sales.csv", "--where", "price=10:20", "--filter", "half.npy",
                           "--answer", "count", "-o", "-").stdout
        self.assertEqual(int(out.split(",")[-1]), sum(p is not None and 10 <= p <= 20 and keep
                                                    for (p, _, _), keep in zip(self.sales, half, strict=True)))
        call = ["lookup", "--column", "k.npy", "--key", "1", "--filter"]
        self.reject(*call, "half.npy", says=["the filter has 300 rows but the index has 6"])
        self.reject(*call, "price.npy", says=["price.npy holds int32", "expected a filter of bool or uint8"])
        self.reject(*call, "missing.npy", says=["missing.npy"])
        self.reject(*call, "mask.npy", "-o", "mask.npy", says=["mask.npy"])

    def test_bad_conditions(self):
        column = ["filter", "--column", "sales.csv"]
        for where, message in (("price", "expected NAME=CONDITION"), ("prize=3", "no column 'prize': choose one of price, day, city, amount with --where"),
                               ("price=cheap", "invalid --where price 'cheap'"),
                               ("day=yesterday", "invalid --where day 'yesterday'")):
            self.reject(*column, "--where", where, says=[message])
        self.reject(*column, "--where", "price=1", "--where", "price=2",
                    says=["two conditions --where on price"])
        self.reject(*column, says=["pass conditions"])
        self.reject(*column, "--where", "price=1:2:3", says=["invalid --where price 1:2:3", "LOWER:UPPER"])
        self.reject(*column, "--where", "price=1", "--answer", "key", says=["rtindex nearest"])
        self.reject(*column, "--where", "price=1", "--answer", "sum", "--values", "city",
                    says=["column city of sales.csv holds strings"])
        self.reject("filter", "--where", "price=1", says=["--column FILE", "--load FILE.rtindex"])

    def test_tables_have_a_line_for_each_lookup(self):
        self.write("lines.csv", 'k,x\n"a\nb",1\n')
        table = self.succeed("filter", "--column", "lines.csv", "--where", 'k="a\nb"', "-q").stdout
        self.assertEqual(len(table.splitlines()), 3)

    def test_neighbours_of_composite_keys_are_times(self):
        self.write("quotes.csv", "symbol,time\nACME,2024-01-31T12:00\n")
        out = self.succeed("nearest", "--column", "quotes.csv", "--csv-column", "symbol", "--csv-column", "time",
                           "--key", "ACME,2024-01-31T12:30", "--answer", "key", "-q").stdout
        self.assertIn('("ACME", 2024-01-31T12:00:00.000000)', out)

    def test_null_values_are_empty(self):
        self.write("v.csv", "id,price\n1,10\n2,\n")
        out = self.succeed("lookup", "--column", "v.csv", "--csv-column", "id", "--key", "1", "--key",
                           "2", "--key", "3", "--answer", "sum,min,mean,count", "--values", "v.csv",
                           "--values-csv-column", "price", "-o", "-").stdout
        self.assertEqual(out, "key,count,sum,min,mean\n1,1,10,10,10\n2,1,,,\n3,0,,,\n")


if __name__ == "__main__":
    unittest.main()
