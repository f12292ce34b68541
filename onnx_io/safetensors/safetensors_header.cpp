#include "onnx_io/safetensors/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "onnx_io/json_visitor.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::size_t kMaxEntries = 1'000'000;

/// Follows the header's fixed form: {name: {dtype, shape, data_offsets}, __metadata__: {k: v}}.
class HeaderVisitor final : public JsonVisitor {
 public:
  SafetensorsHeader take() { return std::move(header_); }

 protected:
  bool onKey(std::string& key) override {
    if (isSkipping()) return true;
    if (depth() == 1) return beginEntry(key);
    key_ = std::move(key);
    return true;
  }

  bool onString(std::string& value) override {
    if (isSkipping()) return true;
    if (depth() == 2 && isMetadata_) {
      header_.metadata.emplace_back(std::move(key_), std::move(value));
      return true;
    }
    if (depth() == 2 && key_ == "dtype") {
      if (!entry().dtype.empty()) return refuseTwice();
      entry().dtype = std::move(value);
      return true;
    }
    return onValue("a string");
  }

  bool onNumber(std::uint64_t value) override {
    if (isSkipping()) return true;
    if (depth() != 3) return onValue("a number");
    const bool isShape = key_ == "shape";
    const std::size_t limit = isShape ? kMaxRank : entry().dataOffsets.size();
    if ((isShape ? entry().shape.size() : offsetCount_) == limit) {
      return refuse(fmt::format("{}: {} has more than {} numbers", shownName(), key_, limit));
    }
    if (isShape) {
      entry().shape.push_back(value);
    } else {
      entry().dataOffsets[offsetCount_++] = value;
    }
    return true;
  }

  bool onValue(std::string_view what) override {
    if (isSkipping() || (depth() == 2 && !isMetadata_ && !isKnownField())) return true;
    if (depth() == 0) return refuse(fmt::format("header is {}, expected an object", what));
    if (depth() == 1) {
      return refuse(fmt::format("{} is {}, expected an object", shownName(), what));
    }
    const std::string_view expected = isMetadata_       ? "a string"
                                      : key_ == "dtype" ? "a string"
                                      : depth() == 2    ? "a list of numbers"
                                                        : "a number from 0 to 2^64 - 1";
    return refuse(fmt::format("{}: {} is {}, expected {}", shownName(), toUtf8(key_, kMaxNameBytes),
                              what, expected));
  }

  bool onOpen(bool isObject) override {
    if (isSkipping()) return true;
    const std::string_view what = isObject ? "an object" : "a list";
    if (depth() <= 2) return isObject ? true : refuseOpened(what);
    if (isMetadata_) return refuseOpened(what);
    if (depth() == 3 && !isKnownField()) {
      skippedDepth_ = depth();
      return true;
    }
    if (isObject || depth() > 3 || key_ == "dtype") return refuseOpened(what);
    bool& seen = key_ == "shape" ? hasShape_ : hasOffsets_;
    if (std::exchange(seen, true)) return refuseTwice();
    return true;
  }

  bool onClose() override {
    if (isSkipping()) {
      if (depth() == skippedDepth_) skippedDepth_ = 0;
      return true;
    }
    return depth() == 2 && !isMetadata_ ? checkEntry() : true;
  }

 private:
  bool isSkipping() const noexcept { return skippedDepth_ != 0; }
  bool isKnownField() const { return key_ == "dtype" || key_ == "shape" || key_ == "data_offsets"; }
  SafetensorsEntry& entry() { return header_.entries.back(); }

  std::string shownName() {
    return isMetadata_ ? "__metadata__" : toUtf8(entry().name, kMaxNameBytes);
  }

  /// A list or object where none belongs: worded as its place outside asks for.
  bool refuseOpened(std::string_view what) {
    if (depth() == 1) return refuse(fmt::format("header is {}, expected an object", what));
    return refuse(fmt::format("{}: {} does not belong there", shownName(), what));
  }

  bool refuseTwice() { return refuse(fmt::format("{}: {} is there twice", shownName(), key_)); }

  bool beginEntry(std::string& name) {
    if (name == "__metadata__") {
      if (std::exchange(hasMetadata_, true)) return refuse("__metadata__ is there twice");
      isMetadata_ = true;
      return true;
    }
    if (header_.entries.size() == kMaxEntries) {
      return refuse(fmt::format("header lists more than {} tensors", kMaxEntries));
    }
    isMetadata_ = hasShape_ = hasOffsets_ = false;
    offsetCount_ = 0;
    key_.clear();
    header_.entries.push_back({std::move(name), {}, {}, {}});
    return true;
  }

  bool checkEntry() {
    const std::string_view missing = entry().dtype.empty() ? "dtype"
                                     : !hasShape_          ? "shape"
                                     : offsetCount_ != 2   ? "data_offsets"
                                                           : "";
    if (missing.empty()) return true;
    return refuse(fmt::format("{}: {} is missing or incomplete", shownName(), missing));
  }

  SafetensorsHeader header_;
  std::string key_;
  std::size_t skippedDepth_ = 0;  ///< of an unknown field's value; 0: not in one
  bool isMetadata_ = false;
  bool hasMetadata_ = false;
  bool hasShape_ = false;
  bool hasOffsets_ = false;
  std::size_t offsetCount_ = 0;
};

/// A name that occurs twice; empty if none does.
template <typename Items, typename NameOf>
std::string firstDuplicate(const Items& items, NameOf nameOf) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(nameOf(item));
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::string() : toUtf8(*twice, kMaxNameBytes);
}

}  // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> json) {
  HeaderVisitor visitor;
  STRATA_TRY(readJson(json, visitor));
  SafetensorsHeader header = visitor.take();
  std::string twice = firstDuplicate(
      header.entries, [](const auto& entry) -> std::string_view { return entry.name; });
  if (twice.empty()) {
    twice = firstDuplicate(header.metadata,
                           [](const auto& pair) -> std::string_view { return pair.first; });
  }
  if (!twice.empty()) {
    return fail(ErrorCode::CorruptData, fmt::format("header names '{}' twice", twice));
  }
  return header;
}

}  // namespace strata
