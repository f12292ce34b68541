#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// An immutable object as two stores speak of it.
struct RemoteObject {
  enum class Kind { ManifestObject, Pack };
  Digest digest;
  std::uint64_t byteCount = 0;
  Kind kind = Kind::Pack;
};

/// Gives the bytes of an object that is sent. Used by one thread at a time.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  virtual std::uint64_t byteCount() const noexcept = 0;
  /// Fills `out` from `offset` on, any number of times: a retry rewinds. Within byteCount().
  virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

/// Takes the bytes of an object that is fetched, in order. Used by one thread at a time.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
  /// The server starts anew: what came so far, an earlier run's part included, is void.
  virtual Result<void> restart() = 0;
};

/// Told of bytes as they move; `bytes` is negative when some have to move again. Called from the
/// thread of the transfer. May be empty.
using TransferMeter = std::function<void(std::int64_t bytes)>;

/// What a ref says: one JSON object in canonical form (keys sorted, no blanks), so that equal refs
/// are equal texts. core/transfer/remote_version.h gives it a meaning.
using RefText = std::string;

/// Most bytes of one ref's text.
inline constexpr std::size_t kMaxRefBytes = std::size_t{1} << 20U;

/// All refs of a remote at one time. Names are paths of two or three words: "sst2/v2",
/// "sst2/tags/prod". They and the texts come from the remote: nothing about them is checked.
struct RefListing {
  std::map<std::string, RefText> refs;
  std::string revision;  ///< for people: a commit, a generation; may be empty
};

/// A change of one ref. It happens only if the ref says `expected` until then.
struct RefUpdate {
  std::string name;
  std::optional<RefText> expected;  ///< nothing: there is no such ref
  RefText text;
  std::vector<RemoteObject> objects = {};  ///< all that the ref needs, the manifest first
};

/// A file of a restored model.
struct PlainFile {
  std::string path;
  std::uint64_t byteCount = 0;
  Digest sha256;

  friend bool operator==(const PlainFile&, const PlainFile&) = default;
};

/// The files of one version, restored, that stand beside the objects for tools without Strata.
struct PlainSet {
  std::string version;           ///< "sst2:v2", as the remote numbers it
  std::vector<PlainFile> files;  ///< sorted by path

  friend bool operator==(const PlainSet&, const PlainSet&) = default;
};

/// What sending a plain set means there.
struct PlainPlan {
  std::string standing;             ///< the version whose files are there; empty: none
  std::vector<PlainFile> missing;   ///< have to be sent
  std::vector<PlainFile> reserved;  ///< bear a name that the remote's own layout takes: stay out
};

/// The refs of one push and what becomes visible with them.
struct RefPush {
  std::vector<RefUpdate> updates;
  std::string summary;  ///< one line for people: "push sst2:v2"
  /// Files for people who look at the remote without Strata, by path ("README.md"): small texts
  /// that replace what is there. A transport without a place for them leaves them out.
  std::map<std::string, std::string> pages = {};
  /// Replaces the plain files that are there. All of them were sent or are there.
  std::optional<PlainSet> plain = {};
};

/// Lost: some ref did not say what was expected. Nothing has changed; read, merge, try again.
enum class RefOutcome { Advanced, Lost };

/// What a remote promises of its refs.
enum class RefSafety {
  Atomic,          ///< two pushers at once: one wins, the other gets Lost
  LastWriterWins,  ///< the server has no conditional writes; warn on each push
  ReadOnly,
};

/// What a remote can do. Found out by probe().
struct TransportTraits {
  RefSafety refs = RefSafety::Atomic;
  bool rangedReads = true;              ///< a cut transfer goes on where it stopped
  std::string server;                   ///< for people: "huggingface.co", "folder"
  std::vector<std::string> notes = {};  ///< further lines for `remote show --check`
};

/// A place that holds objects and refs: a folder, a hub, a registry, a bucket. Knows digests and
/// bytes, no models. Implemented in hub/; retries, time limits and credentials are its own
/// business.
///
/// Safe to use from several threads. All functions fail with Network (retries are used up),
/// LoginRequired, NotFound (no such remote), CorruptData (an answer that breaks its form or our
/// limits), Cancelled; texts name the remote, never a secret.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Where it is, for people and for error texts; without credentials.
  virtual std::string url() const = 0;

  /// Looks at the remote; changes nothing that others see.
  virtual Result<TransportTraits> probe(std::stop_token stop) = 0;

  /// Which of `objects` are there, with their sizes. Asks for many at once.
  virtual Result<std::set<Digest>> has(std::span<const RemoteObject> objects,
                                       std::stop_token stop) = 0;

  /// Whether so many bytes more fit there, as far as can be told beforehand: others than folders
  /// say nothing of it. Fails with NoSpace, naming both numbers.
  virtual Result<void> checkSpace(std::uint64_t byteCount);

  /// Sends one object. Does nothing if it is there. Not visible to others before a ref needs it.
  virtual Result<void> put(const RemoteObject& object, const ObjectSource& source,
                           std::stop_token stop, const TransferMeter& meter) = 0;

  /// Fetches an object from `firstByte` on. The caller hashes: a transport checks no digest, but
  /// never gives more than object.byteCount. Fails with NotFound, naming the object, CorruptData.
  virtual Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                           std::stop_token stop, const TransferMeter& meter) = 0;

  /// What sending these plain files, or none, would mean. Fails with Unsupported where there is no
  /// place for any, InvalidArgument, naming a file of somebody else that is in the way.
  virtual Result<PlainPlan> planPlain(const PlainSet& plain, std::stop_token stop);
  /// Sends one of them. Not visible to others before a push names it.
  virtual Result<void> putPlain(const PlainFile& file, const ObjectSource& source,
                                std::stop_token stop, const TransferMeter& meter);

  /// Ends the uploads that interrupted puts of this store left there to go on with, but for those
  /// that a process is at; how many. Reaches for nothing where there are none.
  virtual Result<std::size_t> abandonUploads(std::stop_token stop);

  /// All refs, in as few requests as the protocol allows. A remote that nobody pushed to has none.
  virtual Result<RefListing> readRefs(std::stop_token stop) = 0;

  /// Moves all refs of a push or none. Makes the remote first if it does not exist and can be made.
  virtual Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) = 0;
};

}  // namespace strata
