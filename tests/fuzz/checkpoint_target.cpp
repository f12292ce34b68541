#include "core/model/trainer_state.h"
#include "onnx_io/checkpoint/file_wholeness.h"
#include "onnx_io/checkpoint/finished_check.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata::test {
namespace {

/// Hostile bytes as each file of a trainer's checkpoint: an archive, a safetensors file, a pickle,
/// the metadata of torch.distributed, and the trainer's own state. A state that can be read says
/// the same when it is read again, and whatever the bytes are, a checkpoint is finished or there is
/// a reason.
class CheckpointTarget final : public FuzzTarget {
 public:
  CheckpointTarget() { folder_.write("checkpoint/__0_0.distcp", "part"); }

  std::vector<std::string> seeds() const override {
    const std::string directory = "PK\x01\x02" + std::string(42, '\0');
    const std::string end = "PK\x05\x06" + std::string(8, '\0') + "." + std::string(9, '\0');
    return {
        directory + end,
        R"({"best_metric":0.5,"epoch":1.0,"global_step":7,"log_history":[{"loss":NaN},)"
        R"({"eval_f1":0.5,"eval_loss":Infinity,"step":7}]})",
        safetensorsFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", floatBytes(2)),
        "\x80\x04 __0_0.distcp __1_0.distcp ."};
  }

  std::string broken(std::string_view bytes) override {
    const auto whole = std::as_bytes(std::span(bytes));
    for (const char* const name : {"a.pt", "a.safetensors", "a.pkl", ".metadata", "a.bin"}) {
      if (brokenBecause(name, whole) != brokenBecause(name, whole)) return "two answers";
    }
    const auto state = parseTrainerState(bytes);
    if (!state && !brokenBy(state.error()).empty()) return brokenBy(state.error());
    if (state && state->score && state->scoreName.empty()) return "a score without a name";
    for (const char* const name : {"trainer_state.json", ".metadata"}) {
      const auto file = folder_.write(std::string("checkpoint/") + name, bytes);
      const auto found = checkCheckpoint(folder_.path() / "checkpoint");
      std::filesystem::remove(file);
      if (!found) return found.error().message;
      const bool isState = found->kind == CheckpointKind::Transformers;
      if (found->isFinished() && isState) return "finished without a model";
    }
    return {};
  }

 private:
  ModelFolder folder_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeCheckpointTarget() { return std::make_unique<CheckpointTarget>(); }

}  // namespace strata::test
