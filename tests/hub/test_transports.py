"""What every kind of remote promises (tests/hub/transports), against a server of each kind.

A new kind of remote gets a case here: a server, the URL of a place on it that nobody has used, with `{}`
for the test's name, and what its client has to know.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import unittest

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
SUITE = pathlib.Path(sys.argv[3]).resolve()
ARGUMENTS = list(sys.argv)
import test_oci  # noqa: E402  reads the arguments

sys.argv = ARGUMENTS
import test_s3  # noqa: E402

import hub_standin  # noqa: E402
from peers import Stores, free_ports, needs, running  # noqa: E402


class EveryTransport(unittest.TestCase):
    def setUp(self):
        self.servers = contextlib.ExitStack()
        self.addCleanup(self.servers.close)
        self.stores = self.servers.enter_context(Stores(STRATA))
        self.environment = {**self.stores.environment, "TMPDIR": str(self.stores.root)}

    def run_suite(self, url, endpoint="", **variables):
        done = subprocess.run([SUITE, "--gtest_brief=1"], text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**self.environment, **variables, "STRATA_TEST_REMOTE": url,
                                   "STRATA_TEST_ENDPOINT": endpoint})
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])

    def test_a_share(self):
        self.run_suite(f"file://{self.stores.root}/share/{{}}")

    def test_the_hugging_face_hub(self):
        server, endpoint = hub_standin.start()
        self.servers.callback(server.server_close)
        self.servers.callback(server.shutdown)
        self.run_suite("hf://tester/{}", HF_ENDPOINT=endpoint, HF_TOKEN=hub_standin.TOKEN,
                       HF_HOME=str(self.stores.root / "hf"))
        self.assertEqual(server.hub.leaks, [], "a token went to storage")

    @needs(test_oci.REGISTRY, "docker-registry", PEERS)
    def test_a_registry(self):
        host = self.servers.enter_context(test_oci.registry(self.stores.root))
        self.run_suite(f"oci://{host}/models/{{}}")

    @needs(test_s3.WEED, "seaweedfs", PEERS)
    def test_a_bucket(self):
        url = self.servers.enter_context(test_s3.weed(self.stores.root))
        self.stores.environment.update(test_s3.KEYS)
        test_s3.make_bucket(url)
        self.run_suite("s3://models/{}", url, **test_s3.KEYS)

    @needs(test_s3.MOTO, "moto", PEERS)
    def test_a_bucket_of_another_maker(self):
        port = free_ports(1)[0]
        url = f"http://127.0.0.1:{port}"
        words = [test_s3.MOTO, "-H", "127.0.0.1", "-p", str(port)]
        self.servers.enter_context(running(words, url, self.stores.root))
        test_s3.make_bucket(url)
        self.run_suite("s3://models/{}", url, **test_s3.KEYS)


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
