#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "gui/jobs/job.h"

namespace strata::gui {

/// One setting of core as the settings page shows it.
struct SettingValue {
  std::string key;
  QString value;
  QString origin;  ///< "default", or the file or variable it comes from

  bool isDefault() const { return origin == QStringLiteral("default"); }
};

/// All settings in force for the store at `folder` (empty: none).
OpJob<std::vector<SettingValue>>* settingsJob(const QString& folder);
/// Writes one setting to the user's file.
OpJob<bool>* setSettingJob(const std::string& key, const QString& value);
/// The shipped profiles, then the user's.
OpJob<std::vector<Profile>>* profilesJob();
OpJob<Profile>* saveProfileJob(const Profile& profile, Replace replace);

}  // namespace strata::gui
