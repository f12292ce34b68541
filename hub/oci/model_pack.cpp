#include "hub/oci/model_pack.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text/json_text.h"
#include "core/text/wording.h"
#include "hub/oci/oci_client.h"

namespace strata::hub {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelType = "application/vnd.cncf.model.manifest.v1+json";
constexpr const char* kConfigType = "application/vnd.cncf.model.config.v1+json";
constexpr const char* kVersion = "vnd.strata.plain.version";

bool endsWithOneOf(std::string_view path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

/// What a file is to a model; by its name, which is all that tools go by.
std::string_view kindOf(std::string_view path) {
  if (endsWithOneOf(path, {".md", ".txt", "LICENSE"})) return "doc";
  if (endsWithOneOf(path, {".py"})) return "code";
  if (endsWithOneOf(path, {".json", ".jinja", ".yaml", ".model"})) return "weight.config";
  return "weight";
}

std::string_view formatOf(const PlainSet& plain) {
  for (const PlainFile& file : plain.files) {
    if (file.path.ends_with(".safetensors")) return "safetensors";
    if (file.path.ends_with(".onnx")) return "onnx";
  }
  return "";
}

}  // namespace

ModelPack modelPackOf(const PlainSet& plain, std::int64_t createdAt) {
  const std::string name = plain.version.substr(0, plain.version.find(':'));
  Json layers = Json::array();
  Json digests = Json::array();
  for (const PlainFile& file : plain.files) {
    const std::string digest = ociDigest(file.sha256);
    digests.push_back(digest);
    layers.push_back(
        {{"mediaType", fmt::format("application/vnd.cncf.model.{}.v1.raw", kindOf(file.path))},
         {"digest", digest},
         {"size", file.byteCount},
         {"annotations",
          {{"org.opencontainers.image.title", file.path},
           {"org.cncf.model.filepath", file.path}}}});
  }
  ModelPack pack;
  pack.config = Json{{"descriptor",
                      {{"name", name},
                       {"version", plain.version.substr(plain.version.find(':') + 1)},
                       {"createdAt", isoDate(createdAt)}}},
                     {"config", {{"format", formatOf(plain)}}},
                     {"modelfs", {{"type", "layers"}, {"diffIds", std::move(digests)}}}}
                    .dump();
  const Digest config = sha256(std::as_bytes(std::span(pack.config)));
  pack.manifest = Json{{"schemaVersion", 2},
                       {"mediaType", kManifestType},
                       {"artifactType", kModelType},
                       {"config",
                        {{"mediaType", kConfigType},
                         {"digest", ociDigest(config)},
                         {"size", pack.config.size()}}},
                       {"layers", std::move(layers)},
                       {"annotations",
                        {{"org.opencontainers.image.title", name},
                         {"org.opencontainers.image.created", isoDate(createdAt)},
                         {kVersion, plain.version}}}}
                      .dump();
  return pack;
}

Result<std::optional<std::string>> plainVersionOf(const std::string& manifest) {
  STRATA_TRY(const nlohmann::json json, parseJson(manifest, fmt::format("tag {}", kPlainTag)));
  if (!json.is_object() || !json.contains("annotations")) return std::nullopt;
  return textMember(json["annotations"], kVersion);
}

}  // namespace strata::hub
