// Answers that go on after the call that began them: long lists, watches, logs that are followed.
//
// The HTTP frontend or log server owns them; the exchange and the loop hold weak pointers, so that no stream keeps
// itself alive and destroying the owner ends them all.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace drover::sim {

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

class Streams {
 public:
  void keep(const std::shared_ptr<Stream>& stream) { streams_[stream.get()] = stream; }
  // The stream ends when the last of its own functions has returned.
  void drop(const Stream* stream) { streams_.erase(stream); }
  void drop_all() { streams_.clear(); }
  std::size_t count() const { return streams_.size(); }

 private:
  std::map<const Stream*, std::shared_ptr<Stream>> streams_;
};

}  // namespace drover::sim
