"""What is damaged, missing or cut on a remote: push sends it again, verify names it, push --repair mends it.

Against a folder, the Hugging Face stand-in, SeaweedFS and docker-registry, with the damage done on the
server's own side.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

import hub_standin
from peers import Stores, free_ports, needs, program, running

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
WEED = program("weed", PEERS)
REGISTRY = program("docker-registry", PEERS)
KEYS = {"AWS_ACCESS_KEY_ID": "AK-test", "AWS_SECRET_ACCESS_KEY": "secret+key/with=signs",
        "AWS_REGION": "us-east-1"}


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]


class Care:
    """What holds for every kind of remote; a class gives its URL and hands on the server's side."""

    keeps_damage = False  # the server takes no other bytes for a hash that it has
    named = ()            # versions that a push has to name for their objects to be looked for

    def setUp(self):
        self.exits = contextlib.ExitStack()
        self.addCleanup(self.exits.close)
        self.stores = self.exits.enter_context(Stores(STRATA))
        self.begin()
        self.stores.fill("a")
        self.stores.run("a", "remote", "add", "there", self.url(), *self.options())
        self.stores.run("a", "push", "there")

    def options(self):
        return ()

    def pack_of(self, reference):
        """The hash of a pack that the version has of its own."""
        return self.stores.results("a", "show", reference)["packs"][0]

    def verify(self, *words, code=0):
        done = self.stores.try_run("a", "remote", "verify", "there", *words, "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def check_clone(self):
        self.stores.run("b", "init")
        self.stores.run("b", "remote", "add", "there", self.url(), *self.options())
        self.stores.run("b", "pull", "there")
        self.stores.check_same(self, "b")

    def test_a_sound_remote(self):
        report = self.verify()
        self.assertEqual((report["versions"], report["objects"], report["damages"]),
                         (3, 7, []))
        self.assertEqual(self.verify("--quick")["bytes"], 0)
        self.assertIn("has everything", self.stores.run("a", "push", *self.named, "there"))

    def test_a_missing_object_is_sent_again(self):
        self.change(self.pack_of("base"), None)
        report = self.verify("--quick", code=6) if self.sees_missing_quickly() else self.verify(code=6)
        self.assertEqual(report["damaged_versions"], ["base:v1", "sst2:v1", "sst2:v2"])
        self.assertEqual(report["damages"][0]["kind"], "pack")
        pushed = self.stores.results("a", "push", *self.named, "there")
        self.assertEqual((pushed["mended"], pushed["pushed"]), (["base:v1"], []))
        self.verify()
        self.check_clone()

    def sees_missing_quickly(self):
        return True

    def test_a_cut_object_is_sent_again(self):
        self.change(self.pack_of("base"), lambda content: content[:-1])
        self.verify("--quick", code=6)
        self.stores.run("a", "push", *self.named, "there")
        self.verify()
        self.check_clone()

    def test_flipped_bytes_are_mended(self):
        self.change(self.pack_of("base"), flipped)
        self.verify("--quick")
        report = self.verify(code=6)
        self.assertEqual(report["damages"][0]["name"], self.pack_of("base"))
        done = self.stores.try_run("a", "push", "--repair", "there")
        if self.keeps_damage:
            self.assertEqual(done.returncode, 6, done.stdout + done.stderr)
            self.assertIn(self.pack_of("base")[:8], done.stderr)
            self.verify(code=6)
            # What the message advises.
            self.assertIn("push --repair again", done.stderr)
            self.change(self.pack_of("base"), None)
            self.stores.run("a", "push", "--repair", "there")
            self.verify()
            self.check_clone()
            return
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Mended what there had lost of base:v1", done.stdout)
        self.verify()
        self.check_clone()

    def test_a_version_is_removed(self):
        self.stores.run("a", "tag", "sst2:v2", "newest")
        self.stores.run("a", "push", "there")
        words = ("remove", "there/sst2:v2")
        refused = self.stores.try_run("a", *words)
        self.assertEqual(refused.returncode, 2, "it asks first")
        done = self.stores.try_run("a", "remove", "there/base", "--yes")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("sst2:v1", done.stderr)
        removed = self.stores.results("a", *words, "--yes")
        self.assertEqual(removed["removed"], ["sst2:v2"])
        fetched = self.stores.results("a", "fetch", "there")
        self.assertEqual((fetched["versions"], fetched["tags"]), (2, 1))
        self.verify()
        # The tags of the version go with it, and both come back with a push.
        self.assertEqual(self.stores.results("a", "push", "there")["pushed"][0]["ref"], "sst2:v2")
        self.verify()
        self.check_clone()


    gc_code = 0
    keeps_bytes = False  # the storage has them after they were deleted, too

    def age(self):
        """Makes what was sent older than a day; False where nobody can."""
        return False

    def test_gc_frees_what_no_version_needs(self):
        self.stores.run("a", "remove", "there/sst2:v2", "--yes")
        can_age = self.age()
        done = self.stores.try_run("a", "remote", "gc", "there", "--json")
        self.assertEqual(done.returncode, self.gc_code, done.stdout + done.stderr)
        if self.gc_code:
            self.assertIn("garbage collection", done.stderr)
            return
        would = json.loads(done.stdout.splitlines()[-1])
        freed = self.stores.results("a", "remote", "gc", "there", "--yes")
        self.assertEqual(would["objects"], freed["objects"])
        self.assertEqual(len(freed["objects"]), 2 if can_age else 0)
        self.assertEqual(freed["young_objects"], 0 if can_age else 2)
        self.assertEqual(freed["kept_objects"], 5)
        self.verify()
        # Without the grace, what is young goes, too.
        freed = self.stores.results("a", "remote", "gc", "there", "--older-than", "0m", "--yes")
        self.assertEqual(len(freed["objects"]), 0 if can_age else 2)
        self.assertEqual(freed["kept_objects"], 5)
        self.verify()
        self.assertEqual(self.stores.results("a", "push", "there")["objects"],
                         0 if self.keeps_bytes else 2)
        self.verify()
        self.check_clone()


class Folder(Care, unittest.TestCase):
    def begin(self):
        self.place = self.stores.root / "remote"

    def url(self):
        return self.place.as_uri()

    def age(self):
        for file in (self.place / "objects").rglob("?" * 64):
            os.utime(file, (0, 0))
        return True

    def change(self, digest, how):
        file = self.place / "objects" / digest[:2] / digest
        content = file.read_bytes()
        file.unlink()
        if how:
            file.write_bytes(how(content))


class HuggingFace(Care, unittest.TestCase):
    keeps_damage = True
    test_a_cut_object_is_sent_again = None  # no object can be cut on the server's side

    def begin(self):
        self.server, endpoint = hub_standin.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.stores.environment.update(HF_ENDPOINT=endpoint, HF_TOKEN=hub_standin.TOKEN)

    def url(self):
        return "hf://tester/models"

    keeps_bytes = True

    def age(self):
        return True  # what a push that is not over has sent is in no tree

    def sees_missing_quickly(self):
        return False  # the tree still names what the storage has lost

    def change(self, digest, how):
        content = self.server.hub.storage.pop(digest)
        if how:
            self.server.hub.storage[digest] = how(content)

    def repository(self):
        return self.server.hub.repositories["tester/models"]

    def test_a_file_that_was_deleted_from_the_repository(self):
        digest = self.pack_of("sst2:v1")
        del self.repository().files[f"objects/{digest[:2]}/{digest}"]
        self.repository().add_commit("tidy up")
        self.assertEqual(self.verify("--quick", code=6)["damaged_versions"],
                         ["sst2:v1", "sst2:v2"])
        self.server.hub.requests.clear()
        self.assertEqual(self.stores.results("a", "push", "there")["mended"], ["sst2:v1"])
        self.assertFalse([one for one in self.server.hub.requests if one["method"] == "PUT"],
                         "the storage has its bytes")
        self.verify()
        self.check_clone()

    def test_a_push_of_nothing_new_asks_little(self):
        self.server.hub.requests.clear()
        self.stores.run("a", "push", "there")
        self.assertLessEqual(len(self.server.hub.requests), 8)


@needs(WEED, "seaweedfs", PEERS)
class Bucket(Care, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = contextlib.ExitStack()
        root = cls.servers.enter_context(Stores(STRATA)).root
        ports = free_ports(8)
        (root / "data").mkdir()
        (root / "s3.json").write_text(json.dumps({"identities": [{
            "name": "t", "credentials": [{"accessKey": KEYS["AWS_ACCESS_KEY_ID"],
                                          "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}],
            "actions": ["Admin", "Read", "Write", "List"]}]}))
        cls.endpoint = f"http://127.0.0.1:{ports[3]}"
        cls.servers.enter_context(running(
            [WEED, "server", f"-dir={root / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
             f"-master.port={ports[0]}", f"-master.port.grpc={ports[4]}", f"-volume.port={ports[1]}",
             f"-volume.port.grpc={ports[5]}", "-filer", f"-filer.port={ports[2]}",
             f"-filer.port.grpc={ports[6]}", "-s3", f"-s3.port={ports[3]}",
             f"-s3.port.grpc={ports[7]}", "-s3.port.iceberg=0", "-s3.port.lance=0",
             f"-s3.config={root / 's3.json'}", "-volume.max=20", "-master.volumeSizeLimitMB=64"],
            cls.endpoint, root))
        cls.curl("-X", "PUT", f"{cls.endpoint}/models")

    @classmethod
    def tearDownClass(cls):
        cls.servers.close()

    @classmethod
    def curl(cls, *words):
        return subprocess.run(
            ["curl", "-sf", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u",
             f"{KEYS['AWS_ACCESS_KEY_ID']}:{KEYS['AWS_SECRET_ACCESS_KEY']}", "-H",
             "x-amz-content-sha256: UNSIGNED-PAYLOAD", *words], check=True,
            capture_output=True).stdout

    def begin(self):
        self.stores.environment.update(KEYS)

    def url(self):
        return f"s3://models/{self.id().rsplit('.', 1)[-1]}"

    def options(self):
        return ("--endpoint", self.endpoint)

    def change(self, digest, how):
        place = f"{self.endpoint}/{self.url()[len('s3://'):]}/objects/{digest[:2]}/{digest}"
        content = self.curl(place)
        self.assertEqual(hashlib.sha256(content).hexdigest(), digest)
        if how:
            changed = self.stores.root / "changed"
            changed.write_bytes(how(content))
            self.curl("-T", changed, place)
        else:
            self.curl("-X", "DELETE", place)


@needs(REGISTRY, "docker-registry", PEERS)
class Registry(Care, unittest.TestCase):
    keeps_damage = True  # of docker's registry: it believes that a blob it has is sound
    test_a_cut_object_is_sent_again = None  # no object can be cut on the server's side
    named = ("base", "sst2:v1", "sst2:v2")
    gc_code = 1

    def begin(self):
        port = free_ports(1)[0]
        self.data = self.stores.root / "registry"
        config = self.stores.root / "registry.yml"
        config.write_text(
            "version: 0.1\n"
            f"storage: {{filesystem: {{rootdirectory: {self.data}}}, delete: {{enabled: true}}}}\n"
            f"http: {{addr: \"127.0.0.1:{port}\", secret: fixed-for-tests}}\n")
        self.host = f"127.0.0.1:{port}"
        self.exits.enter_context(running([REGISTRY, "serve", str(config)],
                                         f"http://{self.host}/v2/", self.stores.root))

    def url(self):
        return f"oci://{self.host}/team/models"

    def change(self, digest, how):
        file = self.data / "docker/registry/v2/blobs/sha256" / digest[:2] / digest / "data"
        content = file.read_bytes()
        file.unlink()
        if how:
            file.write_bytes(how(content))


if __name__ == "__main__":
    unittest.main(verbosity=2)
