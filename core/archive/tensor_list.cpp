#include "core/archive/tensor_list.h"

#include "core/archive/detail/manifest_message.h"
#include "core/archive/detail/wire_format.h"

namespace strata {

TensorList::TensorList(std::span<const ManifestTensor> tensors) {
  for (const ManifestTensor& tensor : tensors) push_back(tensor);
}

std::size_t TensorList::byteCount() const noexcept {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.bytes.size();
  return sum;
}

ManifestTensor TensorList::operator[](std::size_t index) const {
  ManifestTensor tensor;
  read(index, tensor);
  return tensor;
}

void TensorList::read(std::size_t index, ManifestTensor& out) const {
  readTensor(messageOf(index), out);
}

std::string_view TensorList::messageOf(std::size_t index) const noexcept {
  const Block& block = blocks_[index / kBlockTensors];
  const std::size_t at = index % kBlockTensors;
  const std::size_t begin = at == 0 ? 0 : block.ends[at - 1];
  return std::string_view(block.bytes).substr(begin, block.ends[at] - begin);
}

std::string_view TensorList::nameOf(std::size_t index) const noexcept {
  return nameOfTensor(messageOf(index));
}

void TensorList::push_back(const ManifestTensor& tensor) {
  if (size_ % kBlockTensors == 0) blocks_.emplace_back();
  Block& block = blocks_.back();
  WireWriter out;
  writeTensor(tensor, out);
  block.bytes += out.bytes();
  block.ends.push_back(block.bytes.size());
  ++size_;
  if (size_ % kBlockTensors == 0) block.bytes.shrink_to_fit();
}

}  // namespace strata
