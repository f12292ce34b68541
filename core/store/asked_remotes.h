#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// STORE/asked.json: which remotes were asked, and which numbers they have given to which contents.
///
/// It lies beside the folder `remotes`, where the lists of the remotes are kept, so that both are
/// not lost at once without a word. Whoever numbers a version reads it, too: a number that a remote
/// gave is never given to another content here. A value type.
class AskedRemotes {
 public:
  /// The contents of a name's numbers, by the first LastNumber::kFormerDigits digits.
  using Numbers = std::map<std::uint32_t, std::string>;
  using Names = std::map<std::string, Numbers, std::less<>>;

  static std::filesystem::path fileOf(const std::filesystem::path& storeFolder);

  /// Nothing was asked where there is no file. Fails with CorruptData or Io, saying what to do.
  static Result<AskedRemotes> load(const std::filesystem::path& storeFolder);
  /// Fails with NoSpace or Io.
  Result<void> save(const std::filesystem::path& storeFolder) const;

  /// `place` stands for where a remote is, whatever it is called.
  bool contains(const std::string& place) const { return places_.contains(place); }
  /// All but forgotten ones, sorted.
  std::vector<std::string> places() const;
  /// It was asked, and lists `names`. What it listed before counts on.
  void note(const std::string& place, const Names& names);
  /// All numbers are known of the list of that place which has this stamp (listStamp).
  void noteList(const std::string& place, std::string stamp);
  bool knowsList(const std::string& place, const std::string& stamp) const;
  /// The same of any place.
  bool knowsList(const std::string& stamp) const;
  /// All that `other` knows. Whether any place or number of it was new.
  bool noteAll(const AskedRemotes& other);
  /// As if it had not been asked. Its numbers count on.
  void forget(const std::string& place);

  /// Whether a version of this content may have the number: no remote gave it to another one.
  bool allows(std::string_view name, std::uint32_t number, const Digest& content) const;
  /// Whether another remote than that at `place` gave the number to this content.
  bool isElsewhere(const std::string& place, std::string_view name, std::uint32_t number,
                   const Digest& content) const;
  /// The number of a new version of this content, `least` or more: one that the remotes gave to
  /// this content, else one above all of theirs. More than 32 bits where none is left.
  std::uint64_t nextFor(std::string_view name, std::uint64_t least, const Digest& content) const;

  friend bool operator==(const AskedRemotes&, const AskedRemotes&) = default;

 private:
  std::map<std::string, Names> places_;       ///< under "": what was forgotten
  std::map<std::string, std::string> lists_;  ///< stamps of lists, by place
};

}  // namespace strata
