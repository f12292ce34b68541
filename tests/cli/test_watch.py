"""A watcher that is killed, told to end, beside another one, and on a disk that is full: nothing of
a run is taken twice, nothing is lost, and nothing is left behind."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
STRATA = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(HERE))
import make_models  # noqa: E402

DEADLINE = 60


class Watched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-watch-")
        self.addCleanup(folder.cleanup)  # after what a test mounts in it
        self.root = pathlib.Path(folder.name)
        self.out = self.root / "out"
        self.out.mkdir()
        self.environment = {**os.environ, "HOME": str(self.root)}
        self.store = self.root / "store"
        self.assertEqual(self.strata("init").returncode, 0)

    def strata(self, *words):
        return subprocess.run([STRATA, "-C", self.store, *words], text=True, capture_output=True,
                              env=self.environment, check=False, timeout=DEADLINE)

    def write(self, *steps, bulk=0):
        """Whole at once, by a rename. `bulk`: bytes that make the reading of it take a while."""
        for step in steps:
            make_models.write_checkpoint(self.root / "new", make_models.tensors_of(step), step)
            if bulk:
                (self.root / "new" / "bulk.txt").write_bytes(random.Random(step).randbytes(bulk))
            (self.root / "new").rename(self.out / f"checkpoint-{step}")

    def start(self, *words):
        """A watcher that looks each second, and has begun to watch."""
        watcher = subprocess.Popen([STRATA, "-C", self.store, "watch", self.out, "--run", "run",
                                    "--interval", "1", "--json", *words], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.stderr.close)
        self.addCleanup(watcher.wait)
        self.addCleanup(watcher.kill)
        return watcher

    def taken(self):
        listed = json.loads(self.strata("list", "run:v*", "--json").stdout)
        return sorted((row["number"], *row["tags"]) for row in listed["versions"])

    def check_whole(self, *steps):
        """Each step once, in order, byte for byte, and nothing is left beside the checkpoints."""
        self.assertEqual(self.taken(), [(i + 1, f"step-{step}") for i, step in enumerate(steps)])
        for step in steps:
            back = self.root / f"back-{step}"
            self.assertEqual(self.strata("restore", f"run:step-{step}", "-o", back).returncode, 0)
            self.assertEqual(subprocess.run(["diff", "-r", back, self.out / f"checkpoint-{step}"],
                                            check=False).returncode, 0)
        verified = self.strata("verify", "--rebuild")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertEqual([path.name for path in self.out.iterdir() if path.name[0] == "."], [])

    def test_kill(self):
        self.write(1, 2, 3, bulk=8_000_000)
        chance = random.Random(5)
        for _ in range(6):
            watcher = self.start()
            time.sleep(chance.random() * 0.5)
            watcher.kill()
            watcher.wait()
        done = self.strata("watch", self.out, "--run", "run", "--once")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_whole(1, 2, 3)

    def test_memory(self):
        """Killed at any time, it loses nothing that was finished, though the trainer deletes it."""
        memory = self.root / "memory"
        memory.mkdir()
        self.assertEqual(self.strata("config", "set", "watch.memory", str(memory)).returncode, 0)
        chance = random.Random(7)
        kept = self.root / "kept"
        kept.mkdir()
        deleted = set()
        for step in range(1, 7):
            self.write(step, bulk=4_000_000)
            shutil.copytree(self.out / f"checkpoint-{step}", kept / f"checkpoint-{step}")
            watcher = self.start("--memory-tier", "1GB")
            time.sleep(0.2 + chance.random())
            watcher.kill()
            out, _ = watcher.communicate()
            said = [json.loads(line) for line in out.splitlines() if line.endswith("}")]
            for event in said:
                if event["type"] in ("in_memory", "snapshot"):
                    shutil.rmtree(event["path"], ignore_errors=True)
                    deleted.add(pathlib.Path(event["path"]).name)
            if deleted:
                back = self.root / "again"
                shutil.rmtree(back, ignore_errors=True)
                resumed = self.strata("resume", "run", "-o", back, "--json")
                self.assertEqual(resumed.returncode, 0, resumed.stderr)
                at = json.loads(resumed.stdout.splitlines()[-1])["step"]
                self.assertGreaterEqual(at, max(int(name.split("-")[1]) for name in deleted))
                self.assertEqual(subprocess.run(
                    ["diff", "-r", back, kept / f"checkpoint-{at}"], check=False).returncode, 0)
        self.assertTrue(deleted, "the watcher never came to copy anything")
        done = self.strata("watch", self.out, "--run", "run", "--once")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({tag for _, tag in self.taken()}, {f"step-{step}" for step in range(1, 7)})
        self.assertEqual(list(memory.iterdir()), [])

    def test_terminate(self):
        self.write(1)
        watcher = self.start()
        event = json.loads(watcher.stdout.readline())
        self.assertEqual((event["type"], event["step"]), ("snapshot", 1))
        self.write(2)
        self.assertEqual(json.loads(watcher.stdout.readline())["step"], 2)
        watcher.send_signal(signal.SIGTERM)
        out, err = watcher.communicate(timeout=DEADLINE)
        self.assertEqual(watcher.returncode, 0, err)
        self.assertEqual(json.loads(out.splitlines()[-1])["taken"], 2)
        self.check_whole(1, 2)

    def test_two(self):
        self.write(1)
        watcher = self.start()
        watcher.stdout.readline()
        other = self.strata("watch", self.out, "--run", "run", "--once")
        self.assertEqual(other.returncode, 11, other.stderr)
        self.assertIn("has a watcher already", other.stderr)
        watcher.send_signal(signal.SIGINT)
        watcher.communicate(timeout=DEADLINE)
        self.assertEqual(watcher.returncode, 0)
        self.check_whole(1)

    def test_priority(self):
        watcher = self.start()
        self.write(1)
        watcher.stdout.readline()
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, watcher.pid), 19)
        watcher.terminate()
        watcher.communicate(timeout=DEADLINE)

    def test_limit_of_checkpoints(self):
        """A trainer that keeps one checkpoint alone."""
        watcher = self.start()
        for step in range(1, 6):
            self.write(step)
            shutil.rmtree(self.out / f"checkpoint-{step - 1}", ignore_errors=True)
            self.assertEqual(json.loads(watcher.stdout.readline())["step"], step)
        watcher.terminate()
        watcher.communicate(timeout=DEADLINE)
        self.assertEqual(self.taken(), [(step, f"step-{step}") for step in range(1, 6)])

    def test_full_disk(self):
        """The store's disk is full: nothing half there, and it is taken once there is room."""
        disk = self.root / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk],
                               capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest("this user may not mount a disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        self.store = disk / "store"
        self.assertEqual(self.strata("init").returncode, 0)
        self.write(1)
        self.assertEqual(self.strata("watch", self.out, "--run", "run", "--once").returncode, 0)
        filler = disk / "filler"
        with open(filler, "wb") as file:
            try:
                while True:
                    file.write(b"x" * 100_000)
                    file.flush()
            except OSError:
                pass
        self.write(2, bulk=20_000_000)
        full = self.strata("watch", self.out, "--run", "run", "--once")
        self.assertEqual(full.returncode, 3, full.stdout + full.stderr)
        self.assertEqual(self.taken(), [(1, "step-1")])
        filler.unlink()
        self.assertEqual(self.strata("watch", self.out, "--run", "run", "--once").returncode, 0)
        self.check_whole(1, 2)

    def test_resume(self):
        """What snapshot stores comes back by resume, the newest that is complete."""
        self.assertEqual(self.strata("resume", "run").returncode, 5)
        self.write(1, 2, 3)
        for step in (1, 2):
            done = self.strata("snapshot", "run", self.out / f"checkpoint-{step}", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.out / "checkpoint-3" / "trainer_state.json").unlink()
        torn = self.strata("snapshot", "run", self.out / "checkpoint-3")
        self.assertEqual(torn.returncode, 1)
        self.assertIn("trainer_state.json is not there", torn.stderr)
        self.assertEqual(self.taken(), [(1, "step-1"), (2, "step-2")])
        again = self.root / "again"
        for words, step in (((), 2), (("--step", "1", "--force"), 1)):
            done = self.strata("resume", "run", "-o", again, "--json", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual((result["step"], result["kind"]), (step, "transformers"))
            self.assertEqual(subprocess.run(["diff", "-r", again, self.out / f"checkpoint-{step}"],
                                            check=False).returncode, 0)
        self.assertEqual(self.strata("resume", "run", "-o", again).returncode, 2)
        self.assertEqual(self.strata("resume", "run", "--step", "7").returncode, 5)

    def test_lists(self):
        self.write(10, 20)
        self.assertEqual(self.strata("watch", self.out, "--run", "run", "--once").returncode, 0)
        runs = json.loads(self.strata("run", "list", "--json").stdout)["runs"]
        self.assertEqual([(row["run"], row["snapshots"], row["newest"]) for row in runs],
                         [("run", 2, "run:v2")])
        self.assertEqual(runs[0]["state"], {"step": 20, "epoch": 2.0, "loss": 0.05, "loss_step": 20,
                                            "score": 0.85, "score_step": 20,
                                            "metric": "eval_accuracy"})
        log = json.loads(self.strata("log", "run", "--json").stdout)["versions"]
        self.assertEqual([row["snapshot"]["step"] for row in log], [20, 10])
        self.assertIn("step 20, epoch 2, loss 0.05, eval_accuracy 0.85",
                      self.strata("log", "run", "--oneline").stdout)

    def test_weights_only(self):
        self.write(1)
        self.assertEqual(self.strata("watch", self.out, "--run", "run", "--once").returncode, 0)
        weights = self.root / "weights"
        done = self.strata("restore", "run", "--weights-only", "-o", weights)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in weights.iterdir()),
                         ["config.json", "model.safetensors"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
