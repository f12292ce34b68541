#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Largest JSON text that is read: the limit of safetensors' own reader for its header.
inline constexpr std::uint64_t kMaxJsonBytes = 100'000'000;

/// Base of what reads untrusted JSON: events instead of a tree, a bounded depth, and the reason why
/// a document was refused. Values that a derived class does not ask for are passed over.
class JsonVisitor : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return onValue("null"); }
  bool boolean(bool) override { return onValue("a boolean"); }
  bool number_integer(number_integer_t) override { return onValue("a negative number"); }
  bool number_unsigned(number_unsigned_t value) override { return onNumber(value); }
  bool number_float(number_float_t, const string_t&) override { return onValue("a fraction"); }
  bool string(string_t& value) override { return onString(value); }
  bool binary(binary_t&) override { return onValue("bytes"); }
  bool start_object(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override { return onKey(value); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& problem) override;

  const std::string& problem() const noexcept { return problem_; }

 protected:
  virtual bool onKey(std::string& key) = 0;
  virtual bool onString(std::string& value) = 0;
  virtual bool onNumber(std::uint64_t value) = 0;
  /// Any other scalar; `what` is its kind in words.
  virtual bool onValue(std::string_view what) = 0;
  /// After depth() was raised, and before it is lowered.
  virtual bool onOpen(bool isObject) = 0;
  virtual bool onClose() = 0;

  /// Objects and arrays that are open.
  std::size_t depth() const noexcept { return depth_; }
  /// Ends the reading with a reason; always false.
  bool refuse(std::string reason);

 private:
  bool open(bool isObject);
  bool close();

  std::size_t depth_ = 0;
  std::string problem_;
};

/// Reads one JSON document. Fails with CorruptData with the visitor's reason.
Result<void> readJson(std::span<const std::byte> text, JsonVisitor& visitor);

}  // namespace strata
