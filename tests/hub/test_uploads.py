"""Answers to git-lfs's batch that make no sense: an error that says so, and no other object harmed."""
import json
import sys
import unittest

import hub_standin
from peers import Stores

STRATA = sys.argv[1]
sys.argv = sys.argv[:1]  # the peers are not for this file
PART_BYTES = 2000


class Uploads(unittest.TestCase):
    def setUp(self):
        self.stores = Stores(STRATA).__enter__()
        self.addCleanup(self.stores.__exit__)
        server, endpoint = hub_standin.start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.hub = server.hub
        self.stores.environment.update(HF_ENDPOINT=endpoint, HF_TOKEN=hub_standin.TOKEN)
        self.stores.fill("a")
        self.stores.run("a", "remote", "add", "hub", "hf://tester/models")

    def refused(self, lie, words, codes=(6,)):
        """A push of which no version comes through."""
        self.hub.batch_lie = lie
        done = self.stores.try_run("a", "push", "hub")
        self.hub.batch_lie = lambda answer: None
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertNotIn(hub_standin.TOKEN, done.stderr)
        self.assertEqual(self.stores.seen("a", "hub"), 0)
        self.assertEqual(self.hub.leaks, [])
        return done.stderr

    def pushes(self):
        self.stores.run("a", "push", "hub")
        self.assertEqual(self.stores.results("a", "fetch", "hub")["versions"], 3)

    def test_one_object_that_is_refused(self):
        """Versions that do not need it are pushed all the same."""
        shown = json.loads(self.stores.run("a", "show", "sst2:v2", "--json"))
        pack, = shown["packs"]

        def lie(answer):
            if answer["oid"] == pack:
                del answer["actions"]
                answer["error"] = {"code": 422, "message": "the quota is used up\n" + "x" * 100_000}

        self.hub.batch_lie = lie
        done = self.stores.try_run("a", "push", "hub")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("422 the quota is used up xxx", done.stderr)
        self.assertLess(len(done.stderr), 2000)
        self.assertEqual(self.stores.results("a", "fetch", "hub")["versions"], 2)
        self.hub.batch_lie = lambda answer: None
        self.pushes()

    def test_objects_without_an_answer(self):
        def lie(answer):
            answer["oid"] = "0" * 64

        self.refused(lie, "does not answer for it")
        self.pushes()

    def test_addresses_that_are_none(self):
        for href in ("", "file:///etc/passwd", "ftp://127.0.0.1/x", "http://bob:word@127.0.0.1/x", "nonsense"):
            with self.subTest(href):
                def lie(answer, href=href):
                    answer.get("actions", {}).get("upload", {})["href"] = href

                self.assertNotIn("word@", self.refused(lie, "which is not allowed"))
        self.pushes()

    def test_headers_that_go_on_in_others(self):
        def lie(answer):
            answer.get("actions", {}).get("upload", {})["header"] = {"X-Word": "a\r\nX-Evil: b"}

        self.refused(lie, "a header to be sent is more than one line")
        self.pushes()

    def test_parts_that_do_not_add_up(self):
        self.hub.multipart_from = self.hub.part_bytes = PART_BYTES
        lies = [({"1": None}, "names"), ({"01": "http://127.0.0.1/x"}, "names part 1 twice"),
                ({"99": "http://127.0.0.1/x"}, "names"), ({"1": "file:///x"}, "which is not allowed")]
        lies += [({"chunk_size": size}, "names") for size in ("0", "-1", "x", "1", "9" * 30, str(1 << 62))]
        for change, words in lies:
            with self.subTest(change):
                def lie(answer, change=change):
                    header = answer.get("actions", {}).get("upload", {}).get("header", {})
                    if "chunk_size" not in header:
                        return
                    header.update(change)
                    for name in [name for name, value in header.items() if value is None]:
                        del header[name]

                self.refused(lie, words)
        self.pushes()


if __name__ == "__main__":
    unittest.main(verbosity=2)
