"""Bases that a remote does not hold: they stay where they are public, and a pull fetches them there.

The places are a hub of the tests' own (hub_standin.py) and a web server, both on the loopback.
"""
import hashlib
import http.server
import json
import os
import pathlib
import pty
import shlex
import subprocess
import sys
import threading
import unittest

import hub_standin
from peers import Stores, serve

STRATA = sys.argv[1]
sys.argv = sys.argv[:1]  # the peers are not for this file
URL = "hf://tester/models"
SECRETS = {"HF_TOKEN": hub_standin.TOKEN, "STRATA_TOKEN_STICK": "planted-stick",
           "STRATA_TOKEN_HUB": hub_standin.TOKEN}


class Web(http.server.BaseHTTPRequestHandler):
    """Gives `server.body` and notes what it was shown."""

    def do_GET(self):
        server = self.server
        server.seen.append(dict(self.headers))
        self.send_response(200)
        if server.announces:
            self.send_header("Content-Length", str(len(server.body)))
        self.end_headers()
        try:
            self.wfile.write(server.body[:server.cut])
            self.wfile.flush()
            server.goes_on.wait()
            if server.cut is not None:
                self.wfile.write(server.body[server.cut:])
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Elsewhere(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.root, self.models = self.stores.root, self.stores.models
        self.base = (self.models / "base.safetensors").read_bytes()
        self.server, endpoint = hub_standin.start()
        self.hub = self.server.hub
        self.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
        self.web.seen, self.web.body, self.web.announces, self.web.cut = [], self.base, True, None
        self.web.goes_on = threading.Event()
        self.web.goes_on.set()
        serve(self.web)
        for server in (self.server, self.web):
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        self.addCleanup(self.web.goes_on.set)
        self.stores.environment.update(HF_ENDPOINT=endpoint, **SECRETS)
        self.place = f"http://127.0.0.1:{self.web.server_port}/public/model.safetensors"

    def run_in(self, store, *words, code=0):
        done = self.stores.try_run(store, *words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        for secret in SECRETS.values():
            self.assertNotIn(secret, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def publish(self):
        """The base as a plain repository of the hub."""
        repository = hub_standin.Repository(private=False)
        repository.files["model.safetensors"] = ("regular", self.base, len(self.base))
        repository.files["config.json"] = ("regular", b"{}", 2)
        repository.add_commit("model")
        self.hub.repositories["acme/plain"] = repository
        return repository.head

    def send(self, place, remote):
        """A base that came from `place`; sst2:v1 goes to `remote`, the base does not."""
        self.run_in("ours", "init")
        self.run_in("ours", "import", place, "--name", "base")
        self.run_in("ours", "add", "sst2", self.models / "tuned.safetensors", "--base", "base")
        self.run_in("ours", "remote", "add", "there", remote)
        self.web.seen.clear()
        return self.run_in("ours", "push", "--no-base")

    def check_restores(self, store):
        back = self.root / f"{store}.safetensors"
        self.run_in(store, "restore", "sst2", "-o", back)
        self.assertEqual(back.read_bytes(), (self.models / "tuned.safetensors").read_bytes())
        self.run_in(store, "verify", "--rebuild")

    def labels(self, store):
        return json.loads(self.run_in(store, "list", "--versions", "--json"))["versions"]

    def test_a_base_of_the_hub_stays_there(self):
        commit = self.publish()
        place = f"hf://acme/plain@{commit}/model.safetensors"
        said = self.send("hf://acme/plain/model.safetensors", URL)
        self.assertIn(place, said)
        self.assertIn(self.labels("ours")[0]["hash"], said)
        files = self.hub.repositories["tester/models"].files
        objects = sum(size for path, (_, _, size) in files.items() if path.startswith("objects/"))
        self.assertLess(objects, len(self.base) / 2)
        card = files["README.md"][1].decode()
        self.assertIn("base_model:\n- acme/plain", card)
        self.assertIn("- base, ", card)
        self.assertIn(place, card)
        self.assertIn("all sound", self.run_in("ours", "remote", "verify"))
        self.assertIn(place, self.run_in("ours", "remote", "verify", "--quick"))

        self.run_in("theirs", "init")
        found = json.loads(self.run_in("theirs", "search", "models", "--strata", "--json"))["models"][0]
        self.assertFalse(found["parents_here"])
        self.assertGreater(found["fetch_bytes"], len(self.base))
        self.assertNotIn("base is here", self.run_in("theirs", "search", "models"))
        self.run_in("theirs", "remote", "add", "hub", URL)
        self.assertIn(place, self.run_in("theirs", "fetch"))
        self.assertIn(place, self.run_in("theirs", "show", "hub/sst2"))
        self.assertIn(place, self.run_in("theirs", "pull", "-n"))
        self.assertEqual(self.labels("theirs"), [])
        self.run_in("theirs", "pull", "--fetch-bases")
        self.check_restores("theirs")
        versions = {one["ref"]: one for one in self.labels("theirs")}
        self.assertEqual(versions["base:v1"]["source"], place)
        self.assertEqual(list((self.root / "theirs" / "partial").glob("model-*")), [])
        self.assertEqual(self.hub.leaks, [])

    def test_a_list_takes_what_urls_name(self):
        self.publish()
        self.web.body = (self.models / "tuned.safetensors").read_bytes()
        listed, base = self.root / "list", "hf://acme/plain/model.safetensors"
        listed.write_text(f"sst2\t{self.place}\t{base}\nother\t{self.place}\t{base}\n")
        words = ("add", "--from", listed, "--push", self.root / "stick")
        self.run_in("ours", "init")
        self.assertIn("2 stored", self.run_in("ours", *words))
        self.check_restores("ours")
        refs = {one["ref"]: one for one in self.labels("ours")}
        self.assertEqual(len(refs), 3)
        self.assertRegex(refs["sst2:v1"]["base"], "^bases/model-[0-9a-f]{8}:v1$")
        self.assertLess(refs["sst2:v1"]["stored_bytes"], len(self.web.body) / 2)
        self.assertEqual(list((self.root / "ours" / "partial").glob("model-*")), [])
        self.assertIn("2 on the remote before", self.run_in("ours", *words))
        listed.write_text("a\ts3://bucket/a.onnx\n")
        self.assertIn("Store.add_from", self.run_in("ours", *words, code=2))
        listed.write_text(f"a\t{self.place}\nb\tnowhere\n")
        self.web.body = b"no model"
        said = self.run_in("ours", *words, code=1)
        self.assertIn("line 1: a: ", said)
        self.assertEqual(list((self.root / "ours" / "partial").glob("model-*")), [])

    def test_nobody_fetches_it_unasked(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        said = self.run_in("x", "clone", remote, self.root / "theirs", code=2)
        for words in (self.place, "--fetch-bases", "sst2:v1", f"strata -C {self.root}/theirs pull"):
            self.assertIn(words, said)
        self.assertEqual(self.web.seen, [])
        self.assertEqual(self.labels("theirs"), [])
        self.run_in("theirs", "pull", "--fetch-bases")  # as it said
        self.check_restores("theirs")

    def fix(self, said):
        """The command of the Fix line."""
        words = [line for line in said.splitlines() if line.strip().startswith("Fix:")][0]
        return shlex.split(words.split("Fix:", 1)[1])[3:]  # without strata -C DIR

    def test_a_clone_that_fails_says_what_goes_on_with_it(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        self.run_in("ours", "add", "other", self.models / "tuned.safetensors", "--base", "base")
        self.run_in("ours", "push", "--no-base")
        self.web.body = b"no model"
        said = self.run_in("x", "clone", remote, self.root / "theirs", "--fetch-bases", "--name", "sst2",
                           "--latest", "1", code=6)
        self.web.body = self.base
        command = self.fix(said)
        self.assertEqual(command, ["pull", "sst2:*", "--latest", "1", "--fetch-bases"])
        self.run_in("theirs", *command)
        self.check_restores("theirs")
        self.assertEqual({one["ref"] for one in self.labels("theirs")}, {"base:v1", "sst2:v1"})

    def test_a_clone_of_what_stands_on_a_base_of_nowhere(self):
        remote = f"file://{self.root}/stick"
        self.send(self.models / "base.safetensors", remote)
        said = self.run_in("x", "clone", remote, self.root / "theirs", code=6)
        command = self.fix(said)
        self.assertEqual(command, ["import", "FILE", "--name", "NAME"])
        self.assertIn("pull", said)
        command[1], command[3] = self.models / "base.safetensors", "mine"
        self.run_in("theirs", *command)
        self.run_in("theirs", "pull")
        self.check_restores("theirs")

    def test_git_lfs_is_told_how_bases_are_fetched(self):
        file = self.models / "tuned.safetensors"
        oid = hashlib.sha256(file.read_bytes()).hexdigest()
        self.run_in("ours", "init")
        self.run_in("ours", "import", self.place, "--name", "base")
        self.run_in("ours", "add", f"lfs-{oid}", file, "--base", "base")
        self.run_in("ours", "remote", "add", "there", f"file://{self.root}/stick")
        self.run_in("ours", "push", "--no-base")
        self.run_in("theirs", "init")
        self.run_in("theirs", "remote", "add", "there", f"file://{self.root}/stick")
        (self.root / "work" / ".git").mkdir(parents=True)
        line = json.dumps({"event": "download", "oid": oid, "size": file.stat().st_size}) + "\n"

        def ask(*words):
            done = subprocess.run([STRATA, "-C", self.root / "theirs", "lfs-agent", "--remote", "there", *words],
                                  input=line, text=True, capture_output=True, check=True,
                                  env=self.stores.environment, cwd=self.root / "work")
            return json.loads(done.stdout.splitlines()[-1])

        told = ask()["error"]["message"]
        self.assertIn(self.place, told)
        self.assertIn("strata lfs-agent --install --remote there --fetch-bases", told)
        self.assertEqual(self.labels("theirs"), [])
        got = ask("--fetch-bases")
        self.assertNotIn("error", got)
        self.assertEqual(pathlib.Path(got["path"]).read_bytes(), file.read_bytes())

    def answer(self, store, letter):
        """A pull on a terminal, with an answer to what it asks."""
        master, slave = pty.openpty()
        process = subprocess.Popen([STRATA, "-C", self.root / store, "pull"], stdin=slave, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.stores.environment)
        os.write(master, f"{letter}\n".encode())
        said = "".join(process.communicate())
        os.close(slave)
        os.close(master)
        return process.returncode, said

    def test_a_person_is_asked(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        self.run_in("theirs", "init")
        self.run_in("theirs", "remote", "add", "stick", remote)
        code, said = self.answer("theirs", "n")
        self.assertEqual(code, 2, said)
        self.assertIn("[y/N]", said)
        self.assertIn(self.place, said)
        self.assertEqual(self.web.seen, [])
        code, said = self.answer("theirs", "y")
        self.assertEqual(code, 0, said)
        self.check_restores("theirs")

    def test_no_token_goes_along(self):
        self.send(self.place, URL)
        self.run_in("theirs", "init")
        self.run_in("theirs", "remote", "add", "hub", URL)
        self.run_in("theirs", "pull", "--fetch-bases")
        self.check_restores("theirs")
        self.assertTrue(self.web.seen)
        for headers in self.web.seen:
            self.assertNotIn("Authorization", headers)
            for secret in SECRETS.values():
                self.assertNotIn(secret, json.dumps(headers))

    def test_another_model_is_not_taken(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        self.run_in("theirs", "init")
        other = (self.models / "tuned2.safetensors").read_bytes()
        for body, announces in ((other, True), (b"no model", True), (self.base * 3, True),
                                (self.base * 3, False)):
            with self.subTest(bytes=len(body), announces=announces):
                self.web.body, self.web.announces = body, announces
                said = self.run_in("theirs", "pull", remote, "--fetch-bases", code=6)
                self.assertIn(self.place, said)
                self.assertEqual(self.labels("theirs"), [])
                self.run_in("theirs", "verify", "--full")
        self.web.body = self.base
        self.run_in("theirs", "pull", remote, "--fetch-bases")
        self.check_restores("theirs")

    def test_one_that_is_here_is_used(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        self.run_in("theirs", "init")
        mine = self.root / "mine"
        mine.mkdir()
        (mine / "model.safetensors").write_bytes(self.base)
        self.run_in("theirs", "import", mine / "model.safetensors", "--name", "mine", "--raw")
        self.run_in("theirs", "pull", remote)
        self.assertEqual(self.web.seen, [])
        self.check_restores("theirs")

    def test_a_kill_leaves_nothing_or_all(self):
        remote = f"file://{self.root}/stick"
        self.send(self.place, remote)
        self.run_in("theirs", "init")
        self.web.cut = len(self.base) // 2
        self.web.goes_on.clear()
        process = subprocess.Popen([STRATA, "-C", self.root / "theirs", "pull", remote, "--fetch-bases"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.stores.environment)
        partial = self.root / "theirs" / "partial"
        while not any(path.stat().st_size for path in partial.glob("model-*/*")):
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        self.web.goes_on.set()
        self.web.cut = None
        self.assertEqual(self.labels("theirs"), [])
        self.run_in("theirs", "verify", "--full")
        self.run_in("theirs", "gc", "--yes")
        self.assertEqual(list(partial.glob("model-*")), [])
        self.run_in("theirs", "pull", remote, "--fetch-bases")
        self.check_restores("theirs")

    def test_bundles_and_lazy_versions(self):
        self.send(self.place, f"file://{self.root}/stick")
        bundle = self.root / "small.tar"
        self.assertIn(self.place, self.run_in("ours", "bundle", "create", bundle, "--no-base"))
        self.run_in("theirs", "init")
        self.assertIn("--fetch-bases", self.run_in("theirs", "bundle", "import", bundle, code=2))
        self.run_in("theirs", "bundle", "import", bundle, "--fetch-bases")
        self.check_restores("theirs")
        self.run_in("x", "clone", f"file://{self.root}/stick", self.root / "lazy", "--lazy",
                    "--fetch-bases")
        self.check_restores("lazy")


if __name__ == "__main__":
    unittest.main(verbosity=2)
