"""Doxygen's input filter: the comments of a header as Doxygen wants them. Reads the file named, writes to stdout.

A comment above a declaration becomes /** … */, one behind it /**< … */. The first comment of a file, and those that stand
alone before an empty line, describe the file. A comment of several fields (`double a, b; /* m */`) goes to each."""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAME = r"\*?\w+(?:\[[^\]\n]*\])*"
FIELDS = rf"^ +((?:const )?\w+) ({NAME}(?:, {NAME})+);"
BEHIND = re.compile(rf"{FIELDS} *(/\*\*<.*?\*/)", re.DOTALL | re.MULTILINE)
ABOVE = re.compile(rf"(/\*\*(?!<)(?:[^*]|\*(?!/))*\*/)\n{FIELDS}", re.MULTILINE)


def plain(comment):
    """Tags, anchors and numbers at the beginning of a line are text, not Doxygen's commands and lists; lines set in by
    three spaces keep their form."""
    comment = re.sub(r"((?:\n \*   .*?)+)(?=\n| \*/)",
                     lambda found: "\n@verbatim" + found.group(1).replace("\n *  ", "\n") + "\n@endverbatim", comment)
    for pattern, text in ((r"<(?=[a-z])", "&lt;"), (r"(?<=\S)#(?=\w)", r"\\#"), (r"(?m)^(\s*\*?\s*\d+)\.(?=\s)", r"\1\\.")):
        comment = re.sub(pattern, text, comment)
    return comment


def rewrite(text):
    parts, end, first = [], 0, True
    for match in COMMENT.finditer(text):
        before, comment = text[end:match.start()], plain(match.group()[2:])
        line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if first:
            comment = f"/** @file\n{comment}"
        elif line.strip():
            comment = f"/**<{comment}"
        elif text[match.end():match.end() + 2] == "\n\n":
            comment = f"/** @file\n{comment}"
        else:
            comment = f"/**{comment}"
        first = False
        parts += [before, comment]
        end = match.end()
    return "".join(parts) + text[end:]


def spread(text):
    """Fields that share a declaration and a comment, one by one."""
    def fields(kind, names, comment, behind):
        each = [f"{kind} {name};" for name in names.split(", ")]
        return "\n".join(f"{field} {comment}" if behind else f"{comment} {field}" for field in each)

    text = BEHIND.sub(lambda found: fields(*found.groups(), True), text)
    return ABOVE.sub(lambda found: fields(found.group(2), found.group(3), found.group(1), False), text)


if __name__ == "__main__":
    print(spread(rewrite(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")
