"""Writes the tables that python/src/fields.h reads: each field of the structs of C headers, with its comment.

    fields.py OUTPUT HEADER...

So a new field of a definition is a new keyword of the builder, and one of an info struct a new entry of its dict, without
a line here. Fields that are pointers are left to python/src/builder.cpp."""
import re
import sys

WANTED = re.compile(r"(Def|Info|Option|View|Muscle|Pid|TendonPoint|Pick|Judgement|StepReport|PassReport|StepTimes|Energy|EnergyAccount)$")
LEFT_OUT = ("TnLoadDef", "TnModelInfo", "TnBlockDef", "TnConstraintDef", "TnWorldDef", "TnStateView", "TnIkDef")
ID = re.compile(r"Tn(\w+)Id$")


def words_of(enumerators):
    """Names without their common beginning, in lower case: TN_JOINT_FREE, TN_JOINT_BALL → free, ball."""
    if len(enumerators) == 1:
        cut = enumerators[0].rindex("_") + 1
    else:
        first, last = min(enumerators), max(enumerators)
        same = 0
        while same < len(first) and first[same] == last[same]:
            same += 1
        cut = first.rindex("_", 0, same) + 1
    return [name[cut:].lower() for name in enumerators]


def enums(text):
    """(name, enumerators, words) of each."""
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", plain, re.S):
        enumerators = [part.strip() for part in body.split(",") if part.strip()]
        if any("=" in part for part in enumerators):
            continue  # these are numbers that have a meaning
        yield name, enumerators, words_of(enumerators)


def comment_text(comment):
    lines = [line.strip().lstrip("*").strip() for line in comment[2:-2].splitlines()]
    return re.sub(r" +", " ", " ".join(line for line in lines if line))


def declarations(body):
    """(declaration, comment) of each; a comment on the line of a declaration's end belongs to it, others to the next."""
    found = []
    before = ""
    position = 0
    for match in re.finditer(r"/\*.*?\*/|[^;/]+;", body, re.S):
        piece = match.group()
        if not piece.startswith("/*"):
            if piece.strip(" \n;"):
                found.append([" ".join(piece.strip(" \n;").split()), before])
            before, position = "", match.end()
        elif found and "\n" not in body[position:match.start()] and not before:
            found[-1][1] = ": ".join(filter(None, [found[-1][1].rstrip("."), comment_text(piece)]))
        else:
            before = comment_text(piece)
    return found


def fields(body):
    """(name, type, comment) of each field that is no pointer but a string."""
    for declaration, comment in declarations(body):
        kind, rest = re.match(r"((?:const )?\w+)\s*(.*)$", declaration).groups()
        for one in rest.split(","):
            name = re.sub(r"\[.*?\]", "", one).strip()
            if name.startswith("*"):
                if kind == "const char" and name.count("*") == 1 and "const" not in name:
                    yield name[1:], "string", comment
            else:
                yield name, kind, comment


def for_python(text, words):
    """A comment of C as one of Python."""
    text = re.sub(r"\bTN_[A-Z_]+\b", lambda match: f"'{words[match.group()]}'" if match.group() in words else match.group(), text)
    text = re.sub(r"\btn_(world|builder|model)_(\w+)", lambda match: f"{match.group(1).title()}.{match.group(2)}", text)
    for name, other in (("NULL", "None"), ("false", "False"), ("true", "True")):
        text = re.sub(rf"\b{name}\b", other, text)
    return text


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main(output, headers):
    text = "".join(open(path, encoding="utf-8").read() for path in headers)
    text = re.sub(r"union \{\s*([^{};]*;)[^{}]*\};", r"\1", text)  # of two names of one field, the first is today's
    lines = ["/* Written by python/fields.py. */"]
    words = {}
    for name, enumerators, short in enums(text):
        words.update(zip(enumerators, short))
        lines.append(f"WORDS({name}, {', '.join(map(quoted, short))})")
    for about, body, name in re.findall(r"(/\*(?:(?!\*/).)*\*/\n)?typedef struct \w+ \{([^{}]*)\} (\w+);", text, re.S):
        if not WANTED.search(name) or name in LEFT_OUT:
            continue
        lines.append(f"FIELDS({name}, {quoted(for_python(comment_text(about.strip()), words)) if about else quoted('')})")
        for field, kind, comment in fields(body):
            if kind in ("TnSource", "TnPicture", "char"):  # of textures: builder.cpp
                continue
            reference = ID.match(kind)
            of = reference.group(1).lower() if reference else ""
            lines.append(f"    FIELD({name}, {field}, {quoted(of)}, {quoted(for_python(comment, words))})")
        lines.append("END_FIELDS")
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
