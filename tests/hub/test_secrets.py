"""Planted secrets are nowhere but where they were planted, whatever servers answer.

Every way to give a secret is used with servers that refuse, echo what they were shown, redirect
elsewhere, or answer nonsense. Then output, arguments, environments, stores and home are searched.
"""
import base64
import contextlib
import http.server
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import unittest

from peers import Stores, serve

STRATA = pathlib.Path(sys.argv[1]).resolve()
sys.argv = sys.argv[:1]

NAMES = ("variable", "hub_variable", "saved", "registry", "bucket", "session", "proxy", "stdin")
PLANTED = {name: f"planted-{name}-3c1f9e" for name in NAMES}
FORMS = {name: (text, base64.b64encode(f"bob:{text}".encode()).decode().rstrip("="))
         for name, text in PLANTED.items()}


def found_in(text):
    """Which secrets a text or its Basic form holds."""
    data = text.encode() if isinstance(text, str) else text
    return [name for name, forms in FORMS.items() if any(form.encode() in data for form in forms)]


class Talkative(http.server.BaseHTTPRequestHandler):
    """Gives back what it was shown, in head and body."""

    def answer(self):
        server = self.server
        server.seen.append(self.headers["Authorization"] or self.headers["Proxy-Authorization"] or "")
        server.look()
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        shown = server.seen[-1]
        word = shown.partition(" ")[2]
        with contextlib.suppress(ValueError):
            shown += " " + base64.b64decode(word + "==", validate=True).decode(errors="replace")
        status, headers = server.mode, {}
        if status == 401:
            headers["Www-Authenticate"] = f'Bearer realm="{server.elsewhere}/token",service="{word}"'
            if server.is_basic:
                headers["Www-Authenticate"] = "Basic realm=r"
        if status == 302:
            headers["Location"] = f"{server.elsewhere}/x?token={word}"
        body = f'{{"error":"you sent {shown}","errors":[{{"message":"{shown}"}}]}}'.encode()
        self.send_response(status, f"No {word}")
        for name, value in {**headers, "X-Error-Message": shown}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = do_CONNECT = answer

    def log_message(self, *_):
        pass


class Secrets(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.root = self.stores.root
        self.home = self.root / "home"
        self.arguments = []
        self.server, self.elsewhere = self.serve(), self.serve()
        self.server.elsewhere = f"http://localhost:{self.elsewhere.server_port}"
        self.address = f"127.0.0.1:{self.server.server_port}"
        self.stores.fill("a")
        for name, url, options in (("hub", "hf://u/m", ["--endpoint", f"http://{self.address}"]),
                                   ("reg", f"oci://{self.address}/u/m", []),
                                   ("s3", "s3://bucket/m", ["--endpoint", f"http://{self.address}"])):
            self.stores.run("a", "remote", "add", name, url, *options)

    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Talkative)
        server.seen, server.mode, server.is_basic = [], 401, False
        server.elsewhere, server.look = "http://localhost:1", self.look_at_processes
        serve(server)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def look_at_processes(self):
        """The arguments of all processes, while a request is under way."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                self.arguments += found_in((folder / "cmdline").read_bytes())

    def ways(self):
        """Name, environment and what each way writes, for each kind of server."""
        variables = {"STRATA_TOKEN_HUB": PLANTED["variable"]}
        yield "hub", variables, None
        yield "hub", {"HF_TOKEN": PLANTED["hub_variable"],
                      "HF_ENDPOINT": f"http://{self.address}"}, None
        yield "reg", {"STRATA_TOKEN_REG": f"bob:{PLANTED['variable']}"}, None
        docker = self.home / ".docker" / "config.json"
        auth = base64.b64encode(f"bob:{PLANTED['registry']}".encode()).decode()
        yield "reg", {}, (docker, f'{{"auths":{{"{self.address}":{{"auth":"{auth}"}}}}}}')
        yield "s3", {"AWS_ACCESS_KEY_ID": "AKIDX", "AWS_SECRET_ACCESS_KEY": PLANTED["bucket"],
                     "AWS_SESSION_TOKEN": PLANTED["session"]}, None
        yield "s3", {}, (self.home / ".aws" / "credentials",
                         f"[default]\naws_access_key_id = AKIDY\n"
                         f"aws_secret_access_key = {PLANTED['bucket']}\n")
        saved = self.home / ".config" / "strata" / "credentials.json"
        yield "reg", {}, (saved, None)
        yield "hub", {"STRATA_PROXY": f"http://bob:{PLANTED['proxy']}@{self.address}",
                      "no_proxy": ""}, None

    def commands(self, remote):
        for words in (["fetch", remote], ["push", "sst2", remote], ["pull", "sst2", remote],
                      ["pull", f"{remote}/sst2", "--json"], ["remote", "show", remote, "--check"],
                      ["auth", "status", remote, "--json"], ["search", "x", "--remote", remote],
                      ["fetch", remote, "-vv"], ["transfer", "list", "--json"]):
            yield words

    def check_run(self, words, **how):
        done = self.stores.try_run("a", *words, **how)
        self.assertNotIn(done.returncode, (-6, -11), done.stderr)
        self.assertEqual(found_in(done.stdout + done.stderr), [], f"{words}: {done.stderr}")

    def check_files(self, planted):
        for folder in (self.root / "a", self.home):
            for path in folder.rglob("*"):
                if path.is_file() and path != planted:
                    self.assertEqual(found_in(path.read_bytes()), [], path)

    def test_stay_where_they_were_planted(self):
        for remote, variables, file in self.ways():
            planted = None
            if file is not None:
                planted, text = file
                planted.parent.mkdir(parents=True, exist_ok=True)
                if text is None:
                    self.server.mode = 200
                    subprocess.run([STRATA, "-C", self.root / "a", "auth", "login", remote, "--user",
                                    "bob", "--token-stdin"], input=PLANTED["saved"], text=True,
                                   check=True, capture_output=True, env=self.stores.environment)
                else:
                    planted.write_text(text)
            for mode, is_basic in ((401, False), (401, True), (403, False), (302, False), (200, False)):
                with self.subTest(remote=remote, by=list(variables) or str(planted), mode=mode):
                    self.server.mode, self.server.is_basic = mode, is_basic
                    for words in self.commands(remote):
                        self.check_run(words, **variables)
                    self.check_files(planted)
            if planted is not None:
                planted.unlink()
        self.assertEqual(self.arguments, [], "in arguments of a process")
        self.assertTrue(found_in(" ".join(self.server.seen)), "secrets were shown to their server")
        self.assertEqual(found_in(" ".join(self.elsewhere.seen)), [], "and to no other")

    def test_that_are_refused_at_login_are_not_kept(self):
        self.server.is_basic = True
        for words in (["hub"], ["reg", "--user", "bob"], ["s3", "--user", "AKID"]):
            done = subprocess.run([STRATA, "-C", self.root / "a", "auth", "login", *words,
                                   "--token-stdin"], input=PLANTED["stdin"], text=True, check=False,
                                  capture_output=True, env=self.stores.environment)
            self.assertEqual(found_in(done.stdout + done.stderr), [], done.stderr)
            self.assertNotEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        self.check_files(None)

    def test_do_not_come_into_arguments_by_urls(self):
        for words in (["remote", "add", "x", f"oci://bob:{PLANTED['stdin']}@{self.address}/m"],
                      ["fetch", f"oci://bob:{PLANTED['stdin']}@{self.address}/m"],
                      ["config", "set", "proxy", f"http://bob:{PLANTED['proxy']}@h:1", "--in-store"]):
            done = self.stores.try_run("a", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(found_in(done.stdout + done.stderr), [], words)
        self.check_files(None)

    def test_are_in_no_core(self):
        def dumps(words, **variables):
            def unlimited():
                most = resource.getrlimit(resource.RLIMIT_CORE)[1]
                resource.setrlimit(resource.RLIMIT_CORE, (most, most))
            process = subprocess.Popen(words, cwd=self.root, stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**self.stores.environment, **variables},
                                       preexec_fn=unlimited)
            reached.wait()
            process.send_signal(signal.SIGSEGV)
            return os.WCOREDUMP(os.waitpid(process.pid, 0)[1])

        reached = threading.Event()
        reached.set()
        if not dumps(["sleep", "1000"]):
            self.skipTest("this machine writes no cores")
        reached.clear()
        held = threading.Event()
        self.addCleanup(held.set)
        self.server.look = lambda: (reached.set(), held.wait())
        self.assertFalse(dumps([STRATA, "-C", self.root / "a", "fetch", "hub"],
                               STRATA_TOKEN_HUB=PLANTED["variable"]))

    def test_do_not_reach_programs_that_score(self):
        seen = self.root / "environment"
        script = self.root / "score.sh"
        script.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
        script.chmod(0o755)
        done = self.stores.try_run("a", "tune", self.stores.models / "tuned.safetensors", "--base",
                                   "base", "--target", "quality_loss=1", "--evaluator", str(script),
                                   STRATA_TOKEN_HUB=PLANTED["variable"],
                                   STRATA_PROXY=f"http://bob:{PLANTED['proxy']}@h:1")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(found_in(seen.read_text()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
