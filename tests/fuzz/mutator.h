#pragma once

#include <google/protobuf/message.h>

#include <cstddef>
#include <random>
#include <vector>

namespace strata::test {

/// Damages bytes and messages: the same damage for the same seed on every machine.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  /// One to four changes: flips, bytes on an edge, runs moved, inserted or cut out.
  void mutate(std::vector<std::byte>& bytes);

  /// One change somewhere in a message: a number on an edge, an entry lost, doubled or swapped.
  void mutate(google::protobuf::Message& message);

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

 private:
  void mutateOnce(std::vector<std::byte>& bytes);
  void mutateField(google::protobuf::Message& message,
                   const google::protobuf::FieldDescriptor& field);
  void mutateEntries(google::protobuf::Message& message,
                     const google::protobuf::FieldDescriptor& field);
  std::uint64_t number(std::uint64_t near);

  std::mt19937_64 random_;
};

}  // namespace strata::test
