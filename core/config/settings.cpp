#include "core/config/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/config/byte_count.h"

namespace strata {
namespace {

constexpr std::array kSettings{
    Setting{"color", SettingKind::Choice, "auto", "", "auto|always|never",
            "colour in the terminal"},
    Setting{"device", SettingKind::Choice, "auto", "STRATA_DEVICE", "auto|cpu|cuda",
            "where the coding runs"},
    Setting{"effort", SettingKind::Choice, "default", "STRATA_EFFORT", "fast|default|best",
            "work that add spends on size"},
    Setting{"jobs", SettingKind::WholeNumber, "0", "STRATA_JOBS", "", "threads; 0 takes all cores"},
    Setting{"memory", SettingKind::ByteCount, "512MB", "STRATA_MEMORY", "",
            "ceiling of working memory"},
    Setting{"oci.realms", SettingKind::Text, "", "", "",
            "token servers beside registries: REGISTRY=SERVER,...", "*"},
    Setting{"offline", SettingKind::YesOrNo, "false", "STRATA_OFFLINE", "", "never use the network",
            "false"},
    Setting{"parity", SettingKind::Choice, "off", "", "off|1/5|1/10|2/5|2/10|2/20|3/10|4/20",
            "how many of so many objects a store may lose; set with --in-store"},
    Setting{"profile", SettingKind::Text, "exact", "STRATA_PROFILE", "",
            "compression profile of add", "*"},
    Setting{"progress", SettingKind::Choice, "auto", "", "auto|always|never", "progress on stderr"},
    Setting{"proxy", SettingKind::Text, "", "STRATA_PROXY", "",
            "proxy for remotes; empty: https_proxy, no_proxy", "*"},
    Setting{"restore.verify", SettingKind::YesOrNo, "false", "", "",
            "compare the SHA-256 of each restored file, too", "false"},
    Setting{"shared", SettingKind::Choice, "no", "", "no|group",
            "whether a group may write to the store; set with --in-store"},
    Setting{"transfer.least", SettingKind::ByteCount, "1kB", "", "",
            "a transfer below so many bytes a second is given up; 0: only a silent one"},
    Setting{"transfer.limit", SettingKind::ByteCount, "0", "", "",
            "most bytes a second of all transfers; 0: no limit"},
    Setting{"trash.days", SettingKind::WholeNumber, "14", "", "",
            "days that removed versions stay in the trash", kConfirmedIfLess},
    Setting{"verify.days", SettingKind::WholeNumber, "30", "", "",
            "days after which a version counts as not checked lately"},
    Setting{"wait", SettingKind::WholeNumber, "10", "STRATA_WAIT", "",
            "seconds to wait for another program that writes; 0: not at all"},
    Setting{"watch.memory", SettingKind::Text, "/dev/shm", "", "",
            "folder in memory for watch --memory-tier and resume", "*"},
};

tl::unexpected<Error> refuse(const Setting& setting, std::string_view value,
                             std::string_view expected) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: \"{}\" is not {}", setting.key, value, expected));
}

bool isChoice(std::string_view choices, std::string_view value) noexcept {
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, bar) == value) return true;
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return false;
}

Result<std::string> yesOrNo(const Setting& setting, std::string_view value) {
  for (const std::string_view yes : {"true", "yes", "on", "1"}) {
    if (value == yes) return "true";
  }
  for (const std::string_view no : {"false", "no", "off", "0"}) {
    if (value == no) return "false";
  }
  return refuse(setting, value, "true or false");
}

Result<std::string> wholeNumber(const Setting& setting, std::string_view value) {
  constexpr std::uint32_t kMost = 100'000;
  std::uint32_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stopped, status] = std::from_chars(value.data(), end, number);
  if (status != std::errc{} || stopped != end || number > kMost) {
    return refuse(setting, value, fmt::format("a whole number from 0 to {}", kMost));
  }
  return std::to_string(number);
}

}  // namespace

std::span<const Setting> allSettings() noexcept { return kSettings; }

Result<const Setting*> findSetting(std::string_view key) {
  for (const Setting& setting : kSettings) {
    if (setting.key == key) return &setting;
  }
  return fail(ErrorCode::NotFound, fmt::format("there is no setting \"{}\"", key));
}

Result<std::string> normalizedValue(const Setting& setting, std::string_view value) {
  switch (setting.kind) {
    case SettingKind::Choice:
      if (!isChoice(setting.choices, value)) {
        return refuse(setting, value, fmt::format("one of {}", setting.choices));
      }
      return std::string(value);
    case SettingKind::WholeNumber:
      return wholeNumber(setting, value);
    case SettingKind::YesOrNo:
      return yesOrNo(setting, value);
    case SettingKind::ByteCount:
      if (const auto bytes = parseByteCount(value); !bytes) {
        return fail(bytes.error().within(setting.key));
      }
      return std::string(value);
    case SettingKind::Text:
      break;
  }
  for (const char letter : value) {
    if (static_cast<unsigned char>(letter) < 0x20) {
      return refuse(setting, "...", "plain text: it has control characters");
    }
  }
  return std::string(value);
}

}  // namespace strata
