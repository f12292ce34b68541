#include <fmt/format.h>

#include <filesystem>

#include "core/config/byte_count.h"
#include "core/config/config.h"
#include "core/config/duration.h"
#include "core/profile/profile.h"
#include "core/store/refs/reference.h"
#include "core/store/store.h"
#include "core/transfer/remote_config.h"
#include "hub/credentials/aws_profile.h"
#include "hub/credentials/credential_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

/// Settings, profiles, lists of remotes and credentials. The first byte says what a text is.
class SettingsTarget final : public FuzzTarget {
 public:
  SettingsTarget() { fs::create_directories(folder_ / "tmp"); }

  std::vector<std::string> seeds() const override {
    QualityPlan plan;
    plan.target.qualityLoss = 0.5;
    plan.quantize.rules = defaultRules();
    plan.trials = 12;
    return {
        "0color = \"never\"\njobs = 4\n[trash]\ndays = 30 # a month\n[verify]\ndays = 90\n",
        "1" + exactProfileText("small files", Effort::Best, "auto"),
        "1" + qualityProfileText("half a point", plan),
        "1mode = \"quality\"\n[target]\nsize = \"20MB\"\n[quantize]\nlevels = 9\nrank = 0\n"
        "[[rule]]\nmatch = \"*.bias\"\nkind = \"norm\"\ncodec = \"exact\"\n",
        "2default = \"origin\"\n[remote.origin]\nurl = \"hf://acme/models\"\n[remote.share]\n"
        "url = \"file:///mnt/share\"\n[remote.lab]\nurl = \"oci://lab:5000/a\"\nchunk = \"64MB\"\n",
        "3format = 1\nid = \"2f1c\"\n",
        "4[default]\nregion = eu-west-1\ns3 =\n  addressing_style = path\n[profile lab]\n"
        "role_arn = arn:aws:iam::1:role/x\nsource_profile = default\n",
        R"(5{"credentials":[{"service":"hf","host":"huggingface.co","remote":"","user":"",)"
        R"("secret":"hf_word"}]})",
        "6sst2:prod",
        "6sst2~3",
        "6@11d70ec9",
        "61.5 GB",
        "61h30m",
    };
  }

  std::string broken(std::string_view text) override {
    if (text.empty()) return {};
    const char kind = text.front();
    text.remove_prefix(1);
    switch (kind) {
      case '0':
        return config(text);
      case '1':
        return profile(std::string(text));
      case '2':
        return remotes(text);
      case '3': {
        writeWhole(folder_ / "store.toml", text);
        const auto id = Store::checkFormat(folder_.path());
        return id ? std::string() : brokenBy(id.error());
      }
      case '4':
        writeWhole(folder_ / "aws", text);
        static_cast<void>(hub::readAwsSection(folder_ / "aws", "profile lab"));
        return {};
      case '5':
        return credentials(text);
      default:
        return words(text);
    }
  }

 private:
  /// What `config set` writes into a hostile file is what is read from it.
  std::string config(std::string_view text) {
    const fs::path file = folder_ / "config.toml";
    writeWhole(file, text);
    const auto before = Config::load(file, std::nullopt);
    if (!before) return brokenBy(before.error());
    const auto setting = findSetting("trash.days");
    if (!setting) return "no setting trash.days";
    if (const auto set = setInFile(file, **setting, "77"); !set) return brokenBy(set.error());
    const auto after = Config::load(file, std::nullopt);
    if (!after) return "set a key and made a file that cannot be read: " + after.error().message;
    if (after->text("trash.days") != "77") return "set trash.days to 77, found another value";
    for (const Setting& other : allSettings()) {
      if (other.key != "trash.days" && after->text(other.key) != before->text(other.key)) {
        return fmt::format("setting trash.days changed {}", other.key);
      }
    }
    return {};
  }

  static std::string profile(std::string text) {
    const auto read = parseProfile("some", std::move(text), "the profile");
    if (!read) return brokenBy(read.error());
    if (read->isExact()) return {};
    const std::string written = qualityProfileText(read->description, read->plan);
    const auto again = parseProfile("some", written, "the profile");
    if (!again) return "a profile is not read back: " + again.error().message;
    const std::string twice = qualityProfileText(again->description, again->plan);
    return twice == written ? "" : "a profile changes when it is written:\n" + written + twice;
  }

  std::string remotes(std::string_view text) {
    writeWhole(folder_ / "remotes.toml", text);
    const auto list = RemoteList::load(folder_.path());
    if (!list) return brokenBy(list.error());
    if (const auto saved = list->save(folder_.path()); !saved) return brokenBy(saved.error());
    const auto again = RemoteList::load(folder_.path());
    if (!again) return "a list of remotes is not read back: " + again.error().message;
    if (again->remotes.size() != list->remotes.size()) return "another number of remotes";
    for (std::size_t i = 0; i < list->remotes.size(); ++i) {
      const RemoteConfig& one = list->remotes[i];
      const RemoteConfig& other = again->remotes[i];
      if (one.name != other.name || one.url != other.url || one.endpoint != other.endpoint ||
          one.insecure != other.insecure || one.plainHttp != other.plainHttp) {
        return "remote " + one.name + " changes when it is written";
      }
    }
    return {};
  }

  std::string credentials(std::string_view text) {
    const auto said = saidOfCredentials(text);
    if (said.empty()) return {};
    // Nothing of what stands in a file of secrets is said: of any other file the same.
    return said == saidOfCredentials("?") ? "" : "quotes a file of secrets: " + said;
  }

  /// Empty if the file can be read.
  std::string saidOfCredentials(std::string_view text) {
    const fs::path file = folder_ / "credentials.json";
    writeWhole(file, text);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    const hub::CredentialFile kept(file);
    const auto found = kept.find({hub::Service::HuggingFace, "huggingface.co"});
    return found ? "" : found.error().message;
  }

  static std::string words(std::string_view text) {
    static_cast<void>(parseByteCount(text));
    static_cast<void>(parseReference(text));
    static_cast<void>(checkRemoteUrl(text));
    const auto duration = parseDuration(text);
    if (!duration) return {};
    const auto again = parseDuration(durationText(*duration));
    return again && *again == *duration ? "" : "a time is not read back";
  }

  TempFolder folder_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeSettingsTarget() { return std::make_unique<SettingsTarget>(); }

}  // namespace strata::test
