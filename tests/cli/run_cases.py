"""Runs the command line's cases: each a shell script with what it must print.

    run_cases.py --strata PROGRAM [--update] [CASE...]

cases/NAME.cmd is run by bash in an empty folder with its own home; `strata` is the program and
$MODELS holds the models of make_models.py, $EXAMPLES those of the project. Compared with what
stands beside it:

    NAME.stdout, NAME.stderr   text, after normalize(); missing: must be empty
    NAME.keys                  instead of .stdout: keys and types of the JSON lines on stdout
    NAME.exit                  exit code; missing: 0

A case that ends with 77 is skipped; it says why. --update writes these files anew.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from program_environment import kept_environment  # noqa: E402

EXAMPLES = HERE.parent.parent / "examples"
SKIPPED = "77\n"

PATTERNS = [
    (re.compile(r"\b[0-9a-f]{64}\b"), "<DIGEST>"),
    (re.compile(r"(?<![\w.-])(?=[0-9a-f]*[0-9])[0-9a-f]{8}(?![\w.-])|@[0-9a-f]{8}\b"), "<HASH>"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?Z?"), "<DATE>"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "<DATE>"),
    (re.compile(r"\bPID \d+\b"), "PID <PID>"),
    (re.compile(r"\b\d+(\.\d+)? (min|s)\b( \d+ s\b)?"), "<TIME>"),
    (re.compile(r"\b\d+(\.\d+)? (B|kB|MB|GB|TB)(?![\w/])"), "<SIZE>"),
    (re.compile(r"\b\d+(\.\d+)?x\b(?! ?\d)"), "<RATIO>"),
    (re.compile(r"[+-]?\d+(\.\d+)? %"), "<SHARE>"),
    (re.compile(r'(?<="seconds":)\d+(\.\d+)?'), "<NUMBER>"),
    (re.compile(r"\b0\.\d+\b|\b\d(\.\d+)?e-\d\d\b"), "<NUMBER>"),
    (re.compile(r"(?<=\S) {2,}"), "  "),
]


def normalize(text, root):
    """Takes out what differs from run to run or with each change of a codec."""
    text = text.replace(str(root), "<ROOT>")
    for pattern, word in PATTERNS:
        text = pattern.sub(word, text)
    return text


def kind_of(value):
    if value is None:
        return "null"
    return {bool: "bool", int: "number", float: "number", str: "text"}[type(value)]


def keys_of(value, path, found):
    if isinstance(value, dict):
        for key, inner in value.items():
            keys_of(inner, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        found.setdefault(f"{path}[]", set())
        for inner in value:
            keys_of(inner, f"{path}[]", found)
    else:
        found.setdefault(path, set()).add(kind_of(value))


def json_keys(text):
    """Keys with their types, a line each; events are told apart by their type."""
    found = {}
    for line in text.splitlines():
        document = json.loads(line)
        event = document.get("type") if isinstance(document, dict) else None
        keys_of(document, f"<{event}>" if event else "", found)
    lines = [f"{key} {'|'.join(sorted(kinds))}".rstrip() for key, kinds in found.items()]
    return "".join(line + "\n" for line in sorted(lines))


def environment(program, models, root):
    kept = kept_environment()
    bin_folder = root / "bin"
    bin_folder.mkdir()
    (bin_folder / "strata").symlink_to(program)
    kept.update(PATH=f"{bin_folder}:{kept.get('PATH', '/usr/bin:/bin')}", HOME=str(root / "home"),
                MODELS=str(models), TOOLS=str(HERE), EXAMPLES=str(EXAMPLES), TZ="UTC",
                LC_ALL="C.UTF-8", NO_COLOR="1", TMPDIR=str(root / "tmp"))
    return kept


def run_case(case, program, models):
    """What the case printed, normalized, by the ending of the file it is compared with."""
    with tempfile.TemporaryDirectory(prefix="strata-cli-") as folder:
        root = pathlib.Path(folder).resolve()
        for name in ("home", "work", "tmp"):
            (root / name).mkdir()
        done = subprocess.run(["bash", str(case)], cwd=root / "work", text=True, errors="replace",
                              env=environment(program, models, root), capture_output=True,
                              stdin=subprocess.DEVNULL)
        out, err = (normalize(text.replace(str(models), "<MODELS>").replace(str(EXAMPLES), "<EXAMPLES>"), root)
                    for text in (done.stdout, done.stderr))
    result = {"stderr": err, "exit": "" if done.returncode == 0 else f"{done.returncode}\n"}
    if case.with_suffix(".keys").exists():
        try:
            result["keys"] = json_keys(done.stdout)
        except ValueError as error:
            result["keys"] = f"not JSON: {error}\n{done.stdout}"
    else:
        result["stdout"] = out
    return result


def differences(case, result):
    lines = []
    for ending, text in result.items():
        file = case.with_suffix("." + ending)
        expected = file.read_text() if file.exists() else ""
        if text != expected:
            lines += difflib.unified_diff(expected.splitlines(), text.splitlines(),
                                          f"{file.name} (expected)", f"{file.name} (found)",
                                          lineterm="")
    return lines


def update(case, result):
    for ending, text in result.items():
        file = case.with_suffix("." + ending)
        if text or ending == "keys":
            file.write_text(text)
        elif file.exists():
            file.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cases = sorted((HERE / "cases").glob("*.cmd"))
    if options.cases:
        cases = [case for case in cases if case.stem in options.cases]
    if not cases:
        sys.exit("no such case")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="strata-models-") as models:
        subprocess.run([sys.executable, str(HERE / "make_models.py"), models], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            program = options.strata.resolve()
            results = pool.map(lambda case: run_case(case, program, models), cases)
            for case, result in zip(cases, results):
                if result["exit"] == SKIPPED:
                    print(f"SKIPPED {case.stem}: {result.get('stdout', '').strip()}")
                    continue
                if options.update:
                    update(case, result)
                    continue
                lines = differences(case, result)
                if lines:
                    failed += 1
                    print(f"FAILED {case.stem}", *lines, sep="\n")
    print(f"{len(cases) - failed} of {len(cases)} cases as expected")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
