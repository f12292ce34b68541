"""What lies between Strata and a hub: proxies, TLS, a disk that is full.

Certificates are made by openssl; proxies are of the tests' own; the hub is the stand-in.
"""
import http.server
import json
import random
import resource
import select
import shutil
import signal
import socket
import socketserver
import ssl
import subprocess
import sys
import unittest

import hub_standin
from peers import Stores, needs, serve

STRATA, PEERS = sys.argv[1], sys.argv[2]
sys.argv = sys.argv[:1]
URL = "hf://tester/models"


# Hosts that only the proxy knows: loopback is never asked through one that the environment names.
HOSTS = {"hub.test": "127.0.0.1", "files.test": "127.0.0.1"}


class Proxy(http.server.BaseHTTPRequestHandler):
    """A forward proxy: whole URLs, and CONNECT. Keeps what it was asked for."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def refused(self):
        self.server.asked.append(f"{self.command} {self.path}")
        given = self.headers.get("Proxy-Authorization")
        if self.server.password is None or given == self.server.password:
            return False
        self.send_response(407)
        self.send_header("Proxy-Authenticate", "Basic realm=p")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def do_CONNECT(self):
        if self.refused():
            return
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection((HOSTS.get(host, host), int(port))) as server:
            self.send_response(200)
            self.end_headers()
            ends = [self.connection, server]
            while True:
                for one in select.select(ends, [], [])[0]:
                    data = one.recv(1 << 16)
                    if not data:
                        self.close_connection = True
                        return
                    ends[one is self.connection].sendall(data)

    def relay(self):
        if self.refused():
            return
        length = int(self.headers.get("Content-Length") or 0)
        host, _, path = self.path.removeprefix("http://").partition("/")
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items()
                       if not name.lower().startswith(("proxy-", "connection")))
        name, port = host.split(":")
        with socket.create_connection((HOSTS.get(name, name), int(port))) as server:
            server.sendall(f"{self.command} /{path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode()
                           + self.rfile.read(length))
            while data := server.recv(1 << 16):
                self.wfile.write(data)
        self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = relay


class ProxyServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that hung up


class Net(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.root = self.stores.root

    def hub(self, tls=None, is_far=False):
        server, endpoint = hub_standin.start(tls=tls)
        if is_far:
            server.name, server.storage_name = "hub.test", "files.test"
            endpoint = f"{server.scheme}://hub.test:{server.server_port}"
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.stores.environment.update(HF_ENDPOINT=endpoint, HF_TOKEN=hub_standin.TOKEN)
        return server, endpoint

    def proxy(self, password=None):
        server = ProxyServer(("127.0.0.1", 0), Proxy)
        server.asked, server.password = [], password
        serve(server)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"127.0.0.1:{server.server_port}"

    def fails(self, code, *words, **variables):
        done = self.stores.try_run("a", *words, **variables)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn(hub_standin.TOKEN, done.stderr)
        return done.stderr


class Proxies(Net):
    def setUp(self):
        super().setUp()
        self.stores.environment.pop("no_proxy")
        self.stores.fill("a")

    def exchange(self, **variables):
        for store in ("a", "b"):
            self.stores.run(store, "init")
            self.stores.run(store, "remote", "add", "hub", URL, "--plain-http", **variables)
        self.stores.run("a", "push", "hub", **variables)
        self.stores.run("b", "pull", "hub", **variables)
        self.stores.check_same(self, "b")

    def test_of_the_environment(self):
        server, _ = self.hub(is_far=True)
        proxy, address = self.proxy()
        self.exchange(http_proxy=f"http://{address}")
        self.assertTrue([line for line in proxy.asked if line.startswith("PUT http://files.test")])
        self.assertEqual(server.hub.leaks, [])

    def test_that_are_not_for_this_host(self):
        self.hub(is_far=True)
        proxy, address = self.proxy()
        self.exchange_fails(8, http_proxy=f"http://{address}", no_proxy="localhost,.test")
        self.assertEqual(proxy.asked, [])
        self.hub()
        self.exchange(http_proxy=f"http://{address}")
        self.assertEqual(proxy.asked, [], "loopback is not asked through the environment's proxy")

    def exchange_fails(self, code, **variables):
        self.stores.run("a", "remote", "add", "far", URL, "--plain-http", **variables)
        said = self.fails(code, "fetch", "far", **variables)
        self.stores.run("a", "remote", "remove", "far")
        return said

    def test_of_the_settings(self):
        self.hub(is_far=True)
        proxy, address = self.proxy()
        for store in ("a", "b"):
            self.stores.run(store, "init")
            self.stores.run(store, "config", "set", "proxy", f"http://{address}", "--in-store")
        self.exchange(http_proxy="http://127.0.0.1:1")
        self.assertTrue(proxy.asked)

    def test_of_no_help_to_reach_private_addresses(self):
        server, _ = self.hub(is_far=True)
        proxy, address = self.proxy()
        self.exchange(http_proxy=f"http://{address}")
        server.storage_name = "10.1.2.3"
        proxy.asked.clear()
        self.stores.run("c", "init")
        self.stores.run("c", "remote", "add", "hub", URL, "--plain-http")
        done = self.stores.try_run("c", "pull", "hub", http_proxy=f"http://{address}")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("10.1.2.3", done.stderr)
        self.assertIn("not allowed", done.stderr)
        self.assertEqual([line for line in proxy.asked if "10.1.2.3" in line], [])

    def test_with_a_password(self):
        self.hub(is_far=True)
        proxy, address = self.proxy("Basic Ym9iOnMzY3JldA==")
        self.exchange(http_proxy=f"http://bob:s3cret@{address}")
        proxy.asked.clear()
        for word, password in (("refuses", "bob:wrong-one@"), ("wants a user and a password", "")):
            said = self.exchange_fails(8, http_proxy=f"http://{password}{address}")
            self.assertIn(f"the proxy {address} (http_proxy) {word}", said)
            self.assertIn(f"STRATA_PROXY=http://USER:PASSWORD@{address}", said)
            self.assertNotIn("wrong-one", said)
            # It is not the hub's credential that was refused.
            self.assertNotIn("auth login", said)
            self.assertNotIn("HF_TOKEN", said)
        said = self.exchange_fails(8, STRATA_PROXY=f"http://{address}")
        self.assertIn(f"the proxy {address} (the setting proxy)", said)
        self.assertEqual(len(proxy.asked), 3, "a proxy that refuses is not asked again")


@needs(shutil.which("openssl"), "openssl", PEERS)
class Tls(Net):
    def setUp(self):
        super().setUp()
        self.make("ca", "-x509", "-subj", "/CN=tests")
        self.sign("server", "subjectAltName=IP:127.0.0.1,DNS:localhost")
        self.stores.fill("a")

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.root, check=True, capture_output=True)

    def make(self, name, *words):
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                     f"{name}.key", "-out", f"{name}.pem" if "-x509" in words else f"{name}.csr", *words)

    def sign(self, name, extensions, days="2"):
        self.make(name, "-subj", f"/CN={name}")
        (self.root / f"{name}.ext").write_text(extensions + "\n")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.pem")

    def context(self, name="server", asks_clients=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.root / f"{name}.pem", self.root / f"{name}.key")
        if asks_clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.root / "ca.pem")
        return context

    def remote(self, *options):
        self.stores.run("a", "remote", "add", "hub", URL, *options)

    def exchange(self, *options, **variables):
        self.remote(*options)
        self.stores.run("a", "push", "hub", **variables)
        self.stores.run("b", "init")
        self.stores.run("b", "remote", "add", "hub", URL, *options)
        self.stores.run("b", "pull", "hub", **variables)
        self.stores.check_same(self, "b")

    def test_a_ca_file_of_the_remote(self):
        server, _ = self.hub(self.context())
        self.exchange("--ca-file", str(self.root / "ca.pem"))
        self.assertEqual(server.hub.leaks, [])

    def test_a_ca_file_of_the_environment(self):
        self.hub(self.context())
        self.exchange(SSL_CERT_FILE=str(self.root / "ca.pem"))

    def test_an_issuer_that_nobody_knows(self):
        server, _ = self.hub(self.context())
        self.remote()
        said = self.fails(8, "push", "hub")
        self.assertIn("certificate", said)
        self.assertIn("--ca-file", said)
        self.assertEqual(server.hub.requests, [])
        self.stores.run("a", "remote", "set", "hub", "--insecure")
        self.stores.run("a", "push", "hub")

    def test_a_certificate_of_another_host(self):
        self.sign("other", "subjectAltName=DNS:example.org")
        server, _ = self.hub(self.context("other"))
        self.remote("--ca-file", str(self.root / "ca.pem"))
        self.assertIn("certificate", self.fails(8, "push", "hub"))
        self.assertEqual(server.hub.requests, [])

    def test_a_certificate_that_expired(self):
        self.sign("old", "subjectAltName=IP:127.0.0.1,DNS:localhost", days="-1")
        self.hub(self.context("old"))
        self.remote("--ca-file", str(self.root / "ca.pem"))
        self.assertIn("expired", self.fails(8, "push", "hub"))

    def test_a_ca_file_that_is_none(self):
        self.hub(self.context())
        (self.root / "text.pem").write_text("no certificate\n")
        self.remote("--ca-file", str(self.root / "text.pem"))
        self.fails(8, "push", "hub")

    def test_a_client_certificate(self):
        self.sign("client", "extendedKeyUsage=clientAuth")
        server, _ = self.hub(self.context(asks_clients=True))
        self.exchange("--ca-file", str(self.root / "ca.pem"), "--client-cert", str(self.root / "client.pem"),
                      "--client-key", str(self.root / "client.key"))
        server.hub.requests.clear()
        self.stores.run("a", "remote", "remove", "hub")
        self.remote("--ca-file", str(self.root / "ca.pem"))
        self.fails(8, "push", "hub")
        self.assertEqual(server.hub.requests, [])

    def test_through_a_proxy(self):
        self.sign("far", "subjectAltName=DNS:hub.test,DNS:files.test")
        self.hub(self.context("far"), is_far=True)
        proxy, address = self.proxy()
        self.stores.environment.pop("no_proxy")
        self.exchange("--ca-file", str(self.root / "ca.pem"), https_proxy=f"http://{address}")
        self.assertTrue([line for line in proxy.asked if line.startswith("CONNECT files.test")])
        proxy.password = "Basic none"
        self.assertIn(f"the proxy {address} (https_proxy) wants",
                      self.fails(8, "fetch", "hub", https_proxy=f"http://{address}"))
        # What goes through the tunnel is not for the proxy's eyes.
        self.assertFalse([line for line in proxy.asked if not line.startswith("CONNECT")])

    def test_a_cut_download_through_a_proxy(self):
        self.sign("far", "subjectAltName=DNS:hub.test,DNS:files.test")
        server, _ = self.hub(self.context("far"), is_far=True)
        _, address = self.proxy()
        self.stores.environment.pop("no_proxy")
        server.hub.faults["get_cut"] = {"times": 3, "bytes": 150}
        self.exchange("--ca-file", str(self.root / "ca.pem"), https_proxy=f"http://{address}")
        self.assertTrue([r for r in server.hub.requests if r["range"] == "bytes=150-"])

    def test_no_way_from_https_to_http(self):
        server, endpoint = self.hub(self.context())
        self.remote("--ca-file", str(self.root / "ca.pem"))
        self.stores.run("a", "push", "hub")
        server.scheme = "http"  # storage URLs from now on
        self.stores.run("b", "init")
        self.stores.run("b", "remote", "add", "hub", URL, "--ca-file", str(self.root / "ca.pem"))
        done = self.stores.try_run("b", "pull", "hub")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("not encrypted", done.stderr)


class NoLibrary(Net):
    def test_that_speaks_http(self):
        self.hub()
        self.stores.fill("a")
        self.stores.run("a", "remote", "add", "hub", URL)
        # The loader finds this one first, and it is none.
        (self.root / "libraries").mkdir()
        (self.root / "libraries" / "libcurl.so.4").write_text("none")
        said = self.fails(8, "fetch", "hub", LD_LIBRARY_PATH=str(self.root / "libraries"))
        self.assertIn("libcurl.so.4 cannot be loaded", said)


class FullDisk(Net):
    def setUp(self):
        super().setUp()
        self.hub()
        self.stores.fill("a")
        header = json.dumps({"w": {"dtype": "U8", "shape": [4 << 20], "data_offsets": [0, 4 << 20]}}).encode()
        self.noise = len(header).to_bytes(8, "little") + header + random.Random(5).randbytes(4 << 20)
        (self.root / "noise.safetensors").write_bytes(self.noise)
        self.stores.run("a", "import", self.root / "noise.safetensors", "--name", "noise")
        self.stores.run("a", "push", URL)
        self.stores.run("b", "init")

    def pull(self, **limits):
        return subprocess.run([STRATA, "-C", self.root / "b", "pull", URL, "--json", "--progress", "never"],
                              env=self.stores.environment, capture_output=True, text=True, check=False,
                              restore_signals=False, **limits)

    def test_in_the_middle_of_an_object(self):
        """A limit of the size of files stands for a disk that fills up after space was checked."""
        done = self.pull(preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                             resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))))
        self.assertEqual(done.returncode, 9, done.stdout + done.stderr)
        self.stores.run("b", "verify", "--full")
        done = self.pull()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout.splitlines()[-1])["kept_bytes"], 0)
        self.assertEqual(self.stores.restored("b", "noise"), self.noise)

    def test_before_the_first_byte(self):
        """A file system that is too small, where the machine lets us make one."""
        script = (f"mkdir {self.root}/small && mount -t tmpfs -o size=2m none {self.root}/small || exit 77;"
                  f"'{STRATA}' -C {self.root}/small init -q && '{STRATA}' -C {self.root}/small pull {URL}; echo $?;"
                  f"find {self.root}/small -name '*.part' | wc -l")
        done = subprocess.run(["unshare", "-rm", "bash", "-c", script], env=self.stores.environment,
                              capture_output=True, text=True, check=False)
        if done.returncode == 77 or "unshare:" in done.stderr:
            self.skipTest("no file system can be made here: " + done.stderr)
        # What no disk of that size can hold is left out and named; the others come.
        self.assertEqual(done.stdout.split()[-2:], ["3", "0"], done.stdout + done.stderr)
        self.assertRegex(done.stderr, "noise:v1: needs [0-9]+ bytes, [0-9]+ are free")


class WebFile(http.server.BaseHTTPRequestHandler):
    """Files of a folder. Keeps the headers that it was asked with."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(dict(self.headers.items()))
        file = self.server.folder / self.path.partition("?")[0].strip("/")
        self.send_response(200 if file.is_file() else 404)
        body = file.read_bytes() if file.is_file() else b"gone"
        self.send_header("Content-Length", str(len(body) + self.server.lie))
        self.end_headers()
        self.wfile.write(body)


class FilesOfTheWeb(Net):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), WebFile)
        self.server.asked, self.server.folder, self.server.lie = [], self.stores.models, 0
        serve(self.server)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.stores.environment.update(HF_TOKEN=hub_standin.TOKEN)
        self.stores.run("a", "init")

    def test_are_stored_and_asked_without_a_credential(self):
        self.stores.run("a", "import", f"{self.url}/base.safetensors", "--name", "base")
        self.stores.run("a", "add", f"{self.url}/tuned.safetensors?token=s3cret")
        original = (self.stores.models / "tuned.safetensors").read_bytes()
        self.assertEqual(self.stores.restored("a", "tuned"), original)
        shown = json.loads(self.stores.run("a", "show", "tuned", "--json"))["version"]
        self.assertEqual(shown["source"], f"{self.url}/tuned.safetensors")
        self.assertEqual(len(self.server.asked), 2)
        for headers in self.server.asked:
            self.assertNotIn("Authorization", headers)
        self.assertEqual(list((self.root / "a" / "partial").iterdir()), [])

    def test_that_are_missing_cut_or_no_models(self):
        self.assertIn("404", self.fails(5, "add", "x", f"{self.url}/none.onnx"))
        self.fails(2, "add", "x", "http://192.0.2.1/model.onnx")
        self.fails(8, "add", "x", f"{self.url}/tuned.safetensors", "--offline")
        self.assertIn("text", self.fails(1, "add", "x", f"{self.url}/bad/text.onnx"))
        self.server.lie = 10
        self.fails(8, "add", "x", f"{self.url}/tuned.safetensors")
        self.assertEqual(self.stores.run("a", "list", "-q"), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
