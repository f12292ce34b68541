"""Ctrl-C and SIGTERM during add: exit 130 or 143, nothing stored, the store sound and not locked."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
STRATA = pathlib.Path(sys.argv.pop(1)).resolve()


class StopDuringAdd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="strata-signals-")
        cls.root = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, HERE / "make_models.py", cls.root / "models", "--big"],
                       check=True)
        cls.environment = {**os.environ, "HOME": str(cls.root)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def strata(self, *words):
        return subprocess.run([STRATA, "-C", self.store, *words], text=True, capture_output=True,
                              env=self.environment, check=False)

    def setUp(self):
        self.store = self.root / self.id().rsplit(".", 1)[-1]
        self.assertEqual(self.strata("init").returncode, 0)
        small = self.root / "models" / "base.safetensors"
        self.assertEqual(self.strata("import", small, "--name", "base").returncode, 0)
        self.before = self.files()

    def files(self):
        """Paths and sizes of what a store keeps for good."""
        kept = [path for folder in ("objects", "refs", "trash")
                for path in (self.store / folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.store)): path.stat().st_size for path in kept}

    def stop_add(self, number):
        """Sends the signal as soon as the job reports its first progress."""
        big = self.root / "models" / "big.safetensors"
        add = subprocess.Popen([STRATA, "-C", self.store, "import", big, "--name", "big", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=self.environment)
        first = json.loads(add.stdout.readline())
        self.assertEqual(first["type"], "progress")
        add.send_signal(number)
        out, err = add.communicate()
        self.assertNotIn('"result"', out)
        return add.returncode, json.loads(err)

    def check_clean(self):
        self.assertEqual(self.files(), self.before)
        verified = self.strata("verify", "--rebuild")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        listed = json.loads(self.strata("list", "--json").stdout)
        self.assertEqual([row["name"] for row in listed["versions"]], ["base"])
        again = self.strata("add", "more", self.root / "models" / "tuned.safetensors")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(list((self.store / "tmp").iterdir()), [])

    def test_ctrl_c(self):
        code, error = self.stop_add(signal.SIGINT)
        self.assertEqual((code, error["exit"], error["code"]), (130, 130, "STRATA-E13001"))
        self.check_clean()

    def test_terminate(self):
        code, error = self.stop_add(signal.SIGTERM)
        self.assertEqual((code, error["exit"]), (143, 143))
        self.check_clean()

    def test_kill(self):
        code, _ = self.stop_hard()
        self.assertEqual(code, -signal.SIGKILL)
        self.check_clean()

    def stop_hard(self):
        big = self.root / "models" / "big.safetensors"
        add = subprocess.Popen([STRATA, "-C", self.store, "import", big, "--name", "big", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=self.environment)
        add.stdout.readline()
        add.kill()
        out, _ = add.communicate()
        return add.returncode, out


if __name__ == "__main__":
    unittest.main(verbosity=2)
