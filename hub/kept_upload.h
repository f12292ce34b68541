#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"

namespace strata::hub {

/// What a later run needs to go on with the upload of an object, or to end it: a text of at most
/// 1 MiB (the server's name of the upload, or its signed URLs) in `FOLDER/OBJECT-PLACE.upload`,
/// mode 0600, locked by who is at it. Only saves work: where it cannot be written, nothing is kept.
/// Move-only.
class KeptUpload {
 public:
  /// `place` is where the object goes, and says apart the uploads of different remotes. An empty
  /// folder, or an upload that another process is at: nothing is kept, `text` is empty.
  static KeptUpload open(const std::filesystem::path& folder, std::string_view place,
                         const Digest& object);
  /// What earlier runs left for this place and nobody is at.
  static std::vector<KeptUpload> leftAt(const std::filesystem::path& folder,
                                        std::string_view place);

  KeptUpload(KeptUpload&& other) noexcept;
  KeptUpload& operator=(KeptUpload&&) = delete;
  ~KeptUpload();

  /// Whether a later run will find what is written.
  bool isKept() const noexcept { return descriptor_ >= 0; }
  const Digest& object() const noexcept { return object_; }
  /// What an earlier run wrote last. Untrusted: a crash may have cut it.
  const std::string& text() const noexcept { return text_; }

  void write(std::string_view text);
  /// The upload has ended, one way or the other.
  void forget();

 private:
  KeptUpload(std::filesystem::path file, int descriptor, const Digest& object);
  static int openLocked(const std::filesystem::path& file, bool make);

  std::filesystem::path file_;
  int descriptor_ = -1;  ///< locked
  Digest object_;
  std::string text_;
};

}  // namespace strata::hub
