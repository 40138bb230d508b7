#include "vendors/shared/checks.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::vendors {
namespace {

// What an attacker might try to smuggle into a command line, a path or a reference.
const std::string kHostile[] = {
    "1.2;rm -rf /",
    "$(id)",
    "`id`",
    "../../etc",
    "-oProxyCommand=x",
    std::string(300, 'a'),
    "a\nb",
    "a b",
    "a\tb",
    std::string("a\0b", 3),
    "550.54\xc2\xa0",
    "５50",
    "a|b",
    "a&b",
    "a>b",
    "a'b",
    "a\"b",
    "a\\b",
};

TEST(NvidiaChecks, HostileTextPassesNoCheck) {
  for (const std::string& text : kHostile) {
    EXPECT_FALSE(is_driver_version(text)) << text;
    EXPECT_FALSE(is_image_digest(text)) << text;
    EXPECT_FALSE(is_image_repository(text)) << text;
    EXPECT_FALSE(is_image_name(text)) << text;
    EXPECT_FALSE(is_image_reference(text)) << text;
    EXPECT_FALSE(is_system_word(text)) << text;
    EXPECT_FALSE(is_env_name(text) && text.find('-') != 0) << text;
    EXPECT_FALSE(is_host_path("/" + text) && text.size() < 200) << text;
    EXPECT_FALSE(is_object_name(text) && text.size() < 200) << text;
    EXPECT_FALSE(is_label_value(text)) << text;
  }
}

struct Row {
  bool (*check)(std::string_view);
  std::string text;
  bool passes;
};

class CheckTest : public ::testing::TestWithParam<Row> {};

TEST_P(CheckTest, Says) { EXPECT_EQ(GetParam().check(GetParam().text), GetParam().passes) << GetParam().text; }

const std::string kDigest = "sha256:" + std::string(64, 'a');

INSTANTIATE_TEST_SUITE_P(
    All, CheckTest,
    ::testing::Values(
        // versions
        Row{is_driver_version, "550.54.15", true}, Row{is_driver_version, "535", true},
        Row{is_driver_version, "550.90.07-rc_1", true}, Row{is_driver_version, "", false},
        Row{is_driver_version, ".550", false}, Row{is_driver_version, "550..1", false},
        Row{is_driver_version, std::string(64, '5'), true}, Row{is_driver_version, std::string(65, '5'), false},
        // digests
        Row{is_image_digest, kDigest, true}, Row{is_image_digest, kDigest + "a", false},
        Row{is_image_digest, "sha256:" + std::string(64, 'G'), false}, Row{is_image_digest, "sha256:", false},
        // where images are
        Row{is_image_repository, "nvcr.io/nvidia", true}, Row{is_image_repository, "localhost:5000/a/b", true},
        Row{is_image_repository, "nvidia", true}, Row{is_image_repository, "a//b", false},
        Row{is_image_repository, "/a", false}, Row{is_image_repository, "a/", false},
        Row{is_image_repository, "a/b:5000", false}, Row{is_image_repository, "host:port/a", false},
        Row{is_image_repository, "user@host/a", false}, Row{is_image_repository, "https://host/a", false},
        // images
        Row{is_image_name, "driver", true}, Row{is_image_name, "nvidia/driver", true},
        Row{is_image_name, "driver:1", false}, Row{is_image_name, "Driver", false},
        Row{is_image_reference, "nvcr.io/nvidia/driver:550.54.15-ubuntu22.04", true},
        Row{is_image_reference, "host:5000/driver:1", true}, Row{is_image_reference, "host:5000/driver", false},
        Row{is_image_reference, "driver@" + kDigest, true}, Row{is_image_reference, "driver:1@" + kDigest, true},
        Row{is_image_reference, "driver@sha256:1", false}, Row{is_image_reference, "driver:", false},
        Row{is_image_reference, "driver", false}, Row{is_image_reference, "driver:1:2", false},
        // the others
        Row{is_env_name, "HTTPS_PROXY", true}, Row{is_env_name, "1A", false}, Row{is_env_name, "A=B", false},
        Row{is_env_value, "a\nb\tc", true}, Row{is_env_value, std::string("a\0", 2), false},
        Row{is_env_value, "a\x1b[2J", false}, Row{is_argument, "--flag=some thing", true},
        Row{is_argument, "a\nb", false}, Row{is_host_path, "/", true}, Row{is_host_path, "/var/lib/x-1.2", true},
        Row{is_host_path, "/a/../b", false}, Row{is_host_path, "a/b", false}, Row{is_host_path, "/a b", false},
        Row{is_object_name, "pull-secret.1", true}, Row{is_object_name, "Pull", false},
        Row{is_object_name, "a_b", false}, Row{is_label_key, "example.com/a", true}, Row{is_label_key, "a", true},
        Row{is_label_key, "/a", false}, Row{is_label_key, "a/b/c", false}, Row{is_label_value, "", true},
        Row{is_label_value, "-a", false}, Row{is_quantity, "500m", true}, Row{is_quantity, "1.5Gi", true},
        Row{is_quantity, "Gi", false}, Row{is_quantity, "1 Gi", false}));

}  // namespace
}  // namespace drover::vendors
