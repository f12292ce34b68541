#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/manifest_tensor.h"

namespace strata {

/// The tensors of a manifest, in its order.
///
/// A model may have a million of them, and as structs each has a name, a shape and parts in memory
/// of their own. So the list keeps each tensor as the bytes that stand for it in a manifest
/// (core/archive/manifest.proto), in a quarter of that, and reads it when it is asked for. Who
/// needs a tensor more than once keeps what operator[] gives. Nothing of it may be borrowed but
/// nameOf().
class TensorList {
 public:
  class Iterator;

  TensorList() = default;
  explicit TensorList(std::span<const ManifestTensor> tensors);
  TensorList(std::initializer_list<ManifestTensor> tensors)
      : TensorList(std::span(tensors.begin(), tensors.size())) {}

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Of all messages.
  std::size_t byteCount() const noexcept;
  ManifestTensor operator[](std::size_t index) const;
  ManifestTensor front() const { return (*this)[0]; }
  /// The same into `out`, whose lists keep their room.
  void read(std::size_t index, ManifestTensor& out) const;
  /// Borrowed, until the list changes.
  std::string_view nameOf(std::size_t index) const noexcept;
  /// The fields of a tensor's message, with offsets as they are. Borrowed likewise.
  std::string_view messageOf(std::size_t index) const noexcept;

  void push_back(const ManifestTensor& tensor);
  void clear() noexcept { *this = TensorList(); }
  /// Calls `change` with the number of each tensor and the tensor, and keeps what it makes of it.
  template <typename Change>
  void edit(Change&& change) {
    TensorList edited;
    ManifestTensor tensor;
    for (std::size_t i = 0; i < size_; ++i) {
      read(i, tensor);
      change(i, tensor);
      edited.push_back(tensor);
    }
    *this = std::move(edited);
  }

  /// What an iterator gives lasts until it goes on.
  Iterator begin() const;
  Iterator end() const;

  friend bool operator==(const TensorList&, const TensorList&) = default;

 private:
  /// So many tensors one after the other: a block that grows takes little room beside the others.
  static constexpr std::size_t kBlockTensors = 1024;
  struct Block {
    std::string bytes;
    std::vector<std::size_t> ends;  ///< of each tensor in `bytes`

    friend bool operator==(const Block&, const Block&) = default;
  };

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

class TensorList::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = ManifestTensor;
  using difference_type = std::ptrdiff_t;
  using pointer = const ManifestTensor*;
  using reference = const ManifestTensor&;

  Iterator() = default;
  Iterator(const TensorList& list, std::size_t index) : list_(&list), index_(index) { read(); }

  reference operator*() const noexcept { return tensor_; }
  pointer operator->() const noexcept { return &tensor_; }
  Iterator& operator++() {
    ++index_;
    read();
    return *this;
  }
  void operator++(int) { ++*this; }

  friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
    return a.index_ == b.index_;
  }

 private:
  void read() {
    if (index_ < list_->size()) list_->read(index_, tensor_);
  }

  const TensorList* list_ = nullptr;
  std::size_t index_ = 0;
  ManifestTensor tensor_;
};

inline TensorList::Iterator TensorList::begin() const { return {*this, 0}; }
inline TensorList::Iterator TensorList::end() const { return {*this, size_}; }

}  // namespace strata
