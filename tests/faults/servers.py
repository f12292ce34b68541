"""The servers that remote trials talk to: those of tests/hub, started once for all workers."""
import contextlib
import pathlib
import sys
import unittest

HUB = pathlib.Path(__file__).resolve().parents[1] / "hub"
sys.path.insert(0, str(HUB))

import hub_standin  # noqa: E402
from peers import missing  # noqa: E402


def imported(name, strata, peers):
    """A test program of tests/hub as a module: it reads its arguments when it is imported."""
    kept, sys.argv = sys.argv, [name, str(strata), str(peers)]
    try:
        return __import__(name)
    finally:
        sys.argv = kept


@contextlib.contextmanager
def standin():
    server, endpoint = hub_standin.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def start(stack, strata, peers, folder):
    """Starts what is there until `stack` is closed: the kind of remote to the address of its server."""
    found = {"hf": stack.enter_context(standin())}
    oci, s3 = imported("test_oci", strata, peers), imported("test_s3", strata, peers)
    if oci.REGISTRY:
        found["oci"] = stack.enter_context(oci.registry(folder))
    if s3.WEED:
        found["s3"] = stack.enter_context(s3.weed(folder))
        s3.make_bucket(found["s3"])
    for kind in ("oci", "s3"):
        if kind not in found:
            why = missing(f"the server for {kind}", peers)
            if not isinstance(why, unittest.SkipTest):
                raise why
            print(f"SKIPPED trials of {kind}: {why}")
    return found


def variables(places, folder):
    """What programs need to reach them."""
    found = {"HF_HOME": f"{folder}/hf", "HF_ENDPOINT": places["hf"], "HF_TOKEN": hub_standin.TOKEN}
    if "s3" in places:
        found |= {"AWS_ACCESS_KEY_ID": "AK-test", "AWS_SECRET_ACCESS_KEY": "secret+key/with=signs",
                  "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": places["s3"]}
    return found


def url(places, kind, name):
    """A place of that name on the server, which nobody has used."""
    return {"hf": f"hf://tester/{name}", "oci": f"oci://{places.get('oci')}/{name}",
            "s3": f"s3://models/{name}"}[kind]


def options(places, kind):
    """Of `remote add`."""
    return ("--endpoint", places["s3"]) if kind == "s3" else ()
