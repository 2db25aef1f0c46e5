#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/base/error.h"
#include "core/tokenizer/piece_cache.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/tokenizer_impl.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

constexpr std::size_t kLongestAddedToken = 1024;  // bytes

std::string shortened(std::string_view text) {
    return toValidUtf8(text.substr(0, 60)) + (text.size() > 60 ? "…" : "");
}

}  // namespace

void addToVocabulary(Vocabulary& vocabulary, std::string_view text, std::int32_t id,
                     const std::string& where) {
    switch (vocabulary.add(text, id)) {
        case Vocabulary::Added::Yes:
            return;
        case Vocabulary::Added::TextIsKnown:
            throw Error(fmt::format("the vocabulary entry \"{}\" occurs twice", shortened(text)),
                        where, kCorrectTokenizer);
        case Vocabulary::Added::IdIsTaken:
            throw Error(fmt::format("the vocabulary entries \"{}\" and \"{}\" have the same id {}",
                                    shortened(vocabulary.textOf(id)), shortened(text), id),
                        where, kCorrectTokenizer);
        case Vocabulary::Added::IdIsAbsurd:
            throw Error(fmt::format("the id {} is out of proportion to the vocabulary", id), where,
                        kCorrectTokenizer);
    }
}

void Tokenizer::Impl::addAdded(const AddedToken& token, const std::string& where) {
    const std::string name = shortened(token.content);
    if (token.content.empty() || token.content.size() > kLongestAddedToken) {
        throw Error(fmt::format("the added token \"{}\" is empty or longer than {} bytes", name,
                                kLongestAddedToken),
                    where, kCorrectTokenizer);
    }
    const bool otherInVocabulary =
        bpe.vocabulary().contains(token.id) && bpe.vocabulary().textOf(token.id) != token.content;
    if (otherInVocabulary || !addedTexts.emplace(token.id, token.content).second) {
        throw Error(
            fmt::format("the added token \"{}\" has the id {} of another token", name, token.id),
            where, kCorrectTokenizer);
    }
    const auto most = static_cast<std::int64_t>(bpe.vocabulary().count() + addedTexts.size());
    if (token.id < 0 || token.id > std::max(most, bpe.vocabulary().size()) + (1 << 20)) {
        throw Error(fmt::format("the id {} of the added token \"{}\" is out of proportion to the "
                                "vocabulary",
                                token.id, name),
                    where, kCorrectTokenizer);
    }
    if (token.special) {
        special.insert(token.id);
    }
    if (token.normalized) {
        std::string storage;
        addedNormalized.add(token, std::string(normalizer.apply(token.content, storage,
                                                                TextBudget(token.content.size()))));
    } else {
        addedPlain.add(token, token.content);
    }
}

void Tokenizer::Impl::finish() {
    addedPlain.finish();
    addedNormalized.finish();
}

std::int64_t Tokenizer::Impl::vocabularySize() const {
    const std::int64_t added =
        addedTexts.empty() ? 0 : std::int64_t{addedTexts.rbegin()->first} + 1;
    return std::max(bpe.vocabulary().size(), added);
}

bool Tokenizer::Impl::exists(std::int32_t id) const {
    return bpe.vocabulary().contains(id) || addedTexts.contains(id);
}

std::string_view Tokenizer::Impl::textOf(std::int32_t id) const {
    if (id < 0 || id >= vocabularySize()) {
        throw Error(
            fmt::format("token id {} is outside the vocabulary of {}", id, vocabularySize()),
            "tokenizer", "tokenise with this model's own tokenizer");
    }
    const auto added = addedTexts.find(id);
    return added != addedTexts.end() ? std::string_view(added->second)
                                     : bpe.vocabulary().textOf(id);
}

std::int32_t Tokenizer::Impl::idOf(std::string_view text) const {
    for (const auto& [id, content] : addedTexts) {
        if (content == text) {
            return id;
        }
    }
    return bpe.vocabulary().idOf(text);
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool parseSpecial,
                                            bool addSpecial) const {
    const Impl& impl = *m_impl;
    std::string repaired;
    if (!isValidUtf8(text)) {
        repaired = toValidUtf8(text);
        text = repaired;
    }
    const TextBudget budget(text.size());
    std::vector<std::int32_t> ids;
    ids.reserve(text.size() / 4 + 16);
    if (addSpecial) {
        ids = impl.prefix;
    }
    std::deque<std::string> storage;  // keeps the pieces alive that differ from the text
    PieceCache cache(text.size());
    const auto encodePart = [&](std::string_view part, std::vector<std::int32_t>& out) {
        impl.bpe.encodePiece(part, out);
    };
    const auto encodePlain = [&](const Piece& plain) {
        for (const Piece& piece : impl.preTokenizer.split(plain, storage, budget)) {
            impl.bpe.cut(piece.text,
                         [&](std::string_view part) { cache.append(part, ids, encodePart); });
        }
    };
    for (const Segment& outer : impl.addedPlain.split(text, parseSpecial)) {
        if (outer.id >= 0) {
            ids.push_back(outer.id);
            continue;
        }
        const std::string_view normal =
            impl.normalizer.apply(outer.text, storage.emplace_back(), budget);
        for (const Segment& inner : impl.addedNormalized.split(normal, parseSpecial)) {
            if (inner.id >= 0) {
                ids.push_back(inner.id);
            } else {
                encodePlain({inner.text, outer.text.data() == text.data() &&
                                             inner.text.data() == normal.data()});
            }
        }
    }
    if (addSpecial) {
        ids.insert(ids.end(), impl.suffix.begin(), impl.suffix.end());
    }
    return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    TokenDecoding decoding(m_impl->decoder);
    std::string result;
    for (const std::int32_t id : ids) {
        const std::string_view token = m_impl->textOf(id);
        if (m_impl->exists(id) && (!skipSpecial || !isSpecial(id))) {
            decoding.add(token, result);
        }
    }
    decoding.finish(result);
    return result;
}

std::string Tokenizer::tokenText(std::int32_t id) const {
    return m_impl->decoder.bytesOf(m_impl->textOf(id));
}

std::int64_t Tokenizer::vocabularySize() const { return m_impl->vocabularySize(); }
std::int32_t Tokenizer::eosId() const { return m_impl->eosId; }
bool Tokenizer::isSpecial(std::int32_t id) const { return m_impl->special.contains(id); }
std::string Tokenizer::toTokenizerJson() const { return m_impl->makeJson(); }

}  // namespace cospadi
