#include "core/tokenizer/decode_stream.h"

#include "core/tokenizer/tokenizer_impl.h"

namespace cospadi {

struct DecodeStream::State {
    const Tokenizer::Impl& tokenizer;
    bool skipSpecial;
    TokenDecoding decoding;
};

DecodeStream::DecodeStream(const Tokenizer& tokenizer, bool skipSpecial)
    : m_state(std::make_unique<State>(
          State{*tokenizer.m_impl, skipSpecial, TokenDecoding(tokenizer.m_impl->decoder)})) {}

DecodeStream::DecodeStream(DecodeStream&&) noexcept = default;
DecodeStream& DecodeStream::operator=(DecodeStream&&) noexcept = default;
DecodeStream::~DecodeStream() = default;

std::string DecodeStream::add(std::int32_t id) {
    std::string result;
    const std::string_view token = m_state->tokenizer.textOf(id);
    if (m_state->tokenizer.exists(id) &&
        !(m_state->skipSpecial && m_state->tokenizer.special.contains(id))) {
        m_state->decoding.add(token, result);
    }
    return result;
}

std::string DecodeStream::settle() {
    std::string result;
    m_state->decoding.settle(result);
    return result;
}

std::string DecodeStream::finish() {
    std::string result;
    m_state->decoding.finish(result);
    return result;
}

}  // namespace cospadi
