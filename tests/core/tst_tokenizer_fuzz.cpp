// Tokenizers against the Python packages `tokenizers` and `sentencepiece`, on texts made to be
// hard: tests/data/tokenizers holds the texts, the tokenizers and digests of what the packages
// gave.
//
// COSPADI_TOKENIZER_FUZZ names a folder of the same kind with more (compare.py makes one).
#include <QDir>

#include "core/base/sha256.h"
#include "core/tensors/gguf.h"
#include "core/tokenizer/decode_stream.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/utf8.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_tokenizer_fuzz {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;
namespace fs = std::filesystem;

namespace {

fs::path dataFolder() {
    const QByteArray chosen = qgetenv("COSPADI_TOKENIZER_FUZZ");
    return chosen.isEmpty() ? fs::path(COSPADI_TEST_DATA "/tokenizers")
                            : fs::path(chosen.toStdString());
}

// The texts as bytes; those that are not UTF-8 stand in hexadecimal.
std::vector<std::string> readCorpus() {
    std::vector<std::string> texts;
    const auto corpus = nlohmann::json::parse(oracle::text(dataFolder() / "corpus.json"));
    for (const auto& entry : corpus) {
        texts.push_back(
            entry.is_string()
                ? entry.get<std::string>()
                : QByteArray::fromHex(QByteArray::fromStdString(entry["hex"].get<std::string>()))
                      .toStdString());
    }
    return texts;
}

std::vector<std::string> readLines(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string packed(const Ids& ids) {
    std::string bytes(4 * (ids.size() + 1), '\xff');  // ends with -1
    std::memcpy(bytes.data(), ids.data(), 4 * ids.size());
    return bytes;
}

std::string digest(const std::string& bytes) { return sha256OfString(bytes).substr(0, 8); }

// The same draw as in reference.py.
Ids randomIds(std::uint32_t index, std::int64_t size) {
    std::uint32_t x = index * 2654435761U + 12345U;
    Ids ids(1 + (x >> 8) % 24);
    for (std::int32_t& id : ids) {
        x = x * 1664525U + 1013904223U;
        const auto among = index % 2 == 1 ? std::min<std::int64_t>(size, 300) : size;
        id = static_cast<std::int32_t>((x >> 8) % static_cast<std::uint32_t>(among));
    }
    return ids;
}

std::string streamed(const Tokenizer& tokenizer, const Ids& ids, bool skip) {
    DecodeStream stream(tokenizer, skip);
    std::string text;
    for (const std::int32_t id : ids) {
        const std::string part = stream.add(id);
        if (!isValidUtf8(part)) {
            return "a part is not whole characters: " + text;
        }
        text += part;
    }
    return text + stream.finish();
}

QByteArray told(std::size_t index, const std::string& text, const Ids& ids) {
    const nlohmann::json json{{"string", index},
                              {"hex", QByteArray::fromStdString(text).toHex()},
                              {"text", text},
                              {"ids", ids}};
    return QByteArray::fromStdString(
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Tokenizer load(const std::string& file) {
    const fs::path path = dataFolder() / file;
    return path.extension() == ".gguf" ? Tokenizer::fromGguf(GgufFile::open(path))
                                       : Tokenizer::fromJson(path);
}

}  // namespace

class TestTokenizerFuzz : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        m_corpus = readCorpus();
        QVERIFY(m_corpus.size() >= 2000);
    }

    void asThePackage_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("expected");
        const QDir folder(QString::fromStdString(dataFolder().string()));
        for (const QString& file : folder.entryList({"*.json", "*.gguf"})) {
            const QString expected = QFileInfo(file).completeBaseName() + ".expected";
            if (folder.exists(expected)) {
                QTest::newRow(qPrintable(file)) << file << expected;
            }
        }
    }

    void asThePackage() {
        QFETCH(const QString, file);
        QFETCH(const QString, expected);
        const Tokenizer tokenizer = load(file.toStdString());
        const auto lines = readLines(dataFolder() / expected.toStdString());
        QCOMPARE(lines.size(), m_corpus.size());
        for (std::size_t i = 0; i < m_corpus.size(); ++i) {
            const std::string& text = m_corpus[i];
            const Ids plain = tokenizer.encode(text);
            const Ids parsed = tokenizer.encode(text, true);
            const Ids added = tokenizer.encode(text, true, true);
            const Ids drawn = randomIds(static_cast<std::uint32_t>(i), tokenizer.vocabularySize());
            const std::string ids = digest(packed(plain) + packed(parsed) + packed(added));
            std::string texts;
            for (const auto& [list, skip] : {std::pair(&parsed, false), std::pair(&added, true),
                                             std::pair(&drawn, false), std::pair(&drawn, true)}) {
                const std::string decoded = tokenizer.decode(*list, skip);
                QCOMPARE(streamed(tokenizer, *list, skip), decoded);
                texts += decoded + "\xff";
            }
            QVERIFY2(lines[i].substr(0, 8) == ids, told(i, text, parsed).constData());
            QVERIFY2(lines[i].substr(9) == digest(texts), told(i, text, drawn).constData());
        }
    }

    // A tokenizer that came from GGUF and is written as tokenizer.json is the same tokenizer.
    void exported_data() { asThePackage_data(); }

    void exported() {
        QFETCH(const QString, file);
        QFETCH(const QString, expected);
        QTemporaryDir folder;
        const fs::path path = folder.filePath("tokenizer.json").toStdString();
        const Tokenizer tokenizer = load(file.toStdString());
        std::ofstream(path, std::ios::binary) << tokenizer.toTokenizerJson();
        const Tokenizer again = Tokenizer::fromJson(path);
        for (std::size_t i = 0; i < m_corpus.size(); i += 7) {
            QVERIFY2(
                again.encode(m_corpus[i], true, true) == tokenizer.encode(m_corpus[i], true, true),
                told(i, m_corpus[i], {}).constData());
        }
    }

    // The scores of a GGUF's model llama, merged in SentencePiece's own order.
    void asSentencePiece() {
        const auto lines = readLines(dataFolder() / "sentencepiece.expected");
        if (lines.empty()) {
            QSKIP("no sentencepiece.expected in this folder");
        }
        const Tokenizer tokenizer = load("llama2.gguf");
        QCOMPARE(lines.size(), m_corpus.size());
        for (std::size_t i = 0; i < m_corpus.size(); ++i) {
            const Ids ids = tokenizer.encode(m_corpus[i]);
            QVERIFY2(lines[i] == digest(packed(ids)), told(i, m_corpus[i], ids).constData());
        }
    }

  private:
    std::vector<std::string> m_corpus;
};

COSPADI_TEST(TestTokenizerFuzz)

}  // namespace tst_tokenizer_fuzz

#include "tst_tokenizer_fuzz.moc"
