#pragma once

#include <QString>
#include <QStringList>

namespace strata::gui {

/// The command line that does what a button does, ready for a POSIX shell: "strata -C DIR add …".
/// Hashes, names and commands are never translated.
class CommandText {
 public:
  /// `store` is the folder of the open store; empty for commands without one.
  CommandText(const QString& store, const QString& command);

  CommandText& word(const QString& word);
  CommandText& words(const QStringList& words);
  /// `--name value`; nothing where the value is empty.
  CommandText& option(const QString& name, const QString& value);
  CommandText& flag(const QString& name, bool isSet);

  QString text() const;

 private:
  QStringList words_;
};

/// A word as a shell takes it: quoted where it has to be.
QString shellQuoted(const QString& word);

}  // namespace strata::gui
