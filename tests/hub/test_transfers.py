"""Pushes and pulls that are killed, stopped or fail: the catalog lists them, and they go on.

A hub that is the tests' own (hub_standin.py), behind a rate limit so that there is time to kill.
"""
import json
import random
import signal
import struct
import subprocess
import sys
import time
import unittest

import hub_standin
from peers import Stores, part_bytes

STRATA = sys.argv[1]
sys.argv = sys.argv[:1]  # the peers are not for this file
URL = "hf://tester/models"


def write_models(folder):
    """Those of Stores.fill, large enough to be on their way for a while."""
    shape = [512, 1024]
    head = json.dumps({"w": {"dtype": "BF16", "shape": shape,
                             "data_offsets": [0, 2 * shape[0] * shape[1]]}}).encode()
    rng = random.Random(7)
    words = bytearray(rng.randbytes(2 * shape[0] * shape[1]))
    for name in ("base", "tuned", "tuned2"):
        (folder / f"{name}.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + words)
        for at in range(0, len(words), 6):
            words[at] = rng.randrange(256)


class Transfers(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        self.server, endpoint = hub_standin.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.stores.environment.update(HF_ENDPOINT=endpoint, HF_TOKEN=hub_standin.TOKEN)
        write_models(self.stores.models)
        self.stores.fill("a")
        self.stores.run("a", "remote", "add", "hub", URL)
        self.stores.run("b", "init")
        self.stores.run("b", "remote", "add", "hub", URL)

    def listed(self, store):
        return json.loads(self.stores.run(store, "transfer", "list", "--json"))["transfers"]

    def slow(self, store, rate):
        self.stores.run(store, "config", "set", "transfer.limit", rate, "--in-store")

    def begin(self, store, *words):
        """A transfer that is under way: some of its bytes have moved."""
        self.slow(store, "100KB")
        process = subprocess.Popen([STRATA, "-C", self.stores.root / store, *words], text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=self.stores.environment)
        self.addCleanup(process.stderr.close)
        while not (entries := self.listed(store)) or entries[0]["done_bytes"] == 0:
            self.assertIsNone(process.poll(), "it was over before it was seen")
            time.sleep(0.1)
        self.assertEqual(entries[0]["state"], "running")
        self.assertEqual(entries[0]["pid"], process.pid)
        return process

    def kill(self, process, number, code):
        process.send_signal(number)
        said = process.stderr.read()
        self.assertEqual(process.wait(), code, said)
        return said

    def test_a_killed_pull_is_listed_and_goes_on(self):
        self.stores.run("a", "push", "hub")
        self.kill(self.begin("b", "pull", "hub"), signal.SIGKILL, -signal.SIGKILL)
        entry, = self.listed("b")
        self.assertEqual((entry["state"], entry["direction"], entry["remote"], entry["refs"]),
                         ("interrupted", "pull", "hub", []))
        self.assertGreater(entry["total_bytes"], entry["done_bytes"])
        self.assertIsNone(entry["pid"])
        self.assertIn("interrupted", self.stores.run("b", "transfer", "list"))
        kept = part_bytes(self.stores.root / "b/partial")
        self.assertGreater(kept, 0)
        self.slow("b", "0")
        would = self.stores.results("b", "transfer", "resume", "-n")
        self.assertEqual(would["kept_bytes"], kept)
        self.assertEqual(len(self.listed("b")), 1, "a dry run changes nothing")
        self.stores.run("b", "transfer", "resume", str(entry["id"]))
        self.assertEqual(self.listed("b"), [])
        self.stores.check_same(self, "b")

    def test_a_killed_push_is_listed_and_goes_on(self):
        self.kill(self.begin("a", "push", "sst2", "hub", "--no-tags", "-m", "tuned"),
                  signal.SIGKILL, -signal.SIGKILL)
        entry, = self.listed("a")
        self.assertEqual((entry["state"], entry["direction"], entry["refs"]),
                         ("interrupted", "push", ["sst2:v2"]))
        self.stores.run("a", "add", "sst2", self.stores.models / "wide.safetensors", "--base", "none")
        self.slow("a", "0")
        pushed = self.stores.results("a", "transfer", "resume")
        self.assertIn("sst2:v2", [one["ref"] for one in pushed["pushed"]])
        self.assertNotIn("sst2:v3", [one["ref"] for one in pushed["pushed"]])
        self.assertEqual(self.listed("a"), [])
        self.assertEqual(self.stores.results("b", "fetch")["tags"], 0, "its options hold")

    def in_parts(self):
        """The hub wants parts of 100 kB; which ones came, each by the name of its upload and its number."""
        self.server.hub.multipart_from = self.server.hub.part_bytes = 100_000
        return lambda: [request["path"].split("?")[0].split("/")[-2:] for request in self.server.hub.requests
                        if request["method"] == "PUT" and "/part/" in request["path"]]

    def uploads(self):
        return list((self.stores.root / "a/partial").glob("*.upload"))

    def begin_parts(self, parts):
        """A push that is killed once some parts of an object are there."""
        process = self.begin("a", "push", "base", "hub", "-j", "1")
        while len(parts()) < 3 or not self.uploads():
            self.assertIsNone(process.poll(), "it was over before it was seen")
            time.sleep(0.1)
        self.kill(process, signal.SIGKILL, -signal.SIGKILL)
        kept, = self.uploads()
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600, "signed URLs are secrets")
        for file in (self.stores.root / "a").glob("catalog.sqlite*"):
            self.assertNotIn(b"sig=secret", file.read_bytes())
        self.slow("a", "0")

    def test_parts_of_a_killed_push_are_not_sent_again(self):
        parts = self.in_parts()
        self.begin_parts(parts)
        kept = json.loads(self.uploads()[0].read_text())
        self.assertGreaterEqual(len(kept["etags"]), 2)
        self.server.hub.requests.clear()
        self.stores.run("a", "transfer", "resume")
        first = parts()[0]
        self.assertEqual(first[1], str(len(kept["etags"]) + 1), "it goes on with the part it was in")
        self.assertEqual(parts(), [[first[0], str(number)]
                                   for number in range(int(first[1]), len(kept["urls"]) + 1)])
        self.assertEqual(self.uploads(), [])
        self.stores.run("b", "pull", "hub")
        self.assertEqual(self.stores.restored("b", "base"), self.stores.restored("a", "base"))

    def test_parts_that_the_hub_forgot_are_sent_again(self):
        parts = self.in_parts()
        for forget in (lambda: self.server.hub.faults.update(put_403={"times": 1}),
                       lambda: [self.server.hub.uploads.pop(name) for name in list(self.server.hub.uploads)],
                       lambda: self.uploads()[0].write_text('{"chunk":100000,"etags":["cut by a cra')):
            self.server.hub.storage.clear()
            self.server.hub.repositories.clear()
            self.server.hub.requests.clear()
            # As a store that never saw what was there.
            for kept in [*(self.stores.root / "a/remotes").glob("*.*"), self.stores.root / "a/asked.json"]:
                kept.unlink(missing_ok=True)
            self.begin_parts(parts)
            forget()
            self.server.hub.requests.clear()
            self.stores.run("a", "transfer", "resume", "-j", "1")  # the pack first
            whole = [number for name, number in parts() if name == parts()[-1][0]]
            self.assertEqual(whole, [str(number + 1) for number in range(len(whole))])
            self.assertEqual(self.uploads(), [])
            self.stores.run("b", "fetch", "hub")

    def test_parts_that_nobody_goes_on_with_are_forgotten(self):
        self.begin_parts(self.in_parts())
        self.stores.run("a", "transfer", "remove", "--all")
        self.assertEqual(self.uploads(), [])

    def test_a_stopped_one_says_how_to_go_on(self):
        self.stores.run("a", "push", "hub")
        said = self.kill(self.begin("b", "pull", "base", "hub"), signal.SIGINT, 130)
        entry, = self.listed("b")
        self.assertIn(f" transfer resume {entry['id']}", said)
        self.assertEqual((entry["state"], entry["refs"]), ("interrupted", ["base:v1"]))
        self.slow("b", "0")
        self.stores.run("b", "pull", "base:v1", "hub")
        self.assertEqual(self.listed("b"), [], "the same command goes on, too")

    def test_one_that_runs_is_left_alone(self):
        self.stores.run("a", "push", "hub")
        process = self.begin("b", "pull", "hub")
        entry, = self.listed("b")
        for verb in ("resume", "remove"):
            done = self.stores.try_run("b", "transfer", verb, str(entry["id"]))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(str(process.pid), done.stderr)
        self.stores.run("b", "transfer", "resume")
        self.stores.run("b", "transfer", "remove", "--all")
        self.assertEqual(len(self.listed("b")), 1)
        self.kill(process, signal.SIGTERM, 143)

    def test_failures_are_listed_with_their_cause(self):
        self.stores.run("a", "push", "hub")
        self.server.hub.faults["get_wrong"] = {"times": 1_000_000}
        done = self.stores.try_run("b", "pull", "hub")
        self.assertEqual(done.returncode, 6, done.stderr)
        entry, = self.listed("b")
        self.assertEqual(entry["state"], "failed")
        self.assertIn("with hash", entry["problem"])
        self.server.hub.faults.clear()
        self.stores.run("b", "transfer", "resume")
        self.assertEqual(self.listed("b"), [])
        self.stores.check_same(self, "b")

    def test_wrong_words_and_removal(self):
        for words, code in ((("resume", "7"), 5), (("remove", "x"), 2), (("remove",), 2),
                            (("remove", "1", "--all"), 2)):
            done = self.stores.try_run("b", "transfer", *words)
            self.assertEqual(done.returncode, code, done.stderr)
        self.stores.run("a", "push", "hub")
        self.kill(self.begin("b", "pull", "hub"), signal.SIGKILL, -signal.SIGKILL)
        entry, = self.listed("b")
        self.stores.run("b", "transfer", "remove", str(entry["id"]))
        self.assertEqual(self.listed("b"), [])

    def test_gc_leaves_what_pulls_count_on(self):
        self.stores.run("a", "push", "hub")
        process = self.begin("b", "pull", "hub")
        # While it runs, again and again, and once it is dead.
        for _ in range(3):
            self.assertEqual(self.stores.results("b", "gc", "--yes")["objects"], [])
        self.kill(process, signal.SIGKILL, -signal.SIGKILL)
        objects = {file for file in (self.stores.root / "b/objects").rglob("*") if file.is_file()}
        parts = list((self.stores.root / "b/partial").glob("*.part"))
        self.assertTrue(parts)
        freed = self.stores.results("b", "gc", "--yes")
        self.assertEqual((freed["objects"], freed["parts"]), ([], 0))
        self.assertEqual((freed["held_objects"], freed["held_parts"]), (len(objects), len(parts)))
        self.assertIn(" transfer list", self.stores.run("b", "gc"))
        for file in [*objects, *parts]:
            self.assertTrue(file.exists(), file)
        self.slow("b", "0")
        self.stores.run("b", "transfer", "resume")
        self.stores.check_same(self, "b")
        # What nobody goes on with any more is free.
        self.stores.run("c", "init")
        self.kill(self.begin("c", "pull", URL), signal.SIGKILL, -signal.SIGKILL)
        self.stores.run("c", "transfer", "remove", "--all")
        freed = self.stores.results("c", "gc", "--yes")
        self.assertGreater(freed["parts"], 0)
        left = {file.name for file in (self.stores.root / "c/partial").iterdir()}
        self.assertEqual(left, {"claims", "holds"})

    def test_gc_waits_for_no_writer(self):
        process = subprocess.Popen(
            [STRATA, "-C", self.stores.root / "a", "add", "slow", "--base", "none", "--effort", "best",
             self.stores.models / "base.safetensors"], env=self.stores.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        codes = set()
        lock = self.stores.root / "a/lock"
        while process.poll() is None:
            if lock.read_text().startswith(f"{process.pid}\n"):  # else the add waits for no gc
                codes.add(self.stores.try_run("a", "gc", "--yes").returncode)
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(codes, {0, 11})
        self.stores.run("a", "verify", "--rebuild")

    def test_numbers_complete(self):
        self.stores.run("a", "push", "hub")
        self.kill(self.begin("b", "pull", "hub"), signal.SIGKILL, -signal.SIGKILL)
        entry, = self.listed("b")
        for verb in ("resume", "remove"):
            offered = subprocess.run([STRATA, "__complete", "--", "-C", self.stores.root / "b",
                                      "transfer", verb, ""], env=self.stores.environment,
                                     capture_output=True, text=True, check=True).stdout
            self.assertIn(f"{entry['id']}\tpull from hub, interrupted: all versions", offered)

    def test_what_was_not_pulled_is_no_damage(self):
        self.stores.run("a", "push", "hub")
        self.stores.run("b", "pull", "hub", "--lazy")
        for level in ("--quick", "--full", "--rebuild"):
            report = self.stores.results("b", "verify", level)
            self.assertTrue(report["sound"])
            self.assertEqual((report["versions"], report["bases"]), (0, 0))
            self.assertEqual([one["ref"] for one in report["not_here"]],
                             ["base:v1", "sst2:v1", "sst2:v2"])
        done = self.stores.try_run("b", "verify", "sst2")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn(" pull sst2:v2 hub", done.stdout)
        for words, version in ((("diff", "base", "sst2"), "base:v1"),
                               (("push", self.stores.root.as_uri() + "/other"), "base:v1")):
            done = self.stores.try_run("b", *words)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(f" pull {version} hub\" brings them", done.stderr)
            if words[0] != "push":
                self.assertRegex(done.stderr, "Fix: strata .*pull ")
        self.assertRegex(self.stores.results("b", "show", "sst2")["pull"], "^strata -C .* pull sst2:v2 hub$")
        self.assertIn("Nothing to free", self.stores.run("b", "gc", "--yes"))
        self.stores.run("b", "pull", "sst2:v1", "hub")
        self.assertEqual([one["ref"] for one in self.stores.results("b", "verify")["not_here"]],
                         ["sst2:v2"])
        self.stores.run("b", "verify", "sst2:v1")
        self.stores.run("b", "restore", "sst2", "-o", self.stores.root / "x")  # fetches its packs
        self.assertEqual(self.stores.results("b", "verify")["not_here"], [])
        self.stores.run("b", "pull", "hub")
        self.stores.check_same(self, "b")
        self.assertIsNone(self.stores.results("b", "show", "sst2")["pull"])
        # What was here and is gone is lost.
        pack = max((file for file in (self.stores.root / "b/objects").rglob("*") if file.is_file()),
                   key=lambda file: file.stat().st_size)
        pack.unlink()
        self.assertEqual(self.stores.try_run("b", "verify", "--quick").returncode, 6)

    def test_the_catalog_holds_no_secret(self):
        self.server.hub.faults["put_403"] = {"times": 1_000_000}
        self.stores.try_run("a", "push", "hub")
        self.assertEqual(len(self.listed("a")), 1)
        for file in (self.stores.root / "a").glob("catalog.sqlite*"):
            self.assertNotIn(hub_standin.TOKEN.encode(), file.read_bytes())


if __name__ == "__main__":
    unittest.main(verbosity=2)
