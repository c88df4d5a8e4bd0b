"""Checks the links inside a built site: every file and every anchor that a page names is there.

    check_links.py FOLDER"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page links to, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}


def broken(folder):
    """(number of links, list of broken ones)"""
    folder = folder.resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    count, problems = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if target != folder and folder not in target.parents or not target.is_file():
                problems.append(f"{path.relative_to(folder)}: there is no {link}")
            elif target in pages and anchor not in pages[target].anchors:
                problems.append(f"{path.relative_to(folder)}: {link}: there is no such anchor")
    return count, problems


def main():
    count, problems = broken(pathlib.Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    print(f"{count} links, {len(problems)} broken")
    sys.exit(1 if problems or not count else 0)


if __name__ == "__main__":
    main()
