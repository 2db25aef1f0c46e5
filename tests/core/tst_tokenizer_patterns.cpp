// Patterns and steps of tokenizers: scanners against PCRE2, matches far apart, steps that take
// memory or time without end, and long texts.
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tensors/gguf.h"
#include "core/tokenizer/known_patterns.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/text_budget.h"
#include "core/tokenizer/text_pattern.h"
#include "core/tokenizer/tokenizer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"
#include "tokenizer_fixture.h"

namespace tst_tokenizer_patterns {

using namespace cospadi;
using namespace tokenizer_fixture;
using Ids = std::vector<std::int32_t>;
namespace fs = std::filesystem;

class TestTokenizerPatterns : public QObject, TokenizerFixture {
    Q_OBJECT

  private slots:
    // A pattern that would try forever is stopped.
    void patternThatExplodes() {
        nlohmann::json json = smallTokenizer();
        json["pre_tokenizer"] = parsed(
            "{'type':'Split','behavior':'Isolated','pattern':{'Regex':'(a|aa)+$'},'invert':false}");
        const Tokenizer tokenizer = Tokenizer::fromJson(written(json.dump()));
        QVERIFY(oracle::errorOf([&] {
                    tokenizer.encode(std::string(5000, 'a') + "b");
                }).contains("cannot be matched"));
    }

    // The scanners written by hand against PCRE2 on the same pattern.
    void scanners_data() {
        QTest::addColumn<QString>("pattern");
        QTest::newRow("gpt2") << kGpt2Pattern;
        QTest::newRow("llama3") << kLlama3Pattern;
        QTest::newRow("qwen2") << kQwen2Pattern;
    }

    void scanners() {
        QFETCH(const QString, pattern);
        const auto splitter = [](const std::string& regex) {
            return PreTokenizer({{"type", "Split"},
                                 {"pattern", {{"Regex", regex}}},
                                 {"behavior", "Isolated"},
                                 {"invert", false}},
                                "test");
        };
        const PreTokenizer fast = splitter(pattern.toStdString());
        const PreTokenizer slow = splitter("(?:" + pattern.toStdString() + ")");
        const auto corpus = nlohmann::json::parse(oracle::text(stored("corpus.json")));
        for (const auto& entry : corpus) {
            const std::string text = entry.is_string() ? entry.get<std::string>() : "";
            std::deque<std::string> storage;
            const TextBudget budget(text.size());
            const auto a = fast.split({text, true}, storage, budget);
            const auto b = slow.split({text, true}, storage, budget);
            QVERIFY2(std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                [](const Piece& x, const Piece& y) { return x.text == y.text; }),
                     text.c_str());
        }
    }

    void costlySteps_data() {
        QTest::addColumn<QByteArray>("part");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("step");
        const auto sequence = [](const char* list, const QByteArray& step, int count) {
            QByteArray steps = step;
            for (int i = 1; i < count; ++i) {
                steps += ", " + step;
            }
            return "{'type': 'Sequence', '" + QByteArray(list) + "': [" + steps + "]}";
        };
        const auto split = [&](const QByteArray& pattern) {
            return sequence("pretokenizers",
                            "{'type': 'Split', 'pattern': {'Regex': '" + pattern +
                                "'}, 'behavior': 'Isolated'}",
                            1);
        };
        QTest::newRow("2^40 times the text")
            << QByteArray("normalizer")
            << sequence("normalizers",
                        "{'type': 'Replace', 'pattern': {'String': 'a'}, 'content': 'aa'}", 40)
            << QByteArray("a") << "step 13 of the normalizer (Replace)";  // above 4,096 + 32 bytes
        QTest::newRow("long content")
            << QByteArray("normalizer")
            << "{'type': 'Replace', 'pattern': {'Regex': 'a'}, 'content': '" +
                   QByteArray(100'000, 'b') + "'}"
            << QByteArray(1000, 'a') << "step 1 of the normalizer (Replace)";
        QTest::newRow("long prefixes")
            << QByteArray("normalizer")
            << sequence("normalizers",
                        "{'type': 'Prepend', 'prepend': '" + QByteArray(1000, 'b') + "'}", 100)
            << QByteArray("a") << "step 5 of the normalizer (Prepend)";
        QTest::newRow("cubic") << QByteArray("pre_tokenizer") << split("a*a*[bc]")
                               << QByteArray(200'000, 'a') << "step 1 of the pre-tokenizer (Split)";
        QTest::newRow("exponential")
            << QByteArray("pre_tokenizer") << split("(a|a)*[bc]") << QByteArray(200'000, 'a')
            << "step 1 of the pre-tokenizer (Split)";
    }

    // Steps that take memory or time without end are stopped; the error says which, of which file.
    void costlySteps() {
        QFETCH(const QByteArray, part);
        QFETCH(const QByteArray, value);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, step);
        nlohmann::json json = smallTokenizer();
        json[part.toStdString()] = parsed(value);
        const Tokenizer tokenizer = Tokenizer::fromJson(written(json.dump()));
        const QString error = oracle::errorOf([&] { tokenizer.encode(text.toStdString()); });
        QVERIFY2(error.contains(step) && error.contains("tokenizer.json"), qPrintable(error));
    }

    void costlyDecoder() {
        nlohmann::json json = smallTokenizer();
        nlohmann::json steps = nlohmann::json::array();
        for (int i = 0; i < 40; ++i) {
            steps.push_back(
                {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
        }
        json["decoder"] = {{"type", "Sequence"}, {"decoders", steps}};
        const Tokenizer tokenizer = Tokenizer::fromJson(written(json.dump()));
        const auto ids = tokenizer.encode("a");
        QCOMPARE(ids.size(), std::size_t{1});
        for (const QString& error : {oracle::errorOf([&] { tokenizer.decode(ids); }),
                                     oracle::errorOf([&] { tokenizer.tokenText(ids.front()); })}) {
            QVERIFY2(error.contains("of the decoder (Replace)") && error.contains("tokenizer.json"),
                     qPrintable(error));
        }
    }

    // Far apart, at the very end, never: where the search goes on in steps, nothing is missed.
    void rareMatches() {
        const TextPattern pattern = TextPattern::regex("x+(?=y)|é", "test");
        for (const std::size_t gap : {0U, 1U, 15U, 16U, 17U, 1000U, 100'000U}) {
            const std::string plain(gap, '.');
            const std::string odd = plain + "☃";  // a step may end inside of a character
            const std::string text = odd + "xxy" + odd + "é" + plain + "x";
            std::string joined;
            std::vector<std::string> matches;
            for (const Stretch& stretch : pattern.stretches(text, TextBudget(text.size()))) {
                joined += stretch.text;
                if (stretch.isMatch) {
                    matches.emplace_back(stretch.text);
                }
            }
            QCOMPARE(joined, text);
            QCOMPARE(matches, (std::vector<std::string>{"xx", "é"}));
        }
    }

    // Quadratic time would take minutes here.
    void longTexts_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"smollm.json", "qwen2.json", "tekken.json", "llama2.json",
                                 "mistral.json", "llama2.gguf"}) {
            QTest::newRow(file) << file;
        }
    }

    void longTexts() {
        QFETCH(const QString, file);
        const fs::path path = stored(file.toStdString());
        const Tokenizer tokenizer = path.extension() == ".gguf"
                                        ? Tokenizer::fromGguf(GgufFile::open(path))
                                        : Tokenizer::fromJson(path);
        QElapsedTimer timer;
        timer.start();
        for (const std::string unit : {" ", "a", "\n", "\xe5\xad\x97", "\xcc\xa3\xcc\x81", "<s"}) {
            std::string text;
            while (text.size() < 1'000'000) {
                text += unit;
            }
            const Ids ids = tokenizer.encode(text, true);
            QVERIFY(!ids.empty());
            QVERIFY(tokenizer.decode(ids).size() + 1 >= text.size());
        }
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
    }
};

COSPADI_TEST(TestTokenizerPatterns)

}  // namespace tst_tokenizer_patterns

#include "tst_tokenizer_patterns.moc"
