#include "sim/door/listing.h"

#include <algorithm>
#include <limits>

#include "sim/door/options.h"

namespace drover::sim::door {
namespace {

constexpr std::size_t kShortList = 500;                  // objects
constexpr std::size_t kPieceOfAList = 128 * 1024;        // bytes written before the loop runs other callbacks
constexpr std::size_t kMostUnsentOfAList = 1024 * 1024;  // beyond which the reader is waited for

class LongList final : public Stream {
 public:
  LongList(DoorContext& context, const Visit& visit, Showing showing, ListPage page)
      : context_(context),
        exchange_(visit.exchange),
        style_(visit.style),
        showing_(std::move(showing)),
        page_(std::move(page)) {}

  void start(HttpReply head) {
    head.headers.push_back({"Cache-Control", "no-cache, private"});
    exchange_->begin(std::move(head));
    send(showing_.head(page_));
    exchange_->on_gone([weak = weak_from_this(), &streams = context_.streams] {
      if (const auto self = weak.lock()) streams.drop(self.get());
    });
    more();
  }

 private:
  void send(std::string text) { exchange_->send(style_.pretty ? prettifier_.feed(text) : std::move(text)); }

  void more() {
    std::string piece;
    while (next_ < page_.items.size() && piece.size() < kPieceOfAList) {
      if (next_ > 0) piece.push_back(',');
      showing_.append_item(piece, *page_.items[next_].open());
      page_.items[next_] = {};
      ++next_;
    }
    const bool is_over = next_ == page_.items.size();
    if (is_over) piece += showing_.tail();
    send(std::move(piece));
    if (is_over) {
      exchange_->end();
      return context_.streams.drop(this);
    }
    const auto again = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) static_cast<LongList&>(*self).more();
    };
    if (exchange_->unsent() > kMostUnsentOfAList) {
      exchange_->on_drained(again);
    } else {
      context_.loop.post(again);
    }
  }

  DoorContext& context_;
  std::shared_ptr<Exchange> exchange_;
  Style style_;
  Showing showing_;
  ListPage page_;
  Prettifier prettifier_;
  std::size_t next_ = 0;
};

}  // namespace

void send_page(DoorContext& context, const Visit& visit, Showing showing, ListPage page) {
  if (page.items.size() > kShortList && !showing.yaml()) {
    const auto list = std::make_shared<LongList>(context, visit, std::move(showing), std::move(page));
    context.streams.keep(list);
    return list->start(visit.warned({}));
  }
  std::string text = showing.head(page);
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) text.push_back(',');
    showing.append_item(text, *page.items[i].open());
  }
  text += showing.tail();
  HttpReply reply;
  reply.headers.push_back({"Cache-Control", "no-cache, private"});
  if (showing.yaml()) {
    reply.content_type = "application/yaml";
    const auto value = json::parse(text, std::numeric_limits<std::size_t>::max());
    reply.body = value ? yaml_of(*value) : std::string();
  } else {
    reply.body = visit.style.pretty ? Prettifier().feed(text) : std::move(text);
    reply.body.push_back('\n');
  }
  visit.exchange->reply(visit.warned(std::move(reply)));
}

void answer_list(DoorContext& context, const Visit& visit, const kube::Resource& resource) {
  auto showing = Showing::make(context, visit, resource, Quantity::Many);
  if (!showing) return visit.say(showing.error());
  const auto options = read_list_options(visit.wanted, false);
  if (!options) return visit.say(options.error());
  kube::Range range{resource, visit.wanted.ns, std::string(visit.wanted.query.text("labelSelector")),
                    std::string(visit.wanted.query.text("fieldSelector"))};
  const int limit = static_cast<int>(std::min<std::int64_t>(options->limit, std::numeric_limits<int>::max()));
  auto page = context.server.list(range, limit, options->continue_token, options->resource_version);
  if (!page) return visit.say(page.error());
  send_page(context, visit, std::move(*showing), std::move(*page));
}

}  // namespace drover::sim::door
