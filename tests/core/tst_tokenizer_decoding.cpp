// Ids back to text: special tokens that are searched in normalised text, and decoding in parts.
#include <QtTest>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tokenizer/decode_stream.h"
#include "core/tokenizer/tokenizer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"
#include "tokenizer_fixture.h"

namespace tst_tokenizer_decoding {

using namespace cospadi;
using namespace tokenizer_fixture;
using Ids = std::vector<std::int32_t>;

class TestTokenizerDecoding : public QObject, TokenizerFixture {
    Q_OBJECT

  private slots:
    // Older files of Llama 2 search the special tokens in the normalised text. Ids of tokenizers
    // 0.22.2 and 0.23.3, texts of 0.22.2 (0.23.3 keeps the special tokens although told to skip).
    void normalizedSpecialTokens_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Ids>("ids");
        QTest::addColumn<QByteArray>("decoded");
        QTest::addColumn<QByteArray>("skipped");
        const auto row = [](const char* text, const Ids& ids, const char* all, const char* rest) {
            QTest::newRow(text) << QByteArray(text) << ids << QByteArray(all) << QByteArray(rest);
        };
        row("<s>", {1, 1}, "<s><s>", "");
        row("a<s>", {1, 261, 63, 1174, 65}, "<s> a<s>", "a<s>");
        row("<s>a", {1, 1, 1169}, "<s><s>a", "a");
        row("a <s> b", {1, 261, 1, 286}, "<s> a<s> b", "a b");
        row("</s><s>", {1, 2, 63, 1174, 65}, "<s></s><s>", "<s>");
        row(" <s>", {1, 1166, 1}, "<s> <s>", "");
    }

    void normalizedSpecialTokens() {
        QFETCH(const QByteArray, text);
        QFETCH(const Ids, ids);
        QFETCH(const QByteArray, decoded);
        QFETCH(const QByteArray, skipped);
        auto json = nlohmann::json::parse(oracle::text(stored("llama2.json")));
        for (auto& token : json["added_tokens"]) {
            token["normalized"] = true;
        }
        const Tokenizer tokenizer = Tokenizer::fromJson(written(json.dump()));
        QCOMPARE(tokenizer.encode(text.toStdString(), true, true), ids);
        QCOMPARE(QByteArray::fromStdString(tokenizer.decode(ids)), decoded);
        QCOMPARE(QByteArray::fromStdString(tokenizer.decode(ids, true)), skipped);
    }

    // Byte b is the id b + 3 of a SentencePiece model.
    void streams() {
        const Tokenizer pieces = Tokenizer::fromJson(stored("llama2.json"));
        const Ids word = pieces.encode("the");
        QCOMPARE(word.size(), std::size_t{1});
        DecodeStream stream(pieces);
        for (const std::int32_t byte : {0xE4, 0xBD, 0xA0}) {
            QCOMPARE(stream.add(byte + 3), std::string());
        }
        QCOMPARE(stream.add(word[0]), std::string("\xe4\xbd\xa0 the"));
        QCOMPARE(stream.add(0xE4 + 3), std::string());
        QCOMPARE(stream.add(0x41 + 3), std::string());
        QCOMPARE(stream.finish(), std::string("\xef\xbf\xbd\xef\xbf\xbd"));
        QCOMPARE(stream.add(word[0]), std::string("the"));  // anew: the first space goes
        QVERIFY(oracle::errorOf([&] { stream.add(100'000); }).contains("100000"));

        // Where a prompt ends, its newline is known, the character that has begun is not.
        DecodeStream prompt(pieces);
        QCOMPARE(prompt.add(word[0]), std::string("the"));
        for (const std::int32_t byte : {0x0A, 0xE4, 0xBD}) {
            QCOMPARE(prompt.add(byte + 3), std::string());
        }
        QCOMPARE(prompt.settle(), std::string("\n"));
        QCOMPARE(prompt.add(0xA0 + 3), std::string());
        QCOMPARE(prompt.add(word[0]), std::string("\xe4\xbd\xa0 the"));

        const Tokenizer bytes = Tokenizer::fromJson(stored("smollm.json"));
        const Ids parts = bytes.encode("\xf0\x9f\x98\x80!");
        QVERIFY(parts.size() > 2);
        DecodeStream other(bytes);
        std::string text;
        for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
            text += other.add(parts[i]);
        }
        QCOMPARE(text, std::string());
        QCOMPARE(other.add(parts[parts.size() - 2]), std::string("\xf0\x9f\x98\x80"));
        QCOMPARE(other.add(parts.back()), std::string("!"));
    }
};

COSPADI_TEST(TestTokenizerDecoding)

}  // namespace tst_tokenizer_decoding

#include "tst_tokenizer_decoding.moc"
