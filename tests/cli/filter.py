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

    def test_ends_and_values(self):
        out = self.succeed("filter", "--column", "sales.csv", "--where", "price=10:20", "--where",
                           "city=Oslo", "--ends", "[)", "--values", "sales.csv", "--values-csv-column",
                           "amount", "--answer", "count,sum", "-o", "-").stdout
        wanted = [row for row, (price, _, city) in enumerate(self.sales)
                  if price is not None and 10 <= price < 20 and city == "Oslo"]
        self.assertEqual(out.splitlines()[1],
                         f"price=10:20 and city=Oslo,{len(wanted)},{sum(wanted)}")

    def test_arrays_are_named_like_their_files(self):
        self.write_npy("a.npy", "<i4", [1, 2, 3, 4])
        self.write_npy("b.npy", "<i8", [9, 8, 7, 6])
        columns = ["--column", "a.npy", "--column", "b.npy"]
        self.succeed("filter", *columns, "--where", "a=2:4", "--where", "b=7:9", "--answer", "count",
                     "-o", "n.npy")
        self.assertEqual(self.read("n.npy")[1], [2])

    def test_bad_conditions(self):
        column = ["filter", "--column", "sales.csv"]
        for where, message in (("price", "expected NAME=CONDITION"), ("prize=3", "no column 'prize'"),
                               ("price=cheap", "invalid --where price 'cheap'"),
                               ("day=yesterday", "invalid --where day 'yesterday'")):
            self.reject(*column, "--where", where, says=[message])
        self.reject(*column, "--where", "price=1", "--where", "price=2",
                    says=["two conditions --where on price"])
        self.reject(*column, says=["pass conditions"])

    def test_null_values_are_empty(self):
        self.write("v.csv", "id,price\n1,10\n2,\n")
        out = self.succeed("lookup", "--column", "v.csv", "--csv-column", "id", "--key", "1", "--key",
                           "2", "--key", "3", "--answer", "sum,min,mean,count", "--values", "v.csv",
                           "--values-csv-column", "price", "-o", "-").stdout
        self.assertEqual(out, "key,count,sum,min,mean\n1,1,10,10,10\n2,1,,,\n3,0,,,\n")


if __name__ == "__main__":
    unittest.main()
