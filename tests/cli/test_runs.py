"""Runs as users make them: checkpoints that come out of order, from two machines, of other layouts,
of fewer ranks, damaged, lossy, and a remote that is not there. What `resume`, `run list` and `log`
say of them is what was trained, and nothing is stored that is no checkpoint."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
STRATA = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(HERE))
import make_models  # noqa: E402

DEADLINE = 60


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-runs-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.out = self.root / "out"
        self.out.mkdir()
        self.environment = {**os.environ, "HOME": str(self.root)}
        self.store = self.root / "store"
        self.done("init")

    def strata(self, *words, store=None):
        return subprocess.run([STRATA, "-C", store or self.store, *words], text=True,
                              capture_output=True, env=self.environment, check=False,
                              cwd=self.root, timeout=DEADLINE)

    def done(self, *words, code=0, store=None):
        ran = self.strata(*words, store=store)
        self.assertEqual(ran.returncode, code, f"{words}\n{ran.stdout}{ran.stderr}")
        return ran

    def watch(self, *words, code=0, store=None):
        return self.done("watch", self.out, "--run", "run", "--once", *words, code=code,
                         store=store)

    def write(self, *steps, seed=0, name=None):
        base = make_models.tensors_of(1)
        for step in steps:
            tensors = make_models.tuned(base, 1000 * seed + step, skip=())
            folder = self.out / (name or f"checkpoint-{step}")
            shutil.rmtree(folder, ignore_errors=True)
            make_models.write_checkpoint(folder, tensors, step)

    def resumed(self, *words):
        shutil.rmtree(self.root / "again", ignore_errors=True)
        ran = self.done("resume", "run", "-o", self.root / "again", "--json", *words)
        return json.loads(ran.stdout.splitlines()[-1])

    def run_row(self):
        return json.loads(self.done("run", "list", "--json").stdout)["runs"][0]

    def logged(self):
        versions = json.loads(self.done("log", "run", "--json").stdout)["versions"]
        return [(row["number"], row["snapshot"]["step"] if "snapshot" in row else None)
                for row in versions]

    def damage(self, reference):
        """Overwrites bytes in the packs of one version."""
        shown = json.loads(self.done("show", reference, "--json").stdout)
        for pack in shown["packs"]:
            digest = pack if isinstance(pack, str) else pack["hash"]
            file = self.store / "objects" / digest[:2] / digest[2:]
            file.chmod(0o600)
            text = bytearray(file.read_bytes())
            text[len(text) // 2] ^= 255
            file.write_bytes(text)

    def test_newest_is_the_furthest(self):
        self.write(30, 60, 90)
        self.watch("--every", "30")
        self.write(40, 50)
        self.watch("--every", "10")
        self.assertEqual(self.resumed()["step"], 90)
        self.assertEqual(self.run_row()["newest"], "run:v3")
        self.assertEqual(self.run_row()["snapshots"], 5)
        self.assertEqual([step for _, step in self.logged()], [90, 60, 50, 40, 30])
        self.done("prune", "run", "--keep-last", "2")
        self.assertEqual([step for _, step in self.logged()], [90, 60])
        self.done("undo")
        said = self.done("resume", "run", "-o", self.root / "more").stderr
        self.assertIn("run:v5, step 50 was stored later", said)
        self.assertIn("resume run:v5 goes on from there", said)

    def test_two_machines(self):
        """One store goes to step 60, the other one to step 50, and they exchange them."""
        remote = (self.root / "remote").as_uri()
        self.write(30)
        self.watch("--push", remote)
        other = self.root / "other"
        self.done("clone", remote, other, store=self.root)
        self.write(50, seed=2)
        self.watch("--push", remote, store=other)
        shutil.rmtree(self.out / "checkpoint-50")
        self.write(60)
        self.watch()
        self.done("pull", remote)
        self.assertEqual(self.run_row()["snapshots"], 3)
        self.assertEqual(self.resumed()["step"], 60)
        self.assertEqual(self.run_row()["state"]["step"], 60)
        self.assertEqual(self.logged()[0][1], 60)

    def test_order_by_the_trainers_steps(self):
        self.write(50, name="v2-epoch-3")
        self.write(60, name="2026-11-26_run")
        self.write(40, name="global_step_0040")
        self.watch("--base", "none")
        self.assertEqual(self.logged(), [(3, 60), (2, 50), (1, 40)])
        listed = json.loads(self.done("list", "run:v*", "--json").stdout)["versions"]
        self.assertEqual([row["parent"] for row in listed], ["run:v2", "run:v1", None])

    def test_tags_do_not_decide(self):
        self.write(10, 20, 30)
        self.watch()
        self.done("tag", "run:v1", "step-999")
        self.done("tag", "remove", "run:step-30")
        self.assertEqual(self.resumed()["step"], 30)
        self.assertEqual(self.run_row()["snapshots"], 3)
        self.done("resume", "run", "--step", "999", code=5)
        self.assertEqual(self.resumed("--step", "30")["step"], 30)

    def test_a_step_trained_again(self):
        self.write(10, 20)
        self.watch()
        self.write(20, seed=5)
        self.watch()
        self.assertEqual(self.logged(), [(3, 20), (2, 20), (1, 10)])
        self.assertEqual(self.resumed()["version"]["number"], 3)
        self.done("rm", "run:v3", "--yes")
        self.assertEqual(self.run_row()["newest"], "run:v2")
        self.assertEqual(self.run_row()["snapshots"], 2)
        self.assertEqual(self.resumed("--step", "20")["version"]["number"], 2)

    def test_added_checkpoints_and_weights(self):
        self.write(10, 20, 30)
        self.done("snapshot", "run", self.out / "checkpoint-10")
        self.done("add", "run", self.out / "checkpoint-20")
        self.done("add", "run", self.out / "checkpoint-30" / "model.safetensors")
        self.assertEqual(self.resumed()["step"], 20)
        self.assertEqual(self.run_row()["newest"], "run:v2")

    def test_numbered_files(self):
        """A plain loop of PyTorch: the model and its optimizer in two files of one number."""
        def write(step):
            for name, seed in (("model", step), ("optimizer", 100 + step)):
                tensors = make_models.tensors_of(seed)
                make_models.write_archive(self.out / f"{name}_{step}.pt",
                                          make_models.pack(tensors["embed.weight"][1]))
        for step in (10, 20, 30):
            write(step)
        self.watch()
        versions = json.loads(self.done("list", "run:v*", "--json").stdout)["versions"]
        self.assertEqual([row["tags"] for row in versions],
                         [["snapshot-30"], ["snapshot-20"], ["snapshot-10"]])
        self.resumed()
        for name in ("model_30.pt", "optimizer_30.pt"):
            self.assertEqual((self.root / "again" / name).read_bytes(),
                             (self.out / name).read_bytes())
        write(40)
        (self.out / "optimizer_40.pt").unlink()
        said = self.watch(code=3).stderr
        self.assertIn("lacks optimizer_30.pt", said)
        write(40)
        self.assertIn("1 snapshot stored, 3 were stored before", self.watch().stderr)

    def test_numbered_files_named_checkpoint(self):
        for step in (10, 20):
            for name in ("checkpoint", "optim"):
                make_models.write_archive(self.out / f"{name}-{step}.pt",
                                          make_models.pack([float(step)] * 4000))
        self.watch()
        self.assertEqual(self.logged(), [(2, 20), (1, 10)])
        self.done("resume", "run")
        self.assertEqual(sorted(path.name for path in (self.root / "checkpoint_20").iterdir()),
                         ["checkpoint-20.pt", "optim-20.pt"])

    def test_fewer_ranks(self):
        def write(step, ranks):
            self.write(step)
            folder = self.out / f"checkpoint-{step}"
            state = (folder / "rng_state.pth").read_bytes()
            if ranks > 1:
                (folder / "rng_state.pth").unlink()
                for rank in range(ranks):
                    (folder / f"rng_state_{rank}.pth").write_bytes(state)
        write(10, 3)
        self.watch()
        write(20, 2)
        self.assertIn("lacks rng_state_2.pth", self.watch(code=3).stderr)
        write(30, 2)
        self.assertEqual(sorted(step for step in self.steps_after_watch()), [10, 20, 30])
        write(40, 1)
        self.assertEqual(sorted(step for step in self.steps_after_watch()), [10, 20, 30, 40])

    def steps_after_watch(self):
        self.watch()
        return [step for _, step in self.logged()]

    def test_what_is_no_checkpoint(self):
        self.write(10)
        (self.out / "notes_12.txt").write_text("hi")
        for file in ("notes_12.txt", "checkpoint-10/trainer_state.json",
                     "checkpoint-10/optimizer.pt"):
            self.done("snapshot", "run", self.out / file, code=1)
        self.write(20)
        refused = self.done("snapshot", "run", self.out, code=1).stderr
        self.assertIn("a folder of 2 checkpoints", refused)
        hint = self.done("watch", self.out / "checkpoint-10", "--run", "run", "--once",
                         code=3).stderr
        self.assertIn("is a checkpoint itself", hint)

    def test_waits_for_a_folder_that_is_not_there_yet(self):
        later = self.root / "later"
        self.done("watch", later, "--run", "run", "--once", code=5)
        with subprocess.Popen(["timeout", "60", STRATA, "-C", self.store, "watch", later, "--run",
                               "run", "--interval", "1"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              env=self.environment) as watcher:
            self.write(10)
            self.out.rename(later)
            self.assertIn("Stored run:v1  step 10", watcher.stdout.readline())
            watcher.terminate()
            self.assertEqual(watcher.wait(), 0)

    def test_a_model_is_no_run(self):
        self.write(10)
        self.done("add", "base", self.out / "checkpoint-10" / "model.safetensors", "--base", "none")
        watched = self.done("watch", self.out, "--run", "base", "--once")
        self.assertIn("base is a model's name", watched.stderr)
        self.assertNotIn("is a model's name", self.watch().stderr)

    def test_what_the_run_has(self):
        """A plain file that was stored before checkpoints of another layout came."""
        (self.out / "step_7.safetensors").write_bytes(
            make_models.safetensors(make_models.tensors_of(7)))
        self.watch()
        self.write(10)
        self.watch()
        self.assertIn("0 snapshots stored, 2 were stored before", self.watch().stderr)

    def test_stores_and_remotes_in_the_folder(self):
        inside = self.out / "store1"
        subprocess.run([STRATA, "init", inside], check=True, capture_output=True,
                       env=self.environment)
        remote = self.out / "backup-1"
        self.write(10)
        for _ in range(2):
            self.watch("--push", remote.as_uri(), store=inside)
        listed = json.loads(self.done("list", "run:v*", "--json", store=inside).stdout)
        self.assertEqual(len(listed["versions"]), 1)

    def test_push_that_failed(self):
        self.write(10)
        self.done("watch", self.out, "--run", "run", "--once", "--push", "nosuch", code=5)
        self.assertFalse((self.root / "remote").exists())
        self.watch()
        remote = (self.root / "remote").as_uri()
        self.watch("--push", remote)
        self.assertTrue((self.root / "remote" / "refs").exists())
        self.done("watch", self.out, "--run", "run", "--once", "--base", "nosuch", code=5)
        (self.root / "file").write_text("in the way")
        said = self.watch("--json", "--push", (self.root / "file").as_uri(), code=3).stdout
        self.assertFalse(json.loads(said.splitlines()[-1])["sent"])

    def test_damage_is_mended(self):
        for deed in ("watch", "snapshot"):
            with self.subTest(deed):
                self.setUp()
                self.write(10, 20, 30)
                self.watch()
                self.damage("run:v2")
                refused = self.done("resume", "run", "--step", "20", code=6).stderr
                self.assertIn("sound: step", refused)
                said = (self.watch() if deed == "watch" else
                        self.done("snapshot", "run", self.out / "checkpoint-20")).stdout
                self.assertIn("Repaired", said)
                self.assertIn("run:v2", said)
                self.assertEqual(self.resumed("--step", "20")["step"], 20)
                self.done("verify")
                self.assertEqual([step for _, step in self.logged()], [30, 20, 10])

    def test_all_is_damaged(self):
        self.write(10)
        self.watch()
        self.damage("run:v1")
        refused = self.done("resume", "run", code=6).stderr
        self.assertIn("verify --repair", refused)
        self.assertIn("snapshot RUN PATH", refused)

    def test_lossy_run(self):
        """The first is exact, the others say what they lose, and restarts take nothing twice."""
        self.write(10, 20, 30)
        for folder in self.out.iterdir():
            for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
                (folder / name).unlink()
        watched = self.watch("--profile", "small")
        self.assertIn("run:v1 is stored exactly", watched.stderr)
        self.assertIn("lossy, error", watched.stdout)
        listed = json.loads(self.done("list", "run:v*", "--json").stdout)["versions"]
        self.assertEqual([(row["number"], row["lossy"]) for row in listed],
                         [(3, True), (2, True), (1, False)])
        self.assertIn("3 were stored before", self.watch("--profile", "small").stderr)

    def test_lossy_snapshots_are_told_apart(self):
        """Two checkpoints that differ where no sample of the files is taken."""
        count = 1 << 20
        tensors = {"w": ((count,), [0.001 * (i % 997) for i in range(count)])}
        base = self.root / "base.safetensors"
        base.write_bytes(make_models.safetensors(tensors))
        self.done("import", base, "--name", "base")
        whole = bytearray(base.read_bytes())
        for step, byte in ((1, 1), (2, 2), (3, 3)):
            folder = self.out / f"step-{step}"
            folder.mkdir()
            for at in range(len(whole) // 2, len(whole) // 2 + 400, 4):
                whole[at] = byte
            (folder / "model.safetensors").write_bytes(whole)
        said = self.watch("--base", "base", "--profile", "safe").stderr
        self.assertIn("3 snapshots stored", said)
        self.assertIn("3 were stored before",
                      self.watch("--base", "base", "--profile", "safe").stderr)

    def test_figures_of_other_steps(self):
        self.write(10)
        file = self.out / "checkpoint-10" / "trainer_state.json"
        state = json.loads(file.read_text())
        state["log_history"] = [{"loss": 0.5, "step": 9},
                                {"eval_accuracy": 0.25, "step": 5}, {"loss": float("nan"),
                                                                     "step": 10}]
        file.write_text(json.dumps(state))
        self.watch()
        self.assertIn("loss nan, eval_accuracy 0.25 (step 5)",
                      self.done("log", "run").stdout)

    def test_lazy_clone(self):
        """The packs that resume fetches are those of the furthest, not of the last one."""
        self.write(30, 60)
        self.watch()
        self.write(40)
        remote = (self.root / "remote").as_uri()
        self.watch("--push", remote)
        other = self.root / "other"
        self.done("clone", "--lazy", remote, other, store=self.root)
        self.store = other
        self.assertEqual(self.resumed()["step"], 60)

    def test_words_in_the_wrong_order(self):
        self.write(10)
        said = self.done("snapshot", self.out / "checkpoint-10", "run", code=2).stderr
        self.done(*shlex.split(said.split("Fix: strata ")[1].splitlines()[0]))
        missing = self.done("snapshot", "run", self.out / "checkpoint-11", code=5).stderr
        self.assertNotIn("Fix", missing)

    def test_epoch_of_lightning(self):
        make_models.write_archive(self.out / "epoch=5-step=50.ckpt",
                                  make_models.pack([0.5] * 4000))
        self.watch()
        self.assertIn("step 50, epoch 5", self.done("log", "run").stdout)

    def test_doubtful_files(self):
        self.write(10)
        file = self.out / "checkpoint-10" / "optimizer.pt"
        text = bytearray(file.read_bytes())
        text[len(text) // 2] ^= 1
        file.write_bytes(text)
        said = self.watch().stderr
        self.assertIn("optimizer.pt is stored as it is, and may be spoilt", said)
        self.assertEqual(self.resumed()["step"], 10)
        tensors = make_models.tensors_of(3)
        tensors["layer.0.bias"] = ((48,), [float("nan")] * 48)
        self.write(20)
        (self.out / "checkpoint-20" / "model.safetensors").write_bytes(
            make_models.safetensors(tensors))
        self.assertIn("48 of its weights are no numbers", self.watch().stderr)

    def test_name_of_other_trainers(self):
        """What is no checkpoint of transformers comes back under its trainer's name."""
        folder = self.out / "epoch_7_step_10"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(
            make_models.safetensors(make_models.tensors_of(3)))
        self.watch()
        self.done("resume", "run")
        self.assertTrue((self.root / "epoch_7_step_10" / "model.safetensors").exists())
        self.assertIn("Unchanged run:v1",
                      self.done("snapshot", "run", self.root / "epoch_7_step_10").stdout)

    def test_run_in_the_trash(self):
        self.write(10)
        self.watch()
        self.done("rm", "run:v1", "--yes")
        said = self.done("resume", "run", code=5).stderr
        fix = said.split("Fix: strata ")[1].splitlines()[0]
        self.assertIn("trash restore", fix)
        self.done(*shlex.split(fix))
        self.assertEqual(self.resumed()["step"], 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
