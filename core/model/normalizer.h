// The "normalizer" of a tokenizer.json: NFC, NFD, NFKC, NFKD, Prepend, Replace and sequences of
// them. Immutable, thread-safe.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

class TextNormalizer {
  public:
    // specification: the JSON object, or null for none. Kinds that are not supported are an Error
    // that names them and `where`.
    TextNormalizer(const nlohmann::json& specification, const std::string& where);

    // text: valid UTF-8. Returns text itself where nothing changes, else a view of `storage`.
    std::string_view apply(std::string_view text, std::string& storage) const;

  private:
    // Returns false when the text stays as it is.
    using Step = std::function<bool(std::string_view text, std::string& result)>;

    void add(const nlohmann::json& specification, const std::string& where);

    std::vector<Step> m_steps;
};

}  // namespace cospadi
