"""strata lfs-agent under the real git-lfs: push, clone and pull move versions, files stay the same."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from peers import Stores, free_ports, has_module, missing, needs, running

STRATA, PEERS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
HAS_LFS = shutil.which("git-lfs")


class Agent(unittest.TestCase):
    """The protocol, spoken by hand."""

    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.stores.run("a", "init")
        self.work = self.stores.root / "work"
        (self.work / ".git").mkdir(parents=True)

    def talk(self, *lines, folder=None, remote=None):
        words = ["--remote", remote] if remote else []
        done = subprocess.run([STRATA, "-C", self.stores.root / "a", "lfs-agent", *words], text=True,
                              input="".join(line + "\n" for line in lines), capture_output=True,
                              env=self.stores.environment, cwd=folder or self.work, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def test_missing_objects_are_answered_one_by_one(self):
        want = json.dumps({"event": "download", "oid": "0" * 64, "size": 5, "action": None})
        code, answers, _ = self.talk('{"event":"init","operation":"download"}', want, want,
                                     '{"event":"terminate"}')
        self.assertEqual(code, 0)
        self.assertEqual(answers[0], {})
        self.assertEqual(len(answers), 3)
        for answer in answers[1:]:
            self.assertEqual((answer["event"], answer["oid"]), ("complete", "0" * 64))
            self.assertIn("lfs-000", answer["error"]["message"])
            self.assertEqual(answer["error"]["code"], 501)  # as STRATA-E501

    def test_a_version_whose_packs_are_not_here_is_fetched(self):
        file = self.stores.models / "base.safetensors"
        data = file.read_bytes()
        oid = hashlib.sha256(data).hexdigest()
        line = {"oid": oid, "size": len(data), "action": None}
        self.talk(json.dumps({**line, "event": "upload", "path": str(file)}))
        self.stores.run("a", "push", f"file://{self.stores.root}/there")
        shutil.rmtree(self.stores.root / "a")
        self.stores.run("a", "init")
        self.stores.run("a", "remote", "add", "there", f"file://{self.stores.root}/there")
        self.stores.run("a", "pull", "there", "--lazy")
        _, answers, _ = self.talk(json.dumps({**line, "event": "download"}), remote="there")
        self.assertNotIn("error", answers[-1])
        self.assertEqual(pathlib.Path(answers[-1]["path"]).read_bytes(), data)

    def test_a_share_that_is_not_mounted_is_not_made_anew(self):
        share = self.stores.root / "share" / "models"
        self.stores.run("a", "remote", "add", "there", f"file://{share}")
        for name, isAway in (("base", False), ("tuned", True)):
            file = self.stores.models / f"{name}.safetensors"
            if isAway:
                share.parent.rename(self.stores.root / "away")
            answer = self.upload(file, hashlib.sha256(file.read_bytes()).hexdigest(), remote="there")
            self.assertEqual("error" in answer, isAway, answer)
        self.assertIn("its share is not mounted", answer["error"]["message"])
        self.assertFalse(share.exists())

    def test_lines_that_are_none_of_the_protocol(self):
        for line in ("nonsense", "[]", '{"event":"dance"}', "[" * 100_000,
                     '{"event":"download","oid":"../../etc/passwd","size":1}',
                     '{"event":"upload","oid":"","size":1,"path":"/etc/passwd"}'):
            code, answers, error = self.talk(line)
            self.assertIn(code, (2, 6), line[:50])
            self.assertEqual(answers, [])
            self.assertTrue(error.startswith("Error: "), error)

    def test_outside_of_a_repository(self):
        code, _, error = self.talk('{"event":"init"}', folder=self.stores.root)
        self.assertEqual(code, 5, error)
        self.assertIn("no git repository", error)

    def test_file_that_is_not_there(self):
        line = json.dumps({"event": "upload", "oid": "1" * 64, "size": 5, "path": "/no/such/file"})
        code, answers, _ = self.talk(line)
        self.assertEqual(code, 0)
        self.assertIn("error", answers[-1])

    def upload(self, file, oid, size=None, remote=None):
        line = {"event": "upload", "oid": oid, "size": file.stat().st_size if size is None else size,
                "path": str(file)}
        return self.talk(json.dumps(line), remote=remote)[1][-1]

    def download(self, oid, size, remote=None):
        return self.talk(json.dumps({"event": "download", "oid": oid, "size": size}),
                         remote=remote)[1][-1]

    def versions(self, store="a"):
        listed = json.loads(self.stores.run(store, "list", "--json"))["versions"]
        return [(row["name"], row["number"]) for row in listed]

    def damaged_copy(self, file):
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        copy = self.work / file.name
        copy.write_bytes(data)
        return copy

    def test_a_damaged_file_is_not_stored_under_its_oid(self):
        file = self.stores.models / "base.safetensors"
        data = file.read_bytes()
        oid = hashlib.sha256(data).hexdigest()
        answer = self.upload(self.damaged_copy(file), oid)
        self.assertIn(f"expected {oid}", answer["error"]["message"])
        answer = self.upload(file, oid, size=len(data) + 1)
        self.assertIn(f"has {len(data)} bytes", answer["error"]["message"])
        self.assertEqual(self.versions(), [])
        self.assertNotIn("error", self.upload(file, oid))
        self.assertEqual(pathlib.Path(self.download(oid, len(data))["path"]).read_bytes(), data)

    def test_a_wrong_version_under_an_oid_is_replaced(self):
        file = self.stores.models / "base.safetensors"
        data = file.read_bytes()
        oid = hashlib.sha256(data).hexdigest()
        self.stores.run("a", "add", f"lfs-{oid}", self.damaged_copy(file))
        answer = self.download(oid, len(data))
        self.assertNotIn("path", answer)
        self.assertIn("push it again", answer["error"]["message"])
        self.assertNotIn("error", self.upload(file, oid))
        self.assertEqual(pathlib.Path(self.download(oid, len(data))["path"]).read_bytes(), data)
        self.assertEqual(self.versions(), [(f"lfs-{oid}", 2)])
        answer = self.download(oid, len(data) - 1)
        self.assertNotIn("path", answer)

    def test_a_wrong_version_on_the_remote_is_passed_over(self):
        url = f"file://{self.stores.root}/there"
        file = self.stores.models / "base.safetensors"
        data = file.read_bytes()
        oid = hashlib.sha256(data).hexdigest()
        self.stores.run("b", "init")
        self.stores.run("b", "add", f"lfs-{oid}", self.damaged_copy(file))
        self.stores.run("b", "push", url)
        self.stores.run("a", "remote", "add", "there", url)
        self.assertNotIn("error", self.upload(file, oid, remote="there"))
        shutil.rmtree(self.stores.root / "a")
        self.stores.run("a", "init")
        self.stores.run("a", "remote", "add", "there", url)
        answer = self.download(oid, len(data), remote="there")
        self.assertEqual(pathlib.Path(answer["path"]).read_bytes(), data)

    def test_damage_in_the_store_is_mended_by_the_next_upload(self):
        file = self.stores.models / "base.safetensors"
        data = file.read_bytes()
        oid = hashlib.sha256(data).hexdigest()
        self.upload(file, oid)
        largest = max((path for path in (self.stores.root / "a" / "objects").rglob("*")
                       if path.is_file()), key=lambda path: path.stat().st_size)
        largest.chmod(0o644)
        spoilt = bytearray(largest.read_bytes())
        spoilt[len(spoilt) // 2] ^= 1
        largest.write_bytes(spoilt)
        self.assertIn("error", self.download(oid, len(data)))
        self.assertNotIn("error", self.upload(file, oid))
        self.assertEqual(pathlib.Path(self.download(oid, len(data))["path"]).read_bytes(), data)


@needs(HAS_LFS, "git-lfs", PEERS)
class GitLfs(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.root = self.stores.root
        self.environment = {**self.stores.environment, "GIT_CONFIG_NOSYSTEM": "1",
                            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
                            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
        (self.root / "home").mkdir(exist_ok=True)
        self.git(self.root, "lfs", "install", "--skip-repo")
        self.git(self.root, "init", "-q", "--bare", "server.git")

    def git(self, folder, *words):
        done = subprocess.run(["git", *words], cwd=folder, env=self.environment, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, f"git {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def settings(self, store, *more):
        words = " ".join(["lfs-agent", "-C", str(self.root / store), *more])
        return [("lfs.standalonetransferagent", "strata"),
                ("lfs.customtransfer.strata.path", str(STRATA)),
                ("lfs.customtransfer.strata.args", words),
                ("lfs.customtransfer.strata.concurrent", "false")]

    def clone(self, name, store, *more):
        words = [word for key, value in self.settings(store, *more)
                 for word in ("-c", f"{key}={value}")]
        self.git(self.root, "clone", "-q", *words, str(self.root / "server.git"), name)

    def fill(self, store, *more):
        """Two commits: a base with a text file, then two fine-tunes."""
        self.stores.run(store, "init")
        self.git(self.root, "init", "-q", "-b", "main", "a")
        work = self.root / "a"
        for key, value in self.settings(store, *more):
            self.git(work, "config", key, value)
        self.git(work, "lfs", "track", "*.safetensors", "*.onnx", "*.bin", "*.empty")
        models = self.stores.models
        shutil.copy(models / "base.safetensors", work / "model.safetensors")
        shutil.copy(models / "base.onnx", work / "graph.onnx")
        (work / "notes.bin").write_bytes(os.urandom(3000) + b"text " * 5000)
        (work / "config.json").write_text("{}\n")
        self.commit(work, "base")
        shutil.copy(models / "tuned.safetensors", work / "model.safetensors")
        shutil.copy(models / "tuned.onnx", work / "graph.onnx")
        self.commit(work, "tuned")
        self.git(work, "remote", "add", "origin", str(self.root / "server.git"))
        self.git(work, "push", "-q", "origin", "main")
        self.git(self.root / "server.git", "symbolic-ref", "HEAD", "refs/heads/main")
        return work

    def commit(self, work, message):
        self.git(work, "add", ".")
        self.git(work, "commit", "-q", "-m", message)

    def check_same(self, one, other):
        for name in ("model.safetensors", "graph.onnx", "notes.bin", "config.json"):
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)
        self.git(other, "lfs", "fsck")

    def test_push_and_clone_through_one_store(self):
        work = self.fill("store")
        versions = json.loads(self.stores.run("store", "list", "--json"))["versions"]
        self.assertEqual(len(versions), 5)
        tuned = [row for row in versions if not row["is_base"]]
        self.assertGreaterEqual(len(tuned), 1)  # a difference, found by content
        self.clone("b", "store")
        other = self.root / "b"
        self.check_same(work, other)
        self.git(other, "checkout", "-q", "HEAD~1")
        base = (self.stores.models / "base.safetensors").read_bytes()
        self.assertEqual((other / "model.safetensors").read_bytes(), base)
        left = [path for path in (other / ".git" / "lfs" / "tmp").rglob("*") if path.is_file()]
        self.assertEqual(left, [])

    def test_push_and_clone_through_a_remote(self):
        remote = f"file://{self.root / 'shared'}"
        for store in ("mine", "yours"):
            self.stores.run(store, "init")
            self.stores.run(store, "remote", "add", "shared", remote)
        work = self.fill("mine", "--remote", "shared")
        self.clone("b", "yours", "--remote", "shared")
        self.check_same(work, self.root / "b")
        shutil.copy(self.stores.models / "tuned2.safetensors", work / "model.safetensors")
        self.commit(work, "further")
        self.git(work, "push", "-q", "origin", "main")
        self.git(self.root / "b", "pull", "-q", "origin", "main")
        self.check_same(work, self.root / "b")

    def giftless(self):
        """The URL of an LFS server that is none of ours, while the test runs."""
        flask = PEERS / "bin" / "flask"
        if not has_module("giftless", PEERS):
            raise missing("giftless", PEERS)
        folder = self.root / "giftless"
        folder.mkdir()
        (folder / "g.yaml").write_text('AUTH_PROVIDERS: ["giftless.auth.allow_anon:read_write"]\n'
                                       "LEGACY_ENDPOINTS: false\n")
        port = free_ports(1)[0]
        url = f"http://127.0.0.1:{port}"
        self.enterContext(running(
            [str(flask), "run", "--host", "127.0.0.1", "--port", str(port), "--no-reload"], url, folder,
            GIFTLESS_CONFIG_FILE="g.yaml", FLASK_APP="giftless.wsgi_entrypoint"))
        return f"{url}/acme/models.git/info/lfs"

    def test_between_an_ordinary_server_and_the_agent(self):
        """A repository moves from an ordinary LFS server to Strata and back; files stay the same."""
        url = self.giftless()
        work = self.fill("store")
        # To the ordinary server, though the agent is set up: it is for standalone use only.
        self.git(work, "config", "lfs.locksverify", "false")
        ordinary = ["-c", "lfs.standalonetransferagent=", "-c", f"lfs.url={url}"]
        self.git(work, *ordinary, "lfs", "push", "--all", "origin", "main")
        self.git(self.root, *ordinary, "clone", "-q", str(self.root / "server.git"), "plain")
        self.check_same(work, self.root / "plain")
        # From there through the agent into a store that knows none of it, and out of that.
        self.stores.run("fresh", "init")
        plain = self.root / "plain"
        self.git(plain, *ordinary, "lfs", "fetch", "--all")
        for key, value in self.settings("fresh"):
            self.git(plain, "config", key, value)
        self.git(plain, "lfs", "push", "--all", "origin", "main")
        self.assertEqual(len(json.loads(self.stores.run("fresh", "list", "--json"))["versions"]), 5)
        self.clone("b", "fresh")
        self.check_same(work, self.root / "b")

    def test_damaged_store_gives_no_file(self):
        self.fill("store")
        for path in (self.root / "store" / "objects").rglob("*"):
            if path.is_file():
                data = bytearray(path.read_bytes())
                data[len(data) // 2] ^= 1
                path.chmod(0o644)
                path.write_bytes(data)
        words = [word for key, value in self.settings("store") for word in ("-c", f"{key}={value}")]
        done = subprocess.run(["git", "clone", *words, str(self.root / "server.git"), "c"],
                              cwd=self.root, env=self.environment, text=True, capture_output=True,
                              check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("strata", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
