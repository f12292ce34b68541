#!/usr/bin/env python3
"""Which of several programs' searches end smaller, over the same draws of samples.

    compare_searches.py --state FOLDER --task digits --draws 8 now=PROGRAM probe=PROGRAM ...
    compare_searches.py --state FOLDER --table

The first program is what the others are compared with. A program may be a script that sets
something and then runs `strata`, such as a build in which one belief of the search is switched off.
Each draw splits the samples of a task anew, as run_gate.py does, and runs one search of each
program. Results are kept in FOLDER, so a later call goes on, and asks for no search twice.

The table has the geometric mean of stored bytes beside those of the first program, over the draws
in which both met the target, and its deviation: a belief pays where switching it off costs more
bytes, or meets the target less often.
"""
import argparse
import json
import math
import pathlib
import statistics

import run_gate


def figures(first, other):
    """Draws, met by each, and the ratio of bytes over those that both met."""
    both = [d for d in other if d in first]
    met = [d for d in both if first[d]["passed"] and other[d]["passed"]]
    logs = [math.log(other[d]["bytes"] / first[d]["bytes"]) for d in met]
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    return {"draws": len(both), "first": sum(first[d]["passed"] for d in both),
            "met": sum(other[d]["passed"] for d in both), "pairs": len(met),
            "ratio": math.exp(statistics.mean(logs)) if logs else math.nan, "error": error}


def print_table(state):
    print("| task | program | draws | met | by the first | bytes beside the first | ± | "
          "trials, mean |")
    print("|---|---|---|---|---|---|---|---|")
    for task, programs in sorted(state.items()):
        first = next(iter(programs.values()))
        for name, draws in programs.items():
            f = figures(first, draws)
            trials = statistics.mean(len(d["trials"]) for d in draws.values()) if draws else 0
            print(f"| {task} | {name} | {f['draws']} | {f['met']} | {f['first']} | "
                  f"{f['ratio']:.3f} | {f['error']:.3f} | {trials:.1f} |")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="NAME=PROGRAM")
    parser.add_argument("--state", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--task", choices=run_gate.TASKS)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--trials", type=int, default=20, help="of a search")
    parser.add_argument("--target", type=float, default=1.0, help="points")
    parser.add_argument("--table", action="store_true", help="print what is known, and end")
    return parser.parse_args()


def main():
    options = parsed()
    options.state.mkdir(parents=True, exist_ok=True)
    path = options.state / "searches.json"
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not options.table:
        task = run_gate.Task(options.task, options.models, options.state)
        done = state.setdefault(options.task, {})
        programs = [tuple(p.split("=", 1)) for p in options.programs]
        for draw in range(options.draws):
            for name, program in programs:
                of = done.setdefault(name, {})
                if str(draw) in of:
                    continue
                options.strata = program
                result = run_gate.searched(task, options, draw, options.state)
                of[str(draw)] = result
                path.write_text(json.dumps(state, indent=1), encoding="utf-8")
                print(draw, name, result["passed"], result["bytes"], flush=True)
    print_table(state)


if __name__ == "__main__":
    main()
