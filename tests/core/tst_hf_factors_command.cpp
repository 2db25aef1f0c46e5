// `cospadi export --format hf-factors` as a command: the card that it writes, the type of what is
// not factors, and what goes wrong.
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/tensors/safetensors.h"
#include "tests/core/hf_factors_under_test.h"
#include "tests/registered_test.h"

namespace tst_hf_factors_command {

using namespace cospadi;
using namespace hf_factors;
namespace fs = std::filesystem;
using nlohmann::json;

class TestHfFactorsCommand : public QObject, HfFactorsUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        const QStringList asked{"rtn", "gptq", "pruned"};
        for (const Case& one : cases()) {
            if (asked.contains(one.name)) {
                make(one);
            }
        }
        QCOMPARE(m_made.size(), std::size_t{3});
    }

    void theCardTellsWhatWasMade() {
        const QString card = textIn(folderOf("rtn") + "/README.md");
        const json& made = m_made.at("rtn");
        for (const std::string& part :
             {std::string("cospadi compress model --method rtn"), std::string("--bits 3"),
              std::to_string(made["compress"]["bytes"].get<std::int64_t>()) + " bytes",
              std::to_string(made["export"]["factor_bytes"].get<std::int64_t>()) + " bytes",
              std::string("cospadi export RUN --format hf-factors"),
              std::string("No perplexity was measured"), std::string("do not state its licence"),
              std::string("trust_remote_code=True")}) {
            QVERIFY2(card.contains(QString::fromStdString(part)), part.c_str());
        }
        QVERIFY2(!card.contains(place("")), "a path of this machine");
    }

    void theCardTellsPerplexityAndLicence() {
        const CliOutcome measured = run({"evaluate", runOf("gptq"), "--perplexity", text(),
                                         "--context", "32", "--max-tokens", "128", "--json"});
        QVERIFY2(measured.exitCode == 0, qPrintable(measured.error));
        const QString readme = model() + "/README.md";
        QFile file(readme);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("---\nlanguage: en\nlicense: \"cc-by-4.0\"\n---\n# A model\nlicense: none\n");
        file.close();
        for (const char* format : {"hf", "hf-factors"}) {
            const QString out = place(QString("with perplexity, ") + format);
            const CliOutcome made =
                run({"export", runOf("gptq"), "--format", format, "--out", out});
            QVERIFY2(made.exitCode == 0, qPrintable(made.error));
            const QString card = textIn(out + "/README.md");
            const double perplexity = measured.object()["perplexity"];
            QVERIFY2(card.contains(QString("| text.txt | 32 |")), qPrintable(card));
            QVERIFY2(card.contains(QString::number(perplexity, 'f', 4)), qPrintable(card));
            QVERIFY(card.startsWith("---\nlicense: \"cc-by-4.0\"\n"));
            QVERIFY(card.contains("The original is licensed under cc-by-4.0"));
        }
        QVERIFY(QFile::remove(readme));
    }

    // The command has its file from the run; of a slice there is none but that run's.
    void theCardTellsOfGivenRatios() {
        QFile file(place("ratios.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"blk.0.attn_q": 0.3})");
        file.close();
        const QString out = place("given");
        const auto given = [&](const QString& ratios) {
            return run(compress(
                {"--layers", "blk.0.attn_", "--no-model", "--out", out, "--ratios", ratios}));
        };
        const CliOutcome made = given(file.fileName());
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const CliOutcome again = given(out + "/run.json");
        QVERIFY2(again.exitCode == 0, qPrintable(again.error));
        const CliOutcome refused = given(runOf("rtn") + "/run.json");
        QVERIFY(refused.exitCode != 0);
        QVERIFY2((refused.error + refused.out).contains("a single ratio for all its matrices"),
                 qPrintable(refused.error));
        const auto cardOf = [&](const QString& compressed, const QString& name) {
            const CliOutcome exported = run({"export", compressed, "--format", "hf-factors",
                                             "--out", place("card of " + name)});
            return exported.exitCode == 0 ? textIn(place("card of " + name) + "/README.md")
                                          : exported.error;
        };
        const QString card = cardOf(out, "given");
        QVERIFY2(card.contains("--ratios run.json\n"), qPrintable(card));
        QVERIFY2(card.contains("| layers | blk.0.attn\\_ |"), qPrintable(card));  // no emphasis
        QVERIFY2(card.contains("`run.json` is that of RUN"), qPrintable(card));
        const CliOutcome sliced = run({"runs", "slice", out, "--layers", "attn_q", "--json"});
        QVERIFY2(sliced.exitCode == 0, qPrintable(sliced.error));
        const QString part =
            cardOf(QString::fromStdString(sliced.object()["directory"].get<std::string>()), "part");
        const QString source = QString::fromStdString(made.object()["run"].get<std::string>());
        QVERIFY2(part.contains("Derived from run " + source + ", without solving again"),
                 qPrintable(part));
        QVERIFY(!part.contains("cospadi compress"));
    }

    // ---- what goes wrong

    void otherTypesOfTheRest() {
        const QString out = place("narrow");
        const CliOutcome made = run(
            {"export", runOf("rtn"), "--format", "hf-factors", "--dtype", "bf16", "--out", out});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const fs::path folder = out.toStdString();
        const SafetensorsFile dense = SafetensorsFile::open(folder / "dense.safetensors");
        for (const TensorView& tensor : dense.tensors()) {
            QCOMPARE(tensor.dtype, DType::BF16);
        }
        QCOMPARE(jsonIn(folder / "config.json")["torch_dtype"].get<std::string>(),
                 std::string("bfloat16"));
    }

    void whatHasNoFactorsIsRefused() {
        const CliOutcome outcome =
            run({"export", model(), "--format", "hf-factors", "--out", place("never")});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("none of its layers are compressed"),
                 qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
    }

    void damagedMatricesAreNamed() {
        const QString copy = place("damaged");
        fs::copy(runOf("pruned").toStdString(), copy.toStdString(), fs::copy_options::recursive);
        fs::resize_file((copy + "/matrices/blk.0.attn_q.safetensors").toStdString(), 200);
        const CliOutcome outcome =
            run({"export", copy, "--format", "hf-factors", "--out", place("never")});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("blk.0.attn_q"), qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
    }

    void wrongWordsAreUsageErrors_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("format") << QStringList{"--format", "pickle"} << "hf, hf-factors or gguf";
        QTest::newRow("type") << QStringList{"--format", "gguf", "--quantize", "Q2_K"} << "Q8_0";
        QTest::newRow("both") << QStringList{"--format", "gguf",    "--quantize",
                                             "Q8_0",     "--dtype", "f16"}
                              << "replaces --dtype";
        QTest::newRow("of factors") << QStringList{"--format", "hf-factors", "--quantize", "Q8_0"}
                                    << "applies to --format gguf";
    }

    void wrongWordsAreUsageErrors() {
        QFETCH(const QStringList, words);
        QFETCH(const QString, says);
        const CliOutcome outcome =
            run(QStringList{"export", runOf("rtn"), "--out", place("never")} + words);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("never")));
    }
};

COSPADI_TEST(TestHfFactorsCommand)

}  // namespace tst_hf_factors_command

#include "tst_hf_factors_command.moc"
