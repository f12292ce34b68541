#include "core/ops/versions/restore_partial.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "core/io/free_space.h"
#include "core/io/os_error.h"
#include "core/io/owned/owned_file.h"
#include "core/io/special_file.h"
#include "core/ops/detail/stored_model.h"
#include "core/progress_meter.h"
#include "core/store/catalog/tensor_state.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_location.h"
#include "core/text/glob.h"
#include "core/text/wording.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".strata-file";
/// Of a file that is being written, until it takes the target's place.
constexpr std::uint32_t kPrivateMode = 0600;

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

Result<void> checkTarget(const fs::path& target) {
  STRATA_TRY(refuseInsideStore(target));
  STRATA_TRY(refuseSpecial(target));
  std::error_code status;
  if (!fs::exists(target, status)) {
    return fail(ErrorCode::NotFound,
                target.string() + ": no such file; --partial writes into one that exists");
  }
  if (!fs::is_directory(target, status)) return {};
  return refuse(target.string() + ": is a folder; --partial writes into one file of it");
}

std::string shown(ElementType type, std::span<const std::uint64_t> shape) {
  return fmt::format("{} {}", name(type), wordShape(shape));
}

/// The tensors of one file by their bytes, to find those that a view lies in.
class FileTensors {
 public:
  /// A tensor, and where it begins beside the first element of a view, in bytes.
  struct Piece {
    std::string_view name;
    std::ptrdiff_t begin;
    bool operator==(const Piece&) const = default;
  };

  FileTensors(const ModelDescription& model, std::uint32_t file) {
    for (const TensorInfo& one : model.tensors) {
      if (one.file == file) byBytes_.push_back({bytesOf(model, one), one.name});
    }
    std::ranges::sort(byBytes_, {}, [](const Named& one) { return one.bytes.data(); });
  }

  std::vector<Piece> piecesOf(const PlainArray& view) const {
    const std::byte* const begin = view.bytes.data();
    const std::byte* const end = begin + spanned(view);
    const auto isBefore = [&](const Named& one) {
      return one.bytes.data() + one.bytes.size() <= begin;
    };
    auto at = std::ranges::partition_point(byBytes_, isBefore);
    std::vector<Piece> pieces;
    for (; at != byBytes_.end() && at->bytes.data() < end; ++at) {
      pieces.push_back({at->name, at->bytes.data() - begin});
    }
    return pieces;
  }

 private:
  struct Named {
    std::span<const std::byte> bytes;
    std::string_view name;
  };

  /// Bytes from the first element to the end of the last one.
  static std::size_t spanned(const PlainArray& view) {
    if (view.strides.empty() || std::ranges::find(view.shape, 0u) != view.shape.end()) {
      return static_cast<std::size_t>(byteCount(view));
    }
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < view.shape.size(); ++i)
      last += (view.shape[i] - 1) * view.strides[i];
    return static_cast<std::size_t>(
        bytesOfElements(view.type, last + 1).value_or(view.bytes.size()));
  }

  std::vector<Named> byBytes_;  ///< sorted
};

/// Which bytes of the target become which of the version.
class Partial {
 public:
  Partial(const Store& store, const RestorePartialOptions& options, const ModelSource& target)
      : store_(store), options_(options), target_(target), model_(target.description()) {}

  Result<RestorePartialReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(report_.version, store_.resolveChecked(options_.reference));
    const std::string label = report_.version.label();
    STRATA_TRY(const auto reader, openVersion(store_, report_.version));
    STRATA_TRY(findWanted(reader->manifest()));
    STRATA_TRY(const std::string source, findSource(reader->manifest()));
    report_.file = fileOfTarget();
    for (const TensorInfo* const one : wanted_) {
      report_.tensors.push_back({one->name, one->type, one->shape, one->byteCount, false});
    }
    if (options_.dryRun) return std::move(report_);
    const auto isIt = [&](const ManifestFile& file) { return file.path == source; };
    STRATA_TRY(const auto stored,
               StoredModel::open(*reader, label, options_.device, {}, stop, progress, isIt));
    STRATA_TRY(checkLayouts(stored->description()));
    collect(stored->description());
    STRATA_TRY(write(stop));
    return std::move(report_);
  }

 private:
  const ModelFile& file() const { return model_.files[wanted_.front()->file]; }

  /// The tensors of the target that are asked for, in one file.
  Result<void> findWanted(const Manifest& manifest) {
    const std::string target = options_.target.string();
    std::set<std::string> names;
    for (const std::string& glob : options_.globs) {
      const auto isMeant = [&](const auto& tensor) { return matchesGlob(tensor.name, glob); };
      if (std::ranges::any_of(model_.tensors, isMeant)) continue;
      const bool isStored = std::ranges::any_of(manifest.tensors, isMeant);
      return fail(ErrorCode::NotFound,
                  fmt::format("{}: has no tensor that \"{}\" names{}", target, glob,
                              isStored ? fmt::format("; {} has", report_.version.label()) : ""));
    }
    for (const TensorInfo& tensor : model_.tensors) {
      const bool isMeant = std::ranges::any_of(
          options_.globs, [&](const auto& glob) { return matchesGlob(tensor.name, glob); });
      if (!isMeant) continue;
      if (!names.insert(tensor.name).second) {
        return refuse(fmt::format("{}: has several tensors {}", target, tensor.name));
      }
      wanted_.push_back(&tensor);
    }
    const auto isElsewhere = std::ranges::find_if(
        wanted_, [&](const TensorInfo* one) { return one->file != wanted_.front()->file; });
    if (isElsewhere == wanted_.end()) return {};
    return refuse(
        fmt::format("{} lies in {}, and {} in {}: several files cannot be replaced in one "
                    "step; name the tensors of one",
                    wanted_.front()->name, file().path, (*isElsewhere)->name,
                    model_.files[(*isElsewhere)->file].path));
  }

  /// Why a file of the version cannot give the tensors; nothing: it can.
  std::optional<Error> misfit(const Manifest& manifest, std::uint32_t file) const {
    std::map<std::string, ManifestTensor> stored;
    for (const ManifestTensor& one : manifest.tensors) {
      if (one.file == file) stored.emplace(one.name, one);
    }
    const std::string label = report_.version.label();
    for (const TensorInfo* const one : wanted_) {
      const auto at = stored.find(one->name);
      if (at == stored.end()) {
        return Error{ErrorCode::NotFound, fmt::format("{}: has no tensor {}, which {} has", label,
                                                      one->name, options_.target.string())};
      }
      const ManifestTensor& other = at->second;
      const bool isAlike = other.type == one->type && other.shape == one->shape &&
                           byteCount(other) == one->byteCount;
      if (isAlike) continue;
      return Error{
          ErrorCode::InvalidArgument,
          fmt::format("{}: is {} in {}, and {} in {}", one->name, shown(other.type, other.shape),
                      label, shown(one->type, one->shape), options_.target.string())};
    }
    if (manifest.files[file].kind == this->file().kind) return std::nullopt;
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{}: is a file of another format in {}: {}", options_.target.string(),
                             label, manifest.files[file].path)};
  }

  /// How many of them a file of the version has, whatever their shapes.
  std::size_t countOf(const Manifest& manifest, std::uint32_t file) const {
    std::set<std::string_view> names;
    for (const TensorInfo* const one : wanted_) names.insert(one->name);
    return static_cast<std::size_t>(std::ranges::count_if(manifest.tensors, [&](const auto& one) {
      return one.file == file && names.contains(one.name);
    }));
  }

  /// The path of the version's file to take them from.
  Result<std::string> findSource(const Manifest& manifest) {
    const std::string own = fs::path(file().path).filename().string();
    std::vector<std::uint32_t> fits;
    std::optional<Error> why;
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < manifest.files.size(); ++i) {
      const bool isNamesake = fs::path(manifest.files[i].path).filename() == own;
      auto problem = misfit(manifest, i);
      if (!problem && isNamesake) return manifest.files[i].path;
      if (!problem) fits.push_back(i);
      // The file that has most of them says most of what is wrong.
      const std::size_t found = countOf(manifest, i) + (isNamesake ? wanted_.size() : 0);
      const bool saysMore = problem && (!why || found > most);
      if (saysMore) most = found;
      if (saysMore) why = std::move(problem);
    }
    if (fits.size() == 1) return manifest.files[fits.front()].path;
    if (fits.empty()) return fail(std::move(*why));
    return refuse(fmt::format("{}: has them in several files, {} and {}, and none is named {}",
                              report_.version.label(), manifest.files[fits[0]].path,
                              manifest.files[fits[1]].path, own));
  }

  /// The target, or what it names: the shard of an index, the data beside a graph.
  fs::path fileOfTarget() const {
    if (model_.files.size() == 1) return options_.target;
    return options_.target.parent_path() / file().path;
  }

  /// Bytes are copied, and the target's header says how they lie: row by row, or turned. Of NumPy's
  /// files that has to be known. `stored` has one file.
  Result<void> checkLayouts(const ModelDescription& stored) const {
    if (!options_.arrays) return {};
    std::vector<LeftOutTensor> leftOut;
    const auto there = options_.arrays(stored, 0, leftOut);
    const auto here = options_.arrays(model_, wanted_.front()->file, leftOut);
    if (!there || !here) {
      if (!file().path.ends_with(".npz")) return {};
      return refuse(fmt::format("{}: how its arrays lie is not known: {}", options_.target.string(),
                                (there ? here : there).error().message));
    }
    std::map<std::string_view, const PlainArray*> byName;
    for (const PlainArray& one : *there) byName.emplace(one.name, &one);
    std::set<std::string_view> names;
    for (const TensorInfo* const one : wanted_) names.insert(one->name);
    const FileTensors tensorsHere(model_, wanted_.front()->file);
    const FileTensors tensorsThere(stored, 0);
    for (const PlainArray& one : *here) {
      const auto other = byName.find(one.name);
      if (!names.contains(one.name) || other == byName.end()) continue;
      if (one.shape != other->second->shape || one.strides != other->second->strides) {
        return refuse(fmt::format("{}: is {} in {}, and {} in {}", one.name,
                                  laidOut(*other->second), report_.version.label(), laidOut(one),
                                  options_.target.string()));
      }
      const auto pieces = tensorsHere.piecesOf(one);
      STRATA_TRY(checkPieces(one.name, pieces, names));
      if (pieces == tensorsThere.piecesOf(*other->second)) continue;
      return refuse(fmt::format("{}: lies elsewhere in its storage in {} than in {}", one.name,
                                report_.version.label(), options_.target.string()));
    }
    return {};
  }

  /// A view that shares its storage with others is the version's only with all of them.
  Result<void> checkPieces(std::string_view view, std::span<const FileTensors::Piece> pieces,
                           const std::set<std::string_view>& names) const {
    std::vector<std::string_view> missing;
    for (const FileTensors::Piece& piece : pieces) {
      if (!names.contains(piece.name)) missing.push_back(piece.name);
    }
    if (missing.empty()) return {};
    return refuse(fmt::format("{}: shares its storage in {} with {}, which {} named, too", view,
                              options_.target.string(), fmt::join(missing, " and "),
                              missing.size() == 1 ? "has to be" : "have to be"));
  }

  /// "f32 3x3, with strides 1x3".
  static std::string laidOut(const PlainArray& array) {
    std::string text = shown(array.type, array.shape);
    if (!array.strides.empty()) text += ", with strides " + wordShape(array.strides);
    return text;
  }

  /// `stored` has one file.
  void collect(const ModelDescription& stored) {
    std::map<std::string_view, const TensorInfo*> byName;
    for (const TensorInfo& one : stored.tensors) byName.emplace(one.name, &one);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const auto bytes = bytesOf(stored, *byName.at(wanted_[i]->name));
      report_.tensors[i].isChanged = !std::ranges::equal(bytes, bytesOf(model_, *wanted_[i]));
      patches_.push_back({wanted_[i]->offset, bytes});
    }
  }

  Result<void> addChecksums() {
    if (!options_.checksums) return {};
    STRATA_TRY(const auto sums, options_.checksums(file(), patches_));
    sums_.resize(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t at = 0; at < sums_[i].size(); ++at) {
        sums_[i][at] = static_cast<std::byte>(sums[i].value >> (8 * at));
      }
      patches_.push_back({sums[i].offset, sums_[i]});
    }
    std::ranges::sort(patches_, {}, &FilePatch::offset);
    return {};
  }

  Result<void> write(const std::stop_token& stop) {
    STRATA_TRY(addChecksums());
    const fs::path folder =
        report_.file.has_parent_path() ? report_.file.parent_path() : fs::path(".");
    const auto bytes = file().bytes.whole();
    STRATA_TRY(checkFreeSpace(folder, bytes.size()));
    OwnedFile::removeDead(folder, kTemporaryPrefix);
    STRATA_TRY(OwnedFile fresh, OwnedFile::make(folder, kTemporaryPrefix, kPrivateMode));
    std::size_t at = 0;
    for (const FilePatch& patch : patches_) {
      STRATA_TRY(append(*fresh.operator->(), bytes.subspan(at, patch.offset - at), stop));
      STRATA_TRY(append(*fresh.operator->(), patch.bytes, stop));
      at = patch.offset + patch.bytes.size();
    }
    STRATA_TRY(append(*fresh.operator->(), bytes.subspan(at), stop));
    // What a trainer has written since would be lost.
    STRATA_TRY(target_.checkUnchanged());
    STRATA_TRY(keepMode(fresh->path()));
    return fresh->moveTo(report_.file);
  }

  /// The target's own permission bits, whatever the umask has to say of new files.
  Result<void> keepMode(const fs::path& fresh) const {
    struct stat info {};
    if (::stat(report_.file.c_str(), &info) != 0) {
      return fail(osError(report_.file, "look at", errno));
    }
    if (::chmod(fresh.c_str(), info.st_mode & kPermissionBits) == 0) return {};
    return fail(osError(fresh, "change the permissions of", errno));
  }

  static Result<void> append(TempFile& file, std::span<const std::byte> bytes,
                             const std::stop_token& stop) {
    constexpr std::size_t kChunk = 4 << 20;
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      STRATA_TRY(file.append(bytes.subspan(at, std::min(kChunk, bytes.size() - at))));
    }
    return {};
  }

  const Store& store_;
  const RestorePartialOptions& options_;
  const ModelSource& target_;
  const ModelDescription& model_;
  std::vector<const TensorInfo*> wanted_;  ///< of the target, in the order of its bytes
  std::vector<FilePatch> patches_;         ///< sorted
  std::vector<std::array<std::byte, 4>> sums_;
  RestorePartialReport report_;
};

}  // namespace

Result<RestorePartialReport> restorePartial(const Store& store,
                                            const RestorePartialOptions& options,
                                            const std::stop_token& stop,
                                            const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(checkTarget(options.target));
  auto target = options.open(options.target);
  // A user's file that is cut is no damage of the store.
  if (!target && target.error().code == ErrorCode::CorruptData) {
    return fail(ErrorCode::Unsupported, target.error().message);
  }
  if (!target) return fail(std::move(target).error());
  STRATA_TRY(RestorePartialReport report, Partial(store, options, **target).run(stop, progress));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
