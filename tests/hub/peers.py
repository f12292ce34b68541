"""Real servers on free ports of the loopback, and stores that exchange through them."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from program_environment import kept_environment  # noqa: E402


def part_bytes(partial):
    """Bytes of unfinished downloads; what is finished or removed meanwhile counts as none."""
    total = 0
    for folder, _, names in os.walk(partial):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(folder, name)).st_size if name.endswith(".part") else 0
    return total


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(url, process, log):
    """Until something answers there, whatever it says."""
    for _ in range(600):
        if process.poll() is not None:
            raise AssertionError(f"the server ended: {pathlib.Path(log).read_text()[-2000:]}")
        try:
            urllib.request.urlopen(url, timeout=5)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer: {pathlib.Path(log).read_text()[-2000:]}")


def serve(server):
    """Serves on a thread until `shutdown`, which waits for the next look: by default half a second."""
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()


@contextlib.contextmanager
def running(words, url, folder, **variables):
    """A server process while the block runs."""
    log = folder / f"{pathlib.Path(words[0]).name}-{time.monotonic_ns()}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, env={**os.environ, **variables})
        try:
            wait_for(url, process, log)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Stores:
    """Stores of one user with a home of their own. `with Stores(strata) as stores`."""

    def __init__(self, strata, big=False):
        self.strata = pathlib.Path(strata).resolve()
        self.big = big

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="strata-hub-")
        self.root = pathlib.Path(self.folder.name)
        self.models = self.root / "models"
        subprocess.run([sys.executable, HERE.parent / "cli" / "make_models.py", self.models] +
                       (["--big"] if self.big else []), check=True)
        self.environment = {**kept_environment(), "HOME": str(self.root / "home"), "no_proxy": "*",
                            "AWS_EC2_METADATA_DISABLED": "true"}
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def try_run(self, store, *words, **variables):
        return subprocess.run([self.strata, "-C", self.root / store, *words], text=True,
                              capture_output=True, check=False,
                              env={**self.environment, **variables})

    def run(self, store, *words, **variables):
        done = self.try_run(store, *words, **variables)
        if done.returncode != 0:
            raise AssertionError(f"strata {words}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def results(self, store, *words, **variables):
        """The last line of JSON."""
        return json.loads(self.run(store, *words, "--json", **variables).splitlines()[-1])

    def seen(self, store, remote):
        """How many versions a remote lists. Some remotes are not there before they have one."""
        done = self.try_run(store, "fetch", remote, "--json")
        if done.returncode == 5:
            return 0
        if done.returncode != 0:
            raise AssertionError(f"fetch: exit {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)["versions"]

    def fill(self, store):
        """base:v1, sst2:v1 (tag prod) and sst2:v2."""
        self.run(store, "init")
        self.run(store, "import", self.models / "base.safetensors", "--name", "base")
        self.run(store, "add", "sst2", self.models / "tuned.safetensors", "--tag", "prod")
        self.run(store, "add", "sst2", self.models / "tuned2.safetensors")

    def restored(self, store, reference):
        target = self.root / f"restored-{time.monotonic_ns()}"
        self.run(store, "restore", reference, "-o", target)
        return target.read_bytes()

    def check_same(self, case, store):
        """Whether a store gives back the models of fill()."""
        for reference, model in (("base", "base"), ("sst2:prod", "tuned"), ("sst2:v2", "tuned2")):
            original = (self.models / f"{model}.safetensors").read_bytes()
            case.assertEqual(self.restored(store, reference), original, reference)
        self.run(store, "verify", "--full")


def program(name, peers):
    """Of the peers' folder or the system; None if it is missing."""
    own = pathlib.Path(peers) / "bin" / name
    return str(own) if own.exists() else shutil.which(name)


def has_module(name, peers):
    """Whether the peers' Python is there and has a module."""
    python = pathlib.Path(peers) / "bin" / "python"
    return python.exists() and subprocess.run([python, "-c", f"import {name}"], capture_output=True,
                                              check=False).returncode == 0


def missing(name, peers):
    """What a test raises that needs a program, or a module, that is not here: it is skipped.

    Once scripts/setup hub has installed all of them it could have run, and fails.
    """
    if (pathlib.Path(peers) / "installed").exists():
        return AssertionError(f"{name} is missing, though scripts/setup hub has installed it")
    return unittest.SkipTest(f"{name} is missing: run scripts/setup hub")


def needs(found, name, peers):
    """Decorates a test, or a class of tests, that needs what was looked for."""
    why = None if found else missing(name, peers)
    if isinstance(why, unittest.SkipTest):
        return unittest.skip(str(why))

    def fail(*_):
        raise why

    def decorated(item):
        if why is None:
            return item
        if isinstance(item, type):
            item.setUpClass = classmethod(fail)
            return item
        return fail

    return decorated
