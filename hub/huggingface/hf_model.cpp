#include "hub/huggingface/hf_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checked_math.h"
#include "core/io/free_space.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/progress_meter.h"
#include "core/transfer/transfer_queue.h"
#include "hub/git_blob.h"
#include "hub/http/download.h"
#include "hub/http/file_sink.h"
#include "hub/huggingface/hf_api.h"
#include "hub/huggingface/open_hf.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

bool isOfStrata(const std::vector<HfFile>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const HfFile& file) { return file.path == "strata/index.json"; });
}

/// Which files of a repository make the model. Of one that Strata pushed to those are the plain
/// ones.
std::vector<HfFile> wantedFiles(std::vector<HfFile> files, const std::string& path) {
  const bool isPushed = isOfStrata(files);
  std::erase_if(files, [&](const HfFile& file) {
    const bool isOurs = file.path.starts_with("objects/") || file.path.starts_with("strata/");
    if (isPushed && isOurs) return true;
    const bool isMeant = path.empty() || file.path == path || file.path.starts_with(path + "/");
    const bool isHidden = file.path.starts_with('.') || file.path.find("/.") != std::string::npos;
    return !isMeant || (isHidden && file.path != path);
  });
  return files;
}

Result<void> checkFile(const HfFile& file, const fs::path& path) {
  STRATA_TRY(const MappedFile mapped, MappedFile::open(path));
  const auto bytes = mapped.bytes();
  const bool isSame =
      bytes.size() == file.byteCount &&
      (file.sha256.empty()
           ? gitBlobOid({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) == file.gitOid
           : toHex(sha256(bytes)) == file.sha256);
  if (isSame) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: {} bytes came that do not match its hash", file.path, bytes.size()));
}

Result<void> fetchFile(HfApi& api, const std::string& commit, const HfFile& file,
                       const fs::path& target, const std::stop_token& stop,
                       const TransferMeter& meter) {
  if (checkFile(file, target)) {
    if (meter) meter(static_cast<std::int64_t>(file.byteCount));
    return {};
  }
  const fs::path part = target.string() + ".part";
  STRATA_TRY(FileSink sink, FileSink::open(part, file.byteCount));
  if (meter) meter(static_cast<std::int64_t>(sink.byteCount()));
  Download job{api.fileRequest(commit, file.path), file.byteCount, sink.byteCount(), &sink};
  STRATA_TRY(const HttpResponse answer, download(api.client(), job, stop, meter));
  if (!answer.succeeded()) return fail(api.failure(answer, "fetching " + file.path));
  STRATA_TRY(sink.close());
  std::error_code status;
  Result<void> checked = checkFile(file, part);
  if (!checked) {
    fs::remove(part, status);
    return checked;
  }
  fs::rename(part, target, status);
  if (status) return fail(osError(target, "create", status.value()));
  return {};
}

/// `license: apache-2.0` of a card's metadata.
std::string licenceOf(const fs::path& card) {
  const auto mapped = MappedFile::open(card);
  if (!mapped) return {};
  const std::string_view text(reinterpret_cast<const char*>(mapped->bytes().data()),
                              std::min<std::size_t>(mapped->bytes().size(), 65536));
  const std::size_t end = text.starts_with("---") ? text.find("\n---", 3) : std::string_view::npos;
  const std::size_t at = text.find("\nlicense: ");
  if (end == std::string_view::npos || at == std::string_view::npos || at > end) return {};
  std::string_view word = text.substr(at + 10);
  word = word.substr(0, word.find_first_of("\r\n"));
  return word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == word.npos
             ? std::string(word)
             : std::string{};
}

}  // namespace

Result<std::vector<ModelFileOnHub>> listModelFiles(const RemoteConfig& remote,
                                                   const TransportOptions& options,
                                                   std::stop_token stop) {
  STRATA_TRY(const std::unique_ptr<HfApi> api, openHfApi(remote, options));
  STRATA_TRY(const std::string commit, api->headCommit(stop));
  STRATA_TRY(std::vector<HfFile> listed, api->listFiles(commit, stop));
  std::vector<ModelFileOnHub> files;
  for (HfFile& file : wantedFiles(std::move(listed), api->repository().path)) {
    files.push_back({std::move(file.path), file.byteCount});
  }
  return files;
}

Result<FetchedModel> fetchModel(const RemoteConfig& remote, const TransportOptions& options,
                                const fs::path& folder, unsigned parallel, std::stop_token stop,
                                const ProgressSink& progress, std::uint64_t mostBytes) {
  STRATA_TRY(const std::unique_ptr<HfApi> api, openHfApi(remote, options));
  STRATA_TRY(const std::string commit, api->headCommit(stop));
  STRATA_TRY(std::vector<HfFile> listed, api->listFiles(commit, stop));
  const std::string& path = api->repository().path;
  const bool isPushed = isOfStrata(listed);
  const std::vector<HfFile> files = wantedFiles(std::move(listed), path);
  const bool isOnlyCard = std::all_of(files.begin(), files.end(),
                                      [](const HfFile& file) { return file.path == "README.md"; });
  if (isPushed && isOnlyCard && path.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: holds versions and no plain files of one; \"strata pull {}\" "
                            "fetches versions",
                            remote.url, remote.url));
  }
  if (files.empty()) return fail(ErrorCode::NotFound, remote.url + ": has no such file");
  FetchedModel model;
  for (const HfFile& file : files) {
    model.byteCount = saturatingAdd(model.byteCount, file.byteCount);
  }
  if (model.byteCount > mostBytes) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: its files have {} bytes, expected {}",
                                                    remote.url, model.byteCount, mostBytes));
  }
  STRATA_TRY(checkFreeSpace(folder, model.byteCount));
  for (const HfFile& file : files) {
    STRATA_TRY(makeStoreFolder((folder / file.path).parent_path()));
  }
  ProgressMeter meter(progress, "fetching", model.byteCount);
  const auto results = runTransfers(files.size(), parallel, stop, [&](std::size_t i) {
    return fetchFile(*api, commit, files[i], folder / files[i].path, stop, [&](std::int64_t bytes) {
      meter.add(static_cast<std::uint64_t>(bytes), files[i].path);
    });
  });
  meter.finish({});
  for (const Result<void>& result : results) STRATA_TRY(result);
  const bool isFile = files.size() == 1 && files[0].path == path;
  model.path = isFile ? folder / path : path.empty() ? folder : folder / path;
  model.url =
      fmt::format("hf://{}@{}{}{}", api->repository().id, commit, path.empty() ? "" : "/", path);
  model.license = licenceOf(folder / "README.md");
  return model;
}

}  // namespace strata::hub
