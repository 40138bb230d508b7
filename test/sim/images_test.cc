#include "sim/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::sim {
namespace {

using namespace std::chrono_literals;
using Kind = Step::Kind;
using ::testing::HasSubstr;

std::vector<Kind> kinds(const Script& script) {
  std::vector<Kind> all;
  for (const auto& step : script.steps) all.push_back(step.kind);
  return all;
}

TEST(Script, ReadsStepsSettingsAndWhatToDoWhenStopped) {
  const auto script = parse_script(
      "pull 3s; say hello world; wait 250ms; load nvidia 550; ready; wait forever; stop 2s; "
      "when-stopped; try-unload nvidia");
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(kinds(*script), (std::vector{Kind::Say, Kind::Wait, Kind::Load, Kind::Ready, Kind::Wait}));
  EXPECT_EQ(script->steps[0].what, "hello world");
  EXPECT_EQ(script->steps[1].span, 250ms);
  EXPECT_EQ(script->steps[4].span, std::nullopt);
  EXPECT_EQ(script->pull, 3s);
  EXPECT_EQ(script->stop, 2s);
  ASSERT_EQ(script->when_stopped.size(), 1u);
  EXPECT_TRUE(script->says_when_ready());
}

TEST(Script, KeepsSemicolonsInsideQuotes) {
  const auto script = parse_script("say 'one; two'; exit 3");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->steps[0].what, "one; two");
  EXPECT_EQ(script->steps[1].code, 3);
}

TEST(Script, RunsOnWhenItOnlyHasSettings) {
  const auto script = parse_script("deaf; stop 5s");
  ASSERT_TRUE(script);
  EXPECT_TRUE(script->is_deaf);
  EXPECT_EQ(kinds(*script), std::vector{Kind::Wait});
}

TEST(Script, NamesTheStatementThatMakesNoSense) {
  EXPECT_THAT(parse_script("say x; dance").error().message, HasSubstr("\"dance\""));
  EXPECT_THAT(parse_script("wait soon").error().message, HasSubstr("wait soon"));
  EXPECT_THAT(parse_script("exit 900").error().message, HasSubstr("0 to 255"));
  EXPECT_FALSE(parse_script("load nvidia"));
  EXPECT_FALSE(parse_script("load nvidia 1 onto x"));
  EXPECT_FALSE(parse_script("wait -3s"));
  EXPECT_FALSE(parse_script("stop forever"));
  EXPECT_FALSE(parse_script("pull"));
}

TEST(Script, TakesNamedSpansFromTheTempo) {
  const Tempo tempo{.driver = 9s, .task = 4s};
  EXPECT_EQ(span_of(parse_script("wait driver")->steps[0], tempo), 9s);
  EXPECT_EQ(span_of(parse_script("wait task")->steps[0], tempo), 4s);
  EXPECT_EQ(span_of(parse_script("wait forever")->steps[0], tempo), std::nullopt);
}

TEST(Command, MeansWhatAShellWouldDo) {
  const auto script = script_of_command({"/bin/sh", "-c", "echo hi && sleep 5; exit 2"});
  ASSERT_TRUE(script);
  EXPECT_EQ(kinds(*script), (std::vector{Kind::Say, Kind::Wait, Kind::Exit}));
  EXPECT_EQ(script->steps[1].span, 5s);
  EXPECT_EQ(script->steps[2].code, 2);
}

TEST(Command, RepeatsAnEndlessLoop) {
  const auto script = script_of_command({"sh", "-c", "while true; do echo tick; sleep 1; done"});
  ASSERT_TRUE(script);
  EXPECT_EQ(kinds(*script), (std::vector{Kind::Say, Kind::Wait, Kind::Repeat}));
}

TEST(Command, KnowsSleepTrueFalseAndARebootThroughNsenter) {
  EXPECT_EQ(script_of_command({"sleep", "infinity"})->steps[0].span, std::nullopt);
  EXPECT_EQ(script_of_command({"/bin/false"})->steps[0].code, 1);
  EXPECT_EQ(script_of_command({"true"})->steps[0].span, 0s);
  EXPECT_EQ(script_of_command({"nsenter", "-t", "1", "-m", "--", "reboot"})->steps[0].kind, Kind::Reboot);
}

TEST(Command, SaysNothingAboutProgramsItDoesNotKnow) {
  EXPECT_FALSE(script_of_command({"nginx", "-g", "daemon off;"}));
  EXPECT_FALSE(script_of_command({"sh", "-c", "echo x; curl http://example"}));
  EXPECT_FALSE(script_of_command({"sh", "-c", "while true; do sleep 1"}));
  EXPECT_FALSE(script_of_command({}));
}

TEST(Image, TagAndVersionAreReadFromTheReference) {
  EXPECT_EQ(tag_of("nvcr.io/nvidia/driver:550.54.15-ubuntu22.04"), "550.54.15-ubuntu22.04");
  EXPECT_EQ(version_in_tag("nvcr.io/nvidia/driver:550.54.15-ubuntu22.04"), "550.54.15");
  EXPECT_EQ(tag_of("localhost:5000/busybox"), "latest");
  EXPECT_EQ(tag_of("busybox:1.36@sha256:abcd"), "1.36");
}

TEST(Image, PatternsFitLikeGlobs) {
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(fits("a*b", "abc"));
  EXPECT_FALSE(fits("", "x"));
  EXPECT_TRUE(fits("*nvidia*/driver:*", "nvcr.io/nvidia/driver:535"));
}

TEST(ImageTable, TakesTheVersionFromTheTagAndFromTheEnvironment) {
  const auto table = ImageTable::with_vendors();
  const auto nvidia =
      table.script_for({.image = "nvcr.io/nvidia/driver:550.54.15-ubuntu22.04", .container = "nvidia-driver-ctr"});
  ASSERT_TRUE(nvidia);
  EXPECT_EQ(nvidia->steps[2].what, "nvidia");
  EXPECT_EQ(nvidia->steps[2].with, "550.54.15");
  const auto tenstorrent = table.script_for({.image = "ghcr.io/tenstorrent/tt-k8s-driver-manager-builder:v1",
                                             .container = "builder",
                                             .env = {{"TT_KMD_VERSION", "1.0"}, {"TT_KMD_VERSION", "2.3.0"}}});
  ASSERT_TRUE(tenstorrent);
  EXPECT_EQ(tenstorrent->steps[2].with, "2.3.0");
}

// A row that does not parse would be dropped silently; this counts them.
TEST(ImageTable, HasARowThatLoadsAModuleForEveryVendor) {
  const auto table = ImageTable::with_vendors();
  for (const auto& [image, module] : std::vector<std::pair<std::string, std::string>>{
           {"nvcr.io/nvidia/driver:1", "nvidia"},
           {"ghcr.io/tenstorrent/tt-k8s-driver-manager-builder:1", "tenstorrent"},
           {"repo.rebellions.ai/rebellions/rbln-driver:3.0.0-6.8.0-90-generic-ubuntu22.04", "rebellions"},
           {"registry.example/mlops/ascend-driver:25.5.0-910b", "davinci"}}) {
    const auto script = table.script_for({.image = image, .container = "main"});
    ASSERT_TRUE(script) << image;
    const bool loads = std::any_of(script->steps.begin(), script->steps.end(), [&, want = module](const Step& step) {
      return (step.kind == Kind::Load || step.kind == Kind::LoadOrMark) && step.what == want;
    });
    EXPECT_TRUE(loads) << image;
  }
  const auto validator =
      table.script_for({.image = "nvcr.io/nvidia/gpu-operator-validator:1", .container = "driver-validation"});
  EXPECT_EQ(validator->steps[1].kind, Kind::Await);
  EXPECT_EQ(table.script_for({.image = "docker.io/rebellions/rbln-node-reboot:v1", .container = "r"})->steps[0].kind,
            Kind::Reboot);
}

TEST(ImageTable, PrefersThePodsWordThenTheTableThenTheCommand) {
  ImageTable table;
  ASSERT_TRUE(table.prefer("app:*", "", "exit 7"));
  Invocation asked{.image = "app:1", .container = "main", .argv = {"false"}, .annotated = "exit 9"};
  EXPECT_EQ(table.script_for(asked)->steps[0].code, 9);
  asked.annotated.clear();
  EXPECT_EQ(table.script_for(asked)->steps[0].code, 7);
  asked.image = "other:1";
  EXPECT_EQ(table.script_for(asked)->steps[0].code, 1);
  asked.argv.clear();
  EXPECT_EQ(table.script_for(asked)->steps[0].span, std::nullopt);
  asked.ends_by_itself = true;
  EXPECT_EQ(table.script_for(asked)->steps[0].what, "task");
  asked.annotated = "nonsense";
  EXPECT_FALSE(table.script_for(asked));
}

TEST(ImageTable, ReadsRowsFromTextAndTheFirstLineWins) {
  ImageTable table;
  ASSERT_TRUE(table.read("# rows\nlocalhost:5000/app:* side : exit 1\nlocalhost:5000/* : missing\n"));
  EXPECT_EQ(table.script_for({.image = "localhost:5000/app:2", .container = "side"})->steps[0].code, 1);
  EXPECT_TRUE(table.script_for({.image = "localhost:5000/app:2", .container = "main"})->image_is_missing);
  EXPECT_THAT(table.read("a : wait 1s\nb wait").error().message, HasSubstr("line 2"));
  EXPECT_THAT(table.read("a : dance").error().message, HasSubstr("line 1"));
}

}  // namespace
}  // namespace drover::sim
