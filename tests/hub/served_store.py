"""A store with models of several kinds and `strata serve` over it."""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))


class Served:
    """Run `with Served(strata) as served`."""

    def __init__(self, strata, *, big=False, options=(), variables=None):
        self.strata = pathlib.Path(strata).resolve()
        self.options = list(options)
        self.variables = variables or {}
        self.big = big
        self.process = None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="strata-serve-")
        self.root = pathlib.Path(self.folder.name)
        self.models = self.root / "models"
        subprocess.run([sys.executable, HERE.parent / "cli" / "make_models.py", self.models] +
                       (["--big"] if self.big else []), check=True)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("STRATA", "HF_", "XDG_"))}
        self.environment.update(HOME=str(self.root / "home"), no_proxy="*", **self.variables)
        self.store = self.root / "store"
        self.run("init")
        self.run("import", self.models / "base.safetensors", "--name", "base")
        self.run("add", "sst2", self.models / "tuned.safetensors", "--tag", "prod")
        self.run("add", "sst2", self.models / "tuned2.safetensors", "-m", "one step further")
        shutil.copytree(self.models / "folder", self.models / "folder" / "deep" / "er")
        self.run("import", self.models / "folder", "--name", "bert")
        if self.big:
            self.run("import", self.models / "big.safetensors", "--name", "big")
        self.start()
        return self

    def run(self, *words):
        done = subprocess.run([self.strata, "-C", self.store, *words], env=self.environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"strata {words}: {done.stderr}")
        return done.stdout

    def start(self):
        self.release()
        self.log = open(self.root / "serve.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.strata, "-C", self.store, "serve", "--listen", "127.0.0.1:0", "--json",
             *self.options], env=self.environment, stdout=subprocess.PIPE, stderr=self.log,
            text=True)
        first = self.process.stdout.readline()
        if not first:
            self.process.wait()
            raise AssertionError(self.logged())
        self.url = json.loads(first)["url"]
        self.host, port = self.url.removeprefix("http://").rsplit(":", 1)
        self.port = int(port)

    def logged(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text(encoding="utf-8")

    def stop(self, number):
        """Sends a signal; the exit code."""
        if "TSAN_OPTIONS" in os.environ:
            # It gives the program its signals between calls, and accept() does not end.
            raise unittest.SkipTest("ThreadSanitizer holds signals back")
        self.process.send_signal(number)
        return self.process.wait()

    def ask(self, path, method="GET", headers=None, body=None):
        """Status, headers and body."""
        connection = http.client.HTTPConnection(self.host, self.port)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def ask_json(self, path):
        status, _, body = self.ask(path)
        if status != 200:
            raise AssertionError(f"{path}: {status} {body}")
        return json.loads(body)

    def release(self):
        """Ends a server that is still there, and closes its streams."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def __exit__(self, *_):
        self.release()
        self.folder.cleanup()
