// Records of MLflow, W&B and TensorBoard as external runs. The originals are made by the packages
// themselves where there are any (trackers_under_test.h); files by their published layouts, written
// here byte by byte, in any case.
#include <zlib.h>

#include <QtTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/records/external_records.h"
#include "core/records/tracked_run.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "tests/core/trackers_under_test.h"
#include "tests/registered_test.h"

namespace tst_external_records {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string fixed(std::uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) {
        bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
    }
    return bytes;
}

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value > 127; value >>= 7U) {
        bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    }
    return bytes + static_cast<char>(value);
}

std::string message(int field, const std::string& content) {
    return varint((static_cast<std::uint64_t>(field) << 3U) | 2U) + varint(content.size()) +
           content;
}

template <class Number>
std::string fixedField(int field, Number value) {
    std::string bytes(sizeof(value), '\0');
    std::memcpy(bytes.data(), &value, sizeof(value));
    return varint((static_cast<std::uint64_t>(field) << 3U) | (sizeof(value) == 8 ? 1U : 5U)) +
           bytes;
}

std::string varintField(int field, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(field) << 3U) + varint(value);
}

// A bit at a time, from the polynomial of RFC 3720, then masked as TFRecord says.
std::string maskedCrc32c(const std::string& bytes) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            const bool in = ((static_cast<unsigned char>(byte) >> bit) & 1U) != 0;
            const bool out = (crc & 1U) != 0;
            crc = (crc >> 1U) ^ (in != out ? 0x82F63B78U : 0U);
        }
    }
    crc = ~crc;
    return fixed(static_cast<std::uint32_t>(((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U), 4);
}

std::string record(const std::string& data) {
    const std::string length = fixed(data.size(), 8);
    return length + maskedCrc32c(length) + data + maskedCrc32c(data);
}

// An event with a number as it is, and one with a tensor.
std::string eventAt(std::uint64_t step, float loss, float accuracy) {
    std::string tensor = varintField(1, 1) + message(5, std::string(4, '\0'));
    std::memcpy(tensor.data() + tensor.size() - 4, &accuracy, 4);
    const std::string summary =
        message(1, message(1, "loss") + fixedField(2, loss)) +
        message(1, message(1, "piqa/acc") + message(8, tensor) + message(9, message(1, "")));
    return fixedField(1, 1.6e9 + static_cast<double>(step)) + varintField(2, step) +
           message(5, summary);
}

// W&B's log: every record in parts that end where a block of 32 KiB does.
std::string wandbFile(const std::vector<std::string>& records) {
    std::string file = ":W&B" + fixed(0xBEE1, 2) + std::string(1, '\0');
    for (const std::string& text : records) {
        std::size_t at = 0;
        do {
            std::size_t left = 32768 - file.size() % 32768;
            if (left < 7) {
                file.append(left, '\0');
                left = 32768;
            }
            const std::size_t take = std::min(left - 7, text.size() - at);
            const bool first = at == 0, last = at + take == text.size();
            const char kind = static_cast<char>(first && last ? 1 : first ? 2 : last ? 4 : 3);
            const std::string part = kind + text.substr(at, take);
            const auto crc = crc32(0, reinterpret_cast<const Bytef*>(part.data()),
                                   static_cast<uInt>(part.size()));
            file += fixed(crc, 4) + fixed(take, 2) + part;
            at += take;
        } while (at < text.size());
    }
    return file;
}

std::string item(const std::string& name, const std::string& value) {
    return message(1, message(2, name) + message(16, value));
}

std::string historyAt(std::uint64_t step, const std::string& items) {
    return message(2, items + message(2, varintField(1, step)));
}

}  // namespace

class TestExternalRecords : public QObject, TrackersUnderTest {
    Q_OBJECT

    static std::string problemOf(const fs::path& source) {
        try {
            trackedRunsAt(source);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    void eventFilesByTheirLayout() {
        const fs::path file = path("logs/run one/events.out.tfevents.1.host");
        const std::string whole = record(fixedField(1, 1.6e9) + message(3, "brain.Event:2")) +
                                  record(eventAt(0, 2.0F, 0.25F)) + record(eventAt(7, 1.5F, 0.5F));
        write(file, whole);
        const std::vector<TrackedRun> runs = trackedRunsAt(path("logs"));
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0].name, std::string("run one"));
        QCOMPARE(trackedRunsAt(path("logs/run one") / "").front().name, std::string("run one"));
        QCOMPARE(runs[0].created, std::string("2020-09-13T12:26:40Z"));
        const auto& loss = runs[0].metrics.at("loss");
        QCOMPARE(loss.size(), std::size_t{2});
        QCOMPARE(loss[1].step, std::int64_t{7});
        QCOMPARE(loss[1].value, 1.5);
        QCOMPARE(runs[0].metrics.at("piqa/acc")[0].value, 0.25);

        // Half a record at the end is where its writer is; a bit that turned is damage.
        write(file, whole.substr(0, whole.size() - 5));
        const TrackedRun cut = trackedRunsAt(file).front();
        QCOMPARE(cut.metrics.at("loss").size(), std::size_t{1});
        QCOMPARE(cut.notes.size(), std::size_t{1});
        for (const std::size_t at : {std::size_t{3}, whole.size() / 2, whole.size() - 20}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
            write(file, damaged);
            QVERIFY2(problemOf(file).find("tfevents") != std::string::npos,
                     problemOf(file).c_str());
        }
    }

    // Records over the ends of blocks, a number of every kind, and one that was never finished.
    void wandbFilesByTheirLayout() {
        const std::string run = message(
            17,
            message(1, "abc123") + message(3, "project") + message(8, "a name") +
                message(10, "first") + message(17, varintField(1, 1600000000)) +
                message(4, message(1, message(1, "cr") + message(16, "0.2")) +
                               message(1, message(1, "text") +
                                              message(16, "\"" + std::string(40000, 'x') + "\"")) +
                               message(1, message(1, "nested") + message(16, "{\"a\": 1}"))));
        std::vector<std::string> records{message(21, ""), run};
        for (std::uint64_t step = 0; step < 2000; ++step) {
            records.push_back(historyAt(step, item("loss", std::to_string(2.0 / (1.0 + step))) +
                                                  item("_runtime", "3") + item("word", "\"x\"")));
        }
        records.push_back(historyAt(2000, item("loss", "NaN")));
        records.push_back(message(3, item("best", "1.5")));
        const fs::path file = path("wandb/offline-run-1/run-abc123.wandb");
        const std::string open = wandbFile(records);
        write(file, open);
        TrackedRun read = trackedRunsAt(path("wandb")).front();
        QCOMPARE(read.id, std::string("abc123"));
        QCOMPARE(read.name, std::string("a name"));
        QCOMPARE(read.project, std::string("project"));
        QCOMPARE(read.status, std::string("interrupted"));
        QCOMPARE(read.parameters.at("cr"), std::string("0.2"));
        QCOMPARE(read.parameters.at("text").size(), std::size_t{40000});
        QCOMPARE(read.parameters.at("nested.a"), std::string("1"));
        const auto& loss = read.metrics.at("loss");
        QCOMPARE(loss.size(), std::size_t{2001});
        QCOMPARE(loss[999].step, std::int64_t{999});
        QVERIFY(std::abs(loss[999].value - 0.002) < 1e-9);
        QVERIFY(std::isnan(loss.back().value));
        QCOMPARE(read.metrics.at("best").front().step, std::int64_t{2000});
        QCOMPARE(read.metrics.size(), std::size_t{2});
        records.push_back(message(18, ""));
        write(file, wandbFile(records));
        QCOMPARE(trackedRunsAt(file).front().status, std::string("finished"));
        records.back() = message(18, varintField(1, 1));
        write(file, wandbFile(records));
        QCOMPARE(trackedRunsAt(file).front().status, std::string("failed"));

        write(file, open.substr(0, open.size() - 4));
        read = trackedRunsAt(file).front();
        QCOMPARE(read.notes.size(), std::size_t{1});
        QVERIFY(!read.metrics.contains("best"));
        std::string damaged = open;
        damaged[20000] = static_cast<char>(damaged[20000] ^ 1);
        write(file, damaged);
        QVERIFY(problemOf(file).find("run-abc123.wandb") != std::string::npos);
    }

    // Of texts that are not UTF-8, as a shell leaves them, the rest is kept.
    void otherTextsComeInWhole() {
        const fs::path source = path("latin/mlruns/1/2");
        write(source / "meta.yaml", "run_id: abc\nrun_name: caf\xe9\nstatus: 3\n");
        write(source / "params/model", "caf\xe9");
        write(source / "metrics/caf\xe9/relative_error", "1 0.5 1\n");
        write(source / "metrics/caf\xe9/acc", "1 0.25 0\n");
        const fs::path made = writeTrackedRun(path("latin/runs"), trackedRunsAt(source).front());
        const std::string mended = "caf\xef\xbf\xbd";
        QCOMPARE(readRunJson(made / "records.json")["parameters"]["model"], json(mended));
        const RunRecord record = readRunDirectory(made);
        QCOMPARE(record.run.model, mended);
        QCOMPARE(record.run.status, std::string("finished"));
        QCOMPARE(record.run.taskResults.size(), std::size_t{1});
        QCOMPARE(record.run.taskResults[0].task, mended);
        QVERIFY(fs::exists(made / "annotations.json"));
    }

    // A metric of one task by several filters is several results.
    void filtersAreToldApart() {
        TrackedRun tracked;
        tracked.tracker = "wandb";
        tracked.id = "filters";
        tracked.created = "2026-01-01T00:00:00Z";
        tracked.status = "finished";
        tracked.metrics = {{"gpqa/acc", {{0, 0.25}}},
                           {"gpqa/acc,strict-match", {{0, 0.5}}},
                           {"gpqa/acc,flexible-extract", {{0, 0.75}}}};
        const fs::path made = writeTrackedRun(path("filters"), tracked);
        RunStore store = RunStore::open(path("filters") / "cospadi.sqlite");
        std::map<std::string, double> values;
        for (const TaskResultRow& row : store.find(store.importRun(made)).taskResults) {
            QCOMPARE(row.metric, std::string("acc"));
            values[row.filter] = row.value;
        }
        QCOMPARE(values, (std::map<std::string, double>{
                             {"flexible-extract", 0.75}, {"none", 0.25}, {"strict-match", 0.5}}));
    }

    void nothingThereIsSaid() {
        QDir().mkpath(place("empty"));
        QVERIFY(problemOf(path("empty")).find("MLflow, W&B or TensorBoard") != std::string::npos);
        QVERIFY(problemOf(path("nowhere")).find("does not exist") != std::string::npos);
        write(path("wrong/run.wandb"), "words");
        QVERIFY(problemOf(path("wrong")).find("run.wandb") != std::string::npos);
        write(path("damaged/mlruns/1/2/meta.yaml"), "status: [");
        fs::create_directories(path("damaged/mlruns/1/2/metrics"));
        QVERIFY(problemOf(path("damaged")).find("meta.yaml") != std::string::npos);
    }

    void realRecordsComeIn_data() {
        QTest::addColumn<QString>("tracker");
        for (const char* tracker : {"mlflow", "wandb", "tensorboard"}) {
            QTest::newRow(tracker) << tracker;
        }
    }

    // Three losses, a task's accuracy and the errors of a matrix, logged by the tracker itself.
    void realRecordsComeIn() {
        QFETCH(QString, tracker);
        const QString folder = place("real " + tracker);
        const json made = by({"make", tracker, folder});
        if (made.is_null()) {
            QSKIP("COSPADI_TEST_TRACKERS_PYTHON names no Python with the trackers");
        }
        if (made.contains("skipped")) {
            QSKIP(made["skipped"].get<std::string>().c_str());
        }
        useRuns("runs of " + tracker);
        const json told = imported(folder);
        QVERIFY2(!told.contains("problem"), told.dump().c_str());
        QCOMPARE(told["imported"].size(), std::size_t{1});
        const json& one = told["imported"][0];
        QCOMPARE(one["tracker"].get<std::string>(), tracker.toStdString());
        QCOMPARE(one["status"].get<std::string>(), std::string("finished"));
        QVERIFY(std::abs(one["metrics"]["loss"].get<double>() - 2.0 / 3) < 1e-6);
        const QString id = QString::fromStdString(one["run"].get<std::string>());
        const json records =
            readRunJson(path("runs of " + tracker) / id.toStdString() / "records.json");
        QCOMPARE(records["metrics"]["loss"]["steps"].dump(), std::string("[0,1,2]"));
        QCOMPARE(records["metrics"]["loss"]["values"][0].get<double>(), 2.0);
        if (tracker != "tensorboard") {
            QCOMPARE(records["parameters"]["lr"].get<std::string>(), std::string("0.1"));
            QCOMPARE(one["name"].get<std::string>(), std::string("a run"));
        }
        const json shown = run({"runs", "show", id, "--json"}).object();
        QCOMPARE(shown["method"].get<std::string>(), std::string("external"));
        QVERIFY(shown.dump().find("piqa") != std::string::npos);
        // Again, it is the same run; with words of its own it is another.
        QCOMPARE(imported(folder)["imported"][0]["run"], one["run"]);
        const json stated = imported(folder, {"--method", "LLM-Pruner", "--cr", "0.2"});
        QVERIFY(stated["imported"][0]["run"] != one["run"]);
        QCOMPARE(run({"runs", "list", "--json"}).object()["runs"].size(), std::size_t{2});
    }
};

COSPADI_TEST(TestExternalRecords)

}  // namespace tst_external_records

#include "tst_external_records.moc"
