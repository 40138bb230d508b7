// Connections, kept alive and lent out one request at a time.
//
// Three lanes: ordinary (a few shared connections, in line when all are busy), lease (one, for the lease alone), and
// own (a new connection each time: watches). The holder of a Seat has a connection; giving it up closes the connection,
// unless `keep` said that the answer was read to its end.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "kube/http_api.h"
#include "kube/net/credentials.h"
#include "kube/net/dialer.h"

namespace drover::kube::net {

enum class Use { Ordinary, Lease, Own };

struct Connection {
  std::shared_ptr<Wire> wire;
  std::uint64_t edition = 0;  // of the proof that it was made with
  base::Instant idle_since = {};
  bool is_used = false;      // an exchange took place on it before
  std::vector<char> buffer;  // as large as what comes wants it; none while it idles

  // Room for the next piece, after one of so many bytes (0: none came yet). Watches are many and get little at a time.
  void make_room(std::size_t bytes);
};

class Pool;

class Seat {
 public:
  Seat(std::weak_ptr<Pool> pool, Use use, std::shared_ptr<Connection> connection);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // A reader into its buffer holds it until the reading is over.
  const std::shared_ptr<Connection>& connection() { return connection_; }
  void keep() { keep_ = true; }

 private:
  std::weak_ptr<Pool> pool_;
  Use use_;
  bool keep_ = false;
  std::shared_ptr<Connection> connection_;
};

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  using Then = std::function<void(base::Result<std::unique_ptr<Seat>>)>;

  // A request for a connection. Destroying it gives up; nothing is called back then.
  class Asking;
  struct Forget {
    void operator()(Asking* asking) const;
  };
  using AskingPtr = std::unique_ptr<Asking, Forget>;

  Pool(AsioLoop& loop, Destination to, TlsTerms terms, std::string source, HttpLimits limits);
  ~Pool();

  // Makes the TLS context, so that PEM texts that do not parse are known before the first connection.
  base::Result<void> prepare(const Proof& proof);

  // `then` comes later. `fresh` wants a connection that was not used before.
  AskingPtr ask(Use use, const Proof& proof, bool fresh, Then then);

  std::uint64_t connections_made() const { return made_; }

 private:
  friend class Seat;
  struct Lane {
    int most = 0;
    int busy = 0;
    std::vector<std::shared_ptr<Connection>> idle;
    std::list<Asking*> line;
  };

  Lane& lane(Use use) { return lanes_[static_cast<std::size_t>(use)]; }
  void serve(Asking& asking);
  void dial(Asking& asking);
  std::shared_ptr<Connection> take_idle(Lane& lane, std::uint64_t edition);
  void give_back(Use use, std::shared_ptr<Connection> connection);
  void free_place(Use use);

  AsioLoop& loop_;
  Destination to_;
  TlsTerms terms_;
  std::string source_;
  HttpLimits limits_;
  TlsContext tls_;
  std::uint64_t tls_edition_ = 0;
  std::uint64_t made_ = 0;
  Lane lanes_[3];
};

}  // namespace drover::kube::net
