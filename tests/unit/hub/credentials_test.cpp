#include "hub/credentials/credentials.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <thread>

#include "hub/credentials/aws_files.h"
#include "hub/credentials/credential_file.h"
#include "hub/credentials/secret_file.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

const CredentialQuery kHub{.service = Service::HuggingFace, .host = "huggingface.co"};
const CredentialQuery kRegistry{.service = Service::Registry,
                                .host = "registry.example.org:5000",
                                .remote = "lab",
                                .repository = "team/models"};
const CredentialQuery kBucket{.service = Service::ObjectStore, .host = "amazonaws.com"};

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() { variables_["HOME"] = folder_.path().string(); }

  Environment environment() const {
    return [this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
  }
  Credentials credentials() const { return Credentials(environment(), ownFile()); }
  fs::path ownFile() const { return folder_.path() / "config/strata/credentials.json"; }

  void write(const fs::path& place, const std::string& text) const {
    fs::create_directories((folder_.path() / place).parent_path());
    std::ofstream(folder_.path() / place) << text;
  }

  /// What find() gives as "user:secret from source", or "none".
  std::string found(const CredentialQuery& query) const {
    const auto result = credentials().find(query);
    if (!result) return "error: " + result.error().message;
    if (!*result) return "none";
    std::string source = (*result)->source;
    const std::string home = folder_.path().string();
    if (source.starts_with(home)) source.replace(0, home.size(), "~");
    return (*result)->user + ":" + (*result)->secret + " from " + source;
  }

  test::TempFolder folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(CredentialsTest, AreNoneWhereNobodyKeepsAny) {
  for (const CredentialQuery& query : {kHub, kRegistry, kBucket}) EXPECT_EQ(found(query), "none");
}

TEST_F(CredentialsTest, TakeEnvironmentThenOwnFileThenTheFilesOfTools) {
  write(".cache/huggingface/token", "hf_file\n");
  EXPECT_EQ(found(kHub), ":hf_file from ~/.cache/huggingface/token");
  ASSERT_TRUE(credentials().save(kHub, Credential{.secret = "hf_own"}));
  EXPECT_EQ(found(kHub), ":hf_own from ~/config/strata/credentials.json");
  variables_["HUGGING_FACE_HUB_TOKEN"] = "hf_old";
  EXPECT_EQ(found(kHub), ":hf_old from $HUGGING_FACE_HUB_TOKEN");
  variables_["HF_TOKEN"] = " hf_new\n";
  EXPECT_EQ(found(kHub), ":hf_new from $HF_TOKEN");
  variables_["HF_TOKEN"] = "hf_\r\nnew";
  EXPECT_EQ(found(kHub), ":hf_new from $HF_TOKEN") << "the hub's own tools take line breaks out";
  CredentialQuery named = kHub;
  named.remote = "my-hub";
  variables_["STRATA_TOKEN_MY_HUB"] = "hf_named";
  EXPECT_EQ(found(named), ":hf_named from $STRATA_TOKEN_MY_HUB");
  EXPECT_EQ(credentials().all(named)->size(), 3U);
}

TEST_F(CredentialsTest, KeepTheToolsTokenFromOtherHosts) {
  variables_["HF_TOKEN"] = "hf_new";
  write(".cache/huggingface/token", "hf_file\n");
  CredentialQuery stranger = kHub;
  stranger.host = "hub.example.org";
  EXPECT_EQ(found(stranger), "none");
  variables_["HF_ENDPOINT"] = "https://hub.example.org/";
  EXPECT_EQ(found(stranger), ":hf_new from $HF_TOKEN");
  EXPECT_EQ(found(kHub), "none");
}

TEST_F(CredentialsTest, FollowTheToolsSettingsOfTheTokenFile) {
  write("elsewhere/token", "hf_home");
  variables_["HF_HOME"] = (folder_.path() / "elsewhere").string();
  EXPECT_EQ(found(kHub), ":hf_home from ~/elsewhere/token");
  write("path", "hf_path");
  variables_["HF_TOKEN_PATH"] = (folder_.path() / "path").string();
  EXPECT_EQ(found(kHub), ":hf_path from ~/path");
  variables_["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1";
  EXPECT_EQ(found(kHub), "none");
}

TEST_F(CredentialsTest, OfOneRemoteBeatThoseOfTheHost) {
  CredentialQuery host = kRegistry;
  host.remote.clear();
  ASSERT_TRUE(credentials().save(host, Credential{.user = "any", .secret = "h"}));
  EXPECT_EQ(found(kRegistry), "any:h from ~/config/strata/credentials.json");
  ASSERT_TRUE(credentials().save(kRegistry, Credential{.user = "me", .secret = "r"}));
  EXPECT_EQ(found(kRegistry), "me:r from ~/config/strata/credentials.json");
  CredentialQuery moved = kRegistry;
  moved.host = "elsewhere.example.org";
  EXPECT_EQ(found(moved), "none");
  EXPECT_TRUE(*credentials().remove(kRegistry));
  EXPECT_FALSE(*credentials().remove(kRegistry));
  EXPECT_EQ(found(kRegistry), "any:h from ~/config/strata/credentials.json");
}

TEST_F(CredentialsTest, AreKeptInAFileThatOnlyTheOwnerReads) {
  ASSERT_TRUE(credentials().save(kHub, Credential{.secret = "hf_own"}));
  struct stat info {};
  ASSERT_EQ(::stat(ownFile().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  ASSERT_EQ(::stat(ownFile().parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  ::chmod(ownFile().c_str(), 0640);
  const auto refused = credentials().find(kHub);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(refused.error().message.find("hf_own"), std::string::npos);
}

TEST_F(CredentialsTest, LoseNoneThatIsSavedBesideAnother) {
  const CredentialFile file(ownFile());
  const auto queryOf = [](int i) {
    return CredentialQuery{.service = Service::ObjectStore, .host = "host" + std::to_string(i)};
  };
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = writer; i < 32; i += 4) {
        EXPECT_TRUE(file.save(queryOf(i), {.user = "u", .secret = "s"}));
      }
    });
  }
  writers.clear();
  for (int i = 0; i < 32; ++i) {
    EXPECT_TRUE(file.find(queryOf(i)).value_or(std::nullopt).has_value()) << i;
  }
}

TEST_F(CredentialsTest, RefuseAFileThatIsNotTheirs) {
  for (const char* const text : {"nonsense", "[]", "{}x", "{\"credentials\": 3}"}) {
    write("config/strata/credentials.json", text);
    ::chmod(ownFile().c_str(), 0600);
    const auto result = credentials().find(kHub);
    ASSERT_FALSE(result && *result) << text;
  }
}

TEST_F(CredentialsTest, ReadDockersFile) {
  // "bob:pass:word", "deep:x"
  write(".docker/config.json", R"({"auths": {
    "registry.example.org:5000": {"auth": "Ym9iOnBhc3M6d29yZA=="},
    "https://index.docker.io/v1/": {"auth": "ZGVlcDp4", "identitytoken": "idt"}}})");
  EXPECT_EQ(found(kRegistry), "bob:pass:word from ~/.docker/config.json");
  CredentialQuery docker = kRegistry;
  docker.host = "docker.io";
  EXPECT_TRUE((*credentials().find(docker))->isIdentityToken);
  docker.host = "other.example.org";
  EXPECT_EQ(found(docker), "none");
}

TEST_F(CredentialsTest, ReadPodmansFileFirstAndItsRepositories) {
  write(".docker/config.json", R"({"auths": {"registry.example.org:5000": {"auth": "YTph"}}})");
  write("run/containers/auth.json", R"({"auths": {"registry.example.org:5000/team":
    {"auth": "dGVhbTp0"}}})");
  variables_["XDG_RUNTIME_DIR"] = (folder_.path() / "run").string();
  EXPECT_EQ(found(kRegistry), "team:t from ~/run/containers/auth.json");
  CredentialQuery other = kRegistry;
  other.repository = "other/models";
  EXPECT_EQ(found(other), "a:a from ~/.docker/config.json");
}

TEST_F(CredentialsTest, PassOverDockerFilesThatMakeNoSense) {
  for (const char* const text :
       {"", "[]", "{\"auths\": []}", "{\"auths\": {\"registry.example.org:5000\": 3}}",
        "{\"auths\": {\"registry.example.org:5000\": {\"auth\": \"%%%%\"}}}",
        "{\"auths\": {\"registry.example.org:5000\": {\"auth\": \"YQ==\"}}}",
        "{\"credsStore\": \"../../bin/sh\"}", "{\"credHelpers\": {\"a\": \"b\"}}"}) {
    write(".docker/config.json", text);
    EXPECT_EQ(found(kRegistry), "none") << text;
  }
}

TEST_F(CredentialsTest, AskDockersHelperProgram) {
  const fs::path program = folder_.path() / "bin/docker-credential-fake";
  write("bin/docker-credential-fake",
        "#!/bin/sh\nread host; [ \"$1\" = get ] || exit 1\n"
        "echo \"{\\\"Username\\\":\\\"of\\\",\\\"Secret\\\":\\\"$host\\\"}\"\n");
  ::chmod(program.c_str(), 0755);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (program.parent_path().string() + ":" + path).c_str(), 1);
  write(".docker/config.json", R"({"credsStore": "fake"})");
  EXPECT_EQ(found(kRegistry), "of:registry.example.org:5000 from docker-credential-fake");
  write(".docker/config.json", R"({"credHelpers": {"registry.example.org:5000": "missing"}})");
  EXPECT_EQ(found(kRegistry), "none");
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(CredentialsTest, ReadAwsVariablesAndProfiles) {
  write(".aws/credentials",
        "# c\n[default]\naws_access_key_id = AK1\naws_secret_access_key=SK1\n"
        "[lab]\naws_access_key_id=AK2\naws_secret_access_key=SK2\naws_session_token = ST2\n");
  write(".aws/config",
        "[default]\nregion = eu-west-1\n[profile lab]\nregion=us-west-2\ns3 =\n"
        "  addressing_style = path\nendpoint_url = http://127.0.0.1:9000/\n");
  EXPECT_EQ(found(kBucket), "AK1:SK1 from ~/.aws/credentials");
  EXPECT_EQ(awsSettings(environment()).region, "eu-west-1");
  variables_["AWS_PROFILE"] = "lab";
  EXPECT_EQ(found(kBucket), "AK2:SK2 from ~/.aws/credentials");
  EXPECT_EQ((*credentials().find(kBucket))->sessionToken, "ST2");
  EXPECT_EQ(awsSettings(environment()).region, "us-west-2");
  EXPECT_EQ(awsSettings(environment()).addressing, "path");
  EXPECT_EQ(awsSettings(environment()).endpoint, "http://127.0.0.1:9000");
  variables_["AWS_ACCESS_KEY_ID"] = "AK3";
  variables_["AWS_SECRET_ACCESS_KEY"] = "SK3";
  variables_["AWS_REGION"] = "eu-north-1";
  EXPECT_EQ(found(kBucket), "AK3:SK3 from $AWS_ACCESS_KEY_ID");
  EXPECT_EQ(awsSettings(environment()).region, "eu-north-1");
}

TEST(CredentialQueries, NameTheHost) {
  const Environment none = [](const std::string&) { return std::string(); };
  const auto host = [&](const char* url, const char* endpoint) {
    const auto query = credentialQuery(url, endpoint, "", none);
    return query ? query->host : query.error().message;
  };
  EXPECT_EQ(host("hf://org/repo", ""), "huggingface.co");
  EXPECT_EQ(host("hf://org/repo", "http://127.0.0.1:80/"), "127.0.0.1:80");
  EXPECT_EQ(host("oci://GHCR.io/a/b:tag", ""), "ghcr.io");
  EXPECT_EQ(host("s3://bucket/prefix", ""), "amazonaws.com");
  EXPECT_EQ(host("s3://bucket", "https://s3.example.org"), "s3.example.org");
  EXPECT_FALSE(credentialQuery("file:///x", "", "", none));
  EXPECT_FALSE(credentialQuery("nonsense", "", "", none));
  EXPECT_FALSE(credentialQuery("oci://", "", "", none));
}

TEST(CleanTokens, HaveNoBlanks) {
  EXPECT_EQ(*cleanToken(" abc \r\n", "x"), "abc");
  for (const char* const text : {"", " \n", "a b", "a\nb", "a\tb", "a\x7f"}) {
    const auto token = cleanToken(text, "x");
    ASSERT_FALSE(token) << text;
    EXPECT_EQ(token.error().code, ErrorCode::InvalidArgument);
  }
}

}  // namespace
}  // namespace strata::hub
