"""push and pull over s3:// beside boto3, with the same bytes and the same server (SeaweedFS).

    run_s3.py --strata PROGRAM --peers FOLDER --base FILE --tuned FILE

FOLDER is the virtual environment of `scripts/setup hub`; run this with its Python, which has boto3.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import boto3
from botocore.config import Config

ROUNDS = 3


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    for name in ("strata", "peers", "base", "tuned"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "hub"))
    sys.argv = [sys.argv[0], options.strata, options.peers]
    import test_s3  # the server as the tests start it

    os.environ.update(test_s3.KEYS, no_proxy="*")
    times = {name: [] for name in ("push", "upload_file", "pull", "download_file")}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def strata(store, *words):
            subprocess.run([options.strata, "-C", root / store, *words], check=True,
                           env={**os.environ, "HOME": folder}, capture_output=True)

        strata("a", "init")
        strata("a", "import", options.base, "--name", "base")
        strata("a", "add", "tuned", options.tuned)
        objects = [path for path in (root / "a" / "objects").rglob("*") if path.is_file()]
        megabytes = sum(path.stat().st_size for path in objects) / 1e6
        with test_s3.weed(root) as url:
            client = boto3.client("s3", endpoint_url=url,
                                  config=Config(s3={"addressing_style": "path"}))
            client.create_bucket(Bucket="models")
            for n in range(ROUNDS):
                place = (f"s3://models/strata{n}", "--endpoint", url)
                strata("a", "remote", "add", f"r{n}", *place)
                times["push"].append(timed(lambda: strata("a", "push", f"r{n}")))
                times["upload_file"].append(timed(lambda: [
                    client.upload_file(str(path), "models", f"boto{n}/{path.name}")
                    for path in objects]))
                strata(f"b{n}", "init")
                strata(f"b{n}", "remote", "add", "r", *place)
                times["pull"].append(timed(lambda: strata(f"b{n}", "pull", "r")))
                (root / f"boto{n}").mkdir()
                times["download_file"].append(timed(lambda: [
                    client.download_file("models", f"boto{n}/{path.name}",
                                         str(root / f"boto{n}" / path.name))
                    for path in objects]))
    print(f"{megabytes:.1f} MB in {len(objects)} objects, medians of {ROUNDS} rounds\n")
    print("| | strata | boto3 |\n|---|---|---|")
    for ours, theirs in (("push", "upload_file"), ("pull", "download_file")):
        rates = [f"{megabytes / statistics.median(times[name]):.0f} MB/s" for name in (ours, theirs)]
        print(f"| `{ours}`, `{theirs}` | {rates[0]} | {rates[1]} |")


if __name__ == "__main__":
    main()
