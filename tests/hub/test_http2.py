"""push and pull over HTTP/2: docker-registry behind nginx with TLS, which logs what was spoken."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
ARGUMENTS = list(sys.argv)
import test_oci  # noqa: E402  reads the arguments
from peers import Stores, free_ports, needs, running  # noqa: E402

sys.argv = ARGUMENTS[:1]
# The system's place for daemons need not be in everybody's path.
NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

CONFIG = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
  log_format spoken '$server_protocol $request_method $status $uri';
  access_log {folder}/spoken.log spoken;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 0;
  server {{ listen 127.0.0.1:{plain}; location / {{ return 200; }} }}
  server {{
    listen 127.0.0.1:{port} ssl{http2};
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.key;
    location / {{
      proxy_pass http://{registry};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto https;
      proxy_request_buffering off;
      proxy_buffering off;
    }}
  }}
}}
"""


@needs(NGINX, "nginx", PEERS)
@needs(test_oci.REGISTRY, "docker-registry", PEERS)
@needs(shutil.which("openssl"), "openssl", PEERS)
class Http2(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.stores = self.stack.enter_context(Stores(STRATA))
        self.stores.fill("a")
        self.folder = self.stores.root / "nginx"
        self.folder.mkdir()

    def front(self, http2):
        registry = self.stack.enter_context(test_oci.registry(self.stores.root))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "server.key", "-out",
                        "server.pem", "-subj", "/CN=tests", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-days", "2"], cwd=self.folder, check=True, capture_output=True)
        port, plain = free_ports(2)
        config = self.folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=self.folder, port=port, plain=plain, registry=registry,
                                        http2=" http2" if http2 else ""))
        words = [NGINX, "-p", str(self.folder), "-c", str(config), "-e", str(self.folder / "error.log")]
        self.stack.enter_context(running(words, f"http://127.0.0.1:{plain}/", self.folder))
        for store in ("a", "b"):
            self.stores.run(store, "init")
            self.stores.run(store, "remote", "add", "lab", f"oci://127.0.0.1:{port}/team/models",
                            "--ca-file", str(self.folder / "server.pem"))

    def spoken(self):
        lines = (self.folder / "spoken.log").read_text().splitlines()
        return [line.split() for line in lines if line.split()[3].startswith("/v2")]

    def exchange(self):
        self.stores.run("a", "push", "lab")
        self.stores.run("b", "pull", "lab")
        self.stores.check_same(self, "b")

    def test_every_request_is_http2(self):
        self.front(http2=True)
        self.exchange()
        spoken = self.spoken()
        self.assertEqual({line[0] for line in spoken}, {"HTTP/2.0"})
        self.assertTrue([line for line in spoken if line[1] == "PUT" and "/blobs/" in line[3]])
        self.assertTrue([line for line in spoken if line[1] == "GET" and "/blobs/" in line[3]])

    def test_a_server_without_it_is_spoken_to_in_http1(self):
        self.front(http2=False)
        self.exchange()
        self.assertEqual({line[0] for line in self.spoken()}, {"HTTP/1.1"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
