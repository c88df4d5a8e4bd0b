"""tenon verify: names, page, keys, what is refused; and that docs/verification.md is its page."""
import os
import re

from cli import ROOT, CliTest, pycheck

KEYS = {"name", "shows", "source", "unit", "value", "reference", "error", "tolerance", "relative", "reason", "weak", "holds",
        "note", "trouble", "not_converged", "seconds"}


class Verify(CliTest):
    def listed(self, *arguments):
        out, _ = self.tenon("verify", "--list", *arguments)
        return [line.split()[0] for line in out.splitlines()]

    def test_the_page_in_docs_has_every_row_and_no_other(self):
        with open(os.path.join(ROOT, "docs", "verification.md"), encoding="utf-8") as file:
            page = file.read()
        names = self.listed()
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(re.findall(r"^- \*\*([\w.-]+)\*\*", page, re.MULTILINE), names)
        self.assertNotIn("FAILED", page)
        self.assertNotIn("Not measured", page)
        for name in re.findall(r"\]\(verification/([^)]+)\)", page):
            self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", "verification", name)), name)

    def test_rows_say_where_references_and_tolerances_come_from(self):
        for row in self.tenon_json("verify", "free")["rows"]:
            self.assertEqual(set(row), KEYS)
            self.assertTrue(row["shows"] and row["source"] and row["reason"], row["name"])
            self.assertTrue(row["holds"], row)

    def test_rows_and_families_are_chosen_by_name(self):
        self.assertEqual(self.listed("contact.wedge", "free.fall"), ["free.fall", "contact.wedge"])
        self.assertTrue(all(name.startswith("cable.") for name in self.listed("cable")))

    def test_a_page_with_plots_is_written(self):
        out, _ = self.tenon("verify", "contact.bounce", "free.fall", "--out", "page", "--threads", 2)
        self.assertEqual([line.split()[0] for line in out.splitlines()], ["free.fall", "contact.bounce", "2"])
        with open(os.path.join(self.folder, "page", "verification.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("verification/contact.bounce.svg", page)
        self.assertEqual(os.listdir(os.path.join(self.folder, "page", "verification")), ["contact.bounce.svg"])

    def test_wrong_arguments_are_refused(self):
        self.refused("verify", "contact.wedg", says=["no row or family 'contact.wedg'", "contact.wedge"])
        self.refused("verify", "--threads", "0", says=["--threads"])


if __name__ == "__main__":
    pycheck.main()
