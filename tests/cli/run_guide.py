"""Runs the commands of docs/GUIDE.md and compares what they print with what stands there.

    run_guide.py --strata PROGRAM [--update]

Each line that begins with "$ " in a block ```console is run by bash, all of them in one folder with
the models of examples/. What follows it, up to the next such line, is what it must print, errors
too, but for times, dates and sizes. --update writes that anew.
"""
import argparse
import difflib
import pathlib
import shutil
import subprocess
import sys
import tempfile

from run_cases import EXAMPLES, environment, normalize

GUIDE = EXAMPLES.parent / "docs" / "GUIDE.md"
END = "<end of the command>"


class Shell:
    """One bash for the whole guide, so that variables live from line to line."""

    def __init__(self, folder, variables):
        self.process = subprocess.Popen(["bash"], cwd=folder, env=variables, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)

    def run(self, command):
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\necho '{END}'\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                return "".join(lines)
            lines.append(line)
        raise RuntimeError(f"the shell ended at: {command}")


def guide_as_run(text, shell, root):
    """The guide with what its commands print now."""
    lines, is_block = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            is_block = line == "```console"
        if not is_block or line.startswith("```"):
            lines.append(line)
        elif line.startswith("$ "):
            lines.append(line)
            lines += shell.run(line[2:]).replace(str(root / "work"), "~/models").splitlines()
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    expected = GUIDE.read_text()
    with tempfile.TemporaryDirectory(prefix="strata-guide-") as folder:
        root = pathlib.Path(folder).resolve()
        for name in ("home", "work", "tmp"):
            (root / name).mkdir()
        for model in EXAMPLES.iterdir():
            if model.suffix in (".safetensors", ".onnx"):
                shutil.copy(model, root / "work" / model.name)
        shell = Shell(root / "work", environment(arguments.strata.resolve(), EXAMPLES, root))
        found = guide_as_run(expected, shell, root)
        shell.process.stdin.close()
        shell.process.wait()
    if arguments.update:
        GUIDE.write_text(found)
        return 0
    commands = sum(line.startswith("$ ") for line in found.splitlines())
    if commands < 10:
        print(f"docs/GUIDE.md has {commands} commands, expected 10 at least")
        return 1
    lines = list(difflib.unified_diff(normalize(expected, root).splitlines(),
                                      normalize(found, root).splitlines(), "docs/GUIDE.md",
                                      "as run", lineterm=""))
    print("\n".join(lines) if lines else f"{commands} commands print what the guide says")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
