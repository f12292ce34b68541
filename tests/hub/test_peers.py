"""What tests of the hub do without a program that they need."""
import pathlib
import sys
import tempfile
import unittest

from peers import missing, needs


class Outcome(unittest.TestCase):
    def setUp(self):
        self.peers = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def outcome(self, found):
        """How many of three tests that need something are skipped, and how many faults are told."""
        peers = self.peers

        @needs(found, "a server", peers)
        class AsAClass(unittest.TestCase):
            def test(self):
                pass

        class Alone(unittest.TestCase):
            @needs(found, "a client", peers)
            def test(self):
                pass

            def test_within(self):
                if not found:
                    raise missing("a module", peers)

        result = unittest.TestResult()
        for case in (AsAClass, Alone):
            unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        return len(result.skipped), len(result.errors) + len(result.failures)

    def test_runs_where_it_is_found(self):
        self.assertEqual(self.outcome(True), (0, 0))
        (self.peers / "installed").touch()
        self.assertEqual(self.outcome(True), (0, 0))

    def test_is_skipped_where_nobody_asked_for_peers(self):
        self.assertEqual(self.outcome(False), (3, 0))

    def test_fails_where_the_peers_were_installed(self):
        (self.peers / "installed").touch()
        self.assertEqual(self.outcome(False), (0, 3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
