#!/usr/bin/env python3
"""Push and pull beside the ordinary client, on the loopback, in one run.

    run_hub.py [--strata PROGRAM] [--peers VENV] [--bytes N] [--runs N]

A model of N bytes of noise (256 MB; it does not get smaller) is stored as a base and pushed to a Hugging Face
stand-in in a process of its own, then pulled into an empty store; huggingface_hub uploads and downloads the very same pack.
With STRATA_MODELS a real fine-tune is pushed where its base is: bytes that
moved.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from rates import ratio, spread

ROOT = pathlib.Path(__file__).resolve().parents[1]
UPLOAD = """
import sys, time, huggingface_hub as h
a = h.HfApi(); a.create_repo("bench/hf", exist_ok=True)
t = time.perf_counter(); a.upload_file(path_or_fileobj=sys.argv[1], path_in_repo="pack", repo_id="bench/hf")
print(time.perf_counter() - t)
"""
DOWNLOAD = """
import sys, time, huggingface_hub as h
t = time.perf_counter(); h.hf_hub_download("bench/hf", "pack", local_dir=sys.argv[1]); print(time.perf_counter() - t)
"""


class Hub:
    """The stand-in of the tests, in its own process, so that it does not share our interpreter."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, ROOT / "tests/hub/hub_standin.py"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.control({"multipart_from": 1 << 40})
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def control(self, order, path="/control"):
        request = urllib.request.Request(self.url + path, json.dumps(order).encode())
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)

    def requests(self):
        return self.control({}, "/control/requests")


def timed(words, environment):
    begin = time.perf_counter()
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stdout}{done.stderr}")
    return time.perf_counter() - begin, done.stdout


def write_noise(path, byte_count):
    header = json.dumps({"w": {"dtype": "U8", "shape": [byte_count], "data_offsets": [0, byte_count]}}).encode()
    with open(path, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        source = random.Random(1)
        for _ in range(byte_count >> 20):
            file.write(source.randbytes(1 << 20))


def throughput(options, root, environment):
    strata = options.strata
    write_noise(root / "noise.safetensors", options.bytes)
    timed([strata, "-C", root / "a", "init"], environment)
    timed([strata, "-C", root / "a", "import", root / "noise.safetensors", "--name", "noise", "--raw"], environment)
    pack = max((p for p in (root / "a/objects").rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    megabytes = sum(p.stat().st_size for p in (root / "a/objects").rglob("*") if p.is_file()) / 1e6
    times = collections.defaultdict(list)

    def keep(name, seconds):
        times[name].append(seconds)

    for run in range(options.runs):
        with Hub() as hub:
            here = {**environment, "HF_ENDPOINT": hub.url}
            keep("strata push", timed([strata, "-C", root / "a", "push", "hf://bench/strata"], here)[0])
            timed([strata, "-C", root / f"b{run}", "init"], here)
            keep("strata pull", timed([strata, "-C", root / f"b{run}", "pull", "hf://bench/strata"], here)[0])
        shutil.rmtree(root / f"b{run}")
        if options.python:
            with Hub() as hub:
                here = {**environment, "HF_ENDPOINT": hub.url}
                keep("huggingface_hub upload", float(timed([options.python, "-c", UPLOAD, pack], here)[1]))
                keep("huggingface_hub download",
                     float(timed([options.python, "-c", DOWNLOAD, root / f"d{run}"], here)[1]))
            shutil.rmtree(root / f"d{run}")
    print(f"\n{megabytes:.0f} MB; strata: the whole process, huggingface_hub: the call alone\n")
    print("| | strata | huggingface_hub | ratio |\n|---|---|---|---|")
    for ours, theirs in (("push", "upload"), ("pull", "download")):
        mine, other = times[f"strata {ours}"], times[f"huggingface_hub {theirs}"]
        print(f"| {ours}, {theirs} | {spread(megabytes, mine)} | "
              + (f"{spread(megabytes, other)} | {ratio(mine, other)} |" if other else "not here | |"))


def bytes_of_a_finetune(options, root, environment):
    models = os.environ.get("STRATA_MODELS")
    if not models:
        print("\nSKIPPED: STRATA_MODELS names no folder with real pairs")
        return
    models = pathlib.Path(models)
    store = root / "real"
    timed([options.strata, "-C", store, "init"], environment)
    timed([options.strata, "-C", store, "import", models / "minilm-base-bf16.safetensors", "--name", "minilm"],
          environment)
    tuned = next(models.glob("*sst2*bf16*.safetensors"))
    with Hub() as hub:
        here = {**environment, "HF_ENDPOINT": hub.url}
        timed([options.strata, "-C", store, "push", "hf://bench/real"], here)
        timed([options.strata, "-C", store, "add", "sst2", tuned, "--base", "minilm"], here)
        before = len(hub.requests())
        timed([options.strata, "-C", store, "push", "hf://bench/real"], here)
        moved = sum(line["bytes"] for line in hub.requests()[before:])
        print(f"\nA fine-tune of {tuned.stat().st_size:,} bytes whose base is there: {moved:,} bytes sent, "
              f"{len(hub.requests()) - before} requests")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=ROOT / "build/release/cli/strata")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/hub-peers")
    parser.add_argument("--bytes", type=int, default=256 << 20)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    options.strata = options.strata.resolve()
    options.python = options.peers / "bin/python"
    if not options.python.exists():
        print("SKIPPED: huggingface_hub is not here (scripts/setup hub)")
        options.python = None
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        root = pathlib.Path(folder)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "STRATA"))}
        environment.update(HOME=str(root / "home"), HF_HOME=str(root / "hf"), HF_TOKEN="hf_standin", no_proxy="*",
                           HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1")
        throughput(options, root, environment)
        bytes_of_a_finetune(options, root, environment)


if __name__ == "__main__":
    main()
