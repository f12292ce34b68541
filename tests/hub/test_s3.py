"""push, pull and clone over s3:// against SeaweedFS, which checks signatures, and moto."""
import concurrent.futures
import contextlib
import http.server
import json
import pathlib
import re
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from peers import Stores, free_ports, needs, program, running, serve

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
WEED = program("weed", PEERS)
MOTO = program("moto_server", PEERS)
RCLONE = program("rclone", PEERS)
KEYS = {"AWS_ACCESS_KEY_ID": "AK-test", "AWS_SECRET_ACCESS_KEY": "secret+key/with=signs",
        "AWS_REGION": "us-east-1"}


@contextlib.contextmanager
def weed(folder, volume_megabytes=64):
    """The URL of a SeaweedFS that checks signatures."""
    ports = free_ports(8)
    config = folder / "s3.json"
    identity = {"name": "t", "credentials": [{"accessKey": KEYS["AWS_ACCESS_KEY_ID"],
                                              "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}],
                "actions": ["Admin", "Read", "Write", "List"]}
    config.write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    words = [WEED, "server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
             f"-master.port={ports[0]}", f"-master.port.grpc={ports[4]}",
             f"-volume.port={ports[1]}", f"-volume.port.grpc={ports[5]}", "-filer",
             f"-filer.port={ports[2]}", f"-filer.port.grpc={ports[6]}", "-s3",
             f"-s3.port={ports[3]}", f"-s3.port.grpc={ports[7]}", "-s3.port.iceberg=0",
             "-s3.port.lance=0", f"-s3.config={config}", "-volume.max=20",
             f"-master.volumeSizeLimitMB={volume_megabytes}"]
    url = f"http://127.0.0.1:{ports[3]}"
    with running(words, url, folder):
        yield url


def make_bucket(url):
    """`models`, made by a request that our own client signs: curl's."""
    words = ["curl", "-sf", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u",
             f"{KEYS['AWS_ACCESS_KEY_ID']}:{KEYS['AWS_SECRET_ACCESS_KEY']}", "-H",
             "x-amz-content-sha256: UNSIGNED-PAYLOAD", f"{url}/models"]
    subprocess.run(words, check=True, capture_output=True)


class Dropping(http.server.BaseHTTPRequestHandler):
    """A proxy that drops `If-None-Match`: to its clients the server has no conditional writes."""

    protocol_version = "HTTP/1.1"

    def relay(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("if-none-match", "connection", "expect")}
        request = urllib.request.Request(self.server.target + self.path, body, headers,
                                         method=self.command)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        data = answer.read()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date",
                                    "server"):
                self.send_header(name, value)
        size = answer.headers.get("Content-Length") if self.command == "HEAD" else len(data)
        self.send_header("Content-Length", str(size or 0))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = relay

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def without_conditions(target):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Dropping)
    server.target = target
    serve(server)
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Exchange:
    """What holds with every server; self.url and self.stores are set by the class."""

    def remote(self, store, name, prefix):
        self.stores.run(store, "remote", "add", name, f"s3://models/{prefix}", "--endpoint",
                        self.url)

    def begin_with_big(self, stores, prefix):
        """A store with a model of several parts, and a remote, `lab`."""
        stores.environment.update(KEYS)
        self.stores = stores
        stores.run("a", "init")
        stores.run("a", "import", stores.models / "big.safetensors", "--name", "big", "--raw")
        self.remote("a", "lab", prefix)

    def test_push_and_clone(self):
        with Stores(STRATA, big=True) as stores:
            stores.environment.update(KEYS)
            self.stores = stores
            stores.fill("a")
            stores.run("a", "import", stores.models / "big.safetensors", "--name", "big")
            self.remote("a", "lab", "team a/ä")
            stores.run("a", "push", "lab")
            again = stores.results("a", "push", "lab")
            self.assertEqual(again["bytes"], 0, again)
            stores.run("b", "init")
            self.remote("b", "lab", "team a/ä")
            stores.run("b", "pull", "lab")
            stores.check_same(self, "b")
            for place in ("s3://models/team a", "s3://models/team a/ä/"):
                found = stores.results("b", "search", "--remote", place, AWS_ENDPOINT_URL=self.url)
                self.assertEqual([(one["url"], one["fetch_bytes"]) for one in found["models"]],
                                 [("s3://models/team a/ä", 0)])
            big = (stores.models / "big.safetensors").read_bytes()
            self.assertEqual(stores.restored("b", "big"), big)

    def test_many_writers_lose_nothing(self):
        with Stores(STRATA) as stores:
            stores.environment.update(KEYS)
            self.stores = stores
            writers = [f"w{i}" for i in range(6)]
            for writer in writers:
                stores.run(writer, "init")
                stores.run(writer, "import", stores.models / "base.safetensors", "--name", "base")
                stores.run(writer, "add", writer, stores.models / "tuned.safetensors")
                self.remote(writer, "lab", "shared")
            with concurrent.futures.ThreadPoolExecutor(len(writers)) as pool:
                for done in pool.map(lambda w: stores.try_run(w, "push", "lab"), writers):
                    self.assertEqual(done.returncode, 0, done.stderr)
            stores.run("reader", "init")
            self.remote("reader", "lab", "shared")
            stores.run("reader", "pull", "lab")
            names = {row["name"] for row in
                     json.loads(stores.run("reader", "list", "--json"))["versions"]}
            self.assertEqual(names, {"base", *writers})

    def test_what_is_not_there(self):
        with Stores(STRATA) as stores:
            stores.environment.update(KEYS)
            self.stores = stores
            stores.fill("a")
            stores.run("a", "remote", "add", "none", "s3://no-such-bucket", "--endpoint", self.url)
            done = stores.try_run("a", "pull", "none")
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("no-such-bucket", done.stderr)


@needs(WEED, "seaweedfs", PEERS)
class SeaweedFs(Exchange, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(STRATA))
        cls.url = cls.servers.enter_context(weed(place.root))
        place.environment.update(KEYS)
        make_bucket(cls.url)

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    def test_wrong_and_missing_keys(self):
        with Stores(STRATA) as stores:
            stores.fill("a")
            self.stores = stores
            self.remote("a", "lab", "x")
            for keys in ({**KEYS, "AWS_SECRET_ACCESS_KEY": "wrong-secret"},
                         {**KEYS, "AWS_ACCESS_KEY_ID": "nobody"}, {}):
                done = stores.try_run("a", "push", "lab", **keys)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertNotIn("wrong-secret", done.stderr)
                status = stores.try_run("a", "auth", "status", "lab", **keys)
                self.assertEqual(status.returncode, 4, status.stderr)
            self.assertTrue(stores.results("a", "auth", "status", "lab", **KEYS)["checked"])

    def test_profile_and_saved_keys(self):
        with Stores(STRATA) as stores:
            stores.fill("a")
            self.stores = stores
            self.remote("a", "lab", "profiles")
            aws = stores.root / "home" / ".aws"
            aws.mkdir(parents=True)
            (aws / "credentials").write_text(
                f"[lab]\naws_access_key_id = {KEYS['AWS_ACCESS_KEY_ID']}\n"
                f"aws_secret_access_key = {KEYS['AWS_SECRET_ACCESS_KEY']}\n")
            stores.run("a", "push", "lab", AWS_PROFILE="lab")
            stores.run("a", "remote", "list")

    def uploads(self):
        """Keys and ids of unfinished uploads in the bucket."""
        words = ["curl", "-sf", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u",
                 f"{KEYS['AWS_ACCESS_KEY_ID']}:{KEYS['AWS_SECRET_ACCESS_KEY']}", "-H",
                 "x-amz-content-sha256: UNSIGNED-PAYLOAD", f"{self.url}/models?uploads="]
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return re.findall(r"<Key>([^<]*)</Key>.*?<UploadId>([^<]*)</UploadId>", text, re.S)

    def end_upload(self, key, upload):
        words = ["curl", "-sf", "-X", "DELETE", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u",
                 f"{KEYS['AWS_ACCESS_KEY_ID']}:{KEYS['AWS_SECRET_ACCESS_KEY']}", "-H",
                 "x-amz-content-sha256: UNSIGNED-PAYLOAD",
                 f"{self.url}/models/{key}?uploadId={upload}"]
        subprocess.run(words, check=True, capture_output=True)

    def break_off(self, stores, number, prefix):
        """A push that ends by a signal once a part has arrived."""
        self.stores = stores
        stores.environment.update(KEYS)
        if not (stores.root / "a").exists():
            stores.run("a", "init")
            stores.run("a", "import", stores.models / "big.safetensors", "--name", "big", "--raw")
        self.remote("a", prefix, prefix)
        stores.run("a", "config", "set", "transfer.limit", "20MB", "--in-store")
        push = subprocess.Popen([stores.strata, "-C", stores.root / "a", "push", prefix, "--json"],
                                env=stores.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        for line in push.stdout:
            event = json.loads(line)
            if event.get("type") == "progress" and event["done"] > 20_000_000:
                break
        push.send_signal(number)
        push.communicate()
        stores.run("a", "config", "set", "transfer.limit", "0", "--in-store")
        self.assertEqual(len(self.uploads()), 1)

    def test_unfinished_uploads_are_ended(self):
        with Stores(STRATA, big=True) as stores:
            for number, prefix in ((signal.SIGKILL, "killed"), (signal.SIGINT, "stopped")):
                self.break_off(stores, number, prefix)
                removed = stores.try_run("a", "transfer", "remove", "--all")
                self.assertEqual((removed.returncode, removed.stderr), (0, ""))
                self.assertEqual(self.uploads(), [])
                # Without the server it says so; the next push finds it again.
                self.break_off(stores, number, prefix + "2")
                removed = stores.try_run("a", "transfer", "remove", "--all", "--offline")
                self.assertEqual(removed.returncode, 0, removed.stderr)
                self.assertIn("unfinished upload", removed.stderr)
                self.assertEqual(len(self.uploads()), 1)
                pushed = stores.results("a", "push", prefix + "2")
                self.assertEqual(len(pushed["pushed"]), 1)
                self.assertEqual(self.uploads(), [])

    def test_an_upload_of_another_version_is_ended_once_its_push_is_forgotten(self):
        with Stores(STRATA, big=True) as stores:
            self.break_off(stores, signal.SIGKILL, "other")
            stores.run("a", "import", stores.models / "base.safetensors", "--name", "small")
            stores.run("a", "push", "small", "other")
            self.assertEqual(len(self.uploads()), 1, "its push is listed")
            stores.run("a", "transfer", "remove", "--all", "--offline")
            stores.run("a", "push", "small", "other")
            self.assertEqual(self.uploads(), [])

    def test_an_upload_that_the_server_dropped_begins_anew(self):
        with Stores(STRATA, big=True) as stores:
            self.break_off(stores, signal.SIGKILL, "dropped")
            for key, upload in self.uploads():
                self.end_upload(key, upload)
            stores.run("a", "transfer", "resume")
            self.assertEqual(self.uploads(), [])
            stores.run("b", "clone", "s3://models/dropped", stores.root / "b",
                       AWS_ENDPOINT_URL=self.url)
            big = (stores.models / "big.safetensors").read_bytes()
            self.assertEqual(stores.restored("b", "big"), big)

    def test_an_upload_that_nobody_can_finish_is_ended(self):
        with Stores(STRATA, big=True) as stores:
            self.begin_with_big(stores, "damaged")
            pack = max((file for file in (stores.root / "a/objects").rglob("*") if file.is_file()),
                       key=lambda file: file.stat().st_size)
            pack.chmod(0o644)
            with open(pack, "r+b") as file:
                file.seek(-100, 2)
                file.write(b"x")
            done = stores.try_run("a", "push", "lab")
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertEqual(self.uploads(), [])

    def test_interrupted_upload_goes_on(self):
        """A part that is there is not sent again, by a new process either."""
        with Stores(STRATA, big=True) as stores:
            self.begin_with_big(stores, "cut")
            push = subprocess.Popen([stores.strata, "-C", stores.root / "a", "push", "lab",
                                     "--json"], env=stores.environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True)
            for line in push.stdout:
                event = json.loads(line)
                if event.get("type") == "progress" and event["done"] > 20_000_000:
                    break
            push.kill()
            push.communicate()
            stores.run("a", "push", "lab")
            stores.run("b", "init")
            self.remote("b", "lab", "cut")
            stores.run("b", "pull", "lab")
            big = (stores.models / "big.safetensors").read_bytes()
            self.assertEqual(stores.restored("b", "big"), big)


@needs(RCLONE, "rclone", PEERS)
class Rclone(Exchange, unittest.TestCase):
    """`rclone serve s3`: no conditional writes, ranges with status 200."""

    test_many_writers_lose_nothing = None  # the same lock as of moto behind a proxy

    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        root = cls.servers.enter_context(Stores(STRATA)).root
        (root / "served" / "models").mkdir(parents=True)
        cls.url = f"http://127.0.0.1:{free_ports(1)[0]}"
        key = f"{KEYS['AWS_ACCESS_KEY_ID']},{KEYS['AWS_SECRET_ACCESS_KEY']}"
        words = [RCLONE, "serve", "s3", "--addr", cls.url.removeprefix("http://"), "--auth-key", key,
                 "--config", "", root / "served"]
        cls.servers.enter_context(running(words, cls.url, root, HOME=str(root)))

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    def test_a_part_goes_on(self):
        with Stores(STRATA, big=True) as stores:
            self.begin_with_big(stores, "ranges")
            pushed = stores.try_run("a", "push", "lab")
            self.assertEqual(pushed.returncode, 0, pushed.stderr)
            self.assertIn("cannot keep two pushers apart",
                          stores.try_run("a", "push", "lab").stderr)
            objects = (path for path in (stores.root / "a/objects").rglob("*") if path.is_file())
            pack = max(objects, key=lambda path: path.stat().st_size)
            stores.run("b", "init")
            self.remote("b", "lab", "ranges")
            half = pack.read_bytes()[:pack.stat().st_size // 2]
            (stores.root / "b/partial").mkdir(exist_ok=True)
            (stores.root / f"b/partial/{pack.parent.name}{pack.name}.part").write_bytes(half)
            pulled = stores.results("b", "pull", "lab")
            self.assertEqual((pulled["kept_bytes"], pulled["failed"]), (len(half), []))
            self.assertEqual(stores.restored("b", "big"),
                             (stores.models / "big.safetensors").read_bytes())


@needs(MOTO, "moto", PEERS)
class Moto(Exchange, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(STRATA))
        port = free_ports(1)[0]
        cls.url = f"http://127.0.0.1:{port}"
        cls.servers.enter_context(running([MOTO, "-H", "127.0.0.1", "-p", str(port)], cls.url,
                                          place.root))
        header = {"Authorization": "AWS4-HMAC-SHA256 Credential=AK-test/20260101/us-east-1/s3/"
                                   "aws4_request, SignedHeaders=host, Signature=0"}
        urllib.request.urlopen(urllib.request.Request(f"{cls.url}/models", b"", header,
                                                      method="PUT")).close()

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()


class WithoutConditions(Moto):
    """The same through a proxy that takes the conditions out: the lock object's turn."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.url = cls.servers.enter_context(without_conditions(cls.url))

    def test_says_so(self):
        with Stores(STRATA) as stores:
            stores.environment.update(KEYS)
            self.stores = stores
            stores.fill("a")
            self.remote("a", "lab", "said")
            stores.run("a", "push", "lab")
            shown = stores.run("a", "remote", "show", "lab", "--check")
            self.assertIn("lock object", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
