"""Faults of registries and buckets, one by one: a proxy in front of real servers misbehaves as told.

docker-registry and moto stand behind it; requests pass with their Host, so that signatures stay good.
"""
import contextlib
import http.client
import http.server
import json
import pathlib
import random
import socketserver
import sys
import threading
import unittest
import urllib.request

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
ARGUMENTS = list(sys.argv)
import test_oci  # noqa: E402  reads the arguments

sys.argv = ARGUMENTS
import test_s3  # noqa: E402

from peers import Stores, free_ports, needs, running, serve  # noqa: E402


class Faulty(http.server.BaseHTTPRequestHandler):
    """Passes requests on but for those that a fault is set for."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body, length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def relay(self):
        if self.headers.get("Expect"):
            self.send_response_only(100)
            self.end_headers()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.take(self.command, self.path)
        if fault == "reset":
            self.close_connection = True
            return
        if isinstance(fault, int):
            headers = [("Retry-After", "0")] if fault == 429 else []
            return self.answer(fault, headers, b"<Error><Code>Told</Code></Error>")
        if fault == "html":
            return self.answer(200, [("Content-Type", "text/html")], b"<html>please log in</html>")
        if fault in ("file", "inside"):
            target = "file:///etc/passwd" if fault == "file" else self.path
            return self.answer(307, [("Location", target)], b"")
        connection = http.client.HTTPConnection(self.server.target)
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("connection", "expect")}
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        kept = [(name, value) for name, value in answer.headers.items()
                if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server")]
        length = int(answer.headers.get("Content-Length") or 0) if self.command == "HEAD" else len(content)
        if fault == "wrong":
            content = bytes([content[0] ^ 1]) + content[1:]
        if fault == "long":
            content, length = content + b"more", length + 4
        if fault == "cut":
            self.answer(answer.status, kept, content[:len(content) // 2], length)
            self.close_connection = True
            return
        self.answer(answer.status, kept, content, length)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = relay


class Front(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Faulty)
        self.target = target
        self.lock = threading.Lock()
        self.fault = None
        self.times = self.hits = self.skip = 0
        serve(self)

    def set(self, fault, method, words, times):
        with self.lock:
            self.fault, self.method, self.words = fault, method, words
            self.times, self.hits = times, 0

    def take(self, method, path):
        with self.lock:
            if self.times == 0 or method != self.method or self.words not in path:
                return None
            if self.skip > 0:
                self.skip -= 1
                return None
            self.times -= 1
            self.hits += 1
            return self.fault

    def handle_error(self, request, client_address):
        pass  # a client that hung up


class Faults:
    """What holds for both; the class says how objects are sent and fetched."""

    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.stores.environment.update(test_s3.KEYS)
        self.stores.fill("a")
        self.front.set(None, "", "", 0)

    def remote(self, store, name):
        url, options = self.place(name)
        self.stores.run(store, "init")
        self.stores.run(store, "remote", "add", name, url, *options)

    def hit(self):
        self.assertGreater(self.front.hits, 0, "the fault did not happen")
        self.front.set(None, "", "", 0)

    def test_pushes_in_spite_of(self):
        for number, (fault, times) in enumerate([(500, 2), (503, 1), (429, 2), ("reset", 1)]):
            name = f"up{number}"
            with self.subTest(fault):
                self.remote("a", name)
                self.front.set(fault, *self.upload, times)
                self.stores.run("a", "push", name)
                self.hit()
                reader = f"reader-{name}"
                self.remote(reader, name)
                self.stores.run(reader, "pull", name)
                self.stores.check_same(self, reader)

    def test_pulls_in_spite_of(self):
        self.remote("a", "there")
        self.stores.run("a", "push", "there")
        for fault, times in [(500, 2), (429, 2), ("reset", 1), ("cut", 3), ("wrong", 1)]:
            with self.subTest(fault):
                reader = f"reader-{fault}"
                self.remote(reader, "there")
                self.front.set(fault, *self.fetching, times)
                self.stores.run(reader, "pull", "there")
                self.hit()
                self.stores.check_same(self, reader)

    def fails(self, words, fault, where, codes):
        self.front.set(fault, *where, 1000)
        done = self.stores.try_run(*words)
        self.hit()
        self.assertIn(done.returncode, codes, f"{fault}: {done.stdout}{done.stderr}")
        for secret in test_s3.KEYS["AWS_SECRET_ACCESS_KEY"], "root:":
            self.assertNotIn(secret, done.stdout + done.stderr)
        return done.stderr

    def test_pushes_that_fail(self):
        """Nobody sees a version without its objects, and the next push goes on."""
        for number, (fault, codes) in enumerate([(403, (4,)), (507, (8,)), (400, (1,))]):
            name = f"no{number}"
            with self.subTest(fault):
                self.remote("a", name)
                said = self.fails(["a", "push", name], fault, self.upload, codes)
                self.assertNotIn("trash", said, "it is not this disk that is full")
                if fault == 507:
                    self.assertIn("the server has no space left", said)
                reader = f"reader-{name}"
                self.remote(reader, name)
                self.assertEqual(self.stores.seen(reader, name), 0)
                self.stores.run("a", "push", name)
                self.assertEqual(self.stores.seen(reader, name), 3)

    def test_pulls_that_fail(self):
        """Nothing that is wrong gets into the store."""
        self.remote("a", "there")
        self.stores.run("a", "push", "there")
        for fault, codes in [(403, (4,)), (404, (5, 6)), ("wrong", (6,)), ("long", (6,)), ("html", (6,)),
                             ("file", (6,)), ("inside", (6,))]:
            with self.subTest(fault):
                reader = f"reader-{fault}"
                self.remote(reader, "there")
                self.fails([reader, "pull", "there"], fault, self.fetching, codes)
                self.assertEqual(self.stores.results(reader, "list")["versions"], [])
                self.stores.run(reader, "verify", "--full")
                self.stores.run(reader, "pull", "there")
                self.stores.check_same(self, reader)

    def test_lists_that_lie(self):
        self.remote("a", "there")
        self.stores.run("a", "push", "there")
        for fault, codes in [("html", (6,)), ("wrong", (6,)), (403, (4,)), ("file", (6,))]:
            with self.subTest(fault):
                reader = f"reader-{fault}"
                self.remote(reader, "there")
                self.fails([reader, "pull", "there"], fault, self.listing, codes)
                self.assertEqual(self.stores.results(reader, "list")["versions"], [])


@needs(test_oci.REGISTRY, "docker-registry", PEERS)
class Registry(Faults, unittest.TestCase):
    upload = ("PUT", "/blobs/uploads/")
    fetching = ("GET", "/blobs/sha256:")
    listing = ("GET", "/manifests/strata-index")

    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(STRATA))
        cls.front = Front(cls.servers.enter_context(test_oci.registry(place.root)))

    @classmethod
    def tearDownClass(cls):
        cls.front.shutdown()
        cls.front.server_close()
        cls.servers.close()

    def test_pieces_of_an_earlier_run(self):
        """What the registry took of a blob is not sent again by the next push."""
        url, _ = self.place("pieces")
        header = json.dumps({"w": {"dtype": "U8", "shape": [200_000], "data_offsets": [0, 200_000]}}).encode()
        model = self.stores.root / "noise.safetensors"
        model.write_bytes(len(header).to_bytes(8, "little") + header + random.Random(7).randbytes(200_000))
        self.stores.run("p", "init")
        self.stores.run("p", "import", model, "--name", "noise", "--raw")
        self.stores.run("p", "remote", "add", "lab", url, "--chunk", "20kB")
        self.front.set(403, "PATCH", "/blobs/uploads/", 1000)
        self.front.skip = 5
        self.assertEqual(self.stores.try_run("p", "push", "lab").returncode, 4)
        self.assertEqual(len(list((self.stores.root / "p" / "partial").glob("*.upload"))), 1)
        self.front.set("none", "PATCH", "/blobs/uploads/", 1000)  # passes all, and counts
        self.stores.run("p", "push", "lab")
        self.assertEqual(self.front.hits, 6, "eleven pieces, five of them there")
        self.assertEqual(list((self.stores.root / "p" / "partial").glob("*.upload")), [])
        self.stores.run("q", "init")
        self.stores.run("q", "pull", url)
        self.assertEqual(self.stores.restored("q", "noise"), model.read_bytes())

    def test_pieces_that_nobody_goes_on_with(self):
        """The registry is told that the upload is over, by `transfer remove` or the next push."""
        url, _ = self.place("left")
        self.stores.run("l", "init")
        self.stores.run("l", "import", self.stores.models / "base.safetensors", "--name", "base", "--raw")
        self.stores.run("l", "import", self.stores.models / "tuned.safetensors", "--name", "other")
        self.stores.run("l", "remote", "add", "lab", url, "--chunk", "2kB")
        partial = self.stores.root / "l" / "partial"
        for words in (("transfer", "remove", "--all"), ("push", "other", "lab")):
            self.front.set(503, "PATCH", "/blobs/uploads/", 1000)
            self.front.skip = 1
            self.assertEqual(self.stores.try_run("l", "push", "base", "lab").returncode, 8)
            self.assertEqual(len(list(partial.glob("*.upload"))), 1)
            if words[0] == "push":
                self.stores.run("l", "transfer", "remove", "--all", "--offline")
            self.front.set("none", "DELETE", "/blobs/uploads/", 1000)  # passes all, and counts
            self.stores.run("l", *words)
            self.assertEqual(self.front.hits, 1)
            self.assertEqual(list(partial.glob("*.upload")), [])

    def place(self, name):
        word = self.id().rsplit("_", 1)[-1]
        return f"oci://127.0.0.1:{self.front.server_port}/{word}/{name}", ()


@needs(test_s3.MOTO, "moto", PEERS)
class Bucket(Faults, unittest.TestCase):
    upload = ("PUT", "/objects/")
    fetching = ("GET", "/objects/")
    listing = ("GET", "/refs/")

    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(STRATA))
        port = free_ports(1)[0]
        url = f"http://127.0.0.1:{port}"
        cls.servers.enter_context(running([test_s3.MOTO, "-H", "127.0.0.1", "-p", str(port)], url, place.root))
        header = {"Authorization": "AWS4-HMAC-SHA256 Credential=AK-test/20260101/us-east-1/s3/"
                                   "aws4_request, SignedHeaders=host, Signature=0"}
        urllib.request.urlopen(urllib.request.Request(f"{url}/models", b"", header, method="PUT")).close()
        cls.front = Front(f"127.0.0.1:{port}")

    @classmethod
    def tearDownClass(cls):
        cls.front.shutdown()
        cls.front.server_close()
        cls.servers.close()

    def place(self, name):
        word = self.id().rsplit("_", 1)[-1]
        return f"s3://models/{word}/{name}", ("--endpoint", f"http://127.0.0.1:{self.front.server_port}")


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
