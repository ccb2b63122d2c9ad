// A question set that is a list, with worked examples that can be followed by hand.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tasks/downstream/question_set.hpp"

namespace yardstick::test {

class ListedQuestions final : public tasks::QuestionSet {
 public:
  explicit ListedQuestions(std::vector<tasks::Question> questions, std::string delimiter = " ",
                           std::vector<std::string> shots = {})
      : questions_(std::move(questions)),
        delimiter_(std::move(delimiter)),
        shots_(std::move(shots)) {
    for (const tasks::Question& question : questions_) categories_.push_back(question.category);
  }

  [[nodiscard]] std::size_t size() const override { return questions_.size(); }
  [[nodiscard]] std::span<const std::string> categories() const override { return categories_; }
  [[nodiscard]] std::int64_t num_fewshot() const override { return 0; }
  [[nodiscard]] std::int64_t fewshot_pool() const override { return std::ssize(shots_); }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] const std::string& target_delimiter() const override { return delimiter_; }
  /// The last `num_fewshot` shots stand in front of the context.
  [[nodiscard]] tasks::Question question(std::size_t i, std::uint64_t /*seed*/,
                                         std::int64_t num_fewshot) const override {
    tasks::Question out = questions_.at(i);
    std::string front;
    for (std::size_t shot = shots_.size() - static_cast<std::size_t>(num_fewshot);
         shot < shots_.size(); ++shot) {
      front += shots_[shot];
    }
    out.context.insert(out.description_bytes, front);
    out.question_begins_at += front.size();
    return out;
  }
  [[nodiscard]] std::string id(std::size_t i) const override { return questions_.at(i).id; }
  void describe(Fingerprint& fingerprint) const override {
    for (const tasks::Question& question : questions_) fingerprint.add("id", question.id);
  }
  void describe_examples(Fingerprint& fingerprint) const override {
    for (const std::string& shot : shots_) fingerprint.add("shot", shot);
  }

 private:
  std::vector<tasks::Question> questions_;
  std::string delimiter_;
  std::vector<std::string> shots_;
  std::vector<std::string> categories_;
};

}  // namespace yardstick::test
