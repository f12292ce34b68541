#include "cli/views/table.h"

#include <gtest/gtest.h>

#include "cli/words/model_words.h"
#include "core/text/natural_order.h"

namespace strata::cli {
namespace {

/// What a table prints on a terminal of `width` columns, or into a pipe: 0.
std::string printed(Table table, std::size_t width) {
  Terminal out;
  out.width = width;
  Output output(OutputMode::Text, out, {});
  ::testing::internal::CaptureStdout();
  table.print(output);
  std::fflush(stdout);
  return ::testing::internal::GetCapturedStdout();
}

Table tensors() {
  Table table({{.title = "TENSOR", .isNames = true},
               {.title = "TYPE", .isSpare = true},
               {"SHAPE"},
               {.title = "RATIO", .align = Align::Right, .isSpare = true}});
  table.addRow({"bert.encoder.layer.0.attention.self.query.weight", "f32", "768 x 768", "2.0x"});
  table.addRow({"bert.encoder.layer.11.output.dense.weight", "f32", "768 x 3072", "12.0x"});
  return table;
}

TEST(Table, IsWholeWhereNothingLimitsIt) {
  EXPECT_EQ(printed(tensors(), 0),
            "TENSOR                                            TYPE  SHAPE       RATIO\n"
            "bert.encoder.layer.0.attention.self.query.weight  f32   768 x 768    2.0x\n"
            "bert.encoder.layer.11.output.dense.weight         f32   768 x 3072  12.0x\n");
}

TEST(Table, SaysOnceWhatAllNamesBeginWith) {
  EXPECT_EQ(printed(tensors(), 60),
            "All names begin with bert.encoder.layer.\n"
            "TENSOR                         TYPE  SHAPE       RATIO\n"
            "0.attention.self.query.weight  f32   768 x 768    2.0x\n"
            "11.output.dense.weight         f32   768 x 3072  12.0x\n");
}

TEST(Table, LeavesSparesOutAndCutsNamesInTheMiddle) {
  EXPECT_EQ(printed(tensors(), 36),
            "All names begin with bert.encoder.layer.\n"
            "TENSOR                    SHAPE\n"
            "0.attentio...uery.weight  768 x 768\n"
            "11.output.dense.weight    768 x 3072\n");
}

TEST(NaturalOrder, CountsNumbers) {
  EXPECT_TRUE(comesBefore("checkpoint-500", "checkpoint-1000"));
  EXPECT_FALSE(comesBefore("checkpoint-1000", "checkpoint-500"));
  EXPECT_TRUE(comesBefore("a2b10", "a10b2"));
  EXPECT_TRUE(comesBefore("a", "a1"));
  EXPECT_FALSE(comesBefore("a1", "a1"));
  EXPECT_NE(comesBefore("a01", "a1"), comesBefore("a1", "a01"));
  EXPECT_TRUE(comesBefore("9", "99999999999999999999999"));
}

TEST(ModelWords, TellNamesFromFiles) {
  EXPECT_EQ(readModelWords("sst2", {"b-10.onnx", "b-9.onnx"})->paths,
            (std::vector<std::string>{"b-9.onnx", "b-10.onnx"}));
  EXPECT_EQ(readModelWords("runs/tuned.onnx", {})->name, "tuned");
  EXPECT_EQ(readModelWords("hf://org/tuned@main", {})->name, "tuned");
  EXPECT_EQ(readModelWords("https://example.org/a/tuned.safetensors?token=x", {})->name, "tuned");
  EXPECT_EQ(readModelWords("model.safetensors.index.json", {})->name, "model");
  EXPECT_FALSE(readModelWords("sst2", {}));
  EXPECT_FALSE(readModelWords("-", {}));
  EXPECT_FALSE(readModelWords("hf://org/one", {"hf://org/two"}));
}

}  // namespace
}  // namespace strata::cli
