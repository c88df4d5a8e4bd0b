"""Puts a built site beside those of other versions: FOLDER/VERSION, a list of versions that their menus read, and FOLDER/index.html,
which leads to the newest.

    publish.py SITE FOLDER VERSION"""
import json
import pathlib
import re
import shutil
import sys


def order(version):
    """1.10 comes after 1.9, and whatever is no number (such as main) before all numbers."""
    return [int(part) for part in version.split(".")] if re.fullmatch(r"\d+(\.\d+)*", version) else []


def publish(site, folder, version):
    if not re.fullmatch(r"[\w.-]+", version) or version.startswith("."):
        sys.exit(f"{version!r} is no name of a version")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / version, ignore_errors=True)
    shutil.copytree(site, folder / version)
    versions = sorted((path.parent.name for path in folder.glob("*/index.html")), key=order, reverse=True)
    (folder / "versions.js").write_text(f"window.TENON_VERSIONS = {json.dumps(versions)};\n", encoding="utf-8")
    (folder / "index.html").write_text(f'<!doctype html><meta charset="utf-8"><title>tenon</title>\n'
                                       f'<meta http-equiv="refresh" content="0; url={versions[0]}/index.html">\n'
                                       f'<a href="{versions[0]}/index.html">tenon {versions[0]}</a>\n', encoding="utf-8")
    return versions


if __name__ == "__main__":
    print("versions:", ", ".join(publish(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])))
