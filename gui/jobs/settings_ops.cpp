#include "gui/jobs/settings_ops.h"

#include <QCoreApplication>
#include <filesystem>

#include "core/config/config.h"
#include "core/config/user_folders.h"
#include "core/text/url_text.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::Settings)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

Result<std::vector<SettingValue>> readSettings(const QString& folder) {
  std::optional<std::filesystem::path> storeFile;
  if (!folder.isEmpty()) storeFile = std::filesystem::path(folder.toStdString()) / "config.toml";
  STRATA_TRY(const Config config, Config::load(userConfigFile(), storeFile));
  std::vector<SettingValue> values;
  for (const Setting& setting : allSettings()) {
    const bool isOfStore = setting.key == "shared" || setting.key == "parity";
    if (isOfStore) continue;  // a store's, which the command line sets
    const ConfigValue& value = config.value(setting.key);
    values.push_back({std::string(setting.key), exactText(withoutPassword(value.text)),
                      value.source.empty() ? text(name(value.origin)) : text(value.source)});
  }
  return values;
}

}  // namespace

OpJob<std::vector<SettingValue>>* settingsJob(const QString& folder) {
  return new OpJob<std::vector<SettingValue>>(
      Words::tr("Reading settings"), Words::tr("The settings could not be read"),
      [folder](Stop, Sink) { return readSettings(folder); });
}

OpJob<bool>* setSettingJob(const std::string& key, const QString& value) {
  return new OpJob<bool>(Words::tr("Saving a setting"),
                         Words::tr("%1 could not be set").arg(text(key)),
                         [key, value](Stop, Sink) -> Result<bool> {
                           STRATA_TRY(const Setting* const setting, findSetting(key));
                           STRATA_TRY(setInFile(userConfigFile(), *setting, value.toStdString()));
                           return true;
                         });
}

OpJob<std::vector<Profile>>* profilesJob() {
  return new OpJob<std::vector<Profile>>(
      Words::tr("Reading profiles"), Words::tr("The profiles could not be read"),
      [](Stop, Sink) { return listProfiles(profileFolder(), nullptr); });
}

OpJob<Profile>* saveProfileJob(const Profile& profile, Replace replace) {
  return new OpJob<Profile>(
      Words::tr("Saving profile %1").arg(text(profile.name)),
      Words::tr("The profile %1 could not be saved").arg(text(profile.name)),
      [profile, replace](Stop, Sink) { return saveProfile(profileFolder(), profile, replace); });
}

}  // namespace strata::gui
