// Splitting of text into the pieces inside which BPE merges: the "pre_tokenizer" of a
// tokenizer.json (Sequence, Split, Digits, ByteLevel, Metaspace). Immutable, thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/text_budget.h"

namespace cospadi {

struct Piece {
    std::string_view text;
    bool atTextStart = false;  // begins where the whole text begins
};

class PreTokenizer {
  public:
    // specification: the JSON object, or null for no splitting. Kinds that are not supported are an
    // Error that names them and `where`.
    PreTokenizer(const nlohmann::json& specification, const std::string& where);

    // The pieces of valid UTF-8 in order, none empty. They are views of the text or, where a step
    // changes it, of `storage`, which must outlive them. Error naming the step that costs more than
    // the budget has.
    std::vector<Piece> split(const Piece& text, std::deque<std::string>& storage,
                             const TextBudget& budget) const;

    // Pieces are to be read as bytes: the sequence ends with ByteLevel.
    bool isByteLevel() const { return m_byteLevel; }

  private:
    // What a text is split with: where changed texts live, and what may still be spent.
    struct Work {
        std::deque<std::string>& storage;
        const TextBudget& budget;
    };
    struct Step {
        std::string name;  // the file, which step it is, and its kind
        std::function<void(const Piece&, const Work&, std::vector<Piece>&)> apply;
    };

    std::string nextStepOf(const nlohmann::json& specification, const std::string& where) const;
    void add(const nlohmann::json& specification, const std::string& where);
    void addSplit(const nlohmann::json& specification, const std::string& where);
    void addMetaspace(const nlohmann::json& specification, const std::string& where);
    void addRegex(const std::string& regex, const std::string& name);

    std::vector<Step> m_steps;
    bool m_byteLevel = false;
};

}  // namespace cospadi
