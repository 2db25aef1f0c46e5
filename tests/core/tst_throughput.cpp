// Tokens a second and latencies: what is counted agrees with a client and a server that others
// wrote, what is timed holds against clocks outside of it, and what is recorded is found again.
#include <QProcess>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/serving/generation_speed.h"
#include "core/serving/load_generator.h"
#include "core/serving/throughput_study.h"
#include "served_model.h"
#include "tests/core/message_of.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_throughput {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const QString kPython = COSPADI_SOURCE_DIR "/tests/python/";

// slow_server.py with these arguments.
class PythonServer {
  public:
    explicit PythonServer(const QStringList& arguments) {
        m_process.start("python3", QStringList{kPython + "slow_server.py"} + arguments);
        if (m_process.waitForReadyRead(30000)) {
            m_port = m_process.readLine().trimmed().toInt();
        }
    }
    ~PythonServer() {
        m_process.kill();
        m_process.waitForFinished();
    }
    ServerAddress address() const { return {"127.0.0.1", m_port}; }

  private:
    QProcess m_process;
    int m_port = 0;
};

std::vector<std::int32_t> someIds(std::int32_t count) {
    std::vector<std::int32_t> ids;
    for (std::int32_t i = 0; i < count; ++i) {
        ids.push_back(3 + i * 7 % 200);
    }
    return ids;
}

std::string refusalOf(const QString& mode) {
    const PythonServer server({mode, "0", "0"});
    LoadStudy study;
    study.tokens = 3;
    std::int64_t place = 0;
    return messageOf([&] { loadServer(server.address(), someIds(10), study, place); });
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestThroughput : public QObject, OwnFolder {
    Q_OBJECT

    QTemporaryDir m_models;

  private slots:
    void percentilesAreNearestRanks() {
        std::vector<double> values(100);
        std::iota(values.begin(), values.end(), 1.0);
        std::reverse(values.begin(), values.end());
        const Percentiles hundred = percentilesOf(values);
        QCOMPARE(hundred.p50, 50.0);
        QCOMPARE(hundred.p90, 90.0);
        QCOMPARE(hundred.p99, 99.0);
        // ⌈0.5 · 5⌉ = 3rd, ⌈0.9 · 5⌉ = ⌈0.99 · 5⌉ = 5th.
        const Percentiles five = percentilesOf({15, 20, 35, 40, 50});
        QCOMPARE(five.p50, 35.0);
        QCOMPARE(five.p90, 50.0);
        QCOMPARE(percentilesOf({7}).p99, 7.0);
        QVERIFY(std::isnan(percentilesOf({}).p50));
    }

    void tokensAreThoseAPlainClientCounts() {
        const Model model = served::model(m_models);
        served::Server server(model);
        LoadStudy study;
        study.users = 3;
        study.prompt = 5;
        study.tokens = 12;
        study.rounds = 2;
        const std::vector<std::int32_t> ids = someIds(60);
        std::int64_t place = 4;
        const Stopwatch clock;
        const auto point = loadServer({"127.0.0.1", server.port()}, ids, study, place);
        const double outside = clock.seconds();
        QVERIFY(point.has_value());
        QCOMPARE(point->requests, std::int64_t{6});
        QCOMPARE(place, std::int64_t{4 + 9});
        QCOMPARE(server->counts().finished, std::int64_t{9});  // with one a user before the clock
        QVERIFY(point->seconds > 0 && point->seconds <= outside);
        QVERIFY(point->firstToken.p50 > 0 && point->firstToken.p50 <= point->request.p50);

        // A user's prompts begin one id after another, the first of them before the clock.
        json prompts = json::array();
        for (const int begin : {5, 6, 8, 9, 11, 12}) {
            prompts.push_back(
                std::vector<std::int32_t>(ids.begin() + begin, ids.begin() + begin + 5));
        }
        QProcess python;
        python.start("python3",
                     {kPython + "plain_client.py", QString::number(server.port()), "12"});
        QVERIFY(python.waitForStarted(30000));
        python.write(QByteArray::fromStdString(prompts.dump()));
        python.closeWriteChannel();
        QVERIFY(python.waitForFinished(120000));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
        QCOMPARE(point->generated,
                 static_cast<std::int64_t>(python.readAll().trimmed().toLongLong()));
        QVERIFY(point->generated > 0);
    }

    // Against a server whose delays are known: no time is lost, and none is made up.
    void timesAreThoseOfTheServer() {
        const PythonServer server({"plain", "0.06", "0.02"});
        LoadStudy study;
        study.users = 2;
        study.tokens = 5;
        study.rounds = 2;
        std::int64_t place = 0;
        const Stopwatch clock;
        const auto point = loadServer(server.address(), someIds(10), study, place);
        const double outside = clock.seconds();
        QVERIFY(point.has_value());
        QCOMPARE(point->generated, std::int64_t{2 * 2 * 5});
        QVERIFY(point->firstToken.p50 >= 0.06);
        QVERIFY(point->perToken.p50 >= 0.02);
        QVERIFY(point->request.p50 >= 0.06 + 4 * 0.02);
        // Two rounds a user, one after the other, both users together, after one that is not timed.
        QVERIFY(point->seconds >= 2 * 0.14);
        QVERIFY(point->seconds + 0.14 <= outside);
        QCOMPARE(point->tokensPerSecond(), 20 / point->seconds);
    }

    void badServersAreNamed() {
        std::string message = refusalOf("busy");
        QVERIFY2(has(message, "answered 429: come again later"), message.c_str());
        message = refusalOf("broken");
        QVERIFY2(has(message, "without [DONE]"), message.c_str());
        message = refusalOf("silent");
        QVERIFY2(has(message, "usage"), message.c_str());
        std::int64_t place = 0;
        const LoadStudy study;
        message = messageOf([&] { loadServer({"127.0.0.1", 1}, someIds(10), study, place); });
        QVERIFY2(has(message, "127.0.0.1:1") && has(message, "cannot be reached"), message.c_str());
        LoadStudy longer;
        longer.prompt = 11;
        message = messageOf([&] { loadServer({"127.0.0.1", 1}, someIds(10), longer, place); });
        QVERIFY2(has(message, "the text has 10 tokens"), message.c_str());
        QCOMPARE(serverAddressOf("http://[::1]:80/").host, std::string("::1"));
        QCOMPARE(serverAddressOf("http://localhost:8080").port, 8080);
        for (const char* url : {"https://localhost:80", "localhost:80", "http://", "http://a:0",
                                "http://a:80/v1", "http://a:8o"}) {
            QVERIFY2(has(messageOf([&] { serverAddressOf(url); }), "is not a server address"), url);
        }
    }

    void aloneEveryTokenIsGenerated() {
        const Model model = served::model(m_models);
        ThreadPool pool(2);
        const Stopwatch clock;
        const auto point = generationSpeed(model, pool, someIds(40), {16, 6, 3});
        const double outside = clock.seconds();
        QVERIFY(point.has_value());
        QCOMPARE(point->generated, std::int64_t{18});
        QCOMPARE(point->requests, std::int64_t{3});
        QVERIFY(point->seconds > 0 && point->seconds < outside);
        QVERIFY(point->firstToken.p99 < point->request.p99);
        std::string message = messageOf([&] {
            generationSpeed(model, pool, someIds(40), {41, 6, 3});
        });
        QVERIFY2(has(message, "the text has 40 tokens"), message.c_str());
        const std::int64_t context = model.config().contextLength;
        message = messageOf([&] { generationSpeed(model, pool, someIds(40), {1, context, 1}); });
        QVERIFY2(has(message, "context"), message.c_str());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!generationSpeed(model, pool, someIds(40), {1, 1, 1}, stop.get_token()));
    }

    void whatIsRecordedIsFoundAgain() {
        const fs::path run = place("run");
        ThroughputStudy study;
        study.prompts = {1, 16};
        const ThroughputRecord like = study.record();
        QCOMPARE(missingPoints(run, study).size(), std::size_t{2});
        ThroughputPoint point;
        point.prompt = 16;
        point.requests = 3;
        point.generated = 30;
        point.seconds = 2;
        point.perToken = percentilesOf({0.5});
        point.firstToken = percentilesOf({});
        const fs::path file = recordThroughput(run, like, point);
        QCOMPARE(missingPoints(run, study).size(), std::size_t{1});
        QCOMPARE(missingPoints(run, study).front().second, std::int64_t{1});
        point.prompt = 1;
        point.generated = 50;
        QCOMPARE(recordThroughput(run, like, point), file);
        point.generated = 70;  // measured again: it takes the place of the first
        recordThroughput(run, like, point);
        const std::vector<ThroughputRecord> records = throughputOf(run);
        QCOMPARE(records.size(), std::size_t{1});
        QCOMPARE(records[0].points.size(), std::size_t{2});
        QCOMPARE(records[0].points[0].generated, std::int64_t{70});
        QCOMPARE(records[0].find(1, 16)->perToken.p90, 0.5);
        QVERIFY(std::isnan(records[0].find(1, 16)->firstToken.p50));
        QCOMPARE(meanThroughput(run), (35.0 + 15.0) / 2);
        study.tokens = 8;  // another measure
        QCOMPARE(missingPoints(run, study).size(), std::size_t{2});

        std::ofstream(run / "evaluations/throughput-synchronous-0.json")
            << R"({"kind": "throughput", "mode": "synchronous", "points": [{"users": 0}]})";
        std::vector<std::string> notes;
        QCOMPARE(throughputOf(run, &notes).size(), std::size_t{1});
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(has(notes[0], "throughput-synchronous-0.json"), notes[0].c_str());
        QVERIFY(std::isnan(meanThroughput(place("elsewhere"))));
    }

    // A folder with a model stands for a run: what is missing is measured, and nothing twice.
    void studiesMeasureWhatIsMissing() {
        served::model(m_models);
        const fs::path run = fs::path(m_models.path().toStdString()) / "a_llama_gqa";
        ThroughputStudy study;
        study.prompts = {1, 4};
        study.tokens = 3;
        study.rounds = 1;
        study.threads = 2;
        const LoadProgram none = [](const std::string&, const LoadStudy&, std::int64_t,
                                    const std::stop_token&) -> std::optional<ThroughputPoint> {
            throw Error("was called", "load", "");
        };
        QVERIFY(studyThroughput(run, study, none));
        study.mode = ThroughputMode::Asynchronous;
        study.users = {1, 2};
        QVERIFY(has(messageOf([&] { studyThroughput(run, study, none); }), "was called"));
        QVERIFY(studyThroughput(run, study, loadWithin(study.text)));
        QVERIFY(studyThroughput(run, study, none));
        QVERIFY(missingPoints(run, study).empty());
        const ThroughputRecord record = recordedThroughput(run, study.record());
        QCOMPARE(record.points.size(), std::size_t{4});
        for (const ThroughputPoint& point : record.points) {
            QCOMPARE(point.requests, point.users);
            QCOMPARE(point.cached, std::int64_t{0});
            QVERIFY(point.seconds > 0);
        }
        QCOMPARE(throughputOf(run).size(), std::size_t{2});
    }

    void badStudiesAreNamed() {
        const auto refused = [](const std::function<void(ThroughputStudy&)>& change,
                                const char* field) {
            ThroughputStudy study;
            change(study);
            const std::string message = messageOf([&] { validate(study, "throughput."); });
            QVERIFY2(has(message, field), message.c_str());
        };
        QCOMPARE(messageOf([] { validate(ThroughputStudy(), ""); }), std::string("no error"));
        refused([](ThroughputStudy& study) { study.prompts = {}; }, "throughput.prompts");
        refused([](ThroughputStudy& study) { study.prompts = {1, 0}; }, "throughput.prompts");
        refused([](ThroughputStudy& study) { study.users = {2}; }, "throughput.users");
        refused([](ThroughputStudy& study) { study.tokens = 0; }, "throughput.tokens");
        refused([](ThroughputStudy& study) { study.rounds = 0; }, "throughput.rounds");
    }
};

COSPADI_TEST(TestThroughput)

}  // namespace tst_throughput

#include "tst_throughput.moc"
