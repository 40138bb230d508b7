// The parsers against a slow reference: the same text parsed whole by Boost.JSON and cut by Projection::applied_to.
#include "kube/stream.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"

namespace drover::kube {
namespace {

constexpr std::size_t kRoomy = 8 * 1024 * 1024;

// A text in a heap block of its exact size, so that a sanitizer sees a read beyond it.
class Exact {
 public:
  explicit Exact(std::string_view text) : bytes_(text.begin(), text.end()) { bytes_.shrink_to_fit(); }
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

Result<Object> object_from(const Projection& projection, const std::vector<std::string_view>& pieces) {
  ObjectParser parser(projection, kRoomy);
  for (const std::string_view piece : pieces) TRY_VOID(parser.feed(Exact(piece).view()));
  return parser.finish();
}

struct Listed {
  std::vector<std::string> items;
  Result<ListMeta> end;
};
Listed list_from(const Projection& projection, const std::vector<std::string_view>& pieces,
                 std::size_t limit = kRoomy) {
  Listed listed{{}, ListMeta{}};
  ListParser parser(projection, [&](const Object& item) { listed.items.push_back(json::text_of(item)); }, limit);
  for (const std::string_view piece : pieces) {
    if (auto fed = parser.feed(Exact(piece).view()); !fed) {
      listed.end = std::unexpected(fed.error());
      return listed;
    }
  }
  listed.end = parser.finish();
  return listed;
}

struct Watched {
  std::vector<std::string> events;
  std::optional<Fault> fault;
  bool between = false;
};
Watched watch_from(const Projection& projection, const std::vector<std::string_view>& pieces) {
  Watched watched;
  WatchParser parser(
      projection,
      [&](const WatchEvent& event) {
        watched.events.push_back(std::to_string(static_cast<int>(event.kind)) + " " + json::text_of(event.object));
      },
      kRoomy);
  for (const std::string_view piece : pieces) {
    if (auto fed = parser.feed(Exact(piece).view()); !fed) {
      watched.fault = fed.error();
      break;
    }
  }
  watched.between = parser.is_between_events();
  return watched;
}

const Projection kSome = {"spec.nodeName", "spec.list.a", "metadata.labels", "status.n"};

constexpr std::string_view kPod =
    R"({"kind":"Pod","metadata":{"name":"é\u00e9\ud83d\ude00😀","labels":{"a\"b":"c\\d","e":"\u0041"},"x":[[],{},[{}]]},)"
    R"( "spec":{"nodeName":"gpu-1","list":[{"a":-1,"b":2},{"a":[true,false,null]},{"a":{"deep":{"er":1.5e3}}},"s",3],"z":{"nodeName":"no"}},)"
    R"("status":{"n":18446744073709551615,"m":[1,2,{"n":3}]},"sp\u0065c2":{}})";

TEST(ObjectParser, KeepsWhatTheReferenceKeepsWhereverTheTextIsSplit) {
  for (const Projection& projection : {Projection(), kSome}) {
    const json::Value reference = projection.applied_to(json::parse(kPod).value());
    for (std::size_t split = 0; split <= kPod.size(); ++split) {
      const auto object = object_from(projection, {kPod.substr(0, split), kPod.substr(split)});
      ASSERT_TRUE(object) << split << ": " << object.error().message;
      ASSERT_EQ(json::text_of(*object), json::text_of(reference)) << "split at " << split;
    }
  }
}

TEST(ObjectParser, KeepsWhatTheReferenceKeepsByteByByte) {
  ObjectParser parser(kSome, kRoomy);
  for (const char c : kPod) ASSERT_TRUE(parser.feed({&c, 1}));
  const auto object = parser.finish();
  ASSERT_TRUE(object);
  EXPECT_EQ(*object, kSome.applied_to(json::parse(kPod).value()));
}

TEST(ObjectParser, AKeyWrittenWithEscapesIsTheSameKey) {
  const auto object = object_from(kSome, {R"({"sp\u0065c":{"node\u004eame":"x"}})"});
  ASSERT_TRUE(object);
  EXPECT_EQ(json::text_of(*object), R"({"spec":{"nodeName":"x"}})");
}

TEST(ObjectParser, OfEqualKeysTheLastWins) {
  const auto object = object_from({}, {R"({"a":1,"b":2,"a":{"x":1,"x":2}})"});
  ASSERT_TRUE(object);
  EXPECT_EQ(json::int_at(*object, {"a", "x"}), 2);
  std::string many = "{";
  for (int i = 0; i < 300; ++i) many += "\"k" + std::to_string(i % 40) + "\":" + std::to_string(i) + ",";
  many.back() = '}';
  const auto large = object_from({}, {many});
  ASSERT_TRUE(large);
  EXPECT_EQ(large->get_object().size(), 40u);
  EXPECT_EQ(json::int_at(*large, {"k39"}), 279);
}

TEST(ObjectParser, NumbersKeepTheirKind) {
  const auto object =
      object_from({}, {R"({"i":-9223372036854775808,"u":18446744073709551615,"d":0.1,"big":-9223372036854775809})"});
  ASSERT_TRUE(object);
  EXPECT_TRUE(object->at("i").is_int64());
  EXPECT_TRUE(object->at("u").is_uint64());
  EXPECT_EQ(object->at("d"), 0.1);
  EXPECT_TRUE(object->at("big").is_double());
  const auto extreme = object_from({}, {R"({"huge":-1e400,"tiny":1e-400,"zero":-0})"});
  ASSERT_TRUE(extreme);
  EXPECT_EQ(extreme->at("huge"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(extreme->at("tiny"), 0.0);
  EXPECT_EQ(extreme->at("zero"), 0);
}

TEST(ObjectParser, RefusesWhatIsNearlyANumberAStringOrAWord) {
  for (const char* value : {"+1",
                            "01",
                            "-",
                            "1.",
                            ".5",
                            "1e",
                            "1e+",
                            "1-2",
                            "0x1",
                            "tru",
                            "nulll",
                            "True",
                            "\"\\x\"",
                            "\"\\u12g4\"",
                            "\"\\ud800\"",
                            "\"\\ud800\\u0041\"",
                            "\"\\udc00\"",
                            "\"\t\"",
                            "\"\xc0\x80\"",
                            "\"\xed\xa0\x80\"",
                            "\"\xf4\x90\x80\x80\"",
                            "\"\xe2\x82\"",
                            "'a'",
                            "{\"a\" 1}",
                            "{\"a\":1 \"b\":2}",
                            "[1 2]",
                            "[1,]",
                            "[,1]",
                            "{,}",
                            "[}",
                            "{]"}) {
    const std::string text = std::string("{\"kept\":") + value + ",\"x\":1}";
    EXPECT_FALSE(object_from({}, {text})) << text;
    EXPECT_FALSE(object_from(kSome, {text})) << text;
    // And where it is passed over at full speed.
    const std::string below = std::string("{\"other\":{\"deep\":[0,") + value + "]}}";
    EXPECT_FALSE(object_from(kSome, {below})) << below;
  }
}

TEST(ObjectParser, RefusesWhatIsNoObject) {
  for (const char* text : {"", " \n", "[]", "[{}]", "5", "\"x\"", "null", "true", "<html>", "{\"a\":1", "{\"a\"}",
                           "{} {}", "{}x", "{\"a\":1,}", "nul", "{\"a\":01}", "\xef\xbb\xbf{}"}) {
    const auto object = object_from({}, {text});
    ASSERT_FALSE(object) << text;
    EXPECT_EQ(object.error().kind, Fault::Kind::Malformed);
    EXPECT_EQ(object.error().message.find('\n'), std::string::npos);
  }
}

TEST(ObjectParser, TextThatIsNotUtf8IsMalformedEvenWhereItIsPassedOver) {
  EXPECT_FALSE(object_from(kSome, {"{\"other\":\"\xff\"}"}));
  EXPECT_FALSE(object_from(kSome, {"{\"spec\":{\"nodeName\":\"\xc3(\"}}"}));
  EXPECT_FALSE(object_from(kSome, {"{\"other\":\"\xc3", "(\"}"}));
}

TEST(ObjectParser, RefusesNestingBeyondTheLimit) {
  const auto nested = [](std::size_t depth) {
    return std::string("{\"a\":") + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(object_from({}, {nested(json::kMaxDepth - 1)}));
  EXPECT_FALSE(object_from({}, {nested(json::kMaxDepth + 1)}));
  EXPECT_FALSE(object_from(kSome, {std::string(100000, '[')}));
  EXPECT_FALSE(object_from(kSome, {"{\"a\":" + std::string(100000, '[')}));
}

TEST(ObjectParser, QuotesTheBeginningOfAPageAndNothingFurtherOn) {
  const auto page = object_from({}, {"<html>Bad Gateway</html>"});
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message.find("<html>"), std::string::npos) << page.error().message;
  const auto secret = object_from({}, {R"({"data":{"password":"hunter2"} hunter2})"});
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message.find("hunter2"), std::string::npos) << secret.error().message;
}

TEST(ObjectParser, OneObjectOfTenMegabytesIsRefused) {
  ObjectParser parser(kSome, kRoomy);
  const std::string megabyte = "\"" + std::string(1024 * 1024 - 6, 'x') + "\",";
  Result<void> fed = parser.feed("{\"other\":[");
  int megabytes = 0;
  while (fed && megabytes < 20) {
    fed = parser.feed(megabyte);
    ++megabytes;
  }
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().kind, Fault::Kind::Malformed);
  EXPECT_LE(megabytes, 9);
  EXPECT_EQ(parser.feed("x").error().message, fed.error().message);
}

constexpr std::string_view kList =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"tok","remainingItemCount":9},)"
    R"("items":[{"metadata":{"name":"a"},"spec":{"nodeName":"x","other":{"items":[1]}}},{},{"metadata":{"name":"b"}}]})";

TEST(ListParser, EmitsItemsInOrderWhereverTheTextIsSplit) {
  for (std::size_t split = 0; split <= kList.size(); ++split) {
    const Listed listed = list_from(kSome, {kList.substr(0, split), kList.substr(split)});
    ASSERT_TRUE(listed.end) << split << ": " << listed.end.error().message;
    EXPECT_EQ(listed.items, (std::vector<std::string>{R"({"metadata":{"name":"a"},"spec":{"nodeName":"x"}})", "{}",
                                                      R"({"metadata":{"name":"b"}})"}));
    EXPECT_EQ(listed.end->kind, "PodList");
    EXPECT_EQ(listed.end->resource_version, "42");
    EXPECT_EQ(listed.end->continue_token, "tok");
  }
}

TEST(ListParser, TakesKeysInAnyOrderAndAnEmptyListAsGoWritesIt) {
  const Listed late = list_from({}, {R"({"items":[{"a":1}],"metadata":{"resourceVersion":"3"},"kind":"NodeList"})"});
  ASSERT_TRUE(late.end);
  EXPECT_EQ(late.items, std::vector<std::string>{R"({"a":1})"});
  EXPECT_EQ(late.end->resource_version, "3");
  const Listed none = list_from({}, {R"({"kind":"NodeList","metadata":{"resourceVersion":"3"},"items":null})"});
  EXPECT_TRUE(none.end);
  EXPECT_TRUE(none.items.empty());
}

TEST(ListParser, SaysWhatCameInPlaceOfAList) {
  const Listed status = list_from({}, {R"({"kind":"Status","message":"the server has gone home","code":500})"});
  ASSERT_FALSE(status.end);
  EXPECT_NE(status.end.error().message.find("Status: the server has gone home"), std::string::npos);
  const Listed pod = list_from({}, {kPod});
  ASSERT_FALSE(pod.end);
  EXPECT_NE(pod.end.error().message.find("a Pod"), std::string::npos);
}

TEST(ListParser, RefusesWhatIsNoList) {
  for (const char* text :
       {"", "[]", "null", "{}", R"({"kind":"PodList"})", R"({"kind":"PodList","items":{}})",
        R"({"kind":"PodList","items":5})", R"({"kind":"PodList","items":[5]})", R"({"kind":"PodList","items":[[]]})",
        R"({"kind":"PodList","items":[null]})", R"({"kind":"PodList","items":[{}]} x)",
        R"({"kind":"PodList","items":[{})", R"({"kind":["PodList"],"items":[]})"}) {
    const Listed listed = list_from({}, {text});
    ASSERT_FALSE(listed.end) << text;
    EXPECT_EQ(listed.end.error().kind, Fault::Kind::Malformed);
  }
}

TEST(ListParser, ManySmallItemsMayBeMoreThanOneObjectMayBe) {
  std::string text = R"({"kind":"PodList","items":[)";
  for (int i = 0; i < 5000; ++i) text += R"({"spec":{"nodeName":"x","pad":")" + std::string(100, 'p') + "\"}},";
  text.back() = ']';
  text += "}";
  EXPECT_EQ(list_from(kSome, {text}, 100 * 1024).items.size(), 5000u);
  EXPECT_FALSE(
      list_from(kSome, {R"({"kind":"PodList","items":[{"a":")" + std::string(300 * 1024, 'p')}, 100 * 1024).end);
}

TEST(ListParser, TheLimitOnOneObjectIsExact) {
  const std::string item = R"({"pad":")" + std::string(89, 'p') + "\"}";
  ASSERT_EQ(item.size(), 99u);
  const auto listed = [&](std::size_t limit) {
    return list_from({},
                     {R"({"kind":"PodList","metadata":{"x":")" + std::string(20, 'm') + R"("},"items":[)" + item + "," +
                      item + "]}"},
                     limit);
  };
  EXPECT_TRUE(listed(99).end);
  EXPECT_FALSE(listed(98).end);
}

TEST(ListParser, EndlessSpaceAroundTheItemsIsRefused) {
  EXPECT_FALSE(list_from({}, {R"({"kind":"PodList","items":[)", std::string(300 * 1024, ' ')}, 100 * 1024).end);
}

constexpr std::string_view kEvents =
    R"({"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"nodeName":"x","y":1}}})"
    "\n"
    R"({"type":"MODIFIED","object":{"metadata":{"name":"b"}}})"
    "\n\n "
    R"({"object":{"metadata":{"name":"c"}},"type":"DELETED"}{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})"
    "\n";

TEST(WatchParser, EmitsEventsInOrderWhereverTheTextIsSplit) {
  for (std::size_t split = 0; split <= kEvents.size(); ++split) {
    const Watched watched = watch_from(kSome, {kEvents.substr(0, split), kEvents.substr(split)});
    ASSERT_FALSE(watched.fault) << watched.fault->message;
    EXPECT_EQ(watched.events,
              (std::vector<std::string>{R"(0 {"metadata":{"name":"a"},"spec":{"nodeName":"x"}})",
                                        R"(1 {"metadata":{"name":"b"}})", R"(2 {"metadata":{"name":"c"}})",
                                        R"(3 {"metadata":{"resourceVersion":"9"}})"}));
    EXPECT_TRUE(watched.between);
  }
}

TEST(WatchParser, AnEventComesAsSoonAsItsLastByteDoes) {
  EXPECT_EQ(watch_from(kSome, {R"({"type":"ADDED","object":{}})"}).events.size(), 1u);
}

TEST(WatchParser, KnowsWhetherItIsInTheMiddleOfAnEvent) {
  EXPECT_TRUE(watch_from({}, {"", "\n "}).between);
  EXPECT_FALSE(watch_from({}, {R"({"type":"ADDED")"}).between);
}

TEST(WatchParser, AnErrorEventIsTheFaultThatItsStatusMeans) {
  const Watched gone = watch_from(
      kSome, {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"});
  ASSERT_TRUE(gone.fault);
  EXPECT_EQ(gone.fault->kind, Fault::Kind::Expired);
  EXPECT_NE(gone.fault->message.find("too old"), std::string::npos);
  const Watched busy = watch_from(
      kSome, {R"({"type":"ERROR","object":{"kind":"Status","code":429,"details":{"retryAfterSeconds":4}}})"});
  ASSERT_TRUE(busy.fault);
  EXPECT_EQ(busy.fault->kind, Fault::Kind::Throttled);
  EXPECT_EQ(busy.fault->retry_after, std::chrono::seconds(4));
}

TEST(WatchParser, RefusesWhatIsNoEvent) {
  for (const char* text :
       {R"({"type":"ADDED"})", R"({"object":{}})", R"({"type":"MADE","object":{}})", R"({"type":5,"object":{}})",
        R"({"type":"ADDED","object":null})", R"({"type":"ADDED","object":[]})", "[]", "HTTP/1.1 200 OK"}) {
    const Watched watched = watch_from({}, {text});
    ASSERT_TRUE(watched.fault) << text;
    EXPECT_EQ(watched.fault->kind, Fault::Kind::Malformed);
  }
}

TEST(WatchParser, MayBeMovedBetweenEvents) {
  int events = 0;
  WatchParser first({}, [&](const WatchEvent&) { ++events; }, kRoomy);
  ASSERT_TRUE(first.feed(R"({"type":"ADDED","obj)"));
  WatchParser second = std::move(first);
  ASSERT_TRUE(second.feed(R"(ect":{}})"));
  EXPECT_EQ(events, 1);
}

// Random documents, random projections, random splits.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed) {}

  json::Value value(int depth) {
    switch (random_.below(depth > 0 ? 8 : 6)) {
      case 0: return nullptr;
      case 1: return random_.chance(0.5);
      case 2: return static_cast<std::int64_t>(random_.below(1u << 20)) - 5000;
      case 3: return random_.below(0) + (std::uint64_t(1) << 63) + random_.below(1000);
      case 4: return text();
      case 5: return 0.5 * static_cast<double>(random_.below(100));
      case 6: {
        json::Array array;
        for (auto i = random_.below(5); i > 0; --i) array.push_back(value(depth - 1));
        return array;
      }
      default: return object(depth);
    }
  }
  json::Value object(int depth) {
    json::Members members;
    for (auto i = random_.below(6); i > 0; --i) members[key()] = value(depth - 1);
    return members;
  }
  std::string key() {
    return std::string(1, static_cast<char>('a' + random_.below(4))) + (random_.chance(0.1) ? "\n\"é" : "");
  }
  Projection projection() {
    const auto path = [&] {
      std::string out = key();
      for (auto i = random_.below(3); i > 0; --i) out += "." + key();
      return out;
    };
    return {path(), path(), path()};
  }
  std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
      const auto size = std::min<std::size_t>(1 + random_.below(random_.chance(0.3) ? 3 : 60), text.size());
      out.push_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    return out;
  }

 private:
  json::Value text() {
    static constexpr const char* kTexts[] = {"",    "plain",    "a \"quoted\" one", "new\nline\ttab",
                                             "é😀", "\x01\x1f", "back\\slash"};
    return kTexts[random_.below(std::size(kTexts))];
  }
  base::Random random_;
};

TEST(ObjectParser, AgreesWithTheReferenceOnRandomDocuments) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Story story(seed);
    const json::Value whole = story.object(5);
    const Projection projection = story.projection();
    const std::string text = json::text_of(whole);
    const auto object = object_from(projection, story.pieces(text));
    ASSERT_TRUE(object) << "seed " << seed << ": " << object.error().message;
    ASSERT_EQ(json::text_of(*object), json::text_of(projection.applied_to(whole))) << "seed " << seed << " of " << text;
  }
}

}  // namespace
}  // namespace drover::kube
