#!/usr/bin/env python3
"""fetch of many versions from each kind of remote: requests, time, memory.

    run_fetch.py [--strata PROGRAM] [--peers VENV] [--versions N]

A store with N tiny versions (1,000) is pushed to a folder, the Hugging Face stand-in of the tests, docker's registry and
SeaweedFS, all on the loopback, and fetched by a store that knows nothing: FIRST. Another store then pushes ten versions more:
AGAIN. Requests are counted by a proxy that passes bytes on. What has no server here is left out with a line.
"""
import argparse
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

import measure

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/hub"))


class Counter:
    """Passes connections on to `target` and counts the requests in them."""

    def __init__(self, target):
        host, port = target.split(":")
        self.target = (host, int(port))
        self.count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.target)
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.pass_on, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client, False), daemon=True).start()

    def pass_on(self, source, sink, is_client):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if is_client:
                    self.count += data.count(b" HTTP/1.1\r\n")
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def write_tiny(path, number):
    header = json.dumps({"w": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + number.to_bytes(8, "little"))


class Stores:
    def __init__(self, options, root):
        self.strata = str(options.strata.resolve())
        self.root = root
        os.environ.update(HOME=str(root / "home"), HF_TOKEN="hf_standin", no_proxy="*", AWS_ACCESS_KEY_ID="AK-test",
                          AWS_SECRET_ACCESS_KEY="secret+key/with=signs", AWS_REGION="us-east-1")

    def run(self, store, *words):
        done = subprocess.run([self.strata, "-C", self.root / store, *words], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stdout}{done.stderr}")

    def fill(self, store, first, count):
        self.run(store, "init")
        for i in range(first, first + count):
            write_tiny(self.root / "tiny.safetensors", i)
            self.run(store, "import", self.root / "tiny.safetensors", "--name", f"tiny{i}")

    def measured(self, reader, counter):
        before = counter.count if counter else 0
        run = measure.run([self.strata, "-C", self.root / reader, "fetch", "there"])
        asked = f"{counter.count - before}" if counter else ""
        return f"{asked} | {1000 * run.seconds:.0f} ms | {run.peak_anonymous_bytes / 1e6:.0f} MB"

    def row(self, kind, url, counter=None, options=()):
        begin = time.monotonic()
        for store in ("many", "more", "reader"):
            self.run(store, "init")
            self.run(store, "remote", "add", "there", url, *options)
        self.run("many", "push", "there")
        push = time.monotonic() - begin
        first = self.measured("reader", counter)
        self.run("more", "push", "there")
        again = self.measured("reader", counter)
        print(f"| {kind} | {push:.1f} s | {first} | {again} |", flush=True)
        for store in ("many", "more", "reader"):
            self.run(store, "remote", "remove", "there")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=ROOT / "build/release/cli/strata")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/hub-peers")
    parser.add_argument("--versions", type=int, default=1000)
    options = parser.parse_args()
    sys.argv = [sys.argv[0], str(options.strata), str(options.peers)]  # what the tests' modules read
    import test_oci
    sys.argv = [sys.argv[0], str(options.strata), str(options.peers)]
    import test_s3
    with tempfile.TemporaryDirectory(prefix="strata-fetch-") as folder, contextlib.ExitStack() as servers:
        root = pathlib.Path(folder)
        stores = Stores(options, root)
        stores.fill("many", 0, options.versions)
        stores.fill("more", options.versions, 10)
        print("| remote | push | first: requests | time | memory | again: requests | time | memory |\n"
              "|---|---|---|---|---|---|---|---|")
        stores.row("folder", f"file://{root}/share")
        standin = subprocess.Popen([sys.executable, ROOT / "tests/hub/hub_standin.py"], stdout=subprocess.PIPE, text=True)
        servers.callback(standin.terminate)
        counter = Counter(standin.stdout.readline().strip().removeprefix("http://"))
        os.environ["HF_ENDPOINT"] = f"http://{counter.address}"
        stores.row("Hugging Face", "hf://tester/many", counter)
        if test_oci.REGISTRY:
            counter = Counter(servers.enter_context(test_oci.registry(root)))
            stores.row("registry", f"oci://{counter.address}/many", counter)
        else:
            print("SKIPPED: docker-registry is not here (scripts/setup hub)")
        if test_s3.WEED:
            counter = Counter(servers.enter_context(test_s3.weed(root)).removeprefix("http://"))
            make_bucket(options, counter)
            stores.row("bucket", "s3://models/many", counter, ("--endpoint", f"http://{counter.address}"))
        else:
            print("SKIPPED: SeaweedFS is not here (scripts/setup hub)")


def make_bucket(options, counter):
    """With the reference client, which the tests' peers have."""
    code = ("import sys, boto3, os; from botocore.client import Config; boto3.client('s3', endpoint_url=sys.argv[1],"
            " config=Config(s3={'addressing_style': 'path'})).create_bucket(Bucket='models')")
    subprocess.run([options.peers / "bin/python", "-c", code, f"http://{counter.address}"], check=True)


if __name__ == "__main__":
    main()
