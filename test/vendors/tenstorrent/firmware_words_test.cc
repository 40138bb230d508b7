// What text of a policy may become a target or an address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

TEST(FlashTarget, IsReadBackAsItWasMade) {
  EXPECT_EQ(flash_target("19.9.0.0", 7), "19.9.0.0#7");
  const auto target = parse_flash_target("19.9.0.0#7");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->version, "19.9.0.0");
  EXPECT_EQ(target->epoch, 7);
}

TEST(FlashTarget, RefusesOtherText) {
  for (const char* text : {"", "#", "19.9.0.0", "19.9.0.0#", "19.9.0.0#x", "19.9.0.0#-1", "19.9#1", "a.b.c.d#1",
                           "19.9.0.0.0#1", "19.9.0.0#1#2", "19.9.0.0#99999999999999999999", "12345.1.1.1#1"})
    EXPECT_FALSE(parse_flash_target(text)) << text;
}

TEST(BundleUrl, SplitsTheChecksumOffAndShowsNoQuery) {
  const std::string digits(64, 'A');
  const auto url = parse_bundle_url("https://example.com:8443/a/b.fwbundle?token=hunter2#sha256=" + digits);
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->url, "https://example.com:8443/a/b.fwbundle?token=hunter2");
  EXPECT_EQ(url->shown, "https://example.com:8443/a/b.fwbundle");
  EXPECT_EQ(url->sha256, std::string(64, 'a'));
  EXPECT_EQ(parse_bundle_url("https://example.com/b")->sha256, "");
}

TEST(BundleUrl, RefusesWhatIsNotHttpsOrNamesAUserOrNoFile) {
  for (const std::string text : {"",
                                 "https://",
                                 "https:///x",
                                 "https://example.com",
                                 "https://example.com/",
                                 "http://example.com/x",
                                 "HTTPS://example.com/x",
                                 "ftp://example.com/x",
                                 "file:///etc/passwd",
                                 "ext::sh -c id",
                                 "--upload-pack=x",
                                 "https://me@example.com/x",
                                 "https://me:hunter2@example.com/x",
                                 "https://-x/y",
                                 "https://example.com/a b",
                                 "https://example.com/a\nb",
                                 "https://example.com/a\"b",
                                 "https://example.com/x#",
                                 "https://example.com/x#frag",
                                 "https://example.com/x#sha256=",
                                 "https://example.com/x#sha256=zz"}) {
    const auto url = parse_bundle_url(text);
    EXPECT_FALSE(url) << text;
    if (!url) {
      EXPECT_THAT(url.error().message, ::testing::Not(::testing::HasSubstr("hunter2")));
    }
  }
  EXPECT_FALSE(parse_bundle_url("https://example.com/" + std::string(3000, 'x')));
}

}  // namespace
}  // namespace drover::vendors
