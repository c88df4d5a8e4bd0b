"""tenon verify --quick: all quick rows hold, on one thread and on two with the same numbers."""
from cli import CliTest, pycheck


class Rows(CliTest):
    def test_quick_rows_hold_and_do_not_depend_on_threads(self):
        one = self.tenon_json("verify", "--quick", "--threads", 1)["rows"]
        two = self.tenon_json("verify", "--quick", "--threads", 2)["rows"]
        self.assertGreater(len(one), 60)
        self.assertEqual([row["name"] for row in one if not row["holds"]], [])
        self.assertEqual([(row["name"], row["value"]) for row in one], [(row["name"], row["value"]) for row in two])


if __name__ == "__main__":
    pycheck.main()
