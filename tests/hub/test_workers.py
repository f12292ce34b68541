"""`add --from LIST --shard I/N --push REMOTE`: many workers on one remote, some of them killed."""
import concurrent.futures
import contextlib
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import test_s3
from peers import Stores, needs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from make_models import safetensors, tensors_of, tuned  # noqa: E402

WORKERS, MODELS = 8, 40


class Workers(unittest.TestCase):
    """Eight workers, each with a store of its own, on one remote."""

    def place(self, stores):
        """The word for the remote."""
        return str(stores.root / "shared")

    def begin(self, stores):
        base = tensors_of(1)
        for index in range(MODELS):
            model = stores.root / f"m{index}.safetensors"
            model.write_bytes(safetensors(tuned(base, 100 + index)))
        lines = [f"m{index}\t{stores.root}/m{index}.safetensors\tbase\n" for index in range(MODELS)]
        (stores.root / "list").write_text("".join(lines))
        stores.run("centre", "init")
        stores.run("centre", "import", stores.models / "base.safetensors", "--name", "base")
        stores.run("centre", "push", self.place(stores))

    def start(self, stores, worker):
        name = f"worker{worker}"
        stores.run(name, "init")
        words = [stores.strata, "-C", stores.root / name, "add", "--from", stores.root / "list",
                 "--shard", f"{worker}/{WORKERS}", "--push", self.place(stores), "--json",
                 "-j1"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=stores.environment)

    def kill_at(self, process, kind, count):
        """Kills a worker once it has said so many events of a kind; whether it was still at work."""
        for line in process.stdout:
            count -= json.loads(line)["type"] == kind
            if count == 0:
                break
        process.kill()
        process.communicate()
        self.assertIn(process.returncode, (-signal.SIGKILL, 0))
        return process.returncode != 0

    def end(self, process):
        out, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        return json.loads(out.splitlines()[-1])

    def check(self, stores):
        """Each model is on the remote once, and comes back."""
        stores.run("check", "init")
        place = "all"
        stores.run("check", "remote", "add", place, self.place(stores))
        self.assertEqual(stores.results("check", "fetch", place)["versions"], MODELS + 1)
        self.assertTrue(stores.results("check", "remote", "verify", place)["sound"])
        stores.run("check", "pull", place)
        versions = stores.results("check", "list", "--versions")["versions"]
        self.assertEqual(sorted(one["ref"] for one in versions),
                         sorted(["base:v1"] + [f"m{index}:v1" for index in range(MODELS)]))
        for index in range(MODELS):
            model = stores.root / f"m{index}.safetensors"
            self.assertEqual(stores.restored("check", f"m{index}"), model.read_bytes())

    def test_killed_workers_lose_nothing(self):
        with Stores(test_s3.STRATA) as stores:
            stores.environment.update(test_s3.KEYS)
            self.begin(stores)
            running = [self.start(stores, worker) for worker in range(WORKERS)]
            # Two after a version of theirs was stored, two after one was pushed.
            with concurrent.futures.ThreadPoolExecutor() as pool:
                killed = list(pool.map(
                    lambda one: self.kill_at(running[one[0]], one[1], 1),
                    ((1, "line"), (3, "push"), (4, "line"), (6, "push"))))
            # A worker may be done when the signal comes, where its only push was its last.
            self.assertTrue(killed[0] or killed[2], "those that had stored one of five")
            for worker in (0, 2, 5, 7):
                said = self.end(running[worker])
                self.assertEqual((said["stored"], said["failed"]), (MODELS // WORKERS, []))
            # The nodes of two are gone with their stores.
            for worker in (4, 6):
                shutil.rmtree(stores.root / f"worker{worker}")
            again = [self.start(stores, worker) for worker in (1, 3, 4, 6)]
            ends = [self.end(one) for one in again]
            for said in ends:
                self.assertEqual(said["stored"] + said["known"] + said["there"], MODELS // WORKERS)
            self.assertGreaterEqual(ends[3]["there"], 1, "what was pushed is not stored again")
            self.check(stores)
            # And once more: nothing is left to do.
            said = self.end(self.start(stores, 6))
            self.assertEqual((said["there"], said["stored"], said["pushed"]),
                             (MODELS // WORKERS, 0, 0))
            for worker in (1, 3):
                transfers = stores.results(f"worker{worker}", "transfer", "list")["transfers"]
                self.assertEqual(transfers, [], "no push is left to go on with")


@needs(test_s3.WEED, "seaweedfs", test_s3.PEERS)
class OnSeaweedFs(Workers):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        place = cls.servers.enter_context(Stores(test_s3.STRATA))
        cls.url = cls.servers.enter_context(test_s3.weed(place.root))
        test_s3.make_bucket(cls.url)

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    def place(self, stores):
        stores.environment["AWS_ENDPOINT_URL"] = self.url
        return "s3://models/workers"


if __name__ == "__main__":
    unittest.main()
