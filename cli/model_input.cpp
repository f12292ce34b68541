#include "cli/model_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "cli/remote_access.h"
#include "cli/words/model_words.h"
#include "core/io/folder_lock.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/catalog/tensor_state.h"
#include "core/text/wording.h"
#include "core/transfer/fetched_models.h"
#include "hub/http/file_sink.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

Result<void> copyStdin(const fs::path& file, const std::stop_token& stop) {
  STRATA_TRY(hub::FileSink sink,
             hub::FileSink::open(file, std::numeric_limits<std::uint64_t>::max()));
  std::vector<std::byte> piece(kPieceBytes);
  for (;;) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(osError("stdin", "read", errno));
    if (got == 0) return sink.close();
    STRATA_TRY(sink.append(std::span(piece).first(static_cast<std::size_t>(got))));
  }
}

}  // namespace

class ModelInput::Received {
 public:
  Received(fs::path folder, FolderLock lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;
  ~Received() {
    lock_.reset();
    FolderLock::removeFree(folder_);
  }

  fs::path file(std::string_view name) const { return folder_ / name; }

 private:
  fs::path folder_;
  std::optional<FolderLock> lock_;
};

void ModelInput::Forget::operator()(Received* received) const noexcept { delete received; }

/// The file gets the name that its content asks for.
Attempt<ModelInput::ReceivedOwner> ModelInput::receive(Context& context, const Store& store) {
  if (::isatty(STDIN_FILENO) == 1) {
    return usage("-: stdin is a terminal, expected a model from a pipe or a file");
  }
  const fs::path folder = fetchedModelFolder(store.folder(), "stdin " + randomName());
  STRATA_TRY(FolderLock lock, FolderLock::take(folder));
  ReceivedOwner received(new Received(folder, std::move(lock)));
  STRATA_TRY(const bool isNew, makeStoreFolder(folder));
  static_cast<void>(isNew);
  STRATA_TRY(copyStdin(received->file("stdin"), context.stopToken()));
  return received;
}

Attempt<ModelInput> ModelInput::open(Context& context, const Store& store, const std::string& word,
                                     const FolderOptions& options) {
  ModelInput input;
  input.path_ = word;
  input.isWhole_ = options.exclude.empty();
  if (word == kStdin) {
    STRATA_ATTEMPT(input.received_, receive(context, store));
    STRATA_ATTEMPT(const auto found, context.openModel(input.received_->file("stdin"), false));
    const fs::path named = input.received_->file("model." + found->description().format);
    std::error_code status;
    fs::rename(input.received_->file("stdin"), named, status);
    if (status) return problem(osError(named, "create", status.value()));
    input.path_ = named;
  } else if (isRemoteUrl(word)) {
    STRATA_ATTEMPT(input.fetched_, fetchFromHub(context, store, word));
    input.path_ = input.fetched_->path();
  }
  STRATA_ATTEMPT(input.model_,
                 context.openModel(input.path_, options.followLinks, options.exclude));
  const ModelDescription& found = input.model_->description();
  context.output().note(printable(fmt::format("Reading {}  {}, {}", word == kStdin ? "stdin" : word,
                                              wordCount(found.files.size(), "file"),
                                              wordCount(tensorCount(found), "tensor"))));
  return input;
}

void ModelInput::describe(std::string& sourceUrl, std::string& license) const {
  if (!fetched_) return;
  std::string whole = sourceUrl;
  fetched_->describe(whole, license);
  if (isWhole_) sourceUrl = std::move(whole);
}

void ModelInput::drop() {
  if (fetched_) fetched_->drop();
}

}  // namespace strata::cli
