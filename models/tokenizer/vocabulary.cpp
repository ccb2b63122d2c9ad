#include "models/tokenizer/vocabulary.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace yardstick::tokenizer {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

}  // namespace

Vocabulary read_vocabulary(const nlohmann::json& vocab, std::string_view name) {
  if (!vocab.is_object()) fail(fmt::format("{} must be an object of tokens and ids", name));
  Vocabulary out;
  for (const auto& [text, value] : vocab.items()) {
    const bool whole = value.is_number_integer();
    if (!whole || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() >= kMostIds) {
      fail(fmt::format("{}: the id of '{}' is {:.40}, expected a whole number from 0 to {}", name,
                       text, value.dump(), kMostIds - 1));
    }
    try {
      out.add_model_token(text, value.get<TokenId>());
    } catch (const Error& error) {
      throw error.within(name);
    }
  }
  return out;
}

void Vocabulary::add_model_token(const std::string& text, TokenId id) {
  if (id < 0 || id >= kMostIds)
    fail(fmt::format("token '{}': id {} is not between 0 and {}", text, id, kMostIds - 1));
  Entry& slot = entry(id);
  if (slot.state != Entry::State::kHole)
    fail(fmt::format("id {} stands for both '{}' and '{}'", id, slot.text, text));
  const auto [it, fresh] = model_ids_.emplace(text, id);
  if (!fresh) fail(fmt::format("the token '{}' has two ids, {} and {}", text, it->second, id));
  slot = {text, Entry::State::kOrdinary};
  model_size_ = std::max(model_size_, static_cast<std::int64_t>(id) + 1);
}

Vocabulary::Entry& Vocabulary::entry(TokenId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= entries_.size()) entries_.resize(index + 1);
  return entries_[index];
}

void Vocabulary::add(const std::string& text, TokenId id, Role role) {
  const std::optional<TokenId> known = id_of(text);
  if (known && *known != id)
    fail(fmt::format("added token '{}' has id {}, but the same text has id {}", text, id, *known));
  if (id < 0 || id >= kMostIds) {
    fail(fmt::format("added token '{}': id {} is not between 0 and {}", text, id, kMostIds - 1));
  }
  Entry& slot = entry(id);
  if (slot.state != Entry::State::kHole && slot.text != text)
    fail(fmt::format("added token '{}' has id {}, which belongs to '{}'", text, id, slot.text));
  slot = {text, role == Role::kSpecial ? Entry::State::kSpecial : Entry::State::kOrdinary};
  added_ids_.insert_or_assign(text, id);
}

void Vocabulary::respell(TokenId id, std::string_view normalized) {
  Entry& slot = entry(id);
  if (slot.text == normalized) return;
  slot = {std::string(normalized), Entry::State::kOrdinary};
}

std::optional<TokenId> Vocabulary::model_id(std::string_view text) const {
  const auto it = model_ids_.find(text);
  return it == model_ids_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<TokenId> Vocabulary::id_of(std::string_view text) const {
  const auto it = added_ids_.find(text);
  return it == added_ids_.end() ? model_id(text) : std::optional(it->second);
}

const std::string* Vocabulary::text_of(TokenId id) const {
  if (id < 0 || id >= size()) return nullptr;
  const Entry& slot = entries_[static_cast<std::size_t>(id)];
  return slot.state == Entry::State::kHole ? nullptr : &slot.text;
}

bool Vocabulary::is_special(TokenId id) const {
  return text_of(id) != nullptr &&
         entries_[static_cast<std::size_t>(id)].state == Entry::State::kSpecial;
}

}  // namespace yardstick::tokenizer
