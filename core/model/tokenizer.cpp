#include "core/model/tokenizer.h"

#include <unordered_map>

#include "core/base/error.h"
#include "core/model/tokenizer_impl.h"
#include "core/model/utf8.h"

namespace cospadi {

namespace {

constexpr std::int32_t kLargestId = 1 << 24;
constexpr std::size_t kLongestCachedPiece = 64;

}  // namespace

void Tokenizer::Impl::setToken(std::int32_t id, const std::string& text, const std::string& where) {
    if (id < 0 || id >= kLargestId) {
        throw Error("token id " + std::to_string(id) + " is out of range", where,
                    "fetch the model again");
    }
    const auto index = static_cast<std::size_t>(id);
    if (index >= tokenBytes.size()) {
        tokenBytes.resize(index + 1);
        special.resize(index + 1, false);
    }
    tokenBytes[index] = byteLevelDecode(text).value_or(text);
}

void Tokenizer::Impl::addAdded(const AddedToken& token, const std::string& where) {
    setToken(token.id, token.content, where);
    special[static_cast<std::size_t>(token.id)] = token.special;
    added.add(token);
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool parseSpecial,
                                            bool addSpecial) const {
    std::vector<std::int32_t> ids;
    std::unordered_map<std::string_view, std::vector<std::int32_t>> seen;  // pieces of `text`
    if (addSpecial) {
        ids = m_impl->prefix;
    }
    const auto encodePlain = [&](std::string_view part, bool cacheable) {
        for (const std::string_view piece : m_impl->preTokenizer->split(part)) {
            if (!cacheable || piece.size() > kLongestCachedPiece) {
                m_impl->bpe.encodePiece(piece, ids);
                continue;
            }
            const auto [entry, isNew] = seen.try_emplace(piece);
            if (isNew) {
                m_impl->bpe.encodePiece(piece, entry->second);
            }
            ids.insert(ids.end(), entry->second.begin(), entry->second.end());
        }
    };
    const std::string valid = toValidUtf8(text);
    for (const Segment& segment : m_impl->added.split(valid, false, parseSpecial)) {
        if (segment.id >= 0) {
            ids.push_back(segment.id);
            continue;
        }
        const std::string normal = m_impl->nfc ? normalizeNfc(segment.text) : std::string();
        const std::string_view part = m_impl->nfc ? std::string_view(normal) : segment.text;
        for (const Segment& inner : m_impl->added.split(part, true, parseSpecial)) {
            if (inner.id >= 0) {
                ids.push_back(inner.id);
            } else {
                encodePlain(inner.text, !m_impl->nfc);
            }
        }
    }
    if (addSpecial) {
        ids.insert(ids.end(), m_impl->suffix.begin(), m_impl->suffix.end());
    }
    return ids;
}

std::string Tokenizer::decodeBytes(std::span<const std::int32_t> ids, bool skipSpecial) const {
    std::string bytes;
    for (const std::int32_t id : ids) {
        if (!skipSpecial || !isSpecial(id)) {
            bytes += tokenText(id);
        }
    }
    return bytes;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    return toValidUtf8(decodeBytes(ids, skipSpecial));
}

std::string Tokenizer::tokenText(std::int32_t id) const {
    if (id < 0 || id >= vocabularySize()) {
        throw Error("token id " + std::to_string(id) + " is outside the vocabulary of " +
                        std::to_string(vocabularySize()),
                    "tokenizer", "tokenise with this model's own tokenizer");
    }
    return m_impl->tokenBytes[static_cast<std::size_t>(id)].value_or("");
}

std::int64_t Tokenizer::vocabularySize() const {
    return static_cast<std::int64_t>(m_impl->tokenBytes.size());
}

std::int32_t Tokenizer::bosId() const { return m_impl->bosId; }
std::int32_t Tokenizer::eosId() const { return m_impl->eosId; }

bool Tokenizer::isSpecial(std::int32_t id) const {
    return id >= 0 && id < vocabularySize() && m_impl->special[static_cast<std::size_t>(id)];
}

std::string Tokenizer::toTokenizerJson() const { return m_impl->makeJson(); }

}  // namespace cospadi
