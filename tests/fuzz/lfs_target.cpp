#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/ops/versions/import_base.h"
#include "hub/lfs/lfs_agent.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

/// Lines of git-lfs. Nothing is there that an upload could name, so the store stays as it is.
class LfsTarget final : public FuzzTarget {
 public:
  LfsTarget() : store_(Store::create(folder_ / "store").value()) {
    std::filesystem::create_directories(folder_ / "restored");
    importBase(*store_, *model_, {.name = "lfs-" + oid()}, {}, {}).value();
  }

  std::vector<std::string> seeds() const override {
    const std::string stored = R"({"event":"download","oid":")" + oid() + R"(","size":)" +
                               std::to_string(model_->bytesOf(0).size()) + "}";
    return {R"({"event":"init","operation":"upload","concurrent":true,"concurrenttransfers":3})"
            "\n" +
                stored + "\n" + R"({"event":"terminate"})" + "\n",
            R"({"event":"upload","oid":"22)" + std::string(62, 'a') +
                R"(","size":5,"path":"/nowhere/x"})" + "\n\n",
            stored + "\n" + stored + "\nno json\n"};
  }

  std::string broken(std::string_view text) override {
    // An upload of a file that there is would be stored, whatever it is.
    if (text.find("/dev") != text.npos || text.find("/proc") != text.npos) return {};
    std::istringstream in{std::string(text)};
    std::ostringstream out;
    hub::LfsAgentOptions options;
    options.openModel = [](const auto&) -> Result<std::unique_ptr<ModelSource>> {
      return fail(ErrorCode::InvalidArgument, "no model");
    };
    options.temporaryFolder = folder_ / "restored";
    const auto done = runLfsAgent(*store_, options, in, out, {});
    std::filesystem::remove_all(folder_ / "restored");
    std::filesystem::create_directories(folder_ / "restored");
    if (!done && !brokenBy(done.error()).empty()) return brokenBy(done.error());
    std::istringstream answers(out.str());
    for (std::string line; std::getline(answers, line);) {
      if (!nlohmann::json::parse(line, nullptr, false).is_object()) return "no JSON: " + line;
    }
    return {};
  }

 private:
  std::string oid() const {
    const std::string bytes = model_->bytesOf(0);
    return toHex(sha256(std::as_bytes(std::span(bytes))));
  }

  const std::unique_ptr<MemoryModel> model_ = makeModel(1, 600);
  TempFolder folder_;
  std::unique_ptr<Store> store_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeLfsTarget() { return std::make_unique<LfsTarget>(); }

}  // namespace strata::test
