#include "core/model/file_kind_name.h"

namespace strata {

std::string_view name(FileKind kind) noexcept {
  switch (kind) {
    case FileKind::Onnx:
      return "onnx";
    case FileKind::ExternalData:
      return "external data";
    case FileKind::Safetensors:
      return "safetensors";
    case FileKind::PyTorch:
      return "pytorch";
    case FileKind::Npz:
      return "npz";
    case FileKind::Other:
      break;
  }
  return "other";
}

}  // namespace strata
