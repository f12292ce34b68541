#include "core/archive/file_modes.h"

#include <span>

namespace strata {

FileModes modesOf(const Manifest& manifest) {
  FileModes modes;
  for (const ManifestFile& file : manifest.files) modes[file.path] = file.mode;
  return modes;
}

FileModes modesOf(const ModelDescription& model) {
  FileModes modes;
  for (const ModelFile& file : model.files) modes[file.path] = file.mode;
  return modes;
}

Manifest withModes(Manifest manifest, const FileModes& modes) {
  for (ManifestFile& file : manifest.files) {
    const auto mode = modes.find(file.path);
    if (mode != modes.end()) file.mode = mode->second;
  }
  return manifest;
}

Result<Digest> writeManifest(const Manifest& manifest, ObjectWriter& objects) {
  STRATA_TRY(const std::string bytes, serializeManifest(manifest));
  STRATA_TRY(const auto object, objects.createObject());
  STRATA_TRY(object->append(std::as_bytes(std::span(bytes))));
  return object->commit();
}

}  // namespace strata
