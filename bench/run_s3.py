"""push and pull over s3:// beside boto3, with the same bytes and the same server (SeaweedFS).

    run_s3.py --strata PROGRAM --peers FOLDER --base FILE --tuned FILE

FOLDER is the virtual environment of `scripts/setup hub`; run this with its Python, which has boto3.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import boto3
from botocore.config import Config

from rates import ratio, spread

ROUNDS = 15  # and one before
# Whoever writes when the server's volumes are full waits a second for new ones. They are full every few
# rounds if they are small, which then hits whoever's turn it is: these are never full.
VOLUME_MEGABYTES = 4096


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    for name in ("strata", "peers", "base", "tuned"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.strata, options.peers = (str(pathlib.Path(word).resolve()) for word in (options.strata, options.peers))
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "hub"))
    sys.argv = [sys.argv[0], options.strata, options.peers]
    import test_s3  # the server as the tests start it

    os.environ.update(test_s3.KEYS, no_proxy="*")
    times = {name: [] for name in ("push", "upload_file", "pull", "download_file", "download_file, fsync")}
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
        with test_s3.weed(root, VOLUME_MEGABYTES) as url:
            client = boto3.client("s3", endpoint_url=url,
                                  config=Config(s3={"addressing_style": "path"}))
            client.create_bucket(Bucket="models")

            def download(path, target, syncs):
                client.download_file("models", f"boto{n}/{path.name}", str(target))
                if syncs:
                    with open(target, "rb") as file:
                        os.fsync(file.fileno())

            def push():
                strata("a", "push", f"r{n}")

            def upload():
                for path in objects:
                    client.upload_file(str(path), "models", f"boto{n}/{path.name}")

            # The first write has the server make volumes, which takes it seconds: that round is not
            # counted. Who begins takes turns.
            for n in range(ROUNDS + 1):
                place = (f"s3://models/strata{n}", "--endpoint", url)
                strata("a", "remote", "add", f"r{n}", *place)
                senders = [("push", push), ("upload_file", upload)]
                for name, work in senders if n % 2 == 0 else reversed(senders):
                    times[name].append(timed(work))
                strata(f"b{n}", "init")
                strata(f"b{n}", "remote", "add", "r", *place)
                times["pull"].append(timed(lambda: strata(f"b{n}", "pull", "r")))
                for name in ("download_file", "download_file, fsync"):
                    got = root / f"{name}{n}"
                    got.mkdir()
                    times[name].append(timed(lambda: [download(path, got / path.name, name.endswith("fsync"))
                                                      for path in objects]))
                    shutil.rmtree(got)
                shutil.rmtree(root / f"b{n}")
    for name in times:
        del times[name][0]
    print(f"{megabytes:.1f} MB in {len(objects)} objects, medians of {ROUNDS} rounds\n")
    print("| | strata | boto3 | ratio |\n|---|---|---|---|")
    for ours, theirs in (("push", "upload_file"), ("pull", "download_file"), ("pull", "download_file, fsync")):
        print(f"| `{ours}`, `{theirs}` | {spread(megabytes, times[ours])} | {spread(megabytes, times[theirs])} | "
              f"{ratio(times[ours], times[theirs])} |")


if __name__ == "__main__":
    main()
