// The tokenizer of exports as GGUF, and of folders made of one: its texts, what it puts around
// them, and its template of conversations.
#include <QtTest>
#include <filesystem>
#include <optional>
#include <string>

#include "core/exports/model_side_files.h"
#include "core/store/run_file.h"
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

    // As transformers: a chat template in a file of its own counts, not the field beside it.
    void templatesInAFileComeFirst() {
        const fs::path folder =
            changedOriginal("templates", "tokenizer_config.json", json::object());
        std::ofstream(folder / "chat_template.jinja") << "{{ newer }}";
        QCOMPARE(tokenizerConfigOf(WeightSource::open(folder))["chat_template"],
                 json("{{ newer }}"));
        const GgufFile file =
            GgufFile::open(exported(folder, ExportFormat::Gguf, DType::F32, "templates.gguf").path);
        QCOMPARE(file.string("tokenizer.chat_template").value_or(""), std::string("{{ newer }}"));
    }

    // Slow tokenizers of transformers read it; the licence also goes along into a GGUF file.
    void sentencePieceModelAndLicenceGoAlong() {
        const fs::path folder =
            changedOriginal("licensed", "tokenizer_config.json", json::object());
        const std::string pieces("\x0a\x0e\x00\x01", 4);
        std::ofstream(folder / "tokenizer.model", std::ios::binary) << pieces;
        std::ofstream(folder / "README.md") << "---\nlicense: apache-2.0\n---\n# Small\n";
        const fs::path copy =
            exported(folder, ExportFormat::HuggingFace, DType::F32, "licensed-hf").path;
        QVERIFY(fs::exists(copy / "tokenizer.model"));
        QCOMPARE(readTextFile(copy / "tokenizer.model"), pieces);
        const GgufFile file =
            GgufFile::open(exported(folder, ExportFormat::Gguf, DType::F32, "licensed.gguf").path);
        QCOMPARE(file.string("general.license").value_or(""), std::string("apache-2.0"));
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
