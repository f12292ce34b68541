#!/usr/bin/env python3
"""push and pull over oci:// beside oras-py and skopeo, with the same bytes and the same docker-registry.

    run_registry.py [--strata PROGRAM] [--peers VENV] --base FILE --tuned FILE

All are whole processes: strata sends and fetches objects of its store, oras-py the same files as layers of an artifact,
skopeo that artifact as a folder. `pull` hashes and syncs what it fetches.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from rates import ratio, spread

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 9
ORAS = """
import sys, os, oras.client
client = oras.client.OrasClient(insecure=True)
target, folder = sys.argv[2], sys.argv[3]
os.chdir(folder)
if sys.argv[1] == "push":
    client.push(target=target, files=sorted(os.listdir(".")), disable_path_validation=True)
else:
    client.pull(target=target, outdir=folder)
"""


def timed(words, **more):
    begin = time.perf_counter()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stdout}{done.stderr}")
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=ROOT / "build/release/cli/strata")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/hub-peers")
    parser.add_argument("--base", required=True, type=pathlib.Path)
    parser.add_argument("--tuned", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests/hub"))
    sys.argv = [sys.argv[0], str(options.strata), str(options.peers)]
    import test_oci  # the registry as the tests start it

    times = {}
    with tempfile.TemporaryDirectory(prefix="strata-registry-") as folder:
        root = pathlib.Path(folder)
        environment = {**os.environ, "HOME": folder, "no_proxy": "*"}

        def run(name, words):
            times.setdefault(name, []).append(timed(words, env=environment))

        def strata(store, *words):
            return [options.strata, "-C", root / store, *words]

        timed(strata("a", "init"), env=environment)
        timed(strata("a", "import", options.base, "--name", "base"), env=environment)
        timed(strata("a", "add", "tuned", options.tuned), env=environment)
        files = root / "files"
        files.mkdir()
        for path in (root / "a/objects").rglob("*"):
            if path.is_file():
                shutil.copy(path, files / path.name)
        megabytes = sum(path.stat().st_size for path in files.iterdir()) / 1e6
        # skopeo remembers which blobs a registry has and would have them mounted: it pushes to another one.
        with test_oci.registry(root) as host, test_oci.registry(root) as other:
            for n in range(ROUNDS):
                run("strata push", strata("a", "push", f"oci://{host}/strata{n}"))
                timed(strata(f"b{n}", "init"), env=environment)
                run("strata pull", strata(f"b{n}", "pull", f"oci://{host}/strata{n}"))
                got = root / f"oras{n}"
                got.mkdir()
                client = [options.peers / "bin/python", "-c", ORAS]
                run("oras push", [*client, "push", f"{host}/oras{n}:v1", files])
                run("oras pull", [*client, "pull", f"{host}/oras{n}:v1", got])
                assert {path.name for path in got.iterdir()} == {path.name for path in files.iterdir()}
                copied = f"dir:{root}/skopeo{n}"
                if test_oci.SKOPEO:
                    tls = ["--src-tls-verify=false", "--dest-tls-verify=false"]
                    run("skopeo pull", ["skopeo", "copy", *tls, f"docker://{host}/oras{n}:v1", copied])
                    if n == 0:  # by then that one knows them, too
                        run("skopeo push", ["skopeo", "copy", *tls, copied, f"docker://{other}/skopeo:v1"])
                for used in (got, root / f"b{n}", root / f"skopeo{n}"):
                    shutil.rmtree(used, ignore_errors=True)
    print(f"{megabytes:.1f} MB, medians of {ROUNDS} rounds\n")
    print("| | push | ratio | pull | ratio |\n|---|---|---|---|---|")
    for name in ("strata", "oras", "skopeo"):
        cells = []
        for way in ("push", "pull"):
            theirs = times.get(f"{name} {way}")
            cells += [spread(megabytes, theirs), ratio(times[f"strata {way}"], theirs)] if theirs else ["not here", ""]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
