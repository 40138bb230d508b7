// The API door and a scripted server on one loop: what the tests of http_api share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/http_api.h"
#include "scripted_server.h"

namespace drover::kube::fixtures {

using namespace std::chrono_literals;
using Kind = Fault::Kind;

inline constexpr const char* kNode = R"({"kind":"Node","metadata":{"name":"gpu-7","resourceVersion":"5"}})";

inline ListRequest all_of(const Resource& resource) {
  ListRequest request;
  request.range.resource = resource;
  return request;
}

class HttpApiTest : public ::testing::Test {
 protected:
  AsioLoop loop;
  ScriptedServer server{loop};
  HttpLimits limits{.connect_within = 5s, .answer_within = 5s};
  std::unique_ptr<HttpApi> api;

  HttpApi& client() {
    if (!api) open(server.target());
    return *api;
  }
  void open(const Target& target) {
    auto opened = HttpApi::open(loop, target, limits);
    ASSERT_TRUE(opened) << opened.error().message;
    api = std::move(*opened);
  }

  // Runs until `stop` is called; a loop that gets stuck is a failure, not a hang.
  void run() {
    const base::Timer stuck = loop.after(20s, [this] {
      ADD_FAILURE() << "nothing was called back";
      loop.stop();
    });
    loop.run();
  }

  Result<Object> outcome(Request request) {
    Result<Object> result = base::fault(Kind::Failed, "no answer");
    const Call call = client().call(std::move(request), [&](Result<Object> answered) {
      result = std::move(answered);
      loop.stop();
    });
    run();
    return result;
  }
  Result<Object> get_node() { return outcome(get(kNodes, "", "gpu-7")); }
  Result<Object> patch_node() { return outcome(patch(kNodes, "", "gpu-7", PatchKind::Merge, json::Members{})); }

  struct Listed {
    std::vector<std::string> names;
    Result<ListEnd> end = base::fault(Kind::Failed, "no end");
  };
  Listed list(ListRequest request) {
    Listed listed;
    const Call call =
        client().list(std::move(request), {[&](const Object& item) { listed.names.emplace_back(name_of(item)); },
                                           [&](Result<ListEnd> end) {
                                             listed.end = std::move(end);
                                             loop.stop();
                                           }});
    run();
    return listed;
  }

  struct Watched {
    std::vector<std::string> names;
    std::optional<Fault> fault;
  };
  Watched watch(WatchRequest request) {
    Watched watched;
    const Call call = client().watch(
        std::move(request), {[&](const WatchEvent& event) { watched.names.emplace_back(name_of(event.object)); },
                             [&](std::optional<Fault> fault) {
                               watched.fault = std::move(fault);
                               loop.stop();
                             }});
    run();
    return watched;
  }
};

inline void expect_fault(const Result<Object>& result, Kind kind, std::string_view words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, kind) << result.error().message;
  EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
}

}  // namespace drover::kube::fixtures
