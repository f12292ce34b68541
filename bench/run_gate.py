#!/usr/bin/env python3
"""How often a target of quality that `strata tune` calls met is missed on other samples.

    run_gate.py --strata PROGRAM --state FOLDER --task digits --draws 40
    run_gate.py --strata PROGRAM --state FOLDER --task minilm --searches 3 --draws 40
    run_gate.py --state FOLDER --table

Each draw splits all samples of a task anew into samples of choice and of test, and runs a search on
the former. What a model answers to all samples is kept in FOLDER by the model's digest, and so are
the results: a later call goes on. With --searches only so many draws are searched. The others take
the smallest of all settings that those searches tried and the gate lets pass, so that a large model
is scored a few dozen times only.

The tasks resnet56 and minilm need --models, a folder with the pairs that docs/RESULTS.md names,
and ONNX Runtime; digits needs numpy alone. Run it with the Python of build/evaluators.
"""
import argparse
import hashlib
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
sys.path += [str(HERE.parent / "tools" / "evaluators"), str(EXAMPLES)]

from scoring import Scorer, expected_loss, log_probabilities  # pylint: disable=wrong-import-position

TASKS = ("digits", "resnet56", "minilm")
TURNS = range(-35, 36, 10)  # degrees, of the pictures of the task digits


def turned(images, degrees):
    """Pictures turned about their middle, between pixels by their distance."""
    angle = math.radians(degrees)
    rows, columns = np.mgrid[0:8, 0:8] - 3.5
    y = math.cos(angle) * rows + math.sin(angle) * columns + 3.5
    x = -math.sin(angle) * rows + math.cos(angle) * columns + 3.5
    padded = np.pad(images, ((0, 0), (3, 4), (3, 4)))
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    out = np.zeros(images.shape)
    for down in (0, 1):
        for right in (0, 1):
            weight = (1 - abs(y - top - down)) * (1 - abs(x - left - right))
            out += weight * padded[:, top + down + 3, left + right + 3]
    return out


class Task:
    """A pair of models, all its samples, and what a model answers to them."""

    def __init__(self, name, models, state):
        self.name, self.folder = name, state / "outputs" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        if name == "digits":
            self.base, self.tuned = EXAMPLES / "base.safetensors", EXAMPLES / "rotated.safetensors"
            with np.load(EXAMPLES / "digits-test.npz") as data:
                images, labels = data["clean_images"], data["clean_labels"]
            self.samples = np.concatenate([turned(images, d) for d in TURNS])
            self.labels = np.tile(labels, len(TURNS))
            return
        names = {"resnet56": ("resnet56-base", "resnet56-gray", "gray"),
                 "minilm": ("minilm-base", "minilm-sst2", "sst2")}[name]
        self.base, self.tuned = (models / f"{n}.onnx" for n in names[:2])
        parts = [dict(np.load(models / f"{names[2]}-{part}.npz")) for part in ("val", "test")]
        self.samples = {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}
        self.labels = self.samples["labels"]

    def answers(self, path):
        """To all samples, and the model's digest. Scored once, then read."""
        digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        kept = self.folder / f"{digest}.npy"
        if not kept.exists():
            np.save(kept, self.scored(path).astype(np.float32))
        return np.load(kept).astype(np.float64), digest

    def scored(self, path):
        if self.name == "digits":
            import digits_net
            from score import load
            return digits_net.forward(load(pathlib.Path(path)), self.samples)
        import onnxruntime_eval
        with tempfile.NamedTemporaryFile(suffix=".npz", delete=False) as file:
            np.savez(file, **self.samples)
        samples = onnxruntime_eval.Samples(file.name, {}, "labels")
        pathlib.Path(file.name).unlink()
        options = argparse.Namespace(threads=1, batch=64, output=None)
        return onnxruntime_eval.outputs_of(path, samples, options)

    def split(self, draw):
        order = np.random.default_rng(draw).permutation(len(self.labels))
        half = len(order) // 2
        return {"choice": np.sort(order[:half]), "test": np.sort(order[half:])}


def serve(task, options):
    """Answers as an evaluator does, for one part of a draw; notes which models it was asked of."""
    chosen = task.split(options.draw)[options.part]
    scorer = Scorer(task.labels[chosen])
    for line in sys.stdin:
        asked = json.loads(line)
        out, digest = task.answers(asked["model"])
        if options.log:
            with open(options.log, "a", encoding="utf-8") as log:
                log.write(digest + "\n")
        answer = scorer.answer(out[chosen], asked.get("reference", False))
        print(json.dumps({"id": asked["id"], **answer}), flush=True)


def deviations_exceeded_by(probability):
    return statistics.NormalDist().inv_cdf(1 - probability)


def forecast(reference, restored, labels, candidates):
    """Points lost, likely lost and lost at worst: core/evaluate/loss_forecast.cpp. What a search of
    the program says is compared with this."""
    right, kept = reference.argmax(-1) == labels, restored.argmax(-1) == labels
    measured = right.mean() - kept.mean()
    sample_variance = ((right != kept).sum() + 1) / len(labels) ** 2
    expected = expected_loss(log_probabilities(reference), log_probabilities(restored), labels)
    belief_error = max(0.5 * abs(expected), 1e-4)
    share = belief_error**2 / (belief_error**2 + sample_variance)
    likely = measured * share + expected * (1 - share)
    luck, chance = deviations_exceeded_by(0.1 / candidates), deviations_exceeded_by(0.1)
    worst = math.sqrt(((luck * share) ** 2 + chance**2) * sample_variance +
                      (chance * (1 - share) * belief_error) ** 2)
    return 100 * measured, 100 * likely, 100 * (likely + worst)


def searched(task, options, draw, folder):
    """One search of the program: what it took, and the digest and bytes of each trial."""
    log = folder / f"{task.name}-{draw}.log"
    log.unlink(missing_ok=True)
    command = [sys.executable, __file__, "--task", task.name, "--state", str(options.state),
               "--draw", str(draw), "--serve"]
    if options.models:
        command += ["--models", str(options.models)]
    words = " ".join(command)
    store = folder / f"{task.name}.store"
    program = [str(options.strata), "--store", str(store)]
    if not store.exists():
        subprocess.run([*program, "init", "-q"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*program, "import", str(task.base), "--name", "base", "-q"], check=True,
                       stdout=subprocess.DEVNULL)
    done = subprocess.run(
        [*program, "tune", str(task.tuned), "--base", "base", "--trials", str(options.trials),
         "--target", f"quality_loss={options.target}", "--json",
         "--evaluator", f"{words} --part choice --log {log}",
         "--evaluator-test", f"{words} --part test"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 7):
        sys.exit(f"tune failed with {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout.splitlines()[-1])
    digests = log.read_text(encoding="utf-8").split()
    trials = {digests[t["trial"]]: t["stored_bytes"] for t in result["trials"] if not t["failure"]}
    if "most_loss_points" in result["trials"][0]:
        compare(task, draw, digests, result["trials"], options.trials)
    test = result["test"]
    lost = 100 * (test["reference"] - test["score"])
    # An older program calls a target met whatever the test says.
    passed = result["met"] or result.get("missed_on_test", False)
    return {"passed": passed, "bytes": result["chosen"]["stored_bytes"], "reference": digests[0],
            "original": result["original_bytes"], "test_loss": lost, "trials": trials}


def compare(task, draw, digests, trials, candidates):
    """Stops where forecast() and the program do not agree."""
    choice = task.split(draw)["choice"]
    outputs = {d: np.load(task.folder / f"{d}.npy").astype(np.float64)[choice] for d in set(digests)}
    for trial in trials:
        if trial.get("most_loss_points") is None:
            continue  # the search had no answers to compare
        worst = forecast(outputs[digests[0]], outputs[digests[trial["trial"]]], task.labels[choice],
                         candidates)[2]
        if abs(worst - trial["most_loss_points"]) > 1e-6:
            sys.exit(f"trial {trial['trial']} of draw {draw}: the program says at worst "
                     f"{trial['most_loss_points']} points, this bench {worst}")


def replayed(task, options, draw, results):
    """What the gate takes of all settings that were tried in the searches of other draws."""
    parts = task.split(draw)
    reference = np.load(task.folder / f"{results[0]['reference']}.npy").astype(np.float64)
    pool = {d: b for result in results for d, b in result["trials"].items()}
    for digest, size in sorted(pool.items(), key=lambda item: item[1]):
        out = np.load(task.folder / f"{digest}.npy").astype(np.float64)
        choice, test = parts["choice"], parts["test"]
        lost, _, worst = forecast(reference[choice], out[choice], task.labels[choice], len(pool))
        if max(lost, worst) > options.target + 1e-9:
            continue
        right = [(o[test].argmax(-1) == task.labels[test]).mean() for o in (reference, out)]
        return {"passed": True, "bytes": size, "original": results[0]["original"],
                "test_loss": 100 * (right[0] - right[1])}
    return {"passed": False, "bytes": 0, "original": results[0]["original"], "test_loss": 0}


def print_table(state, target):
    print("| task | program | draws | passed by the gate | of these beyond the target on test | "
          "bytes, median | ratio |")
    print("|---|---|---|---|---|---|---|")
    for key in sorted(state):
        task, label = key.split("/")
        draws = list(state[key].values())
        passed = [d for d in draws if d["passed"]]
        missed = sum(d["test_loss"] > target + 1e-9 for d in passed)
        size = statistics.median(d["bytes"] for d in passed) if passed else math.nan
        ratio = draws[0]["original"] / size
        print(f"| {task} | {label} | {len(draws)} | {len(passed)} | {missed} | {size:,.0f} | "
              f"{ratio:.1f}x |")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", type=pathlib.Path)
    parser.add_argument("--state", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--label", default="now", help="what the program is called in the table")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--searches", type=int, help="draws that are searched; default: all")
    parser.add_argument("--trials", type=int, default=12, help="of a search")
    parser.add_argument("--target", type=float, default=0.5, help="points")
    parser.add_argument("--table", action="store_true", help="print what is known, and end")
    for internal in ("--draw", "--part", "--log"):
        parser.add_argument(internal, type=int if internal == "--draw" else str,
                            help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parsed()
    options.state.mkdir(parents=True, exist_ok=True)
    if options.serve:
        serve(Task(options.task, options.models, options.state), options)
        return
    path = options.state / "draws.json"
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not options.table:
        task = Task(options.task, options.models, options.state)
        done = state.setdefault(f"{options.task}/{options.label}", {})
        searches = options.draws if options.searches is None else options.searches
        for draw in range(options.draws):
            if str(draw) in done:
                continue
            if draw < searches:
                done[str(draw)] = searched(task, options, draw, options.state)
            else:
                results = [d for d in done.values() if "trials" in d]
                done[str(draw)] = replayed(task, options, draw, results)
            # Another task may have written meanwhile.
            state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            state[f"{options.task}/{options.label}"] = done
            path.write_text(json.dumps(state, indent=1), encoding="utf-8")
            print(draw, {k: v for k, v in done[str(draw)].items() if k != "trials"}, flush=True)
    print_table(state, options.target)


if __name__ == "__main__":
    main()
