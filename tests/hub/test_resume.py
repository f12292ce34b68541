"""Pushes and pulls of every kind of remote that are killed: nothing half-done shows, and the same command goes on.

Bytes are counted on their way to and from docker-registry and moto by a relay; a folder's are told by its parts.
"""
import contextlib
import json
import pathlib
import random
import resource
import select
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
ARGUMENTS = list(sys.argv)
import test_oci  # noqa: E402  reads the arguments

sys.argv = ARGUMENTS
import test_s3  # noqa: E402

from peers import Stores, free_ports, needs, part_bytes, running, serve  # noqa: E402

MODEL_BYTES = 1_000_000
MODELS = ("one", "two", "three")


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        server = socket.create_connection(self.server.target)
        with server, contextlib.suppress(OSError):
            ends = [self.request, server]
            while True:
                for end in select.select(ends, [], [])[0]:
                    data = end.recv(1 << 16)
                    if not data:
                        return
                    with self.server.lock:
                        self.server.moved[end is server] += len(data)
                    ends[end is self.request].sendall(data)


class Relay(socketserver.ThreadingTCPServer):
    """Passes on what comes; `moved` are the bytes to the server and those from it."""

    daemon_threads = True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Connection)
        host, port = target.split(":")
        self.target, self.lock, self.moved = (host, int(port)), threading.Lock(), [0, 0]
        self.address = f"127.0.0.1:{self.server_address[1]}"
        serve(self)

    def close(self):
        self.shutdown()
        self.server_close()


class Killed:
    """What holds for each kind; the class says where its remote is."""

    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.stores.environment.update(test_s3.KEYS)
        header = json.dumps({"w": {"dtype": "U8", "shape": [MODEL_BYTES],
                                   "data_offsets": [0, MODEL_BYTES]}}).encode()
        self.stores.run("a", "init")
        for seed, name in enumerate(MODELS):
            file = self.stores.models / f"{name}.safetensors"
            file.write_bytes(struct.pack("<Q", len(header)) + header + random.Random(seed).randbytes(MODEL_BYTES))
            self.stores.run("a", "import", file, "--name", name, "--raw")
        self.stores.run("b", "init")
        url, options = self.place()
        for store in ("a", "b"):
            self.stores.run(store, "remote", "add", "there", url, *options)

    def die_writing(self, store, word):
        """A push or pull that dies in the middle of the first large file that it writes, of a signal."""
        most = MODEL_BYTES * 6 // 10
        done = subprocess.run([STRATA, "-C", self.stores.root / store, word, "there", "-j", "1"], check=False,
                              capture_output=True, env=self.stores.environment,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        self.assertEqual(done.returncode, -signal.SIGXFSZ, done.stderr)

    def kill_sending(self, store, word, least):
        """Kills a transfer over the network once it has moved some bytes."""
        self.stores.run(store, "config", "set", "transfer.limit", "500KB", "--in-store")
        process = subprocess.Popen([STRATA, "-C", self.stores.root / store, word, "there", "-j", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.stores.environment)
        while not (entries := self.stores.results(store, "transfer", "list")["transfers"]) \
                or entries[0]["done_bytes"] < least:
            self.assertIsNone(process.poll(), "it was over before it was seen")
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.stores.run(store, "config", "set", "transfer.limit", "0", "--in-store")

    def check_models(self):
        for name in MODELS:
            original = (self.stores.models / f"{name}.safetensors").read_bytes()
            self.assertEqual(self.stores.restored("b", name), original, name)
        self.stores.run("b", "verify", "--full")

    def test_a_push(self):
        self.begin_push()
        self.assertEqual(self.seen(), 0)
        self.check_push()
        self.stores.run("b", "pull", "there")
        self.check_models()

    def check_push(self):
        self.stores.run("a", "push", "there")

    def seen(self):
        return self.stores.seen("b", "there")

    def test_a_pull(self):
        self.stores.run("a", "push", "there")
        self.die_writing("b", "pull")
        self.assertEqual(self.stores.results("b", "list")["versions"], [])
        kept = part_bytes(self.stores.root / "b/partial")
        self.assertGreater(kept, 0)
        would = self.stores.results("b", "pull", "there", "-n")
        self.assertEqual(would["kept_bytes"], kept)
        self.check_pull(kept)
        self.check_models()

    def check_pull(self, _):
        self.stores.run("b", "pull", "there")


class Folder(Killed, unittest.TestCase):
    def place(self):
        return f"file://{self.stores.root}/remote", ()

    def begin_push(self):
        self.die_writing("a", "push")
        self.assertEqual(list((self.stores.root / "remote/objects").rglob("?" * 64)), [], "not under its name")


class Relayed(Killed):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        root = cls.servers.enter_context(Stores(STRATA)).root
        cls.relay = Relay(cls.start(root))
        cls.servers.callback(cls.relay.close)

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    def begin_push(self):
        self.kill_sending("a", "push", MODEL_BYTES * 3 // 2)

    def check_push(self):
        before = self.relay.moved[0]
        pushed = self.stores.results("a", "push", "there")
        self.assertGreaterEqual(pushed["skipped_bytes"], MODEL_BYTES)
        self.assertLess(self.relay.moved[0] - before, 2.2 * MODEL_BYTES, "one of three is there")

    def check_pull(self, kept):
        before = self.relay.moved[1]
        self.stores.run("b", "pull", "there")
        self.assertLess(self.relay.moved[1] - before, 3 * MODEL_BYTES - kept + 100_000)


@needs(test_oci.REGISTRY, "docker-registry", PEERS)
class Registry(Relayed, unittest.TestCase):
    @classmethod
    def start(cls, root):
        return cls.servers.enter_context(test_oci.registry(root))

    def place(self):
        return f"oci://{self.relay.address}/{self._testMethodName}", ()


@needs(test_s3.MOTO, "moto", PEERS)
class Bucket(Relayed, unittest.TestCase):
    @classmethod
    def start(cls, root):
        port = free_ports(1)[0]
        url = f"http://127.0.0.1:{port}"
        cls.servers.enter_context(running([test_s3.MOTO, "-H", "127.0.0.1", "-p", str(port)], url, root))
        header = {"Authorization": "AWS4-HMAC-SHA256 Credential=AK-test/20260101/us-east-1/s3/"
                                   "aws4_request, SignedHeaders=host, Signature=0"}
        urllib.request.urlopen(urllib.request.Request(f"{url}/models", b"", header, method="PUT")).close()
        return f"127.0.0.1:{port}"

    def place(self):
        return f"s3://models/{self._testMethodName}", ("--endpoint", f"http://{self.relay.address}")


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
