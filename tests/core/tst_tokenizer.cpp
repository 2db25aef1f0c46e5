// Tokenizer: ids and texts equal to those of llama.cpp and of Hugging Face's tokenizers.
#include <QTemporaryDir>

#include "core/tensors/gguf.h"
#include "core/tensors/safetensors_writer.h"
#include "core/tokenizer/tokenizer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_tokenizer {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;

namespace {

void checkFuzz(const Tokenizer& tokenizer, const std::filesystem::path& fuzz, int& checked) {
    std::ifstream stream(fuzz);
    for (std::string line; std::getline(stream, line);) {
        const auto json = nlohmann::json::parse(line);
        ++checked;
        if (json.contains("decode_ids")) {
            const Ids ids = json["decode_ids"];
            const std::string decoded = json["decoded"];
            QCOMPARE(tokenizer.decode(ids), decoded);
            QCOMPARE(tokenizer.decode(ids, true), json.value("decoded_skip", decoded));
            continue;
        }
        const std::string text = json["text"];
        const Ids ids = json["ids"];
        const Ids idsSpecial = json.value("ids_special", ids);
        const std::string decoded = json.value("decoded", text);
        QVERIFY2(tokenizer.encode(text, true) == ids, line.c_str());
        QVERIFY2(tokenizer.encode(text, true, true) == idsSpecial, line.c_str());
        QCOMPARE(tokenizer.decode(ids), decoded);
        QCOMPARE(tokenizer.decode(idsSpecial, true), json.value("decoded_special_skip", decoded));
    }
}

}  // namespace

class TestTokenizer : public QObject {
    Q_OBJECT

  private slots:
    void huggingFace_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("smollm_style") << "smollm_style";
        QTest::newRow("qwen2_style") << "qwen2_style";
    }

    void huggingFace() {
        QFETCH(const QString, name);
        const auto path = oracle::file("tokenizers/" + name.toStdString() + ".json");
        const auto fuzz = oracle::file("tokenizers/" + name.toStdString() + ".fuzz.jsonl");
        if (path.empty() || fuzz.empty()) {
            QSKIP("reference results are absent: shared/oracle/tokenizers");
        }
        const Tokenizer tokenizer = Tokenizer::fromJson(path);
        int checked = 0;
        checkFuzz(tokenizer, fuzz, checked);
        QCOMPARE(checked, 360);
    }

    void defaultModel() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("tokenize.json");
        const Tokenizer tokenizer = Tokenizer::fromGguf(GgufFile::open(*oracle::defaultModel()));
        QCOMPARE(tokenizer.vocabularySize(), std::int64_t{49152});
        QCOMPARE(tokenizer.eosId(), 2);
        QTemporaryDir folder;
        const std::filesystem::path exported = folder.filePath("tokenizer.json").toStdString();
        writeFileAtomically(exported, tokenizer.toTokenizerJson());
        const Tokenizer again = Tokenizer::fromJson(exported);
        QCOMPARE(again.vocabularySize(), std::int64_t{49152});
        const auto reference = oracle::json("tokenize.json");
        for (const auto& expected : reference["strings"]) {
            const std::string text =
                QByteArray::fromHex(
                    QByteArray::fromStdString(expected["utf8_hex"].get<std::string>()))
                    .toStdString();
            const Ids special = expected["ids_parse_special"];
            const Ids plain = expected["ids_plain"];
            QCOMPARE(tokenizer.encode(text, true), special);
            QCOMPARE(tokenizer.encode(text, false), plain);
            QCOMPARE(again.encode(text, true), special);
            QCOMPARE(again.encode(text, false), plain);
            if (expected["roundtrip_bytes_ok"].get<bool>()) {
                std::string bytes;
                for (const std::int32_t id : special) {
                    bytes += tokenizer.tokenText(id);
                }
                QCOMPARE(bytes, text);
            }
        }
        const std::string licence = oracle::text(oracle::file("GPL-3.txt"));
        QCOMPARE(tokenizer.encode(licence).size(), std::size_t{7639});
    }

    void hostileText() {
        SKIP_WITHOUT("tokenizers/smollm_style.json");
        const Tokenizer tokenizer =
            Tokenizer::fromJson(oracle::file("tokenizers/smollm_style.json"));
        QVERIFY(tokenizer.encode("").empty());
        QCOMPARE(tokenizer.encode("\xff\xc3(\xed\xa0\x80"),
                 tokenizer.encode("\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
        for (const char letter : {' ', 'a', '!', '\n', '1'}) {
            const std::string run(300'000, letter);
            QCOMPARE(tokenizer.decode(tokenizer.encode(run)), run);
        }
        QVERIFY(oracle::errorOf([&] { tokenizer.tokenText(3000); }).contains("3000"));
        QVERIFY(oracle::errorOf([&] { tokenizer.tokenText(-1); }).contains("-1"));
    }

    void refusesBadFiles_data() {
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << "hello"
                                 << "JSON";
        QTest::newRow("deep") << QString(100000, '[') << "deeply";
        QTest::newRow("wordpiece") << "{\"model\":{\"type\":\"WordPiece\"}}"
                                   << "WordPiece";
        QTest::newRow("negative id")
            << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":-1},\"merges\":[]}}"
            << "id";
        QTest::newRow("huge id")
            << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":4000000000},\"merges\":[]}}"
            << "id";
        QTest::newRow("merge of nothing")
            << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}}"
            << "merge";
        QTest::newRow("pre-tokenizer") << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},"
                                          "\"merges\":[]},\"pre_tokenizer\":{\"type\":\"X\"}}"
                                       << "\"X\"";
        QTest::newRow("normalizer") << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},"
                                       "\"merges\":[]},\"normalizer\":{\"type\":\"Lowercase\"}}"
                                    << "Lowercase";
        QTest::newRow("bad regex")
            << "{\"model\":{\"type\":\"BPE\",\"vocab\":{},\"merges\":[]},\"pre_tokenizer\":{"
               "\"type\":\"Split\",\"pattern\":{\"Regex\":\"(\"},\"behavior\":\"Isolated\"}}"
            << "compiled";
    }

    void refusesBadFiles() {
        QFETCH(const QString, content);
        QFETCH(const QString, says);
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("tokenizer.json").toStdString();
        std::ofstream(path) << content.toStdString();
        const QString error = oracle::errorOf([&] { Tokenizer::fromJson(path); });
        QVERIFY2(error.contains(says) && error.contains("tokenizer.json"), qPrintable(error));
    }
};

COSPADI_TEST(TestTokenizer)

}  // namespace tst_tokenizer

#include "tst_tokenizer.moc"
