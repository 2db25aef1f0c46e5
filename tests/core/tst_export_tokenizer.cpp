// The tokenizer of exports as GGUF, and of folders made of one: its texts, what it puts around
// them, and its template of conversations.
#include <QtTest>
#include <filesystem>
#include <optional>
#include <string>

#include "core/tensors/gguf.h"
#include "core/tokenizer/tokenizer.h"
#include "export_fixture.h"
#include "tests/registered_test.h"

namespace tst_export_tokenizer {

using namespace cospadi;
using namespace cospadi::export_fixture;

class TestExportTokenizer : public QObject, ExportFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { compress(); }

    void ggufTokenizerIsTheFolders() {
        const fs::path gguf = exported(m_run, ExportFormat::Gguf, DType::F16, "tok.gguf").path;
        const Tokenizer theirs = Tokenizer::fromJson(place("original") / "tokenizer.json");
        const GgufFile file = GgufFile::open(gguf);
        const Tokenizer ours = Tokenizer::fromGguf(file);
        for (const char* text : {"The capital of France is Paris, 1234567.", " déjà vu\n\n\tx = 3;",
                                 "<|im_start|>user<|im_end|>"}) {
            QCOMPARE(ours.encode(text), theirs.encode(text));
            QCOMPARE(ours.encode(text, true), theirs.encode(text, true));
        }
        QCOMPARE(static_cast<int>(ours.vocabularySize()), 512);
        QCOMPARE(file.string("tokenizer.chat_template").value_or(""),
                 std::string("{{ messages }}"));
        QCOMPARE(static_cast<int>(file.integer("general.file_type").value_or(-1)), 1);
        QCOMPARE(file.find("blk.0.attn_norm.weight")->dtype, DType::F32);
        QCOMPARE(file.find("blk.0.attn_q.weight")->dtype, DType::F16);
    }

    // What tokenizer.json puts around a text, and the template that is named default.
    void ggufTokenizerSaysWhatIsAdded() {
        const fs::path folder =
            changedOriginal("ending", "tokenizer_config.json",
                            {{"eos_token", "<|im_end|>"},
                             {"add_bos_token", nullptr},
                             {"chat_template",
                              {{{"name", "tool_use"}, {"template", "{{ tools }}"}},
                               {{"name", "default"}, {"template", "{{ messages }}"}}}}});
        const json end{{"SpecialToken", {{"id", "<|im_end|>"}, {"type_id", 0}}}};
        const json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
        changeFile(folder / "tokenizer.json",
                   {{"post_processor",
                     {{"type", "TemplateProcessing"},
                      {"single", json::array({text, end})},
                      {"pair", json::array({text, end})},
                      {"special_tokens",
                       {{"<|im_end|>",
                         {{"id", "<|im_end|>"}, {"ids", {2}}, {"tokens", {"<|im_end|>"}}}}}}}}});
        const GgufFile file =
            GgufFile::open(exported(folder, ExportFormat::Gguf, DType::F32, "ending.gguf").path);
        QCOMPARE(file.boolean("tokenizer.ggml.add_bos_token"), std::optional(false));
        QCOMPARE(file.boolean("tokenizer.ggml.add_eos_token"), std::optional(true));
        QCOMPARE(file.string("tokenizer.chat_template").value_or(""),
                 std::string("{{ messages }}"));
        QCOMPARE(Tokenizer::fromGguf(file).encode("The capital", false, true),
                 Tokenizer::fromJson(folder / "tokenizer.json").encode("The capital", false, true));
    }

    // Where the GGUF file leaves it to the kind of tokenizer whether a text begins with a token,
    // tokenizer_config.json does not deny what tokenizer.json does.
    void foldersDoNotContradictTheirTokenizer() {
        const fs::path folder = exported(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf",
                                         ExportFormat::HuggingFace, DType::F32, "beginning")
                                    .path;
        QCOMPARE(jsonOf(folder / "tokenizer.json")["post_processor"].value("type", ""),
                 std::string("TemplateProcessing"));
        QVERIFY(!jsonOf(folder / "tokenizer_config.json").contains("add_bos_token"));
    }
};

COSPADI_TEST(TestExportTokenizer)

}  // namespace tst_export_tokenizer

#include "tst_export_tokenizer.moc"
