// A model's position plan in words: how its positions enter, and which of that somebody overrode.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace yardstick::reports {

/// What tells models apart: "theta 10000; scaling yarn (factor 4.0, ...); reach self_extend (group
/// 4, window 64)"; layers with a plan of their own follow by name. `plan` as the store keeps it.
[[nodiscard]] std::string position_text(const nlohmann::json& plan);

/// Every value of the plan that an override gave, and BOS if a policy decided it:
/// "reach self_extend (group 4, window 64); bos: never". Empty if nothing was overridden.
[[nodiscard]] std::string overrides_text(const nlohmann::json& plan, const std::string& bos);

}  // namespace yardstick::reports
