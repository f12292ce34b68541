#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/transfer/plain_set.h"
#include "core/transfer/remote_object.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// The refs of one push and what becomes visible with them.
struct RefPush {
  std::vector<RefUpdate> updates;
  std::string summary;  ///< one line for people: "push sst2:v2"
  /// Files for people who look at the remote without Strata, by path ("README.md"): small texts
  /// that replace what is there. A transport without a place for them leaves them out.
  std::map<std::string, std::string> cards = {};
  /// Replaces the plain files that are there. All of them were sent or are there.
  std::optional<PlainSet> plain = {};
  /// RefListing::endedSweeps of before objects were looked for there. Overtaken if somebody deletes
  /// objects there or has done so since: what was found may be gone. Nothing: it does not matter.
  std::optional<std::uint64_t> endedSweeps = {};
  /// All refs have to say this until then, and there must be no others: for who takes refs away
  /// because no other needs them. Nothing: only `updates` are looked at.
  std::optional<std::map<std::string, RefText>> before = {};
  /// Of a push that mends the list: the new one gets a number above this one, whatever the refs
  /// say, and takes the place of lists that cannot be read. Nothing: such a list is an error.
  std::optional<std::uint64_t> above = {};
  /// RefIndex::identity that the pusher takes the remote for, and that a list without one gets.
  /// Overtaken if the list there has another one. Empty: whatever it has. For places that count
  /// lists.
  std::string identity = {};
  /// Of a push that mends: lists that cannot be read there, and that the pusher has not seen
  /// (RefIndex::unseen).
  std::set<std::uint64_t> unseen = {};
  /// Of RefIndex::unseen the lists that the pusher saw and all of whose versions were listed since,
  /// or that the user gave up.
  std::set<std::uint64_t> seenLists = {};
  /// Lists all of whose versions the new list has, too, besides those that the list there follows:
  /// it counts as following them (RefIndex::follows).
  std::vector<ListStamp> follows = {};
};

/// Overtaken: some ref did not say what was expected. Nothing has changed; read, merge, try again.
enum class RefOutcome { Advanced, Overtaken };

/// What a remote promises of its refs.
enum class RefSafety {
  Atomic,          ///< two pushers at once: one wins, the other gets Overtaken
  LastWriterWins,  ///< the server has no conditional writes; warn on each push
  ReadOnly,
};

/// What a remote can do. Found out by probe().
struct TransportTraits {
  RefSafety refs = RefSafety::Atomic;
  bool rangedReads = true;              ///< a cut transfer goes on where it stopped
  bool listsObjects = true;             ///< else each object is asked for by a request of its own
  std::string server;                   ///< for people: "huggingface.co", "folder"
  std::vector<std::string> notes = {};  ///< further lines for `remote show --check`
  /// What becomes of the bytes of versions that are taken off the list, for people.
  std::string afterRemoval = "their objects stay there until remote gc";
  /// What becomes of the bytes of objects that `sweep` deletes, where they are not free at once.
  std::string afterSweep = {};
};

/// What becomes of the files that pushes which died left half written.
enum class ScratchWish { Count, Delete };

/// How far a sweep came.
struct Sweep {
  RefOutcome outcome = RefOutcome::Advanced;
  std::size_t erasedCount = 0;        ///< the first of those that were given
  std::optional<Error> failure = {};  ///< what ended it after it had begun
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

  /// Those of `objects` that are there, with the sizes that they have there. Asks for many at once.
  virtual Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects,
                                      std::stop_token stop) = 0;

  /// Which of `objects` are there with the sizes that they should have, whatever their bytes.
  virtual Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop);

  /// Whether so many bytes more fit there, as far as can be told beforehand: others than folders
  /// say nothing of it. Fails with NoSpace, naming both numbers.
  virtual Result<void> checkSpace(std::uint64_t byteCount);

  /// Sends one object. Does nothing if it is there with its size; one of another size is replaced.
  /// Not visible to others before a ref needs it.
  virtual Result<void> put(const RemoteObject& object, const ObjectSource& source,
                           std::stop_token stop, const TransferMeter& meter) = 0;

  /// Sends an object over one that has its size and other bytes. A server may keep its own bytes
  /// all the same: who must know reads the object back. Fails with Unsupported, saying what to do
  /// instead, where that is known beforehand.
  virtual Result<void> replace(const RemoteObject& object, const ObjectSource& source,
                               std::stop_token stop, const TransferMeter& meter);

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

  /// All objects there. Fails with Unsupported, saying what to do instead.
  virtual Result<std::vector<StockedObject>> listObjects(std::stop_token stop);

  /// Files that pushes which died left there half written, last changed by then (seconds since
  /// 1970, UTC); how many. A push that is that slow fails and sends its file anew. 0 where none are
  /// left, or where pushes end them by themselves.
  virtual Result<std::size_t> clearScratch(std::int64_t changedBy, ScratchWish wish,
                                           std::stop_token stop);

  /// Deletes objects that no ref of `seen` needs. Of many it deletes some: the caller reads the
  /// refs again and goes on with the rest. Pushers that found one of them there are told by
  /// Overtaken. Overtaken here: somebody pushed since `seen`, or sweeps. Nobody waits for lists of
  /// `seen.unseen` any more: the caller has asked. Fails with Unsupported as listObjects.
  virtual Result<Sweep> sweep(const RefListing& seen, std::span<const Digest> objects,
                              std::stop_token stop);

  /// Waits until nobody deletes objects there, and ends what one that died had begun. For who looks
  /// for objects that are there: before it reads the refs.
  virtual Result<void> awaitSweep(std::stop_token stop);

  /// Tells it what a listing said that was read before, also by another process: readRefs then
  /// reads no more than what is new since. Not for who checks or mends what is there.
  virtual void know(const RefListing& listing);

  /// Whether the list is the one with this number and ETag still, so that nothing of it needs to be
  /// read; the refs of `head` are not looked at. False where that cannot be told.
  virtual Result<bool> stillLists(const RefListing& head, std::stop_token stop);

  /// All refs, in as few requests as the protocol allows. A remote that nobody pushed to has none.
  virtual Result<RefListing> readRefs(std::stop_token stop) = 0;

  /// The same for who mends the list (RefPush::above): the newest list that can be read, with
  /// RefListing::unreadable. A remote of which none can be read has no refs then.
  virtual Result<RefListing> salvageRefs(std::stop_token stop);

  /// The list with this number, a newer one being there. Nothing where it is gone or
  /// cannot be read, or no lists are counted.
  virtual Result<std::optional<RefListing>> listOf(std::uint64_t number, std::stop_token stop);

  /// What lies under this number, whether or not it can be read as a list. Nothing where that is
  /// gone, or no lists are counted.
  virtual Result<std::optional<std::string>> listBytes(std::uint64_t number, std::stop_token stop);

  /// The list as the last advanceRefs made or found it; asks for nothing. Nothing where no lists
  /// are counted.
  virtual std::optional<RefListing> written();

  /// Looks whether all that the list is kept in is there, also what readRefs knows by its hash
  /// alone. Fails with CorruptData, naming what is lost.
  virtual Result<void> checkList(std::stop_token stop);

  /// Moves all refs of a push or none. A registry moves one after the other: an error there may
  /// leave some of them moved. An error's text says where others may see the push all the same.
  /// Makes the remote first if it does not exist and can be made. A ref whose text stays may name
  /// objects that were sent again: they become visible, too.
  virtual Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) = 0;
};

}  // namespace strata
