// A table as a folder that repeats it: what it holds, what comes out of it elsewhere, and what it
// refuses.
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/bundle/run_numbers.h"
#include "core/tasks/mmlu_subjects.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"

namespace tst_bundle {

using namespace cospadi;
using nlohmann::json;

namespace {

const QStringList kSparse{"--method", "cospadi-free", "--iterations", "2"};

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void replaceIn(const QString& path, const QByteArray& old, const QByteArray& fresh) {
    QByteArray text = contentOf(path);
    QVERIFY2(text.contains(old), text.constData());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.replace(old, fresh));
}

// The entry of JSON `numbers` for a quantity of the only run with this label's beginning.
json numberOf(const json& outcome, const std::string& run, const std::string& quantity) {
    for (const json& number : outcome.at("numbers")) {
        if (number.at("quantity") == quantity &&
            number.at("run").get<std::string>().starts_with(run)) {
            return number;
        }
    }
    return {};
}

}  // namespace

class TestBundle : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        m_cli = std::make_unique<CliUnderTest>();
        QVERIFY(m_cli->isValid());
    }

    void repeatsElsewhere() {
        makeRun(kSparse);
        makeRun({"--method", "svd"});
        const QString folder = bundle();
        for (const char* file :
             {"table.tex", "table.csv", "table.md", "results.csv", "runs.tar", "README.md"}) {
            QVERIFY2(!contentOf(folder + "/" + file).isEmpty(), file);
        }
        QVERIFY(!contentOf(folder + "/runs.tar").contains("safetensors"));  // no matrices
        const QByteArray page = contentOf(folder + "/README.md");
        QVERIFY(page.contains("cospadi report --rows method --columns cr --metric perplexity"));
        QVERIFY(page.contains("--method svd"));
        QVERIFY(!page.contains(m_cli->place("").toUtf8()));  // no paths of this machine

        m_cli->useRuns("elsewhere");
        const CliOutcome planned = m_cli->run({"reproduce", folder, "--dry-run", "--json"});
        QCOMPARE(planned.exitCode, 0);
        QCOMPARE(planned.object().at("runs").size(), 2u);
        QCOMPARE(planned.object().at("runs").at(0).at("state").get<std::string>(), "new");
        const CliOutcome made = m_cli->run({"reproduce", folder + "/", "--json"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const CliOutcome tagged = m_cli->run({"runs", "list", "--tag", "bundle:bundle", "--json"});
        QCOMPARE(tagged.object().at("runs").size(), 2u);
        const json outcome = made.object();
        QCOMPARE(outcome.at("not_measured").get<int>(), 0);
        QCOMPARE(outcome.at("apart").get<int>(), 0);
        for (const char* run : {"cospadi-free", "svd"}) {
            for (const char* quantity : {"error", "perplexity"}) {
                const json number = numberOf(outcome, run, quantity);
                QVERIFY2(number.is_object(), qPrintable(made.out));
                QCOMPARE(number.at("here"), number.at("given"));  // one machine: to the bit
            }
        }
        // Again there is nothing to make.
        const CliOutcome again = m_cli->run({"reproduce", folder, "--dry-run", "--json"});
        QCOMPARE(again.object().at("runs").at(0).at("state").get<std::string>(), "finished");
    }

    void tellsWhatDiffers() {
        const QString run = makeRun(kSparse);
        json result = json::parse(contentOf(run + "/result.json").toStdString());
        result["relative_error"] = 0.875;
        QFile file(run + "/result.json");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(result.dump()));
        file.close();
        QCOMPARE(m_cli->run({"runs", "import", run}).exitCode, 0);
        const QString folder = bundle();
        m_cli->useRuns("elsewhere");
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QVERIFY2(made.exitCode == 3, qPrintable(made.error));
        QCOMPARE(made.object().at("apart").get<int>(), 1);
        const json number = numberOf(made.object(), "cospadi-free", "error");
        QCOMPARE(number.at("given").get<double>(), 0.875);
        const CliOutcome words = m_cli->run({"reproduce", folder});
        QVERIFY2(words.out.contains("differs by"), words.out.constData());
    }

    // Of as many items, with as many examples and as long prompts; a group by its subjects.
    void tasksAreAskedAlike() {
        const QString run = makeRun(kSparse);
        const QString data = m_cli->place("questions");
        const std::filesystem::path folder = data.toStdString();
        std::filesystem::create_directories(folder);
        std::vector<json> questions;
        for (const char* subject : kMmluSubjects) {
            questions.push_back({{"question", subject},
                                 {"subject", subject},
                                 {"choices", {"a", "b", "c", "d"}},
                                 {"answer", questions.size() % 4}});
        }
        small_task_data::writeLines(folder / "mmlu_dev.jsonl", questions);
        std::vector<json> twice = questions;
        twice.insert(twice.end(), questions.begin(), questions.end());
        small_task_data::writeLines(folder / "mmlu.jsonl", twice);
        small_task_data::writeLines(folder / "piqa.jsonl", small_task_data::kQuestions);
        const QStringList evaluate{"evaluate", run, "--data", data, "--tasks"};
        requireDone(evaluate + QStringList{"piqa", "--limit", "2", "--max-length", "64"});
        requireDone(evaluate + QStringList{"mmlu", "--limit", "1", "--num-fewshot", "1"});
        const QString bundled = bundle("error");
        m_cli->useRuns("elsewhere");
        const CliOutcome made = m_cli->run({"reproduce", bundled, "--data", data, "--json"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const json outcome = made.object();
        QCOMPARE(outcome.at("not_measured").get<int>(), 0);
        for (const auto& [quantity, on] :
             {std::pair("mmlu/acc", "57 items, 1 shots, version 1.0,"),
              {"mmlu_anatomy/acc", "1 items, 1 shots, version 1.0,"},
              {"piqa/acc", "2 items, 0 shots, version 1.0 max_length 64,"}}) {
            const json number = numberOf(outcome, "cospadi-free", quantity);
            QVERIFY2(number.is_object(), quantity);
            QVERIFY2(number.at("on").get<std::string>().starts_with(on), made.out.constData());
            QCOMPARE(number.at("here"), number.at("given"));
        }
    }

    void optionsOfLabelsAreRefused() {
        makeRun(kSparse);
        const QString folder = bundle("error");
        for (const QStringList& words :
             {QStringList{"--quick"}, {"--overnight"}, {"--out", m_cli->place("tables")}}) {
            const CliOutcome refused = m_cli->run(QStringList{"reproduce", folder} + words);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains(words.front() + ": applies to the paper's labels"),
                     qPrintable(refused.error));
        }
    }

    // The command has the ratios of single matrices from the run's own file.
    void givenRatiosStandInTheRuns() {
        QFile file(m_cli->place("ratios.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"blk.0.attn_q": 0.3})");
        file.close();
        makeRun(kSparse + QStringList{"--ratios", file.fileName()});
        const QByteArray page = contentOf(bundle("error") + "/README.md");
        QVERIFY2(page.contains("--ratios run.json`, with the run's own run.json from runs.tar"),
                 page.constData());
    }

    // What was made of another run is made of that one again, which comes along though the table
    // is not of it.
    void derivedRunsAreMadeAgain() {
        const QString run = makeRun(kSparse);
        requireDone({"runs", "slice", run, "--layers", "ffn_up", "--tag", "part"});
        requireDone({"requantize", run, "--coefficient-bits", "10", "--tag", "part"});
        const QString folder = bundle("error", {"--tag", "part"});
        const QByteArray page = contentOf(folder + "/README.md");
        QVERIFY2(page.contains("cospadi runs slice"), page.constData());
        QVERIFY2(page.contains("--coefficient-bits 10 --rounding truncate"), page.constData());

        m_cli->useRuns("elsewhere");
        const CliOutcome planned = m_cli->run({"reproduce", folder, "--dry-run", "--json"});
        QStringList states;
        const json runs = planned.object().at("runs");
        for (const json& one : runs) {
            states << QString::fromStdString(one.at("state"));
        }
        QCOMPARE(states.size(), 3);
        QCOMPARE(states.count("derived"), 2);
        QCOMPARE(states.count("new"), 1);
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.out));
        QVERIFY(made.object().at("holes").empty());
        QCOMPARE(made.object().at("apart").get<int>(), 0);
        int errors = 0;
        const json numbers = made.object().at("numbers");
        for (const json& number : numbers) {
            errors += number.at("quantity") == "error" && number.at("given") == number.at("here");
        }
        QCOMPARE(errors, 3);
    }

    // A slice whose run is gone is a hole, not a failure of all the others.
    void holesAreNamed() {
        const QString run = makeRun(kSparse);
        requireDone({"runs", "slice", run, "--layers", "ffn_up"});
        requireDone({"runs", "delete", run});
        makeRun({"--method", "svd"});
        const QString folder = bundle("error");
        m_cli->useRuns("elsewhere");
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QCOMPARE(made.exitCode, 1);
        const json holes = made.object().at("holes");
        QCOMPARE(holes.size(), 1u);
        QVERIFY(holes.at(0).at("reason").get<std::string>().find("the bundle does not contain") !=
                std::string::npos);
        QVERIFY(made.object().at("equal").get<int>() > 0);
    }

    // Its points and, where the workbench stands beside the program, a picture for every facet.
    void figures() {
        for (const char* cr : {"0.2", "0.4"}) {
            for (const char* rho : {"1.5", "2"}) {
                makeRun(kSparse + QStringList{"--cr", cr, "--rho", rho});
            }
        }
        const QString folder = m_cli->place("bundle");
        requireDone({"report", "--series", "ablation", "--x", "cr", "--facet", "rho", "--metric",
                     "error", "--save", "drawn"});
        requireDone({"report", "--saved", "drawn", "--bundle", folder});
        const QByteArray points = contentOf(folder + "/figure.csv");
        QVERIFY2(points.startsWith("rho,curve,cr,error,std,n"), points.constData());
        QCOMPARE(points.count('\n'), 5);
        QVERIFY(!QFile::exists(folder + "/table.csv"));
        const QByteArray page = contentOf(folder + "/README.md");
        QVERIFY2(
            page.contains("cospadi report --series ablation --metric error --x cr --facet rho"),
            page.constData());
        const QStringList pictures = QDir(folder).entryList({"figure*.svg", "figure*.pdf"});
        const bool canDraw =
            QFile::exists(QFileInfo(QStringLiteral(COSPADI_CLI)).path() + "/cospadi-workbench");
        QCOMPARE(pictures.size(), canDraw ? 4 : 0);
        for (const QString& picture : pictures) {
            QVERIFY(QFileInfo(folder + "/" + picture).size() > 1000);
            QCOMPARE(page.contains(("(" + picture + ")").toUtf8()), picture.endsWith(".svg"));
        }

        m_cli->useRuns("elsewhere");
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(made.object().at("apart").get<int>(), 0);
        requireDone({"report", "--series", "ablation", "--x", "cr", "--facet", "rho", "--metric",
                     "error", "--out", m_cli->place("again.csv")});
        QCOMPARE(contentOf(m_cli->place("again.csv")), points);
    }

    void refusals_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("old");
        QTest::addColumn<QByteArray>("fresh");
        QTest::addColumn<QString>("says");
        QTest::newRow("results changed") << "results.csv" << QByteArray("perplexity")
                                         << QByteArray("perplexitx") << "results.csv: differs";
        QTest::newRow("runs changed")
            << "runs.tar" << QByteArray("fast") << QByteArray("ksvd") << "runs.tar: differs";
        QTest::newRow("newer format") << "bundle.json" << QByteArray("\"format\": 1")
                                      << QByteArray("\"format\": 2") << "has format 2";
        QTest::newRow("no JSON") << "bundle.json" << QByteArray("\"format\"")
                                 << QByteArray("format") << "bundle.json";
    }

    void refusals() {
        QFETCH(QString, file);
        QFETCH(QByteArray, old);
        QFETCH(QByteArray, fresh);
        QFETCH(QString, says);
        makeRun(kSparse);
        const QString folder = bundle();
        replaceIn(folder + "/" + file, old, fresh);
        const CliOutcome made = m_cli->run({"reproduce", folder});
        QCOMPARE(made.exitCode, 1);
        QVERIFY2(made.error.contains(says), qPrintable(made.error));
    }

    void anotherModelIsRefused() {
        makeRun(kSparse);
        const QString folder = bundle();
        const QString other = COSPADI_TEST_DATA "/oracle/arch/f_llama_bf16_sharded";
        const CliOutcome made = m_cli->run({"reproduce", folder, other, "--json"});
        QCOMPARE(made.exitCode, 1);
        const json holes = made.object().at("holes");
        QCOMPARE(holes.size(), 1u);
        QVERIFY(holes.at(0).at("reason").get<std::string>().find("is not the model") !=
                std::string::npos);
    }

    void aTrailingSlashIsNoName() {
        makeRun(kSparse);
        const QString folder = m_cli->place("slash");
        requireDone(arguments("perplexity", folder + "/"));
        QVERIFY(!contentOf(folder + "/bundle.json").isEmpty());
    }

    void nothingIsOverwritten() {
        makeRun(kSparse);
        const QString folder = bundle();
        const QByteArray before = contentOf(folder + "/bundle.json");
        const CliOutcome again = m_cli->run(arguments("perplexity", folder));
        QCOMPARE(again.exitCode, 1);
        QVERIFY2(again.error.contains("already exists"), qPrintable(again.error));
        QCOMPARE(contentOf(folder + "/bundle.json"), before);
        QCOMPARE(QDir(m_cli->place("")).entryList({"bundle*"}).size(), 1);  // nor left half-made
    }

    void numbersAreComparedByWhatTheyWereMeasuredOn() {
        RunRow given;
        given.method = "svd";
        given.matrices = 1;
        given.layerBytes = 1000;
        given.relativeError = 0.5;
        EvaluationRow evaluation;
        evaluation.textSha256 = std::string(64, 'a');
        evaluation.text = "/here/text.txt";
        evaluation.context = 512;
        evaluation.perplexity = 20;
        given.evaluations = {evaluation};
        RunRow repeated = given;
        repeated.relativeError = 0.505;
        repeated.evaluations[0].text = "/elsewhere/t.txt";  // the same one
        std::vector<ComparedNumber> numbers = compared(given, repeated);
        QCOMPARE(numbers.size(), std::size_t{3});
        QVERIFY(numbers[0].isEqual() && numbers[2].isEqual());
        QVERIFY(!numbers[1].isEqual());
        QCOMPARE(numbers[1].difference(), 0.01);
        repeated.evaluations[0].context = 1024;  // another question
        numbers = compared(given, repeated);
        QVERIFY(!numbers[2].isMeasured());
    }

  private:
    // Compressed and measured; its directory.
    QString makeRun(const QStringList& more) {
        const CliOutcome made =
            m_cli->run(QStringList{"compress", m_cli->model(), "--no-model", "--json"} + more);
        if (made.exitCode != 0) {
            qFatal("%s", qPrintable(made.error));
        }
        const QString run = QString::fromStdString(made.object().at("directory"));
        const CliOutcome measured =
            m_cli->run({"evaluate", run, "--perplexity", m_cli->text(), "--context", "64"});
        if (measured.exitCode != 0) {
            qFatal("%s", qPrintable(measured.error));
        }
        return run;
    }

    void requireDone(const QStringList& command) {
        const CliOutcome outcome = m_cli->run(command);
        if (outcome.exitCode != 0) {
            qFatal("%s", qPrintable(outcome.error));
        }
    }

    static QStringList arguments(const QString& metric, const QString& folder) {
        return {"report",   "--rows", "method",   "--columns", "cr",
                "--metric", metric,   "--bundle", folder};
    }

    QString bundle(const QString& metric = "perplexity", const QStringList& chosen = {}) {
        const QString folder = m_cli->place("bundle");
        requireDone(arguments(metric, folder) + chosen);
        return folder;
    }

    std::unique_ptr<CliUnderTest> m_cli;
};

COSPADI_TEST(TestBundle)

}  // namespace tst_bundle

#include "tst_bundle.moc"
