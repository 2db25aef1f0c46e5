// Tokenizer files, JSON and GGUF, that are broken or of an unsupported kind.
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tensors/gguf.h"
#include "core/tokenizer/tokenizer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"
#include "tokenizer_fixture.h"

namespace tst_tokenizer_files {

using namespace cospadi;
using namespace tokenizer_fixture;
using Ids = std::vector<std::int32_t>;
namespace fs = std::filesystem;

namespace {

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
        text(key.starts_with("general.") ? key : "tokenizer.ggml." + key);
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
    std::string pre = "gpt-2";  // empty: the key is absent
    std::string architecture;
    std::vector<std::string> tokens{"a", "b", "ab", "<s>"};
    std::vector<std::int32_t> types{1, 1, 1, 3};
    std::vector<std::string> merges{"a b"};
    std::vector<float> scores;
    bool addEos = false;
};

}  // namespace

class TestTokenizerFiles : public QObject, TokenizerFixture {
    Q_OBJECT

    using TokenizerFixture::written;
    fs::path written(const GgufParts& parts) {
        GgufText file;
        file.add("model", parts.model);
        if (!parts.pre.empty()) {
            file.add("pre", parts.pre);
        }
        if (!parts.architecture.empty()) {
            file.add("general.architecture", parts.architecture);
        }
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
        const fs::path path = place("model.gguf");
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
        parts.pre = "";
        parts.architecture = "qwen2";  // of which there is one pre-tokenizer only
        QCOMPARE(Tokenizer::fromGguf(GgufFile::open(written(parts))).encode("ab", true, true),
                 (Ids{2, 3}));
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

    void badGguf_data() {
        QTest::addColumn<GgufParts>("parts");
        QTest::addColumn<QString>("says");
        GgufParts parts;
        parts.model = "bert";
        QTest::newRow("model") << parts << "bert";
        parts = {};
        parts.pre = "viking";
        QTest::newRow("pre-tokenizer") << parts << "viking";
        parts.pre = "";
        parts.architecture = "llama";
        QTest::newRow("no pre-tokenizer") << parts << "does not specify its pre-tokenizer";
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
};

COSPADI_TEST(TestTokenizerFiles)

}  // namespace tst_tokenizer_files

#include "tst_tokenizer_files.moc"
