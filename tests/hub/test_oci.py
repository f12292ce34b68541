"""push, pull and clone over oci:// against docker-registry; skopeo reads what was pushed."""
import base64
import concurrent.futures
import contextlib
import http.server
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import unittest
import urllib.request

from peers import Stores, free_ports, has_module, missing, needs, program, running, serve

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
REGISTRY = program("docker-registry", PEERS)
SKOPEO = shutil.which("skopeo")

CONFIG = """
version: 0.1
log: {{level: info, accesslog: {{disabled: false}}}}
storage: {{filesystem: {{rootdirectory: {data}}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:{port}", secret: fixed-for-tests, relativeurls: {relative}}}
{auth}
"""


@contextlib.contextmanager
def registry(folder, relative=True, auth=""):
    port = free_ports(1)[0]
    config = folder / f"registry-{port}.yml"
    config.write_text(CONFIG.format(data=folder / f"data-{port}", port=port,
                                    relative=str(relative).lower(), auth=auth))
    url = f"http://127.0.0.1:{port}"
    with running([REGISTRY, "serve", str(config)], f"{url}/v2/", folder):
        yield f"127.0.0.1:{port}"


class Front(http.server.BaseHTTPRequestHandler):
    """Passes on to a registry what it does not answer itself."""


    protocol_version = "HTTP/1.1"

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answers(self):
        """Whether the request got its answer here."""
        return False

    def relay(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        if self.answers():
            return None
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("authorization", "host", "connection", "expect")}
        request = urllib.request.Request(f"http://{self.server.target}{self.path}", body, headers,
                                         method=self.command)
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        data = response.read()
        kept = {name: value for name, value in response.headers.items()
                if name.lower() not in ("connection", "transfer-encoding", "content-length")}
        if self.command == "HEAD":
            self.send_response(response.status)
            for name, value in kept.items():
                self.send_header(name, value)
            self.send_header("Content-Length", response.headers.get("Content-Length") or "0")
            return self.end_headers()
        return self.answer(response.status, kept, data)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = relay

    def log_message(self, *_):
        pass


class TokenGate(Front):
    """Wants tokens of its own token server."""

    def answers(self):
        server = self.server
        if self.path.startswith("/token"):
            basic = "Basic " + base64.b64encode(b"bob:secret-pw").decode()
            server.asked.append(self.path)
            if self.headers["Authorization"] != basic:
                self.answer(401, {}, b'{"errors":[{"code":"UNAUTHORIZED"}]}')
                return True
            server.tokens += 1
            token = json.dumps({"token": f"tok-{server.tokens}", "expires_in": 300})
            self.answer(200, {}, token.encode())
            return True
        if (self.headers["Authorization"] or "").startswith("Bearer tok-"):
            return False
        scope = "repository:team/models:pull"
        realm = (f'Bearer realm="http://127.0.0.1:{server.server_port}/token",'
                 f'service="test",scope="{scope}"')
        self.answer(401, {"Www-Authenticate": realm}, b'{"errors":[]}')
        return True


class Forgetful(Front):
    """Does not see the blobs of every other manifest, as docker-registry while they are written."""

    def answers(self):
        if self.command != "PUT" or "/manifests/" not in self.path:
            return False
        self.server.asked.append(self.path)
        if len(self.server.asked) % 2 == 0:
            return False
        self.answer(400, {}, b'{"errors":[{"code":"MANIFEST_BLOB_UNKNOWN"}]}')
        return True


class NoIndex(Front):
    """Takes no new sum of all changes."""

    def answers(self):
        if self.command != "PUT" or not self.path.endswith("/manifests/strata-index"):
            return False
        self.server.asked.append(self.path)
        self.answer(403, {}, b'{"errors":[{"code":"DENIED"}]}')
        return True


class Counting(Front):
    def answers(self):
        self.server.asked.append(self.path)
        return False


@contextlib.contextmanager
def front(kind, target):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.target, server.tokens, server.asked = target, 0, []
    serve(server)
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@needs(REGISTRY, "docker-registry", PEERS)
def uploaded(data):
    """Bytes of the uploads that a registry has begun in its folder, which it moves away as they end."""
    done = 0
    for folder, _, files in os.walk(data):
        if "_uploads" in folder and "data" in files:
            with contextlib.suppress(FileNotFoundError):
                done = max(done, os.stat(os.path.join(folder, "data")).st_size)
    return done


class Registry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(STRATA))
        cls.host = cls.servers.enter_context(registry(place.root))

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.repository = f"{self.id().rsplit('_', 1)[-1]}/models"

    def ask(self, path, **headers):
        request = urllib.request.Request(f"http://{self.host}/v2/{path}", headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def exchange(self, host, *options):
        """From one store to another."""
        stores = self.stores
        stores.fill("a")
        for store in ("a", "b"):
            if store == "b":
                stores.run("b", "init")
            stores.run(store, "remote", "add", "lab", f"oci://{host}/{self.repository}", *options)
        stores.run("a", "push", "lab")
        stores.run("b", "pull", "lab")
        stores.check_same(self, "b")

    def test_exchange(self):
        self.exchange(self.host)
        again = self.stores.results("a", "push", "lab")
        self.assertEqual(again["bytes"], 0, again)

    def test_absolute_urls(self):
        with registry(self.stores.root, relative=False) as host:
            self.exchange(host)

    def test_chunks(self):
        self.exchange(self.host, "--chunk", "5kB")

    def test_restarted(self):
        """A registry that is restarted while a blob comes has forgotten the upload: the push begins it anew."""
        stores = self.stores
        size = 400_000
        header = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
        model = stores.models / "noise.safetensors"
        model.write_bytes(len(header).to_bytes(8, "little") + header + random.Random(5).randbytes(size))
        stores.run("a", "init")
        stores.run("a", "import", model, "--name", "noise", "--raw")
        port = free_ports(1)[0]
        config = stores.root / "registry.yml"
        for chunk, secret in ((None, "fixed-for-tests"), ("30kB", "another")):
            with self.subTest(chunk=chunk, secret=secret):
                data = stores.root / f"data-{secret}"
                text = CONFIG.format(data=data, port=port, relative="true", auth="")
                config.write_text(text)
                url = f"http://127.0.0.1:{port}/v2/"
                name = f"there-{secret}"
                stores.run("a", "remote", "add", name, f"oci://127.0.0.1:{port}/{name}/models",
                           *(("--chunk", chunk) if chunk else ()))
                stores.run("a", "config", "set", "transfer.limit", "400KB", "--in-store")
                with running([REGISTRY, "serve", str(config)], url, stores.root):
                    push = subprocess.Popen([STRATA, "-C", stores.root / "a", "push", name], text=True,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=stores.environment)
                    while uploaded(data) <= size / 4:
                        self.assertIsNone(push.poll(), "it was over before it was seen")
                stores.run("a", "config", "set", "transfer.limit", "0", "--in-store")
                config.write_text(text.replace("fixed-for-tests", secret))
                with running([REGISTRY, "serve", str(config)], url, stores.root):
                    words = push.communicate()[1]
                    self.assertEqual(push.returncode, 0, words)
                    stores.run(f"b-{name}", "init")
                    stores.run(f"b-{name}", "pull", f"oci://127.0.0.1:{port}/{name}/models")
                    self.assertEqual(stores.restored(f"b-{name}", "noise"), model.read_bytes())

    def test_manifests(self):
        """Each version is an artifact that others can list, with the base named."""
        self.exchange(self.host)
        tags = self.ask(f"{self.repository}/tags/list")["tags"]
        self.assertLessEqual({"base-v1", "sst2-v1", "sst2-v2", "strata-index"}, set(tags))
        self.assertEqual(len([tag for tag in tags if tag.startswith("m-")]), 4)
        accept = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
        manifest = self.ask(f"{self.repository}/manifests/sst2-v2", **accept)
        self.assertEqual(manifest["artifactType"], "application/vnd.strata.variant.v1")
        self.assertEqual(manifest["layers"][0]["mediaType"], "application/vnd.strata.manifest.v1")
        self.assertEqual(manifest["layers"][1]["mediaType"], "application/vnd.strata.pack.v1")
        notes = manifest["annotations"]
        self.assertRegex(notes["vnd.strata.base.content-digest"], "^[0-9a-f]{64}$")
        self.assertRegex(notes["org.opencontainers.image.created"], "^20..-..-..T")
        found = self.stores.results("b", "search", self.repository, "--remote", f"oci://{self.host}")
        self.assertEqual([(one["url"], len(one["versions"]), one["fetch_bytes"]) for one in found["models"]],
                         [(f"oci://{self.host}/{self.repository}", 3, 0)])

    @needs(SKOPEO, "skopeo", PEERS)
    def test_skopeo(self):
        """A copy of an artifact, made by another program, holds the packs."""
        self.exchange(self.host)
        folder = self.stores.root / "copy"
        subprocess.run([SKOPEO, "copy", "--insecure-policy", "--src-tls-verify=false",
                        f"docker://{self.host}/{self.repository}:sst2-v1", f"dir:{folder}"],
                       check=True, capture_output=True)
        manifest = json.loads((folder / "manifest.json").read_text())
        kinds = [layer["mediaType"].split(".")[-2] for layer in manifest["layers"]]
        self.assertEqual(kinds, ["manifest", "pack", "signatures"])
        for layer in manifest["layers"][:-1]:
            digits = layer["digest"].removeprefix("sha256:")
            pack = self.stores.root / "a" / "objects" / digits[:2] / digits[2:]
            if not pack.exists():
                pack = next((self.stores.root / "a" / "objects").rglob(digits[2:] + "*"))
            self.assertEqual((folder / digits).read_bytes(), pack.read_bytes())

    def test_oras(self):
        """What was pushed is an artifact that the reference client of artifacts pulls."""
        python = PEERS / "bin" / "python"
        if not has_module("oras", PEERS):
            raise missing("oras", PEERS)
        self.exchange(self.host)
        code = ("import sys, oras.client; print(*oras.client.OrasClient(insecure=True).pull("
                "target=sys.argv[1], outdir=sys.argv[2]), sep='\\n')")
        target = self.stores.root / "artifact"
        target.mkdir()
        subprocess.run([python, "-c", code, f"{self.host}/{self.repository}:sst2-v2", target], check=True,
                       capture_output=True, env={**self.stores.environment, "HOME": str(target)})
        objects = {path.parent.name + path.name: path.read_bytes() for path in (self.stores.root / "a" / "objects").rglob("*")
                   if path.is_file()}
        pulled = [path for path in target.iterdir()
                  if path.is_file() and path.suffix != ".signatures"]
        self.assertGreaterEqual(len(pulled), 2)
        for path in pulled:
            self.assertEqual(path.read_bytes(), objects[path.name.split(".")[0]], path.name)

    def test_plain_files(self):
        """A ModelPack under `latest`, which other clients pull; the next push replaces it."""
        stores, url = self.stores, f"oci://{self.host}/{self.repository}"
        folder = stores.root / "model"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes((stores.models / "base.safetensors").read_bytes())
        (folder / "config.json").write_text("{}")
        (folder / "empty.txt").write_text("")
        stores.run("a", "init")
        stores.run("a", "import", folder, "--name", "bert")
        asked = stores.results("a", "push", url, "--plain", "-n")["plain"]
        self.assertEqual((asked["files"], asked["sent_bytes"]), (3, asked["bytes"]))
        stores.run("a", "push", url, "--plain")
        accept = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
        manifest = self.ask(f"{self.repository}/manifests/latest", **accept)
        self.assertEqual(manifest["artifactType"], "application/vnd.cncf.model.manifest.v1+json")
        kinds = {layer["annotations"]["org.cncf.model.filepath"]: layer["mediaType"].split("model.")[1]
                 for layer in manifest["layers"]}
        self.assertEqual(kinds, {"model.safetensors": "weight.v1.raw", "config.json": "weight.config.v1.raw",
                                 "empty.txt": "doc.v1.raw"})
        for layer in manifest["layers"]:
            name = layer["annotations"]["org.cncf.model.filepath"]
            blob = urllib.request.urlopen(f"http://{self.host}/v2/{self.repository}/blobs/{layer['digest']}").read()
            self.assertEqual(blob, (folder / name).read_bytes(), name)
        if SKOPEO:
            subprocess.run([SKOPEO, "copy", "--src-tls-verify=false", f"docker://{self.host}/{self.repository}:latest",
                            f"dir:{stores.root / 'copy'}"], check=True, capture_output=True)
        self.assertEqual(stores.results("a", "push", url, "--plain")["plain"]["sent_bytes"], 0)
        (folder / "config.json").write_text('{"a":1}')
        (folder / "empty.txt").unlink()
        stores.run("a", "add", "bert", folder)
        self.assertIn("those of bert:v1", stores.try_run("a", "push", url).stderr)
        self.assertEqual(stores.results("a", "push", url, "--plain")["plain"]["sent_bytes"], 7)
        manifest = self.ask(f"{self.repository}/manifests/latest", **accept)
        self.assertEqual(manifest["annotations"]["vnd.strata.plain.version"], "bert:v2")
        self.assertEqual(len(manifest["layers"]), 2)
        # What somebody else calls `latest` stays theirs.
        other = self.ask(f"{self.repository}/manifests/bert-v1", **accept)
        request = urllib.request.Request(f"http://{self.host}/v2/{self.repository}/manifests/latest",
                                         json.dumps(other).encode(), {"Content-Type": accept["Accept"]}, method="PUT")
        urllib.request.urlopen(request).close()
        done = stores.try_run("a", "push", url, "--plain")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("latest", done.stderr)

    def test_mount(self):
        """What another repository of the registry has is not sent; one that is not there, either."""
        stores = self.stores
        with registry(stores.root) as host:
            self.exchange(host)
            stores.run("a", "remote", "add", "gone", f"oci://{host}/gone/models")
            stores.run("a", "remote", "add", "other", f"oci://{host}/other/models")
            stores.run("a", "push", "other")
            stores.run("c", "init")
            stores.run("c", "pull", f"oci://{host}/other/models")
            stores.check_same(self, "c")
        log = next(stores.root.glob("docker-registry-*.log")).read_text(errors="replace")
        uploads = [line for line in log.splitlines()
                   if "PUT /v2/other/models/blobs/uploads/" in line]
        self.assertEqual(len(uploads), 5, uploads)  # the texts of four refs and the index

    def test_writers_one_after_another_and_at_once(self):
        stores = self.stores
        url = f"oci://{self.host}/{self.repository}"
        writers = [f"w{i}" for i in range(4)]
        for writer in writers:
            stores.run(writer, "init")
            stores.run(writer, "import", stores.models / "base.safetensors", "--name", "base")
            stores.run(writer, "add", writer, stores.models / "tuned.safetensors")
            stores.run(writer, "remote", "add", "lab", url)
        stores.run(writers[0], "push", "lab")
        with concurrent.futures.ThreadPoolExecutor(len(writers)) as pool:
            for done in pool.map(lambda w: stores.try_run(w, "push", "lab"), writers):
                self.assertEqual(done.returncode, 0, done.stderr)
        stores.run("reader", "init")
        stores.run("reader", "remote", "add", "lab", url)
        stores.run("reader", "pull", "lab")
        names = {row["name"] for row in
                 json.loads(stores.run("reader", "list", "--json"))["versions"]}
        self.assertEqual(names, {"base", *writers})

    def test_blobs_out_of_sight(self):
        with front(Forgetful, self.host) as gate:
            self.exchange(f"127.0.0.1:{gate.server_port}")
            self.assertEqual(len(gate.asked) % 2, 0, gate.asked)

    def test_a_push_of_nothing_new_asks_as_little_of_many_versions(self):
        with front(Counting, self.host) as gate:
            counts = []
            self.stores.fill("many")
            self.stores.run("many", "remote", "add", "lab",
                            f"oci://127.0.0.1:{gate.server_port}/{self.repository}")
            for words in ((), ("add", "ner", self.stores.models / "tuned.safetensors")):
                if words:
                    self.stores.run("many", *words)
                self.stores.run("many", "push", "lab")
                gate.asked.clear()
                self.assertIn("lab lists everything", self.stores.run("many", "push", "lab"))
                counts.append(len(gate.asked))
            self.assertEqual(counts[0], counts[1], gate.asked)
            self.assertLessEqual(counts[0], 6, gate.asked)

    def test_a_push_is_done_without_the_index(self):
        with front(NoIndex, self.host) as gate:
            self.exchange(f"127.0.0.1:{gate.server_port}")
            self.assertGreater(len(gate.asked), 0)

    def test_tokens(self):
        with front(TokenGate, self.host) as gate:
            host = f"127.0.0.1:{gate.server_port}"
            done = subprocess.run([self.stores.strata, "auth", "login", f"oci://{host}", "--user",
                                   "bob", "--token-stdin"], input="secret-pw", text=True,
                                  env=self.stores.environment, check=True, capture_output=True)
            self.assertNotIn("secret-pw", done.stdout + done.stderr)
            self.exchange(host)
            self.assertTrue(any("push" in path for path in gate.asked), gate.asked)
            before = gate.tokens
            self.stores.run("a", "fetch", "lab")
            self.assertEqual(gate.tokens, before + 1)
            wrong = self.stores.try_run("a", "fetch", "lab", STRATA_TOKEN_LAB="bob:wrong-pw")
            self.assertEqual(wrong.returncode, 4, wrong.stderr)
            self.assertNotIn("wrong-pw", wrong.stderr)

    def test_basic(self):
        """With a password file of the registry's own and docker's login file."""
        if not shutil.which("htpasswd"):
            raise missing("htpasswd", PEERS)
        line = subprocess.run(["htpasswd", "-Bbn", "bob", "pass:word"], capture_output=True,
                              check=True, text=True).stdout
        (self.stores.root / "htpasswd").write_text(line)
        auth = f"auth: {{htpasswd: {{realm: r, path: {self.stores.root / 'htpasswd'}}}}}"
        with registry(self.stores.root, auth=auth) as host:
            docker = self.stores.root / "home" / ".docker"
            docker.mkdir(parents=True)
            coded = base64.b64encode(b"bob:pass:word").decode()
            (docker / "config.json").write_text(json.dumps({"auths": {host: {"auth": coded}}}))
            self.exchange(host)
            (docker / "config.json").unlink()
            for secret, code in (("wrong-one", 4), ("pass:word", 0)):
                done = subprocess.run([STRATA, "auth", "login", f"oci://{host}", "--user", "bob", "--token-stdin"],
                                      input=secret, text=True, capture_output=True, check=False,
                                      env=self.stores.environment)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertNotIn(secret, done.stdout + done.stderr)
            self.assertTrue(self.stores.results("a", "auth", "status", f"oci://{host}")["checked"])
            self.stores.run("a", "auth", "logout", f"oci://{host}")
            refused = self.stores.try_run("a", "push", "lab")
            self.assertEqual(refused.returncode, 4, refused.stderr)
            self.assertIn("auth login", refused.stderr)

    def test_what_is_not_there(self):
        self.stores.fill("a")
        self.stores.run("a", "remote", "add", "lab", f"oci://{self.host}/{self.repository}")
        done = self.stores.try_run("a", "pull", "nothing", "lab")
        self.assertEqual(done.returncode, 5, done.stderr)
        bad = self.stores.try_run("a", "remote", "add", "bad", f"oci://{self.host}/Upper")
        self.assertEqual(bad.returncode, 2, bad.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
