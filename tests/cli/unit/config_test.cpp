#include "core/config/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/config/byte_count.h"
#include "core/config/toml_file.h"
#include "core/profile/profile.h"
#include "core/text/url_text.h"

namespace strata {
namespace {

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() {
    std::string name = testing::TempDir() + "strata-config-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ConfigFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& text) const {
    std::ofstream(folder_ / "c.toml") << text;
    return folder_ / "c.toml";
  }
  /// The file after setting one key.
  std::string afterSetting(const std::string& text, const char* key, const char* value) const {
    const auto file = write(text);
    const auto set = setInFile(file, **findSetting(key), value);
    return set ? readTomlText(file).value() : set.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(ConfigFile, KeepsAllOtherLinesWhenOneIsSet) {
  EXPECT_EQ(afterSetting("", "jobs", "2"), "jobs = 2\n");
  EXPECT_EQ(afterSetting("# mine\njobs = 1 # few\n", "jobs", "2"), "# mine\njobs = 2\n");
  EXPECT_EQ(afterSetting("[trash]\n# month\ndays = 30\n", "jobs", "2"),
            "jobs = 2\n[trash]\n# month\ndays = 30\n");
  EXPECT_EQ(afterSetting("[trash] # x\ndays = 30\n[restore]\n", "trash.days", "7"),
            "[trash] # x\ndays = 7\n[restore]\n");
  EXPECT_EQ(afterSetting("trash.days = 30\n", "trash.days", "7"), "trash.days = 7\n");
  EXPECT_EQ(afterSetting("jobs = 1\n", "trash.days", "7"), "jobs = 1\n\n[trash]\ndays = 7\n");
}

TEST_F(ConfigFile, SaysWhenALineIsNotWhatItLooksLike) {
  const std::string text = "note = \"\"\"\n[trash]\ndays = 30\n\"\"\"\n";
  const std::string said = afterSetting(text, "trash.days", "7");
  EXPECT_NE(said.find("trash.days is not on a line of its own"), std::string::npos) << said;
  EXPECT_EQ(readTomlText(folder_ / "c.toml"), text);
}

TEST_F(ConfigFile, RefusesKeysThatNestTablesWithoutEnd) {
  std::string key = "a";
  for (int i = 0; i < 450'000; ++i) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "x = {" + key + " = 1}\n"}) {
    const auto loaded = Config::load(write(text), std::nullopt);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(loaded.error().message.find("line 1: has more than 256 dots"), std::string::npos);
  }
}

TEST_F(ConfigFile, RefusesWhatIsNoValue) {
  EXPECT_EQ(afterSetting("jobs = 1\n", "jobs", "many"),
            "jobs: \"many\" is not a whole number from 0 to 100000");
  EXPECT_EQ(readTomlText(folder_ / "c.toml"), "jobs = 1\n");
}

TEST_F(ConfigFile, HoldsNoPassword) {
  const std::string said = afterSetting("jobs = 1\n", "proxy", "http://bob:s3cret@proxy:3128");
  EXPECT_EQ(said.substr(0, said.find(" holds")), "proxy: \"http://bob:***@proxy:3128\"");
  EXPECT_NE(said.find("STRATA_PROXY"), std::string::npos);
  EXPECT_EQ(readTomlText(folder_ / "c.toml"), "jobs = 1\n");
  EXPECT_EQ(afterSetting("", "proxy", "http://proxy:3128"), "proxy = \"http://proxy:3128\"\n");
}

TEST(UrlText, FindsWhereUserAndPasswordStand) {
  struct Case {
    const char* url;
    const char* authority;
    const char* userInfo;
  };
  for (const Case& one :
       {Case{"http://bob:s3:cr@et@[::1]:3128/a@b", "bob:s3:cr@et@[::1]:3128", "bob:s3:cr@et"},
        Case{"bob@proxy", "bob@proxy", "bob"}, Case{"hf://a@b/c", "a@b", "a"},
        Case{"http://bob:s3?#@proxy", "bob:s3?#@proxy", "bob:s3?#"},
        Case{"https://host/x@y", "host", ""}, Case{"file:///a@b", "", ""},
        Case{"http://@host", "@host", ""}, Case{"://", "", ""}, Case{"", "", ""}}) {
    EXPECT_EQ(authorityOf(one.url), one.authority) << one.url;
    EXPECT_EQ(userInfoOf(one.url), one.userInfo) << one.url;
  }
}

TEST(UrlText, ShowsNoPassword) {
  EXPECT_EQ(withoutPassword("http://bob:s3:cr@et@[::1]:3128/a@b"), "http://bob:***@[::1]:3128/a@b");
  EXPECT_EQ(withoutPassword("bob:s3cret@proxy:3128"), "bob:***@proxy:3128");
  EXPECT_EQ(withoutPassword("http://bob:s3#cr?et@proxy"), "http://bob:***@proxy");
  for (const char* plain :
       {"http://proxy:3128", "http://bob@proxy:3128", "http://[::1]:1", "8", ""}) {
    EXPECT_EQ(withoutPassword(plain), plain);
  }
}

TEST_F(ConfigFile, LosesAKeyAndNothingElse) {
  const auto file = write("jobs = 1\n[trash]\ndays = 7\n");
  EXPECT_EQ(unsetInFile(file, **findSetting("trash.days")), true);
  EXPECT_EQ(unsetInFile(file, **findSetting("trash.days")), false);
  EXPECT_EQ(readTomlText(file), "jobs = 1\n[trash]\n");
}

TEST_F(ConfigFile, IsBeatenByVariablesAndFlags) {
  const auto file = write("memory = \"1GB\"\nunknown = 1\n");
  auto config = Config::load(folder_ / "none.toml", file);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->value("memory").origin, ConfigOrigin::Store);
  EXPECT_EQ(config->byteCount("memory"), 1'000'000'000U);
  EXPECT_EQ(config->value("effort").origin, ConfigOrigin::Default);
  EXPECT_EQ(config->unknownKeys().size(), 1U);
  ::setenv("STRATA_MEMORY", "2GB", 1);
  config = Config::load(folder_ / "none.toml", file);
  ::unsetenv("STRATA_MEMORY");
  EXPECT_EQ(config->value("memory").origin, ConfigOrigin::Environment);
  ASSERT_TRUE(config->override("memory", "3GB"));
  EXPECT_EQ(config->text("memory"), "3GB");
  EXPECT_EQ(config->value("memory").origin, ConfigOrigin::Flag);
}

TEST(ByteCount, ReadsUnits) {
  EXPECT_EQ(parseByteCount("0"), 0U);
  EXPECT_EQ(parseByteCount("512MB"), 512'000'000U);
  EXPECT_EQ(parseByteCount("1.5 gb"), 1'500'000'000U);
  EXPECT_EQ(parseByteCount("2GiB"), 2'147'483'648U);
  for (const char* text : {"", "MB", "12 apples", "-1", "1e30", "nan", "1 M B"}) {
    EXPECT_FALSE(parseByteCount(text)) << text;
  }
}

TEST_F(ConfigFile, HoldsProfilesThatComeBackAsSaved) {
  Profile profile{.name = "tight"};
  profile.text = exactProfileText("say \"hi\"", Effort::Best, "xor");
  ASSERT_TRUE(saveProfile(folder_, profile, Replace::No));
  EXPECT_FALSE(saveProfile(folder_, profile, Replace::No));
  const auto loaded = loadProfile(folder_, "tight");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->description, "say \"hi\"");
  EXPECT_EQ(loaded->effort, Effort::Best);
  EXPECT_EQ(loaded->codec, "xor");
  EXPECT_TRUE(loaded->isExact());
  EXPECT_EQ(loadProfile(folder_, "../tight").error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace strata
