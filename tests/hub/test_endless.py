"""Lists that a server gives page by page and never ends: an error, and no more memory than a few pages."""
import http.server
import itertools
import json
import os
import resource
import socketserver
import sys
import unittest

from peers import Stores, serve

STRATA = sys.argv[1]
sys.argv = sys.argv[:1]
COMMIT = "0" * 40
PAGE_BYTES = 12 << 20
# ThreadSanitizer keeps several words of its own for each of the program's.
MOST_MEGABYTES = 2800 if "TSAN_OPTIONS" in os.environ else 700


class Endless(http.server.BaseHTTPRequestHandler):
    """A hub, a registry and a bucket: of every list there is another page, as large as one may be."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, **headers):
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path, number = self.path.partition("?")[0], next(self.server.numbers)
        further = f'<http://{self.headers["Host"]}{path}?page={number}>; rel="next"'
        if "list-type" in self.path:
            token = b"<NextContinuationToken>%d</NextContinuationToken></ListBucketResult>" % number
            self.answer(self.server.keys + token, Content_Type="application/xml")
        elif path.endswith("/strata.json"):
            self.answer(b'{"claims":"conditional","format":1}')
        elif path.endswith("/tags/list"):
            self.answer(self.server.tags, Link=further)
        elif path == "/v2/_catalog":
            self.answer(self.server.repositories, Link=further)
        elif "/tree/" in path:
            self.answer(self.server.files, Link=further)
        elif path == "/api/models":
            self.answer(self.server.models, Link=further)
        elif path.startswith("/api/models/"):
            self.answer(json.dumps({"id": "u/m", "sha": COMMIT}).encode())
        elif path == "/v2/":
            self.answer(b"{}")
        else:
            self.send_error(404)

    do_HEAD = do_GET


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Endless)
        self.numbers = itertools.count(1)
        key = b"<Contents><Key>refs/%020d</Key></Contents>"
        count = PAGE_BYTES // len(key % 0)
        self.keys = (b"<ListBucketResult><IsTruncated>true</IsTruncated>"
                     + b"".join(key % number for number in range(1, count)))
        long = "x" * 1_000_000
        words = [f"{number}{long}" for number in range(PAGE_BYTES // len(long))]
        self.tags = json.dumps({"name": "m", "tags": words}).encode()
        self.repositories = json.dumps({"repositories": words}).encode()
        self.files = json.dumps([{"type": "file", "path": word[:9], "size": 1, "oid": word}
                                 for word in words]).encode()
        self.models = json.dumps([{"id": f"u/m{number}", "tags": [f"base_model:{word}"]}
                                  for number, word in enumerate(words)]).encode()
        serve(self)

    def handle_error(self, request, client_address):
        pass  # a client that hung up


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.address = f"127.0.0.1:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.stores.environment.update(HF_ENDPOINT=f"http://{self.address}", AWS_ACCESS_KEY_ID="AK",
                                       AWS_SECRET_ACCESS_KEY="secret", AWS_REGION="us-east-1",
                                       AWS_ENDPOINT_URL=f"http://{self.address}")
        self.stores.run("a", "init")

    def ends(self, *words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(before >> 10, MOST_MEGABYTES, "another child hides what this one takes")
        done = self.stores.try_run("a", *words)
        self.assertEqual(done.returncode, 6, done.stdout + done.stderr[:500])
        self.assertRegex(done.stderr, "does not end|has no end")
        self.assertNotIn("Fix:", done.stderr, "nothing that this store could be asked helps")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, MOST_MEGABYTES)

    def test_refs_of_a_bucket(self):
        self.stores.run("a", "remote", "add", "lab", "s3://bucket/x")
        self.ends("fetch", "lab")

    def test_tags_of_a_registry(self):
        self.ends("pull", f"oci://{self.address}/m")

    def test_repositories_of_a_registry(self):
        self.ends("search", "--remote", f"oci://{self.address}")

    def test_files_of_a_repository(self):
        self.ends("import", "hf://u/m", "--name", "m")

    def test_models_of_a_hub(self):
        self.ends("search", "m", "--limit", "100000")


if __name__ == "__main__":
    unittest.main(verbosity=2)
