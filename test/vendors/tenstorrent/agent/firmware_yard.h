// One node with Tenstorrent chips, on which firmware is flashed. Its files are real ones below a folder of the test;
// the chips, tt-flash and tt-smi are played, and the power goes at any deed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agent/yard.h"
#include "base/virtual_loop.h"
#include "host/linux_host.h"
#include "protocol/verdict.h"
#include "vendors/tenstorrent/agent/bundle_cache.h"
#include "vendors/tenstorrent/agent/bundle_maker.h"
#include "vendors/tenstorrent/agent/firmware_probe.h"
#include "vendors/tenstorrent/agent/flasher.h"
#include "vendors/tenstorrent/agent/programs.h"

namespace drover::agent::testing {

// What a chip holds in its flash memory, and what it runs.
struct PlayedChip {
  std::string address;
  std::string stored = "19.8.0.0";
  std::string running = "19.8.0.0";
  bool answers = true;     // sysfs and tt-smi can read its version
  bool is_listed = true;   // tt-smi sees it
  bool is_remote = false;  // behind another: not on the bus
  std::string subsystem = "0x0014";
};

// What tt-flash does when it is run.
struct PlayedFlash {
  bool writes = true;
  bool verifies = true;
  bool resets = true;
  bool fails_in_reset = false;
  bool wedges = false;  // the last chip does not answer afterwards
  int code = 0;
  std::string says = {};  // before the rest
  bool ends = true;       // false: it goes on for ever
};

// Real files, and deeds that are counted; at one of them the power goes, and nothing works until it is back.
class PlayedHost final : public host::Host {
 public:
  explicit PlayedHost(std::string root) : real_(std::move(root)) {}

  host::Result<std::string> read(const std::string& path) override { return real_.read(path); }
  host::Result<void> write(const std::string& path, std::string_view text) override {
    return deed([&] { return real_.write(path, text); });
  }
  host::Result<void> remove(const std::string& path) override {
    return deed([&] { return real_.remove(path); });
  }
  host::Result<std::vector<std::string>> list(const std::string& path) override { return real_.list(path); }
  bool exists(const std::string& path) override { return real_.exists(path); }
  host::Result<std::string> link(const std::string& path) override { return real_.link(path); }
  host::Result<void> make_folder(const std::string& path) override { return real_.make_folder(path); }
  host::Result<void> rename(const std::string& from, const std::string& to) override {
    return deed([&] { return real_.rename(from, to); });
  }
  host::Result<void> remove_tree(const std::string& path) override {
    return deed([&] { return real_.remove_tree(path); });
  }
  host::Result<std::uint64_t> free_bytes(const std::string&) override { return free; }
  host::Result<std::string> fingerprint(const host::Inside& file) override { return real_.fingerprint(file); }
  host::Result<void> append(const std::string& path, std::string_view bytes) override {
    return deed([&] { return real_.append(path, bytes); });
  }
  host::Result<std::uint64_t> size(const std::string& path) override { return real_.size(path); }
  host::Result<void> read_in_pieces(const host::Inside& file,
                                    const std::function<host::Result<void>(std::string_view)>& take) override {
    return real_.read_in_pieces(file, take);
  }
  host::Result<std::shared_ptr<void>> lock(const std::string& path) override { return real_.lock(path); }
  std::string boot_id() override { return boot; }
  std::string kernel_release() override { return "6.8.0-90-generic"; }
  host::Result<std::vector<host::Module>> modules() override { return std::vector<host::Module>{}; }
  bool can_unload_modules() override { return true; }
  host::Result<void> unload(const std::string&) override { return {}; }
  host::Result<void> load(const std::string&, const std::string&) override { return {}; }
  host::Result<std::vector<host::Holder>> holders(const std::string&) override { return held; }
  host::Result<host::Holder> process(int pid) override { return host::Holder{pid, "train", "", ""}; }
  int hidden_processes() override { return hidden; }
  host::Result<void> kill(int) override { return {}; }
  host::Result<void> reboot(std::string_view) override { return {}; }
  void run(const host::Command& command, base::Loop& loop, std::function<void(host::Result<host::Ran>)> done) override {
    if (is_dead) return;
    ran.push_back(command);
    play(command, loop, std::move(done));
  }

  // True: it may be done.
  bool begin_deed() {
    if (is_dead) return false;
    if (++deeds != death.at) return true;
    is_dead = true;
    return death.after;
  }

  std::string boot = "boot-1";
  std::uint64_t free = 8ULL << 30;
  int hidden = 0;
  std::vector<host::Holder> held;
  std::vector<host::Command> ran;
  std::function<void(const host::Command&, base::Loop&, std::function<void(host::Result<host::Ran>)>)> play;
  Death death = {};
  int deeds = 0;
  bool is_dead = false;

 private:
  template <class Do>
  host::Result<void> deed(const Do& go) {
    if (!begin_deed()) return base::fault(base::Fault::Kind::Failed, "dead");
    auto result = go();
    if (is_dead) return base::fault(base::Fault::Kind::Failed, "dead");
    return result;
  }

  host::LinuxHost real_;
};

// Files on the network: what each address answers, and how often it was asked, from where.
class PlayedNetwork final : public Downloads {
 public:
  explicit PlayedNetwork(base::Loop& loop) : loop_(loop) {}

  std::shared_ptr<void> get(const DownloadAsk& ask, DownloadSink sink) override {
    asked.push_back(ask.from);
    const auto alive = std::make_shared<bool>(true);
    loop_.post([this, ask, sink = std::move(sink), alive] {
      if (*alive) sink.done(answer(ask, sink));
    });
    return {nullptr, [alive](void*) { *alive = false; }};
  }

  std::string file;
  std::vector<base::Fault> faults;  // of the next tries
  std::size_t cut_after = 0;        // bytes, at each try; 0: never
  bool knows_ranges = true;
  std::vector<std::uint64_t> asked;

 private:
  base::Result<void> answer(const DownloadAsk& ask, const DownloadSink& sink) {
    if (!faults.empty()) {
      const base::Fault fault = faults.front();
      faults.erase(faults.begin());
      return std::unexpected(fault);
    }
    const std::uint64_t from = knows_ranges && ask.from <= file.size() ? ask.from : 0;
    TRY_VOID(sink.begin(from));
    std::string_view rest = std::string_view(file).substr(from);
    const bool is_cut = cut_after > 0 && rest.size() > cut_after;
    if (is_cut) rest = rest.substr(0, cut_after);
    while (!rest.empty()) {
      TRY_VOID(sink.piece(rest.substr(0, 1000)));
      rest.remove_prefix(std::min<std::size_t>(1000, rest.size()));
    }
    if (is_cut) return base::fault(base::Fault::Kind::Unreachable, "the connection broke");
    return {};
  }

  base::Loop& loop_;
};

class FirmwareYard {
 public:
  explicit FirmwareYard(std::vector<PlayedChip> its_chips = {{"0000:01:00.0"}, {"0000:02:00.0"}})
      : chips(std::move(its_chips)) {
    host.play = [this](const host::Command& command, base::Loop& a_loop,
                       std::function<void(host::Result<host::Ran>)> done) { play(command, a_loop, std::move(done)); };
    file("/opt/tt/bin/tt-flash", "");
    show_chips();
    network.file = make_bundle();
  }
  ~FirmwareYard() {
    program_.reset();
    std::filesystem::remove_all(root);
  }

  // ---- the machine

  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  void show_chips() {
    std::filesystem::remove_all(root + "/sys/bus");
    int number = 0;
    for (const PlayedChip& chip : chips) {
      if (chip.is_remote) continue;
      const std::string folder = "/sys/bus/pci/devices/" + chip.address;
      file(folder + "/vendor", "0x1e52\n");
      file(folder + "/class", "0x120000\n");
      file(folder + "/subsystem_device", chip.subsystem + "\n");
      if (!driver.empty()) std::filesystem::create_symlink("../../drivers/" + driver, root + folder + "/driver");
      if (driver.empty()) continue;
      const std::string below = fmt::format("{}/tenstorrent/tenstorrent!{}", folder, number++);
      file(below + "/tt_card_type", "n300\n");
      if (chip.answers) file(below + "/tt_fw_bundle_ver", chip.running + "\n");
    }
    file("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  }
  void put_bundle_into_cache() {
    const auto url = *vendors::parse_bundle_url(bundle_url);
    ASSERT_TRUE(host.make_folder(std::string(vendors::kFirmwareFolder) + "/part"));
    file(bundle_part(url), network.file);
    std::filesystem::permissions(root + bundle_part(url), std::filesystem::perms(0600));
    const auto kept = keep_bundle(host, url);
    ASSERT_TRUE(kept) << kept.error().message;
  }
  void die_at(Death death) {
    host.death = death;
    host.deeds = 0;
    host.is_dead = false;
  }

  // ---- the pods

  Environment environment() const {
    Environment told{{"DROVER_CLAIM", claim}, {"DROVER_BOOT_ID", asked_boot}, {"DROVER_TARGET", target}};
    if (!bundle_url.empty()) told.emplace_back("TT_FW_BUNDLE_URL", bundle_url);
    if (forces) told.emplace_back("TT_FORCE_WRITE", "true");
    if (continues_unread) told.emplace_back("TT_CONTINUE_ON_READBACK_FAILURE", "true");
    return told;
  }
  void start(std::string_view name) {
    program_.reset();
    exit_code.reset();
    verdict_text.clear();
    const std::vector<const VendorAgent*> vendors{&tenstorrent()};
    const ProgramRow* row = find_program(vendors, name);
    ASSERT_NE(row, nullptr);
    const auto make = row->read(environment());
    ASSERT_TRUE(make) << make.error().message;
    program_ = (*make)({.host = host,
                        .api = no_api_,
                        .loop = loop,
                        .random = base::Random(1),
                        .say = [this](std::string_view line) { lines.emplace_back(line); },
                        .exit = [this](int code) { exit_code = code; },
                        .tell_verdict = [this](std::string_view text) { verdict_text = text; },
                        .downloads = &network},
                       [](bool) {});
    program_->start();
  }
  // Until it ends, dies, or has nothing left to do.
  bool wait() {
    loop.run_until([&] { return exit_code.has_value() || host.is_dead; }, std::chrono::hours(1));
    return exit_code.has_value();
  }
  protocol::Verdict run(std::string_view name) {
    start(name);
    return wait() ? verdict() : protocol::Verdict();
  }
  protocol::Verdict flash() { return run("flash"); }
  protocol::Verdict probe() { return run("firmware-probe"); }
  protocol::Verdict verdict() const {
    const auto parsed = protocol::parse_verdict(verdict_text);
    EXPECT_TRUE(parsed) << verdict_text;
    return parsed.value_or(protocol::Verdict());
  }
  void terminate() { program_->terminate(); }
  // The pod is gone, without a word.
  void kill() { program_.reset(); }

  int times_run(std::string_view path, std::string_view argument = "") const {
    return static_cast<int>(std::count_if(host.ran.begin(), host.ran.end(), [&](const host::Command& command) {
      return command.path == path &&
             (argument.empty() || std::find(command.args.begin(), command.args.end(), argument) != command.args.end());
    }));
  }
  int flashes() const { return times_run(vendors::kTtFlash); }
  int resets() const { return times_run(vendors::kTtSmi, "-r"); }
  int readings() const { return times_run(vendors::kTtSmi, "-s"); }
  bool said(std::string_view part) const {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  // In memory where there is such a folder: each of many lives flushes its files to the disk many times.
  std::string root = (std::filesystem::is_directory("/dev/shm") ? std::string("/dev/shm/") : ::testing::TempDir()) +
                     "firmware-" + std::to_string(::getpid()) + "-" + std::to_string(++made_);
  base::VirtualLoop loop;
  PlayedHost host{root};
  PlayedNetwork network{loop};
  std::vector<PlayedChip> chips;
  std::string driver = "tenstorrent";
  PlayedFlash flash_plays = {};
  bool reset_works = true;
  bool smi_works = true;
  std::function<void()> while_flashing = [] {};
  std::function<void()> after_reading = [] {};

  std::string claim = "claim-1";
  std::string asked_boot = "boot-1";
  std::string target = "19.9.0.0#0";
  std::string bundle_url = "https://example.com/fw_pack-19.9.0.fwbundle?token=secret";
  bool forces = false;
  bool continues_unread = false;

  std::optional<int> exit_code;
  std::string verdict_text;
  std::vector<std::string> lines;

 private:
  class NoApi final : public kube::Api {
   public:
    kube::Call call(kube::Request, Answer) override { return {}; }
    kube::Call list(kube::ListRequest, kube::ListSink) override { return {}; }
    kube::Call watch(kube::WatchRequest, kube::WatchSink) override { return {}; }
  };

  void play(const host::Command& command, base::Loop& a_loop, std::function<void(host::Result<host::Ran>)> done) {
    const auto finish = [&](std::string output, int code) {
      a_loop.post([this, heard = command.heard, output = std::move(output), code, done] {
        if (host.is_dead) return;
        if (heard) heard(output);
        done(host::Ran{.code = code, .output = output.substr(0, 100)});
      });
    };
    if (command.path == vendors::kTtFlash) return play_flash(finish);
    if (command.args.front() == "-s") {
      finish(smi_works ? smi_text() : "No Tenstorrent driver detected!\n", 0);
      return a_loop.post([this] { after_reading(); });
    }
    if (!host.begin_deed()) return;
    if (reset_works) activate();
    finish("reset\n", 0);
  }
  template <class Finish>
  void play_flash(const Finish& finish) {
    if (!host.begin_deed()) return;
    const PlayedFlash plays = flash_plays;
    std::string output = "Stage: SETUP\nStage: FLASH\n" + plays.says;
    for (PlayedChip& chip : chips) {
      if (plays.writes) chip.stored = plays.verifies ? "19.9.0.0" : "19.9.0.0?";
    }
    if (host.is_dead) return;  // in the middle of it
    while_flashing();
    if (!plays.ends) return;
    if (!plays.verifies)
      output += "\t\t\tSecond verification failed, please do not reset or poweroff the board and contact support\n";
    if (plays.verifies && plays.code == 0) output += "Stage: RESET\n";
    if (plays.fails_in_reset) output += "Stage: RESET\nError: chip 1 does not come back\n";
    if (plays.verifies && plays.resets && plays.code == 0) activate();
    if (plays.wedges) chips.back().answers = false;
    show_chips();
    output += plays.code == 0 ? "FLASH SUCCESS\n" : "FLASH FAILED\n";
    finish(output, plays.code);
  }
  void activate() {
    for (PlayedChip& chip : chips) chip.running = chip.stored;
    show_chips();
  }
  std::string smi_text() const {
    json::Array devices;
    for (const PlayedChip& chip : chips) {
      if (!chip.is_listed) continue;
      devices.push_back(json::Members{
          {"board_info", json::Members{{"bus_id", chip.is_remote ? "N/A" : chip.address}}},
          {"firmwares", json::Members{{"fw_bundle_version", chip.answers ? chip.running : std::string("N/A")}}}});
    }
    return "Detected chips\n" + json::text_of(json::Members{{"device_info", std::move(devices)}}) + "\n";
  }

  static inline int made_ = 0;
  NoApi no_api_;
  std::unique_ptr<Program> program_;
};

}  // namespace drover::agent::testing
