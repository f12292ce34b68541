#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Which files of a folder do not belong to the model in it. Patterns come from the program (files
/// that hold secrets), from the folder's `.strataignore` and from the user; the last one that
/// matches decides.
///
/// A pattern is a glob. With a '/' before its end it means the path from the folder on, else a name
/// at any depth; one that ends in '/' means folders only. '!' in front keeps what earlier patterns
/// left out, but not inside of a folder that is left out. '*' stands for '/', too.
class IgnoreList {
 public:
  enum class Verdict {
    Kept,
    Excluded,  ///< somebody said so
    Secret,    ///< nobody said anything, and such files hold passwords or keys
  };

  /// Knows the names of files with secrets.
  IgnoreList();

  void add(std::string_view pattern);
  /// A pattern on each line; empty lines and those that begin with '#' say nothing.
  void addLines(std::string_view text);

  /// `path` is relative to the folder, with '/' between its parts.
  Verdict verdict(std::string_view path, bool isFolder) const;

 private:
  struct Rule {
    std::string glob;
    Verdict verdict = Verdict::Excluded;
    bool foldersOnly = false;
    bool isWholePath = false;
  };
  void add(std::string_view pattern, Verdict verdict);

  std::vector<Rule> rules_;
};

}  // namespace strata
