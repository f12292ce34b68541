"""Who may write to a store and to a remote's folder: the owner alone, or a group that shares it."""
import os
import pathlib
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from program_environment import kept_environment  # noqa: E402

STRATA = pathlib.Path(sys.argv.pop(1)).resolve()
GROUP, ANN, BEN, EVE = 54300, 54321, 54322, 54323  # no names are needed


class Modes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-modes-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.root.chmod(0o755)
        self.models = self.root / "models"
        subprocess.run([sys.executable, HERE / "make_models.py", self.models], check=True,
                       umask=0o022)
        self.store = self.root / "shelf" / "store"
        self.remote = self.root / "shelf" / "remote"
        (self.root / "shelf").mkdir()

    def run_strata(self, *words, user=None, groups=(), umask=0o022, code=0, store=True):
        home = self.root / f"home-{user}"
        if not home.exists():
            home.mkdir(mode=0o700)
            if user is not None:
                os.chown(home, user, user)
        who = {} if user is None else {"user": user, "group": user, "extra_groups": list(groups)}
        place = ["-C", self.store] if store else []
        done = subprocess.run([STRATA, *place, *words], text=True, capture_output=True, check=False,
                              env={**kept_environment(), "HOME": str(home)}, cwd=self.root,
                              umask=umask, stdin=subprocess.DEVNULL, **who)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def entries(self, *folders):
        for folder in folders:
            for path in [folder, *folder.rglob("*")]:
                yield path, path.lstat()

    def test_restores_the_modes_of_the_models_files(self):
        folder = self.root / "model"
        (folder / "bin").mkdir(parents=True)
        modes = {"base.safetensors": 0o600, "bin/run.sh": 0o755, "config.json": 0o644,
                 "group.json": 0o664, "read.json": 0o444}
        for path, mode in modes.items():
            data = (self.models / path).read_bytes() if path.startswith("base") else b"{}"
            (folder / path).write_bytes(data)
            (folder / path).chmod(mode)
        one = folder / "base.safetensors"
        self.run_strata("init")
        self.run_strata("import", one, "--name", "one")
        self.run_strata("import", folder, "--name", "all")
        self.run_strata("remote", "add", "shelf", f"file://{self.remote}")
        self.run_strata("push")
        self.run_strata("recode", "all", "--force", "--base", "none")

        def mode_of(path):
            return stat.S_IMODE((self.root / path).stat().st_mode)
        self.run_strata("restore", "one", "-o", "one.safetensors")
        self.assertEqual(mode_of("one.safetensors"), 0o600)
        self.run_strata("restore", "all", "-o", "back")
        self.run_strata("restore", "all", "-o", "back", "--force")
        self.run_strata("restore", "all", "-o", "closed", umask=0o077)
        for path, mode in modes.items():
            usual = 0o644 if mode == 0o664 else mode  # the umask's affair
            self.assertEqual(mode_of(f"back/{path}"), usual, path)
            self.assertEqual(mode_of(f"closed/{path}"), usual & 0o700, path)

    def test_keeps_the_modes_of_equal_contents_apart(self):
        model = self.root / "tuned.safetensors"
        model.write_bytes((self.models / "tuned.safetensors").read_bytes())

        def add(mode, *words):
            model.chmod(mode)
            return self.run_strata("add", "tuned", model, *words).stdout

        def mode_of(reference):
            self.run_strata("restore", reference, "-o", "back", "--force")
            return stat.S_IMODE((self.root / "back").stat().st_mode)
        first = self.store
        self.run_strata("init")
        self.run_strata("import", self.models / "base.safetensors", "--name", "base")
        add(0o644)
        self.assertIn("same content as the version before, but other file permissions",
                      add(0o600, "-n"))
        self.assertIn("same content as tuned:v1, but other file permissions", add(0o600))
        self.assertIn("Unchanged tuned:v2", add(0o600))
        self.run_strata("remote", "add", "shelf", f"file://{self.remote}")
        self.run_strata("push")
        self.run_strata("bundle", "create", self.root / "models.bundle", "tuned:v1", "tuned:v2")
        self.run_strata("remove", "tuned:v1", "--now", "--yes")
        self.run_strata("gc", "--yes")
        self.assertEqual(mode_of("tuned"), 0o600)
        self.assertIn("0600", self.run_strata("show", "tuned").stdout)
        for kind in ("pull", "lazy", "bundle"):
            with self.subTest(kind):
                self.store = self.root / kind
                self.run_strata("init")
                if kind == "bundle":
                    self.run_strata("bundle", "import", self.root / "models.bundle")
                else:
                    self.run_strata("remote", "add", "shelf", f"file://{self.remote}")
                    self.run_strata("pull", *(["--lazy"] if kind == "lazy" else []))
                self.assertEqual(mode_of("tuned:v1"), 0o644)
                self.assertEqual(mode_of("tuned:v2"), 0o600)
                self.run_strata("recode", "tuned:v2", "--flatten", "--force")
                self.assertEqual(mode_of("tuned:v1"), 0o644)
                self.assertEqual(mode_of("tuned:v2"), 0o600)
                self.run_strata("verify", "--rebuild")
        self.store = first
        self.run_strata("pull")
        self.assertEqual(mode_of("tuned:v1"), 0o644)
        self.assertEqual(mode_of("tuned:v2"), 0o600)
        self.run_strata("verify", "--rebuild")

    def fill(self, **how):
        self.run_strata("import", self.models / "base.safetensors", "--name", "base", **how)
        self.run_strata("add", "tuned", self.models / "tuned.safetensors", **how)
        self.run_strata("remote", "add", "shelf", f"file://{self.remote}", **how)
        self.run_strata("config", "set", "effort", "fast", "--in-store", **how)
        self.run_strata("push", **how)
        self.run_strata("fetch", **how)
        self.run_strata("remove", "tuned", **how)

    def test_nobody_else_writes_whatever_the_umask(self):
        for umask in (0, 0o002, 0o077):
            with self.subTest(umask=oct(umask)):
                self.store = self.root / f"store-{umask}"
                self.remote = self.root / f"remote-{umask}"
                self.run_strata("init", self.store, umask=umask, store=False)
                self.fill(umask=umask)
                self.run_strata("verify", "--rebuild", umask=umask)
                for path, info in self.entries(self.store, self.remote):
                    mode = stat.S_IMODE(info.st_mode)
                    most = 0o755 if path.is_dir() else 0o644
                    self.assertEqual(mode & ~most, 0, f"{path} {mode:o}")
                    if path.is_file() and "objects" in path.parts:
                        self.assertEqual(mode, 0o444 & ~umask, path)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_a_group_shares_a_store_and_a_remote(self):
        ann = {"user": ANN, "groups": [GROUP]}
        ben = {"user": BEN, "groups": [GROUP], "umask": 0o077}
        shelf = self.root / "shelf"
        os.chown(shelf, ANN, GROUP)
        shelf.chmod(0o2775)
        self.run_strata("init", self.store, "--shared", "group", store=False, **ann)
        self.remote.mkdir()
        os.chown(self.remote, ANN, GROUP)
        self.remote.chmod(0o2775)
        self.fill(**ann)

        refused = self.run_strata("list", code=2, **ben)
        advice = refused.stderr.split('"')[1]
        self.assertEqual(advice, f"strata config trust {self.store}")
        self.run_strata(*shlex.split(advice)[1:], code=2, store=False, **ben)  # nobody says yes
        self.run_strata(*shlex.split(advice)[1:], "--yes", store=False, **ben)
        self.run_strata("list", **ben)
        self.run_strata("add", "bens", self.models / "tuned.safetensors", **ben)
        self.run_strata("push", **ben)
        self.run_strata("config", "set", "effort", "best", "--in-store", **ben)

        self.run_strata("list", code=2, **ann)  # the settings are Ben's now
        self.run_strata("config", "trust", "--yes", **ann)
        self.run_strata("verify", **ann)
        self.run_strata("restore", "bens", "-o", self.root / "home-54321" / "out.safetensors", **ann)
        self.run_strata("add", "anns", self.models / "base.safetensors", "--base", "none", **ann)
        self.run_strata("push", **ann)
        self.run_strata("pull", **ben)
        self.run_strata("remove", "anns", "--now", "--yes", **ben)
        self.run_strata("gc", "--yes", **ben)
        self.run_strata("verify", "--rebuild-catalog", **ben)
        self.run_strata("verify", "--rebuild", **ann)
        self.run_strata("list", code=2, user=EVE)
        for path, info in self.entries(self.store, self.remote):
            mode = stat.S_IMODE(info.st_mode)
            self.assertEqual(mode & 0o002, 0, f"{path} {mode:o}")
            self.assertEqual(info.st_gid, GROUP, path)
            if path.is_dir():
                self.assertEqual(mode & 0o2070, 0o2070, f"{path} {mode:o}")
            elif "objects" in path.parts:
                self.assertIn(mode, (0o444, 0o440), f"{path} {mode:o}")

        self.run_strata("config", "set", "shared", "no", "--in-store", **ben)  # of what is Ben's
        self.run_strata("config", "trust", "--yes", **ann)
        self.run_strata("config", "set", "shared", "no", "--in-store", **ann)
        for path, info in self.entries(self.store):
            self.assertEqual(info.st_mode & 0o2022, 0, path)


    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_a_store_that_is_there_comes_to_the_group_of_its_folder(self):
        ann = {"user": ANN, "groups": [GROUP]}
        ben = {"user": BEN, "groups": [GROUP]}
        os.chown(self.root / "shelf", ANN, ANN)
        self.run_strata("init", self.store, store=False, **ann)
        self.fill(**ann)
        said = self.run_strata("config", "set", "shared", "group", "--in-store", **ann)
        self.assertIn(f"group {ANN}", said.stderr)
        os.chown(self.store, ANN, GROUP)
        said = self.run_strata("config", "set", "shared", "group", "--in-store", **ann)
        self.assertIn(f"group {GROUP}", said.stderr)
        for path, info in self.entries(self.store):
            self.assertEqual(info.st_gid, GROUP, path)
        self.run_strata("config", "trust", self.store, "--yes", store=False, **ben)
        self.run_strata("add", "bens", self.models / "tuned.safetensors", **ben)
        self.run_strata("verify", **ben)


if __name__ == "__main__":
    unittest.main(verbosity=2)
