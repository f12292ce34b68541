"""Where keys of buckets come from: the ways of Amazon's tools, against stand-ins on the loopback.

The bucket is SeaweedFS, which checks signatures, so keys that are not those that were handed out
get 403. STS is moto's and one of the tests' own, the rest is a plain server that says what the
services say.
"""
import contextlib
import datetime
import hashlib
import http.server
import json
import pathlib
import shlex
import sys
import time
import unittest
import urllib.parse

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
ARGUMENTS = list(sys.argv)
import test_s3  # noqa: E402  reads the arguments
from peers import Stores, free_ports, needs, running, serve  # noqa: E402

sys.argv = ARGUMENTS[:1]
KEY, SECRET = test_s3.KEYS["AWS_ACCESS_KEY_ID"], test_s3.KEYS["AWS_SECRET_ACCESS_KEY"]
ROLE = "arn:aws:iam::123456789012:role/pusher"


def moment(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) +
            datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Services(http.server.BaseHTTPRequestHandler):
    """STS, single sign-on, container agent and instance metadata."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        url = urllib.parse.urlsplit(self.path)
        server = self.server
        server.asked.append(f"{self.command} {url.path}")
        if server.refuses:
            return self.answer(403, "<Error><Code>AccessDenied</Code><Message>not you</Message></Error>")
        keys = {"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Expiration": moment(server.seconds)}
        if url.path == "/latest/api/token":
            good = self.command == "PUT" and self.headers.get("x-aws-ec2-metadata-token-ttl-seconds")
            return self.answer(200 if good else 400, "the-token")
        if url.path.startswith("/latest/meta-data/"):
            if self.headers.get("x-aws-ec2-metadata-token") != "the-token":
                return self.answer(401, "")
            return self.answer(200, "worker" if url.path.endswith("/") else json.dumps(keys))
        if url.path == "/container":
            good = self.headers.get("Authorization") == "agent-secret"
            return self.answer(200 if good else 401, json.dumps(keys))
        if url.path == "/token":
            asked = json.loads(body)
            good = asked == {"clientId": "client", "clientSecret": "client-secret",
                             "grantType": "refresh_token", "refreshToken": "refresh-secret"}
            return self.answer(200, json.dumps({"accessToken": "sso-secret", "expiresIn": 28800,
                                                "refreshToken": "next-secret"})) if good else \
                self.answer(400, '{"error":"invalid_grant"}')
        if url.path == "/federation/credentials":
            asked = urllib.parse.parse_qs(url.query)
            good = (asked == {"account_id": ["123456789012"], "role_name": ["pusher"]} and
                    self.headers.get("x-amz-sso_bearer_token") == "sso-secret")
            return self.answer(200 if good else 401, json.dumps({"roleCredentials": {
                "accessKeyId": KEY, "secretAccessKey": SECRET, "sessionToken": "",
                "expiration": int((time.time() + server.seconds) * 1000)}}))
        server.forms.append((urllib.parse.parse_qs(body), self.headers.get("Authorization") or ""))
        fields = "".join(f"<{name}>{value}</{name}>" for name, value in keys.items())
        self.answer(200, f"<R><Credentials>{fields}</Credentials></R>")

    do_GET = do_PUT = do_POST = handle_one


@needs(test_s3.WEED, "seaweedfs", PEERS)
class Aws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.stores = cls.stack.enter_context(Stores(STRATA))
        cls.url = cls.stack.enter_context(test_s3.weed(cls.stores.root))
        test_s3.make_bucket(cls.url)
        cls.stores.fill("a")

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        self.services = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
        self.services.asked, self.services.forms = [], []
        self.services.refuses, self.services.seconds = False, 3600
        serve(self.services)
        self.addCleanup(self.services.server_close)
        self.addCleanup(self.services.shutdown)
        self.at = f"http://127.0.0.1:{self.services.server_port}"
        self.home = self.stores.root / "home"
        self.files = self.home / ".aws"
        self.files.mkdir(parents=True, exist_ok=True)
        for file in self.files.glob("*"):
            file.unlink() if file.is_file() else None
        self.stores.try_run("a", "remote", "remove", "bucket")
        self.stores.run("a", "remote", "add", "bucket", f"s3://models/{self.id()}", "--endpoint", self.url)

    def services_at(self):
        return {"AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_STS": self.at,
                "AWS_ENDPOINT_URL_SSO": self.at, "AWS_ENDPOINT_URL_SSO_OIDC": self.at}

    def works(self, **variables):
        variables = {**self.services_at(), **variables}
        pushed = self.stores.results("a", "push", "bucket", **variables)
        self.assertEqual(len(pushed["pushed"]), 3)

    def fails(self, code, *words, **variables):
        variables = {**self.services_at(), **variables}
        done = self.stores.try_run("a", "push", "bucket", **variables)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        for secret in (SECRET, "sso-secret", "agent-secret", "the-token", "web-secret",
                       "client-secret", "refresh-secret", "other-secret"):
            self.assertNotIn(secret, done.stdout + done.stderr)

    def config(self, text):
        (self.files / "config").write_text(text)

    def test_a_process(self):
        program = self.stores.root / "give keys.py"
        answer = {"Version": 1, "AccessKeyId": KEY, "SecretAccessKey": SECRET, "Expiration": moment(3600)}
        program.write_text(f"import sys\nassert sys.argv[1] == 'a b'\nprint('''{json.dumps(answer)}''')\n")
        words = f"{sys.executable} {shlex.quote(str(program))} 'a b'"
        self.config(f"[profile p]\ncredential_process = {words}\n")
        self.works(AWS_PROFILE="p")
        self.config(f"[profile p]\ncredential_process = {words}c\n")
        self.fails(1, "credential_process", AWS_PROFILE="p")

    def test_single_sign_on(self):
        cache = self.files / "sso" / "cache"
        cache.mkdir(parents=True, exist_ok=True)
        self.config("[profile p]\nsso_session = team\nsso_account_id = 123456789012\nsso_role_name = pusher\n"
                    "[sso-session team]\nsso_start_url = https://x.test/start\nsso_region = eu-west-1\n"
                    "[profile old]\nsso_start_url = https://x.test/start\nsso_region = eu-west-1\n"
                    "sso_account_id = 123456789012\nsso_role_name = pusher\n")
        self.fails(4, "aws sso login --profile p", AWS_PROFILE="p")
        for name, profile in (("team", "p"), ("https://x.test/start", "old")):
            file = cache / (hashlib.sha1(name.encode()).hexdigest() + ".json")
            file.write_text(json.dumps({"accessToken": "sso-secret", "expiresAt": moment(-5)}))
            self.fails(4, "has ended", AWS_PROFILE=profile)
            file.write_text(json.dumps({"accessToken": "sso-secret", "expiresAt": moment(3600)}))
            self.services.asked.clear()
            if profile == "p":
                self.works(AWS_PROFILE=profile)
            else:
                self.assertEqual(self.stores.results("a", "push", "bucket", AWS_PROFILE=profile,
                                                     AWS_REGION="us-east-1", AWS_ENDPOINT_URL_SSO=self.at)["pushed"], [])
            self.assertEqual(self.services.asked, ["GET /federation/credentials"])

    def test_single_sign_on_is_renewed(self):
        cache = self.files / "sso" / "cache"
        cache.mkdir(parents=True, exist_ok=True)
        self.config("[profile p]\nsso_session = team\nsso_account_id = 123456789012\nsso_role_name = pusher\n"
                    "[sso-session team]\nsso_start_url = https://x.test/start\nsso_region = eu-west-1\n")
        file = cache / (hashlib.sha1(b"team").hexdigest() + ".json")

        def write(**fields):
            file.write_text(json.dumps({
                "startUrl": "https://x.test/start", "region": "eu-west-1", "accessToken": "old-secret",
                "expiresAt": moment(-5), "clientId": "client", "clientSecret": "client-secret",
                "registrationExpiresAt": moment(9999), "refreshToken": "refresh-secret", **fields}))

        write()
        file.chmod(0o600)
        self.works(AWS_PROFILE="p")
        self.assertEqual(self.services.asked, ["POST /token", "GET /federation/credentials"])
        kept = json.loads(file.read_text())
        self.assertEqual((kept["accessToken"], kept["refreshToken"]), ("sso-secret", "next-secret"))
        self.assertEqual((kept["startUrl"], kept["clientId"]), ("https://x.test/start", "client"))
        self.assertGreater(kept["expiresAt"], moment(28000))
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.services.asked.clear()
        self.stores.run("a", "push", "bucket", AWS_PROFILE="p", **self.services_at())
        self.assertEqual(self.services.asked, ["GET /federation/credentials"])
        # What cannot be renewed wants a login; what still holds is used as it is.
        for fields in ({"registrationExpiresAt": moment(-5)}, {"refreshToken": "other-secret"}):
            write(**fields)
            self.fails(4, "aws sso login --profile p", AWS_PROFILE="p")
        write(refreshToken="other-secret", accessToken="sso-secret", expiresAt=moment(300))
        self.services.asked.clear()
        self.stores.run("a", "push", "bucket", AWS_PROFILE="p", **self.services_at())
        self.assertEqual(self.services.asked, ["POST /token", "GET /federation/credentials"])

    def test_status_names_the_source(self):
        program = self.stores.root / "keys.py"
        program.write_text("raise SystemExit('nobody is to run this')")
        static = f"aws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n"
        (self.files / "credentials").write_text("[static]\n" + static)
        self.config(f"[profile r]\nrole_arn = {ROLE}\nsource_profile = static\n"
                    "[profile s]\nsso_start_url = https://x.test/start\nsso_region = eu-west-1\n"
                    "sso_account_id = 123456789012\nsso_role_name = pusher\n"
                    f"[profile p]\ncredential_process = {sys.executable} {program}\n"
                    f"[profile c]\n{static}")
        container = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": self.at + "/container",
                     "AWS_CONTAINER_AUTHORIZATION_TOKEN": "agent-secret"}
        for variables, source in (
                ({"AWS_PROFILE": "static"}, str(self.files / "credentials")),
                ({"AWS_PROFILE": "c"}, str(self.files / "config")),
                ({"AWS_PROFILE": "r"}, f"the role {ROLE} of profile r"),
                ({"AWS_PROFILE": "s"}, "single sign-on of profile s"),
                ({"AWS_PROFILE": "p"}, "credential_process of profile p"),
                (container, "the container's credentials"),
                ({"AWS_WEB_IDENTITY_TOKEN_FILE": "t", "AWS_ROLE_ARN": ROLE},
                 f"the role {ROLE} by web identity"),
                ({**test_s3.KEYS, **container}, "$AWS_ACCESS_KEY_ID")):
            status = self.stores.results("a", "auth", "status", "bucket", "--offline", **variables)
            self.assertEqual(status["sources"][0], source)
            self.assertFalse(status["checked"])
        self.assertEqual(status["sources"][1:], ["the container's credentials"])
        self.assertEqual(self.services.asked, [], "nobody was asked")
        # With the network, whether the keys hold; of an instance only asking tells.
        for variables, source in (
                ({"AWS_PROFILE": "r"}, f"the role {ROLE} of profile r"),
                (container, "the container's credentials"),
                ({"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.at},
                 "the instance's metadata, role worker")):
            status = self.stores.results("a", "auth", "status", "bucket",
                                         **{**self.services_at(), **variables})
            self.assertEqual((status["sources"], status["checked"], status["account"]),
                             ([source], True, KEY))
        self.assertEqual(self.stores.try_run("a", "auth", "status", "bucket").returncode, 4)
        self.services.refuses = True
        done = self.stores.try_run("a", "auth", "status", "bucket", AWS_PROFILE="r", **self.services_at())
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(ROLE, done.stderr)

    def test_a_role_of_another_profile(self):
        (self.files / "credentials").write_text("[root]\naws_access_key_id = AK-root\naws_secret_access_key = s3\n")
        self.config(f"[profile p]\nrole_arn = {ROLE}\nsource_profile = middle\nexternal_id = 7 8\n"
                    f"[profile middle]\nrole_arn = {ROLE}-first\nsource_profile = root\n"
                    "[profile loop]\nrole_arn = x\nsource_profile = loop2\n"
                    "[profile loop2]\nrole_arn = x\nsource_profile = loop\n"
                    "[profile none]\nrole_arn = x\n")
        self.works(AWS_PROFILE="p")
        first, second = self.services.forms
        self.assertEqual(first[0]["RoleArn"], [ROLE + "-first"])
        self.assertIn("Credential=AK-root/", first[1])
        self.assertIn("/us-east-1/sts/aws4_request", first[1])
        self.assertEqual((second[0]["Action"], second[0]["ExternalId"]), (["AssumeRole"], ["7 8"]))
        self.assertIn(f"Credential={KEY}/", second[1])
        self.fails(2, "leads back to itself", AWS_PROFILE="loop")
        self.fails(2, "source_profile", AWS_PROFILE="none")
        self.services.refuses = True
        self.fails(4, ROLE, "not you", AWS_PROFILE="p")

    def test_web_identity(self):
        token = self.stores.root / "token"
        variables = {"AWS_WEB_IDENTITY_TOKEN_FILE": str(token), "AWS_ROLE_ARN": ROLE}
        self.fails(5, "web identity token", **variables)
        token.write_text("web-secret\n")
        self.works(**variables)
        form, signature = self.services.forms[0]
        self.assertEqual(form["WebIdentityToken"], ["web-secret"])
        self.assertEqual(signature, "")

    def test_the_container(self):
        variables = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": self.at + "/container",
                     "AWS_CONTAINER_AUTHORIZATION_TOKEN": "agent-secret"}
        self.works(**variables)
        self.fails(2, "example.org", **{**variables, "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.org/x"})
        self.fails(4, "container", **{**variables, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "wrong"})

    def test_the_instance(self):
        variables = {"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.at}
        self.works(**variables)
        self.assertEqual(self.services.asked, [
            "PUT /latest/api/token", "GET /latest/meta-data/iam/security-credentials/",
            "GET /latest/meta-data/iam/security-credentials/worker"])
        self.fails(4, "profile default", "instance", AWS_EC2_METADATA_DISABLED="TRUE",
                   AWS_EC2_METADATA_SERVICE_ENDPOINT=self.at)
        port = free_ports(1)[0]
        self.fails(4, "there are no keys", AWS_EC2_METADATA_DISABLED="",
                   AWS_EC2_METADATA_SERVICE_ENDPOINT=f"http://127.0.0.1:{port}")

    def test_keys_are_renewed_before_they_end(self):
        self.services.seconds = 250  # less than what keys are renewed before: with every request
        variables = {"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": self.at}
        self.works(**variables)
        renewals = self.services.asked.count("GET /latest/meta-data/iam/security-credentials/worker")
        self.assertGreater(renewals, 3)

    def test_keys_at_hand_come_first(self):
        self.config(f"[default]\nrole_arn = {ROLE}\ncredential_source = Environment\n")
        self.works(**test_s3.KEYS)
        self.assertEqual(self.services.asked, [])
        (self.files / "credentials").write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
        self.config("")
        self.assertEqual(self.stores.results("a", "push", "bucket", AWS_REGION="us-east-1",
                                             AWS_CONTAINER_CREDENTIALS_FULL_URI=self.at + "/container")["pushed"], [])
        self.assertEqual(self.services.asked, [])

    @needs(test_s3.MOTO, "moto", PEERS)
    def test_a_role_of_a_real_sts(self):
        port = free_ports(1)[0]
        url = f"http://127.0.0.1:{port}"
        (self.files / "credentials").write_text("[root]\naws_access_key_id = AK-root\naws_secret_access_key = s3\n")
        self.config(f"[profile p]\nrole_arn = {ROLE}\nsource_profile = root\n")
        with running([test_s3.MOTO, "-H", "127.0.0.1", "-p", str(port)], url, self.stores.root):
            # Its keys are none of the bucket's: that it handed some out is in the answer of the bucket.
            done = self.stores.try_run("a", "push", "bucket", AWS_PROFILE="p", AWS_REGION="us-east-1",
                                       AWS_ENDPOINT_URL_STS=url)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertNotIn("no keys", done.stderr)
        self.assertNotIn("taking the role", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
