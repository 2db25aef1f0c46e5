// The "normalizer" of a tokenizer.json: NFC, NFD, NFKC, NFKD, Prepend, Replace and sequences of
// them. Immutable, thread-safe.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/text_budget.h"

namespace cospadi {

class TextNormalizer {
  public:
    // specification: the JSON object, or null for none. Kinds that are not supported are an Error
    // that names them and `where`.
    TextNormalizer(const nlohmann::json& specification, const std::string& where);

    // text: valid UTF-8. Returns text itself where nothing changes, else a view of `storage`. Error
    // naming the step that costs more than the budget has.
    std::string_view apply(std::string_view text, std::string& storage,
                           const TextBudget& budget) const;

  private:
    struct Step {
        std::string name;  // the file, which step it is, and its kind
        // Returns false when the text stays as it is.
        std::function<bool(std::string_view text, std::string& result, const TextBudget&)> apply;
    };

    void add(const nlohmann::json& specification, const std::string& where);

    std::vector<Step> m_steps;
};

}  // namespace cospadi
