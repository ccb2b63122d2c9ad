#include "tasks/perplexity/protocols/registry.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/perplexity/protocols/disjoint.hpp"
#include "tasks/perplexity/protocols/last_k.hpp"
#include "tasks/perplexity/protocols/llama_cpp.hpp"
#include "tasks/perplexity/protocols/nested.hpp"
#include "tasks/perplexity/protocols/rolling.hpp"
#include "tasks/perplexity/protocols/strided.hpp"
#include "tasks/perplexity/protocols/yarn.hpp"

namespace yardstick::tasks {
namespace {

using Key = std::string_view;
constexpr std::array<Key, 2> kDisjointKeys = {"tail", "documents"};
constexpr std::array<Key, 1> kNestedKeys = {"documents"};
constexpr std::array<Key, 3> kLastKeys = {"k", "stride", "documents"};
constexpr std::array<Key, 2> kStrideKeys = {"stride", "documents"};
constexpr std::array<Key, 3> kLmEvalKeys = {"context_len", "count_field", "text_bos"};
constexpr std::array<Key, 2> kYarnKeys = {"stride", "truncate"};

constexpr DocumentJoin kJoined = DocumentJoin::kJoined;
constexpr DocumentJoin kSeparate = DocumentJoin::kSeparate;
constexpr Reporting kTokens = Reporting::kTokens;

constexpr std::array<ProtocolEntry, 12> kProtocols = {{
    {"last-k", make_last_k, kLastKeys, kTokens, kJoined},
    {"disjoint", make_disjoint, kDisjointKeys, kTokens, kJoined},
    {"fope", make_disjoint, kDisjointKeys, kTokens, kJoined},
    {"olmo", make_disjoint, kDisjointKeys, kTokens, kJoined},
    {"nested", make_nested, kNestedKeys, kTokens, kJoined},
    {"sliding", make_sliding, kStrideKeys, kTokens, kJoined},
    {"alibi-nonoverlap", make_alibi_nonoverlap, kNestedKeys, kTokens, kJoined},
    {"hf-strided", make_hf_strided, kStrideKeys, Reporting::kHfScript, kJoined},
    {"llama.cpp", make_llama_cpp, kNestedKeys, kTokens, kJoined, SpecialTexts::kPlain},
    {"llama.cpp-strided", make_llama_cpp_strided, kStrideKeys, kTokens, kJoined,
     SpecialTexts::kPlain},
    {"lm-eval", make_lm_eval, kLmEvalKeys, Reporting::kWholeTexts, kSeparate},
    {"yarn", make_yarn, kYarnKeys, Reporting::kWindowMeans, kSeparate},
}};

bool reads(const ProtocolEntry& entry, Key key) {
  return std::find(entry.keys.begin(), entry.keys.end(), key) != entry.keys.end();
}

// A key that only other protocols use would be ignored, so it is refused.
void refuse_keys_of_others(Fields& fields, const ProtocolEntry& chosen) {
  for (const ProtocolEntry& other : kProtocols) {
    for (const Key key : other.keys) {
      if (reads(chosen, key) || !fields.has(key)) continue;
      std::vector<Key> readers;
      for (const ProtocolEntry& entry : kProtocols)
        if (reads(entry, key)) readers.push_back(entry.name);
      throw fields.error(
          key, fmt::format("is of no use to `protocol: {}`; remove it or set one of the protocols "
                           "that read it: {}",
                           chosen.name, fmt::join(readers, ", ")));
    }
  }
}

}  // namespace

std::span<const ProtocolEntry> protocols() { return kProtocols; }

const ProtocolEntry& read_protocol(Fields& fields) {
  const std::string name =
      fields.optional_text("protocol").value_or(std::string(kProtocols.front().name));
  std::vector<std::string> names;
  for (const ProtocolEntry& entry : kProtocols) {
    if (entry.name == name) {
      refuse_keys_of_others(fields, entry);
      return entry;
    }
    names.emplace_back(entry.name);
  }
  names.emplace_back("longppl");
  throw fields.error("protocol",
                     fmt::format("there is no protocol '{}'{}; expected one of: {}", name,
                                 did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace yardstick::tasks
