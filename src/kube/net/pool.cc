#include "kube/net/pool.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace drover::kube::net {
namespace {

// Servers and the boxes before them close what idles for some minutes; we do it first.
constexpr base::Span kIdleFor = std::chrono::seconds(90);
// What most answers fit into; what a TLS record fits into with room to spare; for lists over plain HTTP.
constexpr std::size_t kReadBytes[] = {4 * 1024, 20 * 1024, 64 * 1024};

}  // namespace

void Connection::make_room(std::size_t bytes) {
  if (!buffer.empty() && bytes < buffer.size()) return;
  for (const std::size_t size : kReadBytes) {
    if (size > buffer.size()) return buffer.resize(size);
  }
}

class Pool::Asking {
 public:
  Asking(std::weak_ptr<Pool> pool, Use lane, Proof credential, bool wants_fresh, Then then)
      : pool(std::move(pool)), use(lane), proof(std::move(credential)), fresh(wants_fresh), then(std::move(then)) {}

  std::weak_ptr<Pool> pool;
  Use use;
  Proof proof;
  bool fresh;
  Then then;
  bool has_place = false;  // counted as busy until a Seat takes over
  std::unique_ptr<Dialing> dialing;
  base::Timer soon;

  // Both may destroy us: `then` is moved out first.
  void answer(std::shared_ptr<Connection> connection) {
    has_place = false;
    auto seat = std::make_unique<Seat>(pool, use, std::move(connection));
    std::exchange(then, nullptr)(std::move(seat));
  }
  void refuse(base::Fault fault) { std::exchange(then, nullptr)(std::unexpected(std::move(fault))); }
};

void Pool::Forget::operator()(Asking* asking) const {
  if (const auto pool = asking->pool.lock()) {
    pool->lane(asking->use).line.remove(asking);
    asking->dialing.reset();
    if (asking->has_place) pool->free_place(asking->use);
  }
  delete asking;
}

Seat::Seat(std::weak_ptr<Pool> pool, Use use, std::shared_ptr<Connection> connection)
    : pool_(std::move(pool)), use_(use), connection_(std::move(connection)) {}

Seat::~Seat() {
  const auto pool = pool_.lock();
  if (keep_ && pool && use_ != Use::Own) {
    pool->give_back(use_, std::move(connection_));
    return;
  }
  connection_->wire->close();
  if (pool) pool->free_place(use_);
}

Pool::Pool(AsioLoop& loop, Destination to, TlsTerms terms, std::string source, HttpLimits limits)
    : loop_(loop), to_(std::move(to)), terms_(std::move(terms)), source_(std::move(source)), limits_(limits) {
  lane(Use::Ordinary).most = std::max(1, limits.pool);
  lane(Use::Lease).most = 1;
  lane(Use::Own).most = std::numeric_limits<int>::max();
}

Pool::~Pool() {
  for (Lane& lane : lanes_) {
    for (const auto& connection : lane.idle) connection->wire->close();
  }
}

base::Result<void> Pool::prepare(const Proof& proof) {
  if (!to_.tls || (tls_ && tls_edition_ == proof.edition)) return {};
  TlsTerms terms = terms_;
  terms.certificate_pem = proof.certificate_pem;
  terms.key_pem = proof.key_pem;
  TRY(tls_, make_tls(terms, source_));
  tls_edition_ = proof.edition;
  return {};
}

Pool::AskingPtr Pool::ask(Use use, const Proof& proof, bool fresh, Then then) {
  AskingPtr asking(new Asking(weak_from_this(), use, proof, fresh, std::move(then)));
  Lane& lane = this->lane(use);
  if (lane.busy < lane.most) {
    serve(*asking);
  } else {
    lane.line.push_back(asking.get());
  }
  return asking;
}

// There is a place: an idle connection, or a new one.
void Pool::serve(Asking& asking) {
  Lane& lane = this->lane(asking.use);
  ++lane.busy;
  asking.has_place = true;
  auto idle = asking.fresh ? nullptr : take_idle(lane, asking.proof.edition);
  if (!idle) return dial(asking);
  // Callbacks come later; until then the connection is reserved.
  asking.soon = loop_.after(base::Span::zero(), [&asking, connection = std::move(idle)] { asking.answer(connection); });
}

void Pool::dial(Asking& asking) {
  if (auto prepared = prepare(asking.proof); !prepared) {
    asking.soon = loop_.after(base::Span::zero(), [&asking, fault = prepared.error()] { asking.refuse(fault); });
    return;
  }
  asking.dialing = Dialing::start(loop_, to_, tls_, limits_.connect_within,
                                  [this, &asking](base::Result<std::shared_ptr<Wire>> wire) {
                                    if (!wire) return asking.refuse(wire.error());
                                    ++made_;
                                    auto connection = std::make_shared<Connection>();
                                    connection->wire = std::move(*wire);
                                    connection->edition = asking.proof.edition;
                                    asking.answer(std::move(connection));
                                  });
}

std::shared_ptr<Connection> Pool::take_idle(Lane& lane, std::uint64_t edition) {
  const base::Instant now = loop_.now();
  while (!lane.idle.empty()) {
    auto connection = std::move(lane.idle.back());  // the one used last is the likeliest to live
    lane.idle.pop_back();
    if (connection->edition == edition && now - connection->idle_since < kIdleFor && connection->wire->is_quiet())
      return connection;
    connection->wire->close();
  }
  return nullptr;
}

void Pool::give_back(Use use, std::shared_ptr<Connection> connection) {
  connection->idle_since = loop_.now();
  connection->is_used = true;
  connection->buffer = std::vector<char>();  // its memory too
  lane(use).idle.push_back(std::move(connection));
  free_place(use);
}

void Pool::free_place(Use use) {
  Lane& lane = this->lane(use);
  --lane.busy;
  if (lane.line.empty() || lane.busy >= lane.most) return;
  Asking* next = lane.line.front();
  lane.line.pop_front();
  serve(*next);
}

}  // namespace drover::kube::net
