#pragma once

#include <memory>
#include <utility>

#include "core/transfer/transport.h"

namespace strata::test {

/// Passes every call on to another transport: for tests that change one of them.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

  std::string url() const override { return inner_->url(); }
  Result<TransportTraits> probe(std::stop_token stop) override { return inner_->probe(stop); }
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects,
                              std::stop_token stop) override {
    return inner_->sizesOf(objects, stop);
  }
  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override {
    return inner_->has(objects, stop);
  }
  Result<void> checkSpace(std::uint64_t byteCount) override {
    return inner_->checkSpace(byteCount);
  }
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override {
    return inner_->put(object, source, stop, meter);
  }
  Result<void> replace(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                       const TransferMeter& meter) override {
    return inner_->replace(object, source, stop, meter);
  }
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override {
    return inner_->get(object, firstByte, sink, stop, meter);
  }
  Result<PlainPlan> planPlain(const PlainSet& plain, std::stop_token stop) override {
    return inner_->planPlain(plain, stop);
  }
  Result<void> putPlain(const PlainFile& file, const ObjectSource& source, std::stop_token stop,
                        const TransferMeter& meter) override {
    return inner_->putPlain(file, source, stop, meter);
  }
  Result<std::size_t> abandonUploads(std::stop_token stop) override {
    return inner_->abandonUploads(stop);
  }
  Result<std::vector<StockedObject>> listObjects(std::stop_token stop) override {
    return inner_->listObjects(stop);
  }
  Result<std::size_t> clearScratch(std::int64_t changedBy, ScratchWish wish,
                                   std::stop_token stop) override {
    return inner_->clearScratch(changedBy, wish, stop);
  }
  Result<Sweep> sweep(const RefListing& seen, std::span<const Digest> objects,
                      std::stop_token stop) override {
    return inner_->sweep(seen, objects, stop);
  }
  Result<void> awaitSweep(std::stop_token stop) override { return inner_->awaitSweep(stop); }
  void know(const RefListing& listing) override { inner_->know(listing); }
  Result<bool> stillLists(const RefListing& head, std::stop_token stop) override {
    return inner_->stillLists(head, stop);
  }
  Result<std::optional<RefListing>> listOf(std::uint64_t number, std::stop_token stop) override {
    return inner_->listOf(number, stop);
  }
  Result<std::optional<std::string>> listBytes(std::uint64_t number,
                                               std::stop_token stop) override {
    return inner_->listBytes(number, stop);
  }
  Result<RefListing> readRefs(std::stop_token stop) override { return inner_->readRefs(stop); }
  Result<RefListing> salvageRefs(std::stop_token stop) override {
    return inner_->salvageRefs(stop);
  }
  std::optional<RefListing> written() override { return inner_->written(); }
  Result<void> checkList(std::stop_token stop) override { return inner_->checkList(stop); }
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override {
    return inner_->advanceRefs(push, stop);
  }

 private:
  std::unique_ptr<Transport> inner_;
};

}  // namespace strata::test
