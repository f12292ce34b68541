#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/transfer/ref_index.h"
#include "core/transfer/ref_pages.h"
#include "core/transfer/transport.h"
#include "hub/generation.h"
#include "hub/index_sweep.h"

namespace strata::hub {

/// Pages that move at a time.
inline constexpr unsigned kParallelPages = 4;

/// A list as it is found: `refs/NUMBER`.
struct ListMark {
  std::uint64_t number = 0;
  std::string etag = {};  ///< the server's ETag of its bytes; may be empty
};

/// Held while a list is written, where a place has nothing better to keep writers apart.
class WriteTurn {
 public:
  virtual ~WriteTurn() = default;
};

/// Where lists and their pages lie: a folder or a bucket. Pages have names by number and hash.
class ListPlace {
 public:
  virtual ~ListPlace() = default;

  /// "file:///x/refs/00000000000000000007", for error texts.
  virtual std::string nameOf(std::uint64_t number) const = 0;
  /// Lists there, sorted; those from `from` on at least.
  virtual Result<std::vector<ListMark>> list(std::uint64_t from, const std::stop_token& stop) = 0;
  /// Nothing where it is gone.
  virtual Result<std::optional<std::string>> read(std::uint64_t number,
                                                  const std::stop_token& stop) = 0;
  virtual Result<std::unique_ptr<WriteTurn>> takeTurn(const std::stop_token& stop) = 0;
  /// Whether the number became ours.
  virtual Result<bool> claim(std::uint64_t number, const std::string& text, const WriteTurn* turn,
                             const std::stop_token& stop) = 0;
  /// One that is not there is no error.
  virtual Result<void> remove(std::uint64_t number, const std::stop_token& stop) = 0;
  /// What was found there counts as there from now on, whoever wrote it.
  virtual Result<void> settle() = 0;
  /// Whether a list with the ETag that was read has the bytes that were read.
  virtual bool etagsTell() = 0;

  virtual Result<std::optional<std::string>> readPage(const RefPage& page,
                                                      const std::stop_token& stop) = 0;
  /// They are there to stay before a list that names them can be.
  virtual Result<void> writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                                  const std::stop_token& stop) = 0;
  virtual Result<std::vector<RefPage>> listPages(const std::stop_token& stop) = 0;
  /// Those of the pages that are not there with the sizes that they have.
  virtual Result<std::vector<RefPage>> lostPages(const std::vector<RefPage>& pages,
                                                 const std::stop_token& stop) = 0;
  virtual Result<void> removePage(const RefPage& page, const std::stop_token& stop) = 0;
};

/// "00000000000000000007-SHA256", and back: number and hash alone.
std::string pageName(const RefPage& page);
std::optional<RefPage> pageOfName(std::string_view name);

/// The lists of refs of a remote that keeps those of each push under a number of its own
/// (hub/generation.h). Writers never replace a list: each makes the next number, which only one
/// can. Long lists are in pages (core/transfer/ref_pages.h).
///
/// A page belongs to the list with its number and to those that follow it without a gap. So pages
/// that the next list does not name go once a list is old enough: no later one names them. The list
/// itself stays for longer. Pages of writers that came too late or died are left to clearPages().
class GenerationLists {
 public:
  explicit GenerationLists(ListPlace& place) : place_(place) {}

  struct Found {
    std::uint64_t number = 0;   ///< 0: there is no list, or none that can be read
    std::uint64_t highest = 0;  ///< of the lists there, whether they can be read or not
    std::string etag = {};
    std::string textTag = {};  ///< of its bytes; empty if none were read
    RefIndex index = {};
    std::set<std::uint64_t> passed = {};  ///< newer ones that cannot be read
    bool wasKnown = false;                ///< it is the one that was read before: no list was read
    bool isMixed = false;                 ///< RefListing::isMixed, of the list before it
  };
  /// Fails with CorruptData or FormatTooNew (a list that cannot be read), and as the place.
  Result<Found> newest(Unreadable unreadable, const std::stop_token& stop);

  /// Makes the edited index the newest one, with a number above `above` if given: see
  /// RefPush::above. Refuse becomes Overtaken. Fails with CorruptData where a page is lost that the
  /// new list would name again, Io where others are faster again and again, and as newest() and the
  /// place.
  Result<RefOutcome> change(const std::function<Edit(RefIndex&)>& edit,
                            std::optional<std::uint64_t> above, const std::stop_token& stop);

  /// Transport::written.
  std::optional<RefListing> written();

  /// Transport::stillLists, by the server's ETag, or by the bytes of the list.
  Result<bool> isNewest(std::uint64_t number, const std::string& tag, const std::stop_token& stop);

  /// Transport::listOf.
  Result<std::optional<RefListing>> listOf(std::uint64_t number, const std::stop_token& stop);

  /// Transport::listBytes.
  Result<std::optional<std::string>> bytesOf(std::uint64_t number, const std::stop_token& stop) {
    return place_.read(number, stop);
  }

  /// Transport::checkList.
  Result<void> checkPages(const std::stop_token& stop);

  /// Transport::know.
  void know(const RefListing& listing);

  /// Pages that no list of the newest needs and that no writer can be at any more; how many.
  Result<std::size_t> clearPages(ScratchWish wish, const std::stop_token& stop);

 private:
  class Reading;
  /// The list that was read last.
  struct Seen {
    std::uint64_t number = 0;
    std::string etag;
    std::shared_ptr<const RefIndex> index;
    KnownPages pages;
    bool isMixed = false;
  };
  Seen seen();
  void remember(std::uint64_t number, std::string etag, RefIndex index, bool isMixed = false);
  /// Whether the next list below the one that was found is of another remote, and none that it
  /// follows. For who knows nothing of the place yet.
  Result<bool> isMixed(const std::vector<ListMark>& all, const Found& found,
                       const std::stop_token& stop);
  Result<std::vector<ListMark>> marks(Unreadable unreadable, const std::stop_token& stop);
  /// Whether pages are there that the list found would share with the next one: they may be known
  /// by their hashes alone. False: others pushed past it. Fails with CorruptData if one is lost.
  Result<bool> areThere(const std::vector<RefPage>& pages, const Found& found,
                        const std::stop_token& stop);
  /// Deletes what is outdated, and pages if lists are in pages by now: `pages`, of the newest list.
  void prune(const std::vector<ListMark>& all, const std::vector<RefPage>& pages,
             const std::stop_token& stop);
  /// Those of the list whose pages have just become outdated.
  void prunePages(const std::vector<ListMark>& all, const std::vector<RefPage>& pages,
                  const std::stop_token& stop);
  std::optional<RefIndex> headOf(std::uint64_t number, const std::stop_token& stop);

  ListPlace& place_;
  std::mutex mutex_;  // guards seen_
  Seen seen_;
};

/// What tells that a list has the bytes that were read.
enum class ListTag { None, Server, Text };

/// What readers are told of a list that was found; `isNew` is the caller's to know.
RefListing listingOf(GenerationLists::Found found, ListTag tag);

}  // namespace strata::hub
