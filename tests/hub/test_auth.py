"""strata auth against a stand-in of the hub's whoami call, with and without a keychain."""
import http.server
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

from peers import kept_environment, needs, serve

STRATA, PEERS = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
sys.argv = sys.argv[:1]
TOKEN = "hf_auth-test-token"
HAS_KEYCHAIN = shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")


class Whoami(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        if self.path != "/api/whoami-v2" or not right:
            body = json.dumps({"error": f"Invalid user token {self.headers['Authorization']}"})
            self.send_response(401)
        else:
            body = json.dumps({"type": "user", "name": "ann",
                               "auth": {"accessToken": {"displayName": "t", "role": "write"}}})
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class Auth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Whoami)
        serve(cls.server)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="strata-auth-")
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)
        self.file = self.home / ".config" / "strata" / "credentials.json"
        self.environment = {**kept_environment(), "HOME": str(self.home), "no_proxy": "*",
                            "HF_ENDPOINT": f"http://127.0.0.1:{self.server.server_port}"}

    def strata(self, *words, given=None, before=(), **variables):
        done = subprocess.run([*before, STRATA, *words], input=given, text=True, check=False,
                              capture_output=True, env={**self.environment, **variables})
        self.assertNotIn(TOKEN, done.stdout + done.stderr)
        return done

    def test_login_status_logout_without_a_keychain(self):
        self.assertEqual(self.strata("auth", "status").returncode, 4)
        done = self.strata("auth", "login", "--token-stdin", given=TOKEN + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("as ann (write)", done.stdout)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        status = json.loads(self.strata("auth", "status", "--json").stdout)
        self.assertEqual((status["account"], status["sources"]), ("ann (write)", [str(self.file)]))
        self.assertEqual(self.strata("auth", "logout").returncode, 0)
        self.assertNotIn(TOKEN, self.file.read_text())
        self.assertEqual(self.strata("auth", "status").returncode, 4)

    def test_wrong_token_is_not_kept(self):
        done = self.strata("auth", "login", "--token-stdin", given="hf_wrong-token\n")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertNotIn("hf_wrong-token", done.stderr)
        self.assertFalse(self.file.exists())

    def test_variable_wins_and_is_named(self):
        self.strata("auth", "login", "--token-stdin", given=TOKEN)
        status = json.loads(self.strata("auth", "status", "--json", HF_TOKEN=TOKEN).stdout)
        self.assertEqual(status["sources"], ["$HF_TOKEN", str(self.file)])
        done = self.strata("auth", "logout", HF_TOKEN=TOKEN)
        self.assertIn("still used: $HF_TOKEN", done.stdout)

    def test_file_that_others_can_read_is_refused(self):
        self.strata("auth", "login", "--token-stdin", given=TOKEN)
        self.file.chmod(0o644)
        done = self.strata("auth", "status")
        self.assertEqual(done.returncode, 2)
        self.assertIn("chmod 600", done.stderr)

    def test_registry_wants_a_user(self):
        done = self.strata("auth", "login", "oci://127.0.0.1:1", "--token-stdin", given="pw")
        self.assertEqual(done.returncode, 2)
        done = self.strata("auth", "login", "oci://127.0.0.1:1", "--user", "bob", "--token-stdin",
                           given="pw")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not checked", done.stderr)
        self.assertIn("bob", self.strata("auth", "status", "oci://127.0.0.1:1").stdout)

    def test_remotes_of_a_store(self):
        store = str(self.home / "store")
        for words in (["init", store], ["-C", store, "remote", "add", "lab", "oci://127.0.0.1:1/m"]):
            self.assertEqual(self.strata(*words).returncode, 0)
        done = self.strata("-C", store, "auth", "login", "lab", "--user", "bob", "--token-stdin",
                           given="pw-of-lab")
        self.assertEqual(done.returncode, 0, done.stderr)
        status = json.loads(self.strata("-C", store, "auth", "status", "--json").stdout)
        self.assertEqual((status["remote"], status["account"]), ("lab", "bob"))
        self.assertEqual(self.strata("auth", "status", "oci://127.0.0.1:1/m").returncode, 4)
        moved = self.strata("-C", store, "remote", "set", "lab", "oci://127.0.0.1:2/m")
        self.assertEqual(moved.returncode, 0, moved.stderr)
        self.assertEqual(self.strata("-C", store, "auth", "status", "lab").returncode, 4)
        self.assertEqual(self.strata("-C", store, "auth", "status", "nope").returncode, 5)

    def test_nothing_to_read(self):
        self.assertEqual(self.strata("auth", "login", "--token-stdin", given="").returncode, 2)
        self.assertEqual(self.strata("auth", "login", "--no-input").returncode, 2)
        self.assertEqual(self.strata("auth", "login", "file:///x").returncode, 1)
        self.assertEqual(self.strata("auth", "login", "xy://z").returncode, 2)

    def test_prompt_does_not_show_what_is_typed(self):
        process, terminal = pty.fork()
        if process == 0:
            os.execve(STRATA, [STRATA, "auth", "login"], self.environment)
        shown = b""
        while b"Token: " not in shown:
            shown += os.read(terminal, 1024)
        os.write(terminal, TOKEN.encode() + b"\n")
        try:
            while part := os.read(terminal, 1024):
                shown += part
        except OSError:
            pass  # the terminal ends with the program
        status = os.waitpid(process, 0)[1]
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, shown)
        self.assertNotIn(TOKEN.encode(), shown)
        self.assertIn(TOKEN, self.file.read_text())

    @needs(HAS_KEYCHAIN, "gnome-keyring", PEERS)
    def test_keychain(self):
        script = f"""
            echo -n password | gnome-keyring-daemon --unlock --components=secrets >/dev/null
            echo {TOKEN} | {STRATA} auth login --token-stdin && {STRATA} auth status &&
            {STRATA} auth logout && {STRATA} auth status"""
        run = self.home / "run"
        run.mkdir(mode=0o700)
        done = subprocess.run(["dbus-run-session", "--", "sh", "-c", script], text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              env={**self.environment, "XDG_RUNTIME_DIR": str(run)})
        self.assertIn("kept in the keychain", done.stdout, done.stderr)
        self.assertIn("from  keychain", done.stdout)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
