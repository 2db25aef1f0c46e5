// A table as a folder that repeats it: what it holds, what comes out of it elsewhere, and what it
// refuses.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/bundle/run_numbers.h"
#include "tests/core/cli_under_test.h"
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
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
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

    // A slice is of another run, which the folder does not hold: its row is a hole, not a failure
    // of all the others.
    void holesAreNamed() {
        const QString run = makeRun(kSparse);
        const CliOutcome slice = m_cli->run({"runs", "slice", run, "--layers", "ffn_up"});
        QVERIFY2(slice.exitCode == 0, qPrintable(slice.error));
        const QString folder = bundle("error");
        m_cli->useRuns("elsewhere");
        const CliOutcome made = m_cli->run({"reproduce", folder, "--json"});
        QCOMPARE(made.exitCode, 1);
        QCOMPARE(made.object().at("holes").size(), 1u);
        QVERIFY(made.object().at("equal").get<int>() > 0);
    }

    void refusals_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("old");
        QTest::addColumn<QByteArray>("fresh");
        QTest::addColumn<QString>("says");
        QTest::newRow("results changed") << "results.csv" << QByteArray("perplexity")
                                         << QByteArray("perplexitx") << "results.csv: is another";
        QTest::newRow("runs changed")
            << "runs.tar" << QByteArray("fast") << QByteArray("ksvd") << "runs.tar: is another";
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
        QVERIFY(holes.at(0).at("reason").get<std::string>().find("is another model than") !=
                std::string::npos);
    }

    void nothingIsOverwritten() {
        makeRun(kSparse);
        const QString folder = bundle();
        const QByteArray before = contentOf(folder + "/bundle.json");
        const CliOutcome again = m_cli->run(arguments("perplexity", folder));
        QCOMPARE(again.exitCode, 1);
        QVERIFY2(again.error.contains("is there already"), qPrintable(again.error));
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

    static QStringList arguments(const QString& metric, const QString& folder) {
        return {"report",   "--rows", "method",   "--columns", "cr",
                "--metric", metric,   "--bundle", folder};
    }

    QString bundle(const QString& metric = "perplexity") {
        const QString folder = m_cli->place("bundle");
        const CliOutcome made = m_cli->run(arguments(metric, folder));
        if (made.exitCode != 0) {
            qFatal("%s", qPrintable(made.error));
        }
        return folder;
    }

    std::unique_ptr<CliUnderTest> m_cli;
};

COSPADI_TEST(TestBundle)

}  // namespace tst_bundle

#include "tst_bundle.moc"
