#include "gui/models/setting_help.h"

#include <QCoreApplication>
#include <QStringList>
#include <string>

namespace strata::gui {
namespace {

constexpr char kContext[] = "strata::gui::SettingHelp";

/// Core's words (core/config/settings.cpp), for lupdate to find.
constexpr const char* kHelp[] = {
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "colour in the terminal"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "where the coding runs"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "work that add spends on size"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "threads; 0 takes all cores"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "ceiling of working memory"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "token servers beside registries: REGISTRY=SERVER,..."),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "never use the network"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "how many of so many objects a store may lose; set with --in-store"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "compression profile of add"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "progress on stderr"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "proxy for remotes; empty: https_proxy, no_proxy"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "compare the SHA-256 of each restored file, too"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "whether a group may write to the store; set with --in-store"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "a transfer below so many bytes a second is given up; 0: only a silent one"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "most bytes a second of all transfers; 0: no limit"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp", "days that removed versions stay in the trash"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "days after which a version counts as not checked lately"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "seconds to wait for another program that writes; 0: not at all"),
    QT_TRANSLATE_NOOP("strata::gui::SettingHelp",
                      "folder in memory for watch --memory-tier and resume"),
};

}  // namespace

QString settingHelp(const Setting& setting) {
  return QCoreApplication::translate(kContext, std::string(setting.help).c_str());
}

QStringList translatedSettingHelp() {
  QStringList lines;
  for (const char* line : kHelp) lines << QString::fromUtf8(line);
  return lines;
}

}  // namespace strata::gui
