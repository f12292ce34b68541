"""What a person at a terminal gets: a progress bar, colour, the question before a loss."""
import os
import pathlib
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import fcntl
import unittest

HERE = pathlib.Path(__file__).resolve().parent
STRATA = pathlib.Path(sys.argv.pop(1)).resolve()


class AtTerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="strata-terminal-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.models = cls.root / "models"
        subprocess.run([sys.executable, HERE / "make_models.py", cls.models], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.store = self.root / self.id().rsplit(".", 1)[-1]
        self.environment = {"HOME": str(self.root), "TERM": "xterm", "LC_ALL": "C.UTF-8",
                            "PATH": os.environ["PATH"]}
        self.run_at_terminal("init")
        self.run_at_terminal("import", self.models / "base.safetensors", "--name", "base")

    def run_at_terminal(self, *words, typed="", columns=80):
        """Exit code and all that the terminal got."""
        own, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        program = subprocess.Popen([STRATA, "-C", self.store, *words], stdin=theirs, stdout=theirs,
                                   stderr=theirs, env=self.environment)
        os.close(theirs)
        if typed:
            os.write(own, typed.encode())
        shown = b""
        while True:
            try:
                part = os.read(own, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(own)
        return program.wait(), shown.decode()

    def test_progress_is_a_bar_that_is_wiped(self):
        code, shown = self.run_at_terminal("add", "t", self.models / "tuned.safetensors")
        self.assertEqual(code, 0, shown)
        self.assertIn("[", shown)
        self.assertIn("\r\x1b[K", shown)
        last_bar = shown.rindex("\r\x1b[K")
        self.assertNotIn("%", shown[last_bar:].split("\n")[0])

    def test_progress_never(self):
        code, shown = self.run_at_terminal("add", "t", self.models / "tuned.safetensors",
                                           "--progress", "never")
        self.assertEqual(code, 0, shown)
        self.assertNotIn("\x1b[K", shown)

    def test_colour_follows_the_rules(self):
        def colour(*words):
            return "\x1b[1;31m" in self.run_at_terminal("show", "nothing", *words)[1]

        self.assertTrue(colour())
        self.assertFalse(colour("--color", "never"))
        self.environment["NO_COLOR"] = "1"
        self.environment["CLICOLOR_FORCE"] = "1"
        self.assertFalse(colour())
        self.assertTrue(colour("--color", "always"))
        del self.environment["NO_COLOR"]
        self.environment["TERM"] = "dumb"
        self.assertTrue(colour())
        del self.environment["CLICOLOR_FORCE"]
        self.assertFalse(colour())

    def test_question_before_a_loss(self):
        code, shown = self.run_at_terminal("remove", "base", "--now", typed="n\n")
        self.assertEqual(code, 130, shown)
        self.assertIn("base:v1", shown)
        self.assertIn("[y/N]", shown)
        code, shown = self.run_at_terminal("remove", "base", "--now", typed="y\n")
        self.assertEqual(code, 0, shown)

    def test_model_is_not_for_a_terminal(self):
        code, shown = self.run_at_terminal("restore", "base", "-o", "-")
        self.assertEqual(code, 2)
        self.assertIn("STRATA-E201", shown)

    def test_rows_fit_a_narrow_terminal(self):
        name = "n" * 60
        self.run_at_terminal("add", name, self.models / "tuned.safetensors")
        _, shown = self.run_at_terminal("list", "--columns", "name,stored,ratio", columns=50)
        for line in shown.splitlines():
            self.assertLessEqual(len(line.replace("\x1b[2m", "").replace("\x1b[0m", "")), 50, line)
        self.assertIn("...", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
