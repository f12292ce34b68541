"""Every translation has every text of the window, with the same places for values.

    check_translations.py LUPDATE ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET


def messages(file):
    for context in ET.parse(file).getroot().findall("context"):
        for message in context.findall("message"):
            yield context.findtext("name"), message


def texts(message):
    translation = message.find("translation")
    forms = translation.findall("numerusform")
    return [form.text or "" for form in forms] or [translation.text or ""]


def faults(file):
    for context, message in messages(file):
        source = message.findtext("source")
        where = f"{file.name}: {context}: {source!r}"
        if message.find("translation").get("type"):
            yield f"{where}: {message.find('translation').get('type')}"
            continue
        for text in texts(message):
            if not text:
                yield f"{where}: empty"
            if set(re.findall(r"%\d", source)) != set(re.findall(r"%\d", text)):
                yield f"{where}: other places for values: {text!r}"
            if source.count("&") != text.count("&") and "&" in source and "<" not in source:
                yield f"{where}: no key for the menu: {text!r}"


def main():
    lupdate, root = sys.argv[1], pathlib.Path(sys.argv[2])
    found = []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for original in sorted((root / "gui/translations").glob("*.ts")):
            file = pathlib.Path(folder) / original.name
            shutil.copy(original, file)
            subprocess.run([lupdate, "-silent", "-locations", "none", "-no-obsolete", "-I", root,
                            root / "gui", "-ts", file], check=True, stderr=subprocess.DEVNULL)
            found += faults(file)
            count += sum(1 for _ in messages(file))
    for fault in found:
        print(fault)
    print(f"{count} texts, {len(found)} unfinished or wrong")
    if count == 0 or found:
        sys.exit("bring them up to date: cmake --build --preset release --target strata_texts")


if __name__ == "__main__":
    main()
