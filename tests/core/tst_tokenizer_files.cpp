// Tokenizer files that are broken or of an unsupported kind, long texts, and decoding in parts.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <deque>

#include "core/tensors/gguf.h"
#include "core/tokenizer/decode_stream.h"
#include "core/tokenizer/known_patterns.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/text_pattern.h"
#include "core/tokenizer/tokenizer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_tokenizer_files {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;
namespace fs = std::filesystem;

namespace {

// JSON with ' for ".
nlohmann::json parsed(QByteArray text) {
    return nlohmann::json::parse(text.replace('\'', '"').toStdString());
}

nlohmann::json smallTokenizer() {
    return parsed(
        "{'model':{'type':'BPE','vocab':{'a':0,'b':1,'ab':2},'merges':['a b']},"
        "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false},"
        "'decoder':{'type':'ByteLevel'}}");
}

fs::path stored(const std::string& name) {
    return fs::path(COSPADI_TEST_DATA "/tokenizers") / name;
}

// A GGUF file of metadata alone.
class GgufText {
  public:
    void add(const std::string& key, const std::string& value) {
        begin(key, 8);
        text(value);
    }
    void add(const std::string& key, bool value) {
        begin(key, 7);
        m_body += static_cast<char>(value);
    }
    void add(const std::string& key, std::uint32_t value) {
        begin(key, 4);
        number(value);
    }
    void add(const std::string& key, const std::vector<std::string>& values) {
        array(key, 8, values.size());
        for (const std::string& value : values) {
            text(value);
        }
    }
    void add(const std::string& key, const std::vector<float>& values) {
        array(key, 6, values.size());
        for (const float value : values) {
            number(value);
        }
    }
    void add(const std::string& key, const std::vector<std::int32_t>& values) {
        array(key, 5, values.size());
        for (const std::int32_t value : values) {
            number(value);
        }
    }
    void write(const fs::path& path) const {
        std::ofstream stream(path, std::ios::binary);
        const std::uint32_t version = 3;
        const std::uint64_t tensors = 0;
        stream << "GGUF";
        stream.write(reinterpret_cast<const char*>(&version), sizeof version);
        stream.write(reinterpret_cast<const char*>(&tensors), sizeof tensors);
        stream.write(reinterpret_cast<const char*>(&m_count), sizeof m_count);
        stream << m_body;
    }

  private:
    template <typename T>
    void number(T value) {
        m_body.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(const std::string& value) {
        number(std::uint64_t{value.size()});
        m_body += value;
    }
    void begin(const std::string& key, std::uint32_t type) {
        text("tokenizer.ggml." + key);
        number(type);
        ++m_count;
    }
    void array(const std::string& key, std::uint32_t type, std::size_t size) {
        begin(key, 9);
        number(type);
        number(std::uint64_t{size});
    }

    std::string m_body;
    std::uint64_t m_count = 0;
};

struct GgufParts {
    std::string model = "gpt2";
    std::string pre = "gpt-2";
    std::vector<std::string> tokens{"a", "b", "ab", "<s>"};
    std::vector<std::int32_t> types{1, 1, 1, 3};
    std::vector<std::string> merges{"a b"};
    std::vector<float> scores;
    bool addEos = false;
};

}  // namespace

Q_DECLARE_METATYPE(GgufParts)

class TestTokenizerFiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path written(const std::string& text) {
        const fs::path path = m_folder.filePath("tokenizer.json").toStdString();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    fs::path written(const GgufParts& parts) {
        GgufText file;
        file.add("model", parts.model);
        file.add("pre", parts.pre);
        file.add("tokens", parts.tokens);
        file.add("token_type", parts.types);
        file.add("bos_token_id", std::uint32_t{3});
        file.add("eos_token_id", std::uint32_t{3});
        file.add("add_eos_token", parts.addEos);
        if (!parts.merges.empty()) {
            file.add("merges", parts.merges);
        }
        if (!parts.scores.empty()) {
            file.add("scores", parts.scores);
        }
        const fs::path path = m_folder.filePath("model.gguf").toStdString();
        file.write(path);
        return path;
    }

  private slots:
    void smallOnes() {
        const Tokenizer json = Tokenizer::fromJson(written(smallTokenizer().dump()));
        QCOMPARE(json.encode("abba"), (Ids{2, 1, 0}));
        QCOMPARE(json.encode("a b"), (Ids{0, 1}));  // no token for the space: dropped
        GgufParts parts;
        QCOMPARE(Tokenizer::fromGguf(GgufFile::open(written(parts))).encode("abba<s>", true, true),
                 (Ids{2, 1, 0, 3}));
        parts.addEos = true;
        QCOMPARE(Tokenizer::fromGguf(GgufFile::open(written(parts))).encode("ab", true, true),
                 (Ids{2, 3}));
        parts.pre = "llama-bpe";  // begins texts unless the file says otherwise
        QCOMPARE(Tokenizer::fromGguf(GgufFile::open(written(parts))).encode("ab", true, true),
                 (Ids{3, 2, 3}));
    }

    void badJson_data() {
        QTest::addColumn<QByteArray>("patch");  // RFC 7386, over the small tokenizer
        QTest::addColumn<QString>("says");
        const auto row = [](const char* patch, const char* says) {
            QTest::newRow(patch) << QByteArray(patch) << QString(says);
        };
        row("{'model':null}", "\"model\" is missing");
        row("{'model':[]}", "not supported");
        row("{'model':{'type':'Unigram','vocab':[['a',0.5]]}}", "Unigram");
        row("{'model':{'type':'WordLevel'}}", "WordLevel");
        row("{'model':{'vocab':{'a':1}}}", "same id 1");
        row("{'model':{'vocab':{'a':'x'}}}", "\"x\"");
        row("{'model':{'vocab':{'a':1.5}}}", "1.5");
        row("{'model':{'vocab':{'a':-1}}}", "-1");
        row("{'model':{'vocab':{'a':2000000000}}}", "2000000000");
        row("{'model':{'vocab':{'a':18446744073709551615}}}", "18446744073709551615");
        row("{'model':{'merges':['a c']}}", "a c");
        row("{'model':{'merges':['b a']}}", "b a");
        row("{'model':{'merges':['a b ab']}}", "a b ab");
        row("{'model':{'merges':['ab']}}", "merge");
        row("{'model':{'merges':[['a','b','ab']]}}", "merge");
        row("{'model':{'merges':[['','a']]}}", "merge");
        row("{'model':{'merges':[7]}}", "merge");
        row("{'model':{'merges':{}}}", "not supported");
        row("{'model':{'ignore_merges':'yes'}}", "ignore_merges");
        row("{'model':{'dropout':0.1}}", "dropout");
        row("{'model':{'end_of_word_suffix':'</w>'}}", "end_of_word_suffix");
        row("{'model':{'continuing_subword_prefix':'##'}}", "continuing_subword_prefix");
        row("{'pre_tokenizer':null,'model':{'unk_token':'<unk>'}}", "<unk>");
        row("{'added_tokens':{}}", "added_tokens");
        row("{'added_tokens':[{'id':3}]}", "added token");
        row("{'added_tokens':[{'id':3,'content':4}]}", "content");
        row("{'added_tokens':[{'content':'x'}]}", "added_tokens.id");
        row("{'added_tokens':[{'id':1,'content':'x'}]}", "another token");
        row("{'added_tokens':[{'id':3,'content':'x'},{'id':3,'content':'y'}]}", "another token");
        row("{'added_tokens':[{'id':2000000000,'content':'x'}]}", "proportion");
        row("{'added_tokens':[{'id':3,'content':'x','special':1}]}", "special");
        row("{'normalizer':{'type':'Sequence','normalizers':[{'type':'Precompiled'}]}}",
            "Precompiled");
        row("{'normalizer':{'type':'Sequence','normalizers':7}}", "normalizers");
        row("{'normalizer':{'type':'Replace','content':'x'}}", "pattern");
        row("{'normalizer':{'type':'Replace','pattern':{'Regex':'['},'content':'x'}}", "compiled");
        row("{'normalizer':'NFC'}", "normalizer");
        row("{'pre_tokenizer':{'type':'Whitespace'}}", "Whitespace");
        row("{'pre_tokenizer':{'type':'Split'}}", "behavior");
        row("{'pre_tokenizer':{'type':'Split','behavior':'Isolated'}}", "pattern");
        row("{'pre_tokenizer':{'type':'Split','behavior':'Isolated','pattern':{}}}", "String");
        row("{'pre_tokenizer':{'type':'Metaspace','replacement':'__'}}", "one character");
        row("{'pre_tokenizer':{'type':'Metaspace','replacement':'_','prepend_scheme':'x'}}",
            "\"x\"");
        row("{'pre_tokenizer':{'type':'Sequence','pretokenizers':[{'type':'ByteLevel'},"
            "{'type':'Digits'}]}}",
            "after ByteLevel");
        row("{'decoder':{'type':'WordPiece'}}", "WordPiece");
        row("{'decoder':{'type':'Replace','pattern':{'Regex':'x'},'content':'y'}}", "Replace");
        row("{'decoder':{'type':'Strip','content':' ','start':-1,'stop':0}}", "start");
        row("{'post_processor':{'type':'BertProcessing'}}", "BertProcessing");
        row("{'post_processor':{'type':'TemplateProcessing','single':[]}}", "leaves the text out");
        row("{'post_processor':{'type':'TemplateProcessing','single':[{'Sequence':{'id':'A'}},"
            "{'Sequence':{'id':'A'}}]}}",
            "repeats");
        row("{'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':"
            "{'id':'x'}}]}}",
            "\"x\"");
        row("{'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'x'}},"
            "{'Sequence':{'id':'A'}}],'special_tokens':{'x':{'ids':[77]}}}}",
            "77");
    }

    void badJson() {
        QFETCH(const QByteArray, patch);
        QFETCH(const QString, says);
        nlohmann::json json = smallTokenizer();
        json.merge_patch(parsed(patch));
        const fs::path path = written(json.dump());
        const QString error = oracle::errorOf([&] { Tokenizer::fromJson(path); });
        QVERIFY2(error.contains(says) && error.contains("tokenizer.json"), qPrintable(error));
    }

    void badJsonText() {
        const auto errorOf = [&](const std::string& text) {
            const fs::path path = written(text);
            return oracle::errorOf([&] { Tokenizer::fromJson(path); });
        };
        QVERIFY(errorOf("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"a\":1},\"merges\":[]}}")
                    .contains("twice"));
        QVERIFY(errorOf("").contains("JSON"));
        QVERIFY(errorOf("[1]").contains("JSON"));
        QVERIFY(errorOf("{\"model\":{\"vocab\":{\"\xff\":0}}}").contains("JSON"));
        nlohmann::json json = smallTokenizer();
        json["added_tokens"] = {{{"id", 3}, {"content", std::string(2000, 'x')}}};
        QVERIFY(errorOf(json.dump()).contains("longer than"));
        QVERIFY(oracle::errorOf([&] {
                    Tokenizer::fromJson("/nowhere/tokenizer.json");
                }).contains("/nowhere"));
        QVERIFY(oracle::errorOf([&] {
                    Tokenizer::fromJson(m_folder.path().toStdString());
                }).contains("opened"));
    }

    // A pattern that would try forever is stopped.
    void patternThatExplodes() {
        nlohmann::json json = smallTokenizer();
        json["pre_tokenizer"] = parsed(
            "{'type':'Split','behavior':'Isolated','pattern':{'Regex':'(a|aa)+$'},'invert':false}");
        const Tokenizer tokenizer = Tokenizer::fromJson(written(json.dump()));
        QVERIFY(oracle::errorOf([&] {
                    tokenizer.encode(std::string(5000, 'a') + "b");
                }).contains("gives up"));
    }

    void badGguf_data() {
        QTest::addColumn<GgufParts>("parts");
        QTest::addColumn<QString>("says");
        GgufParts parts;
        parts.model = "bert";
        QTest::newRow("model") << parts << "bert";
        parts = {};
        parts.pre = "viking";
        QTest::newRow("pre-tokenizer") << parts << "viking";
        parts = {};
        parts.tokens[1] = "a";
        QTest::newRow("token twice") << parts << "twice";
        parts.tokens[1] = "\xff";
        QTest::newRow("token not UTF-8") << parts << "UTF-8";
        parts = {};
        parts.types.pop_back();
        QTest::newRow("types too short") << parts << "token_type";
        parts = {};
        parts.merges = {"a c"};
        QTest::newRow("merge unknown") << parts << "a c";
        parts.merges = {"ab"};
        QTest::newRow("merge without a space") << parts << "\"ab\"";
        parts.merges = {};
        QTest::newRow("no merges") << parts << "merges";
        parts.model = "llama";
        QTest::newRow("no scores") << parts << "scores";
        parts.scores = {0, 1};
        QTest::newRow("scores too short") << parts << "scores";
        parts.scores = {0, 1, std::nanf(""), 2};
        QTest::newRow("score NaN") << parts << "score";
        parts.scores = {0, 1, 2, 3};
        parts.tokens[2] = std::string(3000, 'a');
        QTest::newRow("long piece") << parts << "longer";
    }

    void badGguf() {
        QFETCH(const GgufParts, parts);
        QFETCH(const QString, says);
        const fs::path path = written(parts);
        const QString error = oracle::errorOf([&] { Tokenizer::fromGguf(GgufFile::open(path)); });
        QVERIFY2(error.contains(says) && error.contains("model.gguf"), qPrintable(error));
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

COSPADI_TEST(TestTokenizerFiles)

}  // namespace tst_tokenizer_files

#include "tst_tokenizer_files.moc"
