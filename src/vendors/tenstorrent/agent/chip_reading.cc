#include "vendors/tenstorrent/agent/chip_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "base/json.h"
#include "base/order.h"
#include "base/text.h"
#include "vendors/tenstorrent/agent/programs.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

constexpr std::string_view kBus = "/sys/bus/pci/devices";
constexpr std::string_view kDriver = "tenstorrent";
constexpr base::Span kSmiWithin = std::chrono::minutes(2);
constexpr std::size_t kMostSmiBytes = 8 * 1024 * 1024;
constexpr std::size_t kMostNamed = 4;
constexpr std::size_t kMostChips = 64;

std::string_view hex_digits(std::string_view text) {
  text = base::trim(text);
  return text.starts_with("0x") ? text.substr(2) : text;
}

int number_in(host::Host& host, const std::string& path) {
  const std::string text = host.read(path).value_or("");
  const std::string_view digits = hex_digits(text);
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

// What a chip says is shown and compared, so it is a version or nothing.
std::string version_or_nothing(std::string_view text) {
  return parse_firmware_version(text) ? std::string(base::trim(text)) : std::string();
}

// The driver's folder below a function is called tenstorrent!0, or as the kernel shows that, tenstorrent/tenstorrent!0.
std::string version_of(host::Host& host, const std::string& address) {
  const std::string folder = fmt::format("{}/{}/tenstorrent", kBus, address);
  for (const auto& name : host.list(folder).value_or(std::vector<std::string>{})) {
    const auto text = host.read(fmt::format("{}/{}/tt_fw_bundle_ver", folder, name));
    if (text) return version_or_nothing(*text);
  }
  return {};
}

// A machine that shows no links shows the driver's own folder all the same.
std::string driver_of(host::Host& host, const std::string& address) {
  const auto link = host.link(fmt::format("{}/{}/driver", kBus, address));
  if (link) return link->substr(link->rfind('/') + 1);
  const auto own = host.list(fmt::format("{}/{}/tenstorrent", kBus, address));
  return own && !own->empty() ? std::string(kDriver) : std::string();
}

std::string safe_name(std::string_view text) {
  const bool is_address = !text.empty() && text.size() <= 16 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
  });
  return is_address ? std::string(text) : std::string();
}

std::string named(std::vector<std::string> names, std::size_t most) {
  const std::size_t more = names.size() - std::min(names.size(), most);
  names.resize(names.size() - more);
  return base::join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

ChipReading read_chips(host::Host& host) {
  ChipReading reading;
  for (const auto& address : host.list(std::string(kBus)).value_or(std::vector<std::string>{})) {
    const std::string folder = fmt::format("{}/{}/", kBus, address);
    const std::string vendor = host.read(folder + "vendor").value_or("");
    const std::string cls = host.read(folder + "class").value_or("");
    if (hex_digits(vendor) != tenstorrent().device.pci || !hex_digits(cls).starts_with(tenstorrent().device.classes))
      continue;
    reading.functions.push_back({.address = address,
                                 .subsystem = number_in(host, folder + "subsystem_device"),
                                 .driver = driver_of(host, address)});
    reading.chips.push_back({.name = address, .version = version_of(host, address)});
  }
  return reading;
}

ChipReading with_smi(ChipReading reading, std::string_view output) {
  // Before and after the document it may speak to people.
  const std::size_t line = output.find("\n{");
  const std::size_t begin = output.starts_with('{') || line == std::string_view::npos ? output.find('{') : line + 1;
  const std::size_t end = output.rfind('}');
  const bool has_some = begin != std::string_view::npos && end != std::string_view::npos && begin < end;
  const auto value = json::parse(has_some ? output.substr(begin, end - begin + 1) : std::string_view("null"), 32);
  const json::Value* devices = value ? json::find(*value, {"device_info"}) : nullptr;
  if (devices == nullptr || !devices->is_array()) {
    const std::string_view said = base::trim(output);
    reading.smi_trouble =
        fmt::format("tt-smi -s told of no devices: {}", said.empty() ? "it said nothing" : base::one_line(said, 160));
    return reading;
  }
  reading.told_by_smi = 0;
  for (const json::Value& device : devices->get_array()) {
    if (static_cast<std::size_t>(reading.told_by_smi) >= kMostChips) break;
    const std::string name = safe_name(base::lower(json::text_at(device, {"board_info", "bus_id"})));
    const std::string version = version_or_nothing(json::text_at(device, {"firmwares", "fw_bundle_version"}));
    const int number = reading.told_by_smi++;
    const auto chip = std::find_if(reading.chips.begin(), reading.chips.end(),
                                   [&](const Chip& one) { return !name.empty() && one.name == name; });
    if (chip == reading.chips.end())
      reading.chips.push_back({.name = fmt::format("chip {}", number), .version = version});
    else if (!version.empty())
      chip->version = version;
  }
  return reading;
}

void read_drained_chips(host::Host& host, base::Loop& loop, std::function<void(ChipReading)> done) {
  const auto said = std::make_shared<std::string>();
  host::Command command{.path = std::string(vendors::kTtSmi), .args = {"-s"}, .within = kSmiWithin};
  command.environment = {{"PYTHONUNBUFFERED", "1"}};
  command.heard = [said](std::string_view piece) {
    said->append(piece.substr(0, kMostSmiBytes - std::min(kMostSmiBytes, said->size())));
  };
  host.run(command, loop, [&host, said, done = std::move(done)](const host::Result<host::Ran>& ran) {
    ChipReading reading = read_chips(host);
    if (!ran) {
      reading.smi_trouble = ran.error().message;
    } else if (ran->ran_out) {
      reading.smi_trouble = "tt-smi -s was ended after 2m: it hangs";
    } else {
      // A machine that does not hand pieces on gives the text as a whole.
      reading = with_smi(std::move(reading), said->empty() ? ran->output : *said);
    }
    done(std::move(reading));
  });
}

Readback compare(const ChipReading& reading, const FirmwareVersion& target) {
  const auto is_unread = [](const Chip& chip) { return chip.version.empty(); };
  if (reading.chips.empty() || std::any_of(reading.chips.begin(), reading.chips.end(), is_unread))
    return Readback::Unread;
  const bool all = std::all_of(reading.chips.begin(), reading.chips.end(),
                               [&](const Chip& chip) { return parse_firmware_version(chip.version) == target; });
  return all ? Readback::AtTarget : Readback::Differs;
}

std::vector<protocol::Part> parts_of(const ChipReading& reading) {
  std::vector<protocol::Part> parts;
  for (const Chip& chip : reading.chips) parts.push_back({chip.name, chip.version});
  return parts;
}

std::string text_of(const ChipReading& reading) {
  std::map<std::string, std::vector<std::string>> by_version;
  for (const Chip& chip : reading.chips) by_version[chip.version].push_back(chip.name);
  std::vector<std::pair<std::string, std::vector<std::string>>> groups(by_version.begin(), by_version.end());
  // What few chips say is what is looked for.
  base::sort_keeping_order(groups, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<std::string> texts;
  for (auto& [version, names] : groups)
    texts.push_back(
        fmt::format("{} ({})", version.empty() ? "no version" : version, named(std::move(names), kMostNamed)));
  return texts.empty() ? "no chip on the PCI bus" : base::join(texts, ", ");
}

std::string without_driver(const ChipReading& reading) {
  std::vector<std::string> names;
  for (const ChipFunction& function : reading.functions) {
    if (function.driver != kDriver)
      names.push_back(
          fmt::format("{} ({})", function.address, function.driver.empty() ? "no driver" : function.driver));
  }
  return named(std::move(names), kMostNamed);
}

std::string unread_chips(const ChipReading& reading) {
  std::vector<std::string> names;
  for (const Chip& chip : reading.chips) {
    if (chip.version.empty()) names.push_back(chip.name);
  }
  return named(std::move(names), kMostNamed);
}

}  // namespace drover::agent
