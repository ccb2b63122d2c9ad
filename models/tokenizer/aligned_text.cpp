#include "models/tokenizer/aligned_text.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {

std::int64_t AlignedText::source_at(std::size_t at) const {
  const std::string_view bytes = text();
  while (at < bytes.size() && is_continuation(bytes[at])) ++at;
  return edited_ ? origin_[at] : offset_ + static_cast<std::int64_t>(at);
}

AlignedEdit::AlignedEdit(AlignedText& text)
    : text_(text), most_bytes_(most_grown_bytes(text.view_.size())) {
  storage_.reserve(text.text().size() + 16);
  origin_.reserve(text.text().size() + 17);
}

void AlignedEdit::keep(std::size_t begin, std::size_t end) {
  storage_ += text_.text().substr(begin, end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    origin_.push_back(text_.edited_ ? text_.origin_[i]
                                    : text_.offset_ + static_cast<std::int64_t>(i));
  }
}

void AlignedEdit::replace(std::size_t begin, std::size_t end, std::string_view content) {
  if (content.empty()) return;
  if (content.size() > most_bytes_ || storage_.size() > most_bytes_ - content.size()) {
    throw Error(ErrorKind::kData,
                fmt::format("the tokenizer's rules make more than {} bytes of a text of {}; is its "
                            "file damaged?",
                            most_bytes_, text_.view_.size()));
  }
  storage_ += content;
  origin_.push_back(text_.source_at(begin));
  origin_.resize(storage_.size(), text_.source_at(end));
}

void AlignedEdit::shorten(std::size_t size) {
  if (size == storage_.size()) return;
  end_ = origin_[size];
  storage_.resize(size);
  origin_.resize(size);
}

void AlignedEdit::finish() {
  origin_.push_back(end_ ? *end_ : text_.source_at(text_.text().size()));
  text_.storage_ = std::move(storage_);
  text_.origin_ = std::move(origin_);
  text_.edited_ = true;
}

}  // namespace yardstick::tokenizer
