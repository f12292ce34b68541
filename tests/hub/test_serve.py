"""strata serve as a program sees it that speaks HTTP: bytes, ranges, revisions, refusals, limits."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import signal
import socket
import sys
import unittest

from served_store import Served

STRATA = sys.argv.pop(1)
sys.argv = sys.argv[:1]  # the peers are not for this file
SANITIZERS = {"ASAN_OPTIONS", "TSAN_OPTIONS"}


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served(STRATA).__enter__()
        cls.tuned = (cls.served.models / "tuned.safetensors").read_bytes()
        cls.tuned2 = (cls.served.models / "tuned2.safetensors").read_bytes()
        cls.path = "/sst2/resolve/main/tuned2.safetensors"

    @classmethod
    def tearDownClass(cls):
        cls.served.__exit__()

    def get(self, path, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.served.ask(path, headers=named)

    def test_whole_file(self):
        status, headers, body = self.get(self.path)
        self.assertEqual((status, body), (200, self.tuned2))
        digest = hashlib.sha256(body).hexdigest()
        self.assertEqual(headers["ETag"], f'"{digest}"')
        self.assertEqual(headers["Accept-Ranges"], "bytes")
        self.assertRegex(headers["X-Repo-Commit"], "^[0-9a-f]{40}$")
        self.assertFalse([name for name in headers if name.lower().startswith("x-xet")])

    def test_head(self):
        status, headers, body = self.served.ask(self.path, "HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertEqual(int(headers["Content-Length"]), len(self.tuned2))

    def test_folder_with_empty_and_text_files(self):
        for path in sorted((self.served.models / "folder").rglob("*")):
            if path.is_file():
                name = path.relative_to(self.served.models / "folder")
                self.assertEqual(self.get(f"/bert/resolve/main/{name}")[::2],
                                 (200, path.read_bytes()), name)

    def test_ranges(self):
        size = len(self.tuned2)
        for asked, first, end in [("0-0", 0, 1), ("5-9", 5, 10), (f"{size - 1}-", size - 1, size),
                                  ("100-", 100, size), ("-7", size - 7, size),
                                  (f"-{size + 5}", 0, size), (f"3-{size * 9}", 3, size),
                                  ("4-" + "9" * 30, 4, size), ("-" + "9" * 30, 0, size)]:
            status, headers, body = self.get(self.path, Range=f"bytes={asked}")
            self.assertEqual(self.get(self.path, RANGE=f"Bytes={asked}")[::2], (status, body))
            self.assertEqual((status, body), (206, self.tuned2[first:end]), asked)
            self.assertEqual(headers["Content-Range"], f"bytes {first}-{end - 1}/{size}")

    def test_ranges_that_cannot_be(self):
        size = len(self.tuned2)
        for asked in (f"{size}-", f"{size + 9}-{size + 10}", "-0", "9" * 30 + "-"):
            status, headers, body = self.get(self.path, Range=f"bytes={asked}")
            self.assertEqual((status, body), (416, b""), asked)
            self.assertEqual(headers["Content-Range"], f"bytes */{size}")

    def test_odd_ranges_never_give_wrong_bytes(self):
        for asked in ("lines=1-2", "bytes=0-1,5-9", "bytes=9-5", "bytes=a-b", "bytes=-", "bytes=",
                      "bytes=99999999999999999999999-", "bytes=0-99999999999999999999999"):
            status, _, body = self.get(self.path, Range=asked)
            self.assertIn((status, body), [(200, self.tuned2), (416, b""), (206, self.tuned2)],
                          asked)

    def test_only_names_of_this_machine(self):
        for name in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"):
            status, _, body = self.get(self.path, Host=name)
            self.assertEqual(status, 421, name)
            self.assertIn(b"--host", body)
        for name in ("localhost", "LOCALHOST:1", "127.0.0.2", "[::1]:80", "localhost."):
            self.assertEqual(self.get(self.path, Host=name)[0], 200, name)

    def test_conditions(self):
        etag = self.get(self.path)[1]["ETag"]
        self.assertEqual(self.get(self.path, If_None_Match=etag)[::2], (304, b""))
        self.assertEqual(self.get(self.path, If_None_Match='"x"')[0], 200)
        self.assertEqual(self.get(self.path, If_Range=etag, Range="bytes=1-2")[0], 206)
        self.assertEqual(self.get(self.path, If_Range='"x"', Range="bytes=1-2")[::2],
                         (200, self.tuned2))

    def test_revisions(self):
        first = self.served.ask_json("/api/models/sst2/revision/v1")["sha"]
        for revision in ("v1", "prod", first, first[:7]):
            status, headers, body = self.get(f"/sst2/resolve/{revision}/tuned.safetensors")
            self.assertEqual((status, body), (200, self.tuned), revision)
            self.assertEqual(headers["X-Repo-Commit"], first)
        self.assertEqual(self.get("/strata/sst2/resolve/v1/tuned.safetensors")[0], 200)

    def test_new_versions_appear(self):
        self.assertEqual(self.get("/api/models/late")[0], 404)
        self.served.run("add", "late", self.served.models / "wide.safetensors")
        wide = (self.served.models / "wide.safetensors").read_bytes()
        self.assertEqual(self.get("/late/resolve/main/wide.safetensors")[::2], (200, wide))

    def test_what_is_not_there(self):
        commit = self.served.ask_json("/api/models/sst2")["sha"]
        for path, code in [("/nope/resolve/main/x", "RepoNotFound"),
                           ("/api/models/nope", "RepoNotFound"),
                           ("/sst2/resolve/v9/tuned.safetensors", "RevisionNotFound"),
                           ("/api/models/sst2/revision/refs%2Fpr%2F1", "RevisionNotFound"),
                           ("/sst2/resolve/main/nope.bin", "EntryNotFound"),
                           ("/api/models/sst2/tree/main/nope", "EntryNotFound")]:
            status, headers, _ = self.get(path)
            self.assertEqual((status, headers["X-Error-Code"]), (404, code), path)
        missing = self.get("/sst2/resolve/main/nope.bin")[1]
        self.assertEqual(missing["X-Repo-Commit"], commit)
        for path in ("/api/agent-harnesses", "/sst2", "/sst2/blob/main/x", "/api/x",
                     "/api/models/sst2/xet-read-token/main", "/datasets/sst2/resolve/main/x"):
            self.assertEqual(self.get(path)[0], 404, path)

    def test_paths_never_leave_the_model(self):
        for path in ("/bert/resolve/main/../../store.toml", "/bert/resolve/main/..%2f..%2fstore.toml",
                     "/bert/resolve/main/%2e%2e/%2e%2e/store.toml", "/bert/resolve/main//etc/passwd",
                     "/bert/resolve/main/%2Fetc%2Fpasswd", "/bert/resolve/main/config.json%00",
                     "/%2e%2e/%2e%2e/etc/passwd", "/bert/resolve/..%2f..%2fobjects/x",
                     "/bert/resolve/main/config.json%zz", "//etc/passwd"):
            status, _, body = self.get(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn(b"root:", body)

    def test_writing_is_refused(self):
        for method, path in [("POST", "/api/repos/create"), ("PUT", self.path),
                             ("DELETE", "/api/repos/delete"), ("POST", "/api/models/sst2/commit/main")]:
            status, headers, _ = self.served.ask(path, method, body=b"{}")
            self.assertEqual(status, 403, path)
            self.assertIn("read-only", headers["X-Error-Message"])

    def test_tree_and_paths(self):
        tree = self.served.ask_json("/api/models/bert/tree/main?recursive=true&expand=false")
        names = {entry["path"] for entry in tree}
        self.assertIn("config.json", names)
        config = next(entry for entry in tree if entry["path"] == "config.json")
        text = (self.served.models / "folder" / "config.json").read_bytes()
        self.assertEqual(config["lfs"]["oid"], hashlib.sha256(text).hexdigest())
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        many = "&".join(["paths=config.json"] + [f"paths=nope{i}" for i in range(2000)])
        status, _, body = self.served.ask("/api/models/bert/paths-info/main", "POST", form, many)
        self.assertEqual(status, 200)
        self.assertEqual(body.count(b'"path"'), 1)
        asked = json.dumps({"paths": ["deep"] * 1000 + ["deep/er", "", "dee", "deep/"]})
        _, _, body = self.served.ask("/api/models/bert/paths-info/main", "POST",
                                     {"Content-Type": "application/json"}, asked)
        self.assertEqual([(entry["path"], entry["type"]) for entry in json.loads(body)],
                         [("deep", "directory"), ("deep/er", "directory")])
        twice = "&".join(["paths=config.json"] * 1000)
        _, _, body = self.served.ask("/api/models/bert/paths-info/main", "POST", form, twice)
        self.assertEqual(body.count(b'"path"'), 1, "an answer is no longer than what there is")

    def test_many_clients_get_the_same(self):
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            bodies = list(pool.map(lambda _: self.get(self.path)[2], range(200)))
        self.assertEqual(set(bodies), {self.tuned2})


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served(STRATA).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.served.__exit__()

    def send(self, data):
        """Sends bytes as they are; what comes back until the server closes."""
        with socket.create_connection((self.served.host, self.served.port)) as client:
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has seen enough
            answer = b""
            try:
                while part := client.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer

    def resident(self):
        status = pathlib.Path(f"/proc/{self.served.process.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) * 1024

    def test_giant_heads_end_early(self):
        before = self.resident()
        for head in (b"GET /" + b"a" * (64 << 20) + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nX: " + b"a" * (64 << 20),
                     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * (8 << 20),
                     b"a" * (64 << 20)):
            answer = self.send(head)
            self.assertNotIn(b" 200 ", answer[:20])
        self.assertLess(self.resident() - before, 16 << 20)

    def test_giant_bodies_are_not_read(self):
        for head in (b"Content-Length: 99999999999999999999\r\n", b"Content-Length: 1048577\r\n",
                     b"Transfer-Encoding: chunked\r\n",
                     b"Content-Encoding: gzip\r\nContent-Length: 9\r\n"):
            answer = self.send(b"POST /api/models/bert/paths-info/main HTTP/1.1\r\nHost: localhost\r\n" +
                               head + b"\r\n" + b"ffffff\r\n" * 1000)
            self.assertIn(b" 413 ", answer[:20], head)

    def test_nonsense(self):
        for data in (b"\x00" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 100,
                     b"GET /%ZZ HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00",
                     b"GET / HTTP/1.1\r\nRange: bytes=" + b"0-1," * 2000 + b"\r\n\r\n",
                     b"POST /api/models/bert/paths-info/main HTTP/1.1\r\nContent-Type: "
                     b"application/json\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100000,
                     b"GET /api/models/" + b"%2F" * 1000 + b" HTTP/1.1\r\n\r\n"):
            self.send(data)
        self.assertEqual(self.served.ask("/api/models")[0], 200)

    def test_slow_clients_do_not_hold_up_others(self):
        slow = [socket.create_connection((self.served.host, self.served.port)) for _ in range(40)]
        try:
            for client in slow:
                client.sendall(b"GET /api/models HTTP/1.1\r\nX-Slow: ")
            self.assertEqual(self.served.ask("/api/models")[0], 200)
        finally:
            for client in slow:
                client.close()

    def test_half_open_connections_take_no_thread(self):
        for start in (b"", b"G", b"POST /api/models/bert/paths-info/main HTTP/1.1\r\n"):
            clients = [socket.create_connection((self.served.host, self.served.port))
                       for _ in range(400)]
            try:
                for client in clients:
                    client.sendall(start)
                for _ in range(3):
                    self.assertEqual(self.served.ask("/api/models")[0], 200)
                # Nobody had to make room, not even the first one.
                clients[0].sendall((b"GET /api/models HTTP/1.1\r\n" if len(start) == 0 else
                                     b"ET /api/models HTTP/1.1\r\n" if len(start) == 1 else b"") +
                                    b"Content-Length: 0\r\nConnection: close\r\n\r\n")
                self.assertTrue(clients[0].recv(20).startswith(b"HTTP/1.1 "))
            finally:
                for client in clients:
                    client.close()

    def test_more_connections_than_there_is_room_for(self):
        clients = [socket.create_connection((self.served.host, self.served.port))
                   for _ in range(700)]
        try:
            self.assertEqual(self.served.ask("/api/models")[0], 200)
            clients[-1].sendall(b"GET /api/models HTTP/1.1\r\nConnection: close\r\n\r\n")
            self.assertTrue(clients[-1].recv(20).startswith(b"HTTP/1.1 200"))
        finally:
            for client in clients:
                client.close()

    def test_connections_stay_open_between_requests(self):
        ask = b"GET /api/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with socket.create_connection((self.served.host, self.served.port)) as client:
            for sent in (ask, ask + ask, ask):  # the second one in one piece
                client.sendall(sent)
                answer = b""
                while answer.count(b"HTTP/1.1 200") < sent.count(b"GET") or answer[-1:] not in b"]}":
                    answer += client.recv(65536)

    def test_a_post_without_a_body_is_answered_at_once(self):
        with socket.create_connection((self.served.host, self.served.port)) as client:
            client.sendall(b"POST /api/models/bert/paths-info/main HTTP/1.1\r\nHost: localhost\r\n\r\n"
                           b"GET /api/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while answer.count(b"HTTP/1.1 ") < 2:
                part = client.recv(65536)
                self.assertTrue(part, answer)
                answer += part

    def test_log_has_no_queries(self):
        self.served.ask("/api/models?token=hf_secret123")
        self.assertNotIn("hf_secret123", self.served.logged())


class Tokens(unittest.TestCase):
    def test_token_from_the_environment(self):
        with Served(STRATA, variables={"STRATA_SERVE_TOKEN": "s3cret-token"},
                    options=["-v"]) as served:
            self.check(served, "s3cret-token")

    def test_token_from_a_file(self):
        with Served(STRATA) as served:
            served.stop(signal.SIGINT)
            token = served.root / "token"
            token.write_text("file-token\n")
            token.chmod(0o644)
            served.options = ["--token-file", str(token)]
            with self.assertRaisesRegex(AssertionError, "others can read it"):
                served.start()
            token.chmod(0o600)
            served.start()
            self.check(served, "file-token")

    def check(self, served, token):
        path = "/sst2/resolve/main/tuned2.safetensors"
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": token},
                        {"Authorization": f"Bearer {token}x"}):
            status, answer, _ = served.ask(path, headers=headers)
            self.assertEqual(status, 401, headers)
            self.assertIn("WWW-Authenticate", answer)
        for scheme in ("Bearer", "bearer", "BEARER"):
            self.assertEqual(served.ask(path, headers={"Authorization": f"{scheme} {token}"})[0], 200)
        self.assertNotIn(token, served.logged())
        command = pathlib.Path(f"/proc/{served.process.pid}/cmdline").read_bytes()
        self.assertNotIn(token.encode(), command)


class Life(unittest.TestCase):
    def test_ctrl_c_ends_it_with_clients_connected(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Served(STRATA, big=True) as served:
                idle = socket.create_connection((served.host, served.port))
                busy = socket.create_connection((served.host, served.port))
                busy.sendall(b"GET /big/resolve/main/big.safetensors HTTP/1.1\r\nHost: localhost\r\n\r\n")
                busy.recv(100)
                self.assertEqual(served.stop(number), 0)
                idle.close()
                busy.close()

    def test_taken_port(self):
        with Served(STRATA) as served:
            second = Served(STRATA, options=["--listen", f"127.0.0.1:{served.port}"])
            with self.assertRaisesRegex(AssertionError, "in use"):
                second.__enter__()
            second.__exit__()

    def test_damage_never_yields_a_file(self):
        with Served(STRATA, big=True) as served:
            packs = sorted((served.store / "objects").rglob("*"), key=lambda p: p.stat().st_size)
            served.stop(signal.SIGINT)
            with open(packs[-1], "r+b") as pack:
                pack.seek(packs[-1].stat().st_size // 2)
                byte = pack.read(1)
                pack.seek(-1, 1)
                pack.write(bytes([byte[0] ^ 1]))
            served.start()
            with self.assertRaises(Exception) as caught:
                served.ask("/big/resolve/main/big.safetensors")
            self.assertIn("IncompleteRead", repr(caught.exception))
            self.assertIn("broken off", served.logged())
            self.assertIn(packs[-1].name[:8], served.logged())

    @unittest.skipIf(SANITIZERS & os.environ.keys(), "sanitizers keep what was freed, and shadows")
    def test_memory_does_not_grow_with_clients(self):
        with Served(STRATA, big=True, options=["--memory", "64MB"]) as served:
            path = "/big/resolve/main/big.safetensors"
            whole = served.ask(path)[2]
            status = pathlib.Path(f"/proc/{served.process.pid}/status")
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                digests = {hashlib.sha256(body).digest() for _, _, body in
                           pool.map(lambda _: served.ask(path), range(16))}
            self.assertEqual(digests, {hashlib.sha256(whole).digest()})
            resident = int(status.read_text().split("RssAnon:")[1].split()[0]) * 1024
            self.assertLess(resident, 192 << 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
