// The validator: is the driver that is loaded the wanted one, and does it work?
//
// In this order, all of it after the load: the module is live and has the wanted version; the driver's own nvidia-smi
// answers in time; it names as many devices as the bus has, and the same version. Only then ready; and no longer ready
// as soon as the module is another one. What is wanted stands in the operator's order on our own Node; without one, any
// version will do. A host whose swap silently kept the old module does not pass.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/inspect.h"
#include "agent/program.h"

namespace drover::agent {

inline constexpr std::string_view kPassedFile = "/run/drover/validated";

struct ValidatorSettings {
  std::string node;  // NODE_NAME
};
base::Result<ValidatorSettings> read_validator_settings(const Environment& environment);

// What is wrong with the module alone; "" when nothing is. `wanted` may be empty.
std::string module_trouble(const Inspection& seen, const std::string& wanted);
// What is wrong with the driver's answer ("BUS, VERSION" a line); "" when nothing is.
std::string answer_trouble(const Inspection& seen, const base::Result<host::Ran>& answer);

// Whether the note of a validator that passed (kPassedFile) is about this boot and the module that is loaded now.
bool has_passed(host::Host& host);

class Validator final : public Program {
 public:
  Validator(const ValidatorSettings& settings, ProgramContext surroundings, std::function<void(bool)> ready);
  ~Validator() override;
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  void start() override;
  void terminate() override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
