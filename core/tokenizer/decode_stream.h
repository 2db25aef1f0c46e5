// Token ids to text while they are being generated: add() gives what has become certain, so that
// the parts together are exactly Tokenizer::decode of all ids.
//
// Only whole characters come out. Two things are held back: bytes of a character that is not
// complete, and, for tokenizers with byte fallback, a run of <0xNN> tokens until another token ends
// it (one bad byte turns the whole run into U+FFFD). finish() gives the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/tokenizer/tokenizer.h"

namespace cospadi {

class DecodeStream {
  public:
    // The tokenizer must outlive the stream. skipSpecial: special tokens leave no text.
    explicit DecodeStream(const Tokenizer& tokenizer, bool skipSpecial = false);
    DecodeStream(DecodeStream&&) noexcept;
    DecodeStream& operator=(DecodeStream&&) noexcept;
    ~DecodeStream();

    // UTF-8, often empty. Ids out of range are an Error.
    std::string add(std::int32_t id);
    // Ends a run of byte tokens, as the end of a prompt does: gives its whole characters.
    std::string settle();
    // What is left; the stream begins anew afterwards.
    std::string finish();

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace cospadi
