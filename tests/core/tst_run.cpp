// Runs on a small random model: what is written is what is reported, loads again, and survives
// being stopped, changed or damaged.
#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/base/program_revision.h"
#include "core/base/sha256.h"
#include "core/exports/compressed_model.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"
#include "core/methods/compress_matrix.h"
#include "core/model/file_hash.h"
#include "core/model/forward.h"
#include "core/run/compression_run.h"
#include "core/run/run_writer.h"
#include "core/tensors/safetensors.h"

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

const fs::path kModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

RunSpecification specification(const char* method = "cospadi-free") {
    RunSpecification s;
    s.model = kModel.string();
    s.method = method;
    return s;
}

std::map<std::string, std::string> hashes(const fs::path& folder) {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::directory_iterator(folder)) {
        // Seconds differ from run to run and stand in the metadata: compare what is computed.
        const StoredMatrix stored = readMatrixFile(entry.path());
        std::string content;
        const auto append = [&content](const Eigen::MatrixXf& a) {
            content.append(reinterpret_cast<const char*>(a.data()),
                           static_cast<std::size_t>(a.size()) * 4);
        };
        const auto product = stored.weight->product();
        append(product->left);
        append(product->right);
        result[entry.path().filename().string()] = sha256OfString(content);
    }
    return result;
}

Eigen::MatrixXf logitsOf(const Model& model) {
    ThreadPool pool(2);
    ForwardPass forward(model, pool);
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 24; ++i) {
        ids.push_back((i * 37 + 11) % 500);
    }
    return forward.logits(forward.hiddenStates(ids, 24));
}

StoredWeightPtr randomFactors(int bits, DictionarySide side = DictionarySide::Input,
                              CoefficientFormat format = CoefficientFormat::ShortMantissa,
                              int dictionaryBits = 16) {
    std::srand(5);
    SparseDictionaryFactors f;
    f.dictionary =
        Eigen::MatrixXf::Random(20, 13).unaryExpr([](float v) { return roundedToBf16(v, 16); });
    f.codes = Eigen::MatrixXf::Random(13, 31).unaryExpr(
        [](float v) { return std::abs(v) > 0.2F ? v : 0.0F; });
    f.s = 13;
    f.coefficientBits = bits;
    f.coefficientFormat = format;
    f.side = side;
    f.dictionaryBits = dictionaryBits;
    if (dictionaryBits == 8) {
        f.dictionary.col(3) *= 1e-9F;
        f.dictionary.col(4).setZero();
        roundAtomsToBytes(f.dictionary);
    }
    roundCodes(f);
    return storedWeight(std::move(f));
}

// Of what randomFactors() makes.
MatrixRecord smallRecord() {
    MatrixRecord record;
    record.name = "blk.3.ffn_up";
    record.kind = "ffn_up";
    record.block = 3;
    record.d1 = 20;
    record.d2 = 31;
    record.k = record.s = 13;
    return record;
}

LowRankFactors randomLowRank(int leftBits, int rightBits, CoefficientFormat format) {
    std::srand(6);
    LowRankFactors f;
    f.leftBits = leftBits;
    f.rightBits = rightBits;
    f.rightFormat = format;
    f.left = Eigen::MatrixXf::Random(20, 13).unaryExpr([](float v) { return roundedToBf16(v); });
    f.right = Eigen::MatrixXf::Random(13, 31);
    f.right.row(2) *= 300;
    f.right.row(5).setZero();
    if (leftBits == 8) {
        f.left.col(4).setZero();
        roundAtomsToBytes(f.left);
    }
    roundCodes(f);
    return f;
}

// Of what randomLowRank() makes.
MatrixRecord lowRankRecord() {
    MatrixRecord record = smallRecord();
    record.k = record.s = 0;
    record.rank = 13;
    return record;
}

}  // namespace

class TestRun : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    fs::path place(const char* name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        QVERIFY2(fs::exists(kModel / "config.json"),
                 "tests/data/oracle/arch/a_llama_gqa is missing");
    }

    void matrixFilesKeepEveryBit_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("outputSide");
        QTest::addColumn<bool>("shortExponent");
        QTest::addColumn<int>("dictionaryBits");
        for (const bool shortExponent : {false, true}) {
            const char* format = shortExponent ? "short exponent" : "short mantissa";
            QTest::addRow("bf16, %s", format) << 16 << false << shortExponent << 16;
            QTest::addRow("14 bits, %s", format) << 14 << false << shortExponent << 16;
            QTest::addRow("11 bits, %s", format) << 11 << false << shortExponent << 16;
            QTest::addRow("8 bits, %s", format) << 8 << false << shortExponent << 16;
            QTest::addRow("14 bits, output side, %s", format) << 14 << true << shortExponent << 16;
        }
        QTest::newRow("10 bits, atoms of bytes") << 10 << false << true << 8;
        QTest::newRow("bf16, atoms of bytes, output side") << 16 << true << false << 8;
    }

    void matrixFilesKeepEveryBit() {
        QFETCH(int, bits);
        QFETCH(bool, outputSide);
        QFETCH(bool, shortExponent);
        QFETCH(int, dictionaryBits);
        const StoredWeightPtr factors = randomFactors(
            bits, outputSide ? DictionarySide::Output : DictionarySide::Input,
            shortExponent ? CoefficientFormat::ShortExponent : CoefficientFormat::ShortMantissa,
            dictionaryBits);
        MatrixRecord record = smallRecord();
        if (outputSide) {
            std::swap(record.d1, record.d2);
        }
        const fs::path path = place("matrix.safetensors");
        writeMatrixFile(path, *factors, record);
        QCOMPARE(record.bytes, static_cast<std::int64_t>(fs::file_size(path)));
        const StoredMatrix read = readMatrixFile(path);
        const auto& a = *sparseFactors(factors);
        const auto& b = *sparseFactors(read.weight);
        QCOMPARE(a.dictionary, b.dictionary);
        QCOMPARE(a.codes, b.codes);
        QCOMPARE(read.record.name, record.name);
        QCOMPARE(read.record.block, 3);
        QVERIFY(b.side == a.side);
        QCOMPARE(read.weight->recomposed().rows(), record.d1);
        QCOMPARE(read.weight->recomposed(), factors->recomposed());
        const auto layer = read.weight->makeLayer(record.bytes);
        QCOMPARE(layer->denseWeight(), factors->recomposed());
        const SparsityPattern pattern = readSparsityPattern(path);
        for (int j = 0; j < 31; ++j) {
            for (int i = 0; i < 13; ++i) {
                QCOMPARE(pattern.entries[static_cast<std::size_t>(j * 13 + i)] != 0,
                         a.codes(i, j) != 0);
            }
        }
    }

    // The tensors take the bytes of the budget: 16 or 8 bits an entry of B with a byte of exponent
    // a column, and b bits an entry of C, to a whole byte.
    void lowRankFilesKeepEveryBit_data() {
        QTest::addColumn<int>("leftBits");
        QTest::addColumn<int>("rightBits");
        QTest::addColumn<bool>("shortExponent");
        for (const int left : {16, 8}) {
            for (const int right : {16, 13, 10, 9, 8}) {
                QTest::addRow("%d and %d bits", left, right) << left << right << true;
            }
            QTest::addRow("%d and 11 bits, short mantissa", left) << left << 11 << false;
        }
    }

    void lowRankFilesKeepEveryBit() {
        QFETCH(int, leftBits);
        QFETCH(int, rightBits);
        QFETCH(bool, shortExponent);
        const LowRankFactors factors = randomLowRank(
            leftBits, rightBits,
            shortExponent ? CoefficientFormat::ShortExponent : CoefficientFormat::ShortMantissa);
        MatrixRecord record = lowRankRecord();
        const fs::path path = place("low-rank.safetensors");
        const StoredWeightPtr weight = storedWeight(factors);
        writeMatrixFile(path, *weight, record);
        QCOMPARE(record.bytes, static_cast<std::int64_t>(fs::file_size(path)));
        const StoredMatrix read = readMatrixFile(path);
        const auto& back = *lowRankFactors(read.weight);
        QCOMPARE(back.left, factors.left);
        QCOMPARE(back.right, factors.right);
        QCOMPARE(back.leftBits, leftBits);
        QCOMPARE(back.rightBits, rightBits);
        QVERIFY(rightBits == 16 || back.rightFormat == factors.rightFormat);
        QVERIFY(weight->equals(*read.weight));
        QCOMPARE(read.weight->makeLayer(record.bytes)->denseWeight(), recompose(factors));
        std::size_t bytes = 0;
        const SafetensorsFile file = SafetensorsFile::open(path);
        for (const TensorView& tensor : file.tensors()) {
            bytes += tensor.bytes.size();
        }
        const int left = leftBits == 16 ? 20 * 13 * 2 : (20 + 1) * 13;
        QCOMPARE(static_cast<int>(bytes), left + (13 * 31 * rightBits + 7) / 8);
    }

    void damagedMatrixFilesAreNamed_data() {
        QTest::addColumn<bool>("lowRank");
        QTest::newRow("sparse") << false;
        QTest::newRow("low rank") << true;
    }

    // Cut short, or with a rank in its head that its tensors do not have.
    void damagedMatrixFilesAreNamed() {
        QFETCH(bool, lowRank);
        const fs::path path = place("damaged.safetensors");
        MatrixRecord record = lowRank ? lowRankRecord() : smallRecord();
        const StoredWeightPtr factors =
            lowRank ? storedWeight(randomLowRank(8, 9, CoefficientFormat::ShortExponent))
                    : randomFactors(14);
        if (lowRank) {
            record.d2 = 32;
            writeMatrixFile(path, *factors, record);
            QVERIFY_EXCEPTION_THROWN(static_cast<void>(readMatrixFile(path)), Error);
            record.d2 = 31;
        }
        writeMatrixFile(path, *factors, record);
        fs::resize_file(path, fs::file_size(path) - 5);
        try {
            static_cast<void>(readMatrixFile(path));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("damaged.safetensors"));
        }
    }

    void reportsWhatIsOnDisk_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("accounting");
        QTest::newRow("svd") << "svd"
                             << "eq11";
        QTest::newRow("svd, packed") << "svd"
                                     << "packed";
        QTest::newRow("svd, packed8") << "svd"
                                      << "packed8";
        QTest::newRow("cospadi-free") << "cospadi-free"
                                      << "eq11";
        QTest::newRow("atoms of bytes") << "cospadi-free"
                                        << "packed8";
    }

    void reportsWhatIsOnDisk() {
        QFETCH(QString, method);
        QFETCH(QString, accounting);
        const fs::path directory =
            place(QStringLiteral("disk-%1-%2").arg(method, accounting).toUtf8().constData());
        RunSpecification settings = specification(method.toUtf8().constData());
        settings.accounting = accountingFromName(accounting.toStdString());
        const RunSummary run = executeRun(settings, directory, {});
        QCOMPARE(run.termination, Termination::Converged);
        QCOMPARE(run.matrices, 14);
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(directory / "matrices")) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        QCOMPARE(run.bytes, bytes);

        // The folder loads again to the same logits as the run, and both as the dense product.
        const Eigen::MatrixXf fromRun = logitsOf(loadModelOrRun(directory.string()));
        const Eigen::MatrixXf fromFolder = logitsOf(loadModelOrRun((directory / "model").string()));
        QCOMPARE(fromRun, fromFolder);
        Model dense = Model::load(kModel);
        const Eigen::MatrixXf original = logitsOf(dense);
        for (const LayerInfo& layer : std::vector<LayerInfo>(dense.layers())) {
            const StoredMatrix stored =
                readMatrixFile(directory / "matrices" / (layer.name + ".safetensors"));
            // The error in the record is the error of these factors.
            const Eigen::MatrixXf w = dense.weight(layer.name);
            const double error = (w - stored.weight->recomposed()).norm() / w.norm();
            QVERIFY(std::abs(error - stored.record.relativeError) < 1e-4);
            dense.replaceLayer(layer.name,
                               std::make_unique<DenseLayer>(stored.weight->recomposed(), 0));
        }
        const Eigen::MatrixXf recomposed = logitsOf(dense);
        QVERIFY((fromRun - recomposed).cwiseAbs().maxCoeff() < 1e-4F);
        QVERIFY((fromRun - original).cwiseAbs().maxCoeff() > 1e-2F);  // something was compressed
    }

    // What is wrong before the first matrix leaves no directory behind.
    void badStartsLeaveNoDirectory_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("method");
        QTest::newRow("no layer") << "nosuch"
                                  << "svd";
        QTest::newRow("no tokenizer to calibrate with") << ".*"
                                                        << "cospadi";
    }

    void badStartsLeaveNoDirectory() {
        QFETCH(QString, layers);
        QFETCH(QString, method);
        RunSpecification s = specification(method.toUtf8().constData());
        s.layers = layers.toStdString();
        const fs::path directory = place("bad-start");
        QVERIFY_EXCEPTION_THROWN(executeRun(s, directory, {}), Error);
        QVERIFY(!fs::exists(directory));
    }

    void aNewRunIsNamedAsItsDirectory() {
        qputenv("COSPADI_RUNS", place("runs").string().c_str());
        const RunSummary run = executeRun(specification("svd"), {}, {});
        qunsetenv("COSPADI_RUNS");
        QCOMPARE(run.directory.filename().string(), run.id);
        QCOMPARE(run.directory.parent_path(), place("runs"));
    }

    void damagedMatricesAreMadeAgain() {
        const fs::path directory = place("mended");
        RunSpecification s = specification();
        s.layers = "attn_";
        executeRun(s, directory, {});
        QVERIFY(!fs::exists(directory / "model"));  // of some layers: only where it is asked for
        const auto whole = hashes(directory / "matrices");
        const fs::path matrix = directory / "matrices" / "blk.0.attn_q.safetensors";
        fs::resize_file(matrix, fs::file_size(matrix) / 2);
        try {
            static_cast<void>(loadModelOrRun(directory.string()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.hint()).contains("--out"));
        }
        int made = 0;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            made += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        QCOMPARE(executeRun(s, directory, execution).termination, Termination::Converged);
        QCOMPARE(made, 1);
        QCOMPARE(hashes(directory / "matrices"), whole);
        execution.partialModel = true;
        QVERIFY(executeRun(s, directory, execution).modelBytes > 0);
        QCOMPARE(made, 1);
        fs::resize_file(matrix, fs::file_size(matrix) / 2);  // the folder's too: a hard link
        execution.writeModel = false;
        executeRun(s, directory, execution);
        QCOMPARE(logitsOf(loadModelOrRun(directory.string())),
                 logitsOf(loadModelOrRun((directory / "model").string())));
    }

    void damagedRecordsNameFileAndField_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::newRow("result") << "result.json"
                                << "{\"bytes\":\"x\"}"
                                << "matrices";
        QTest::newRow("matrix") << "result.json"
                                << "{\"matrices\":[{\"name\":5}]}"
                                << "name";
        QTest::newRow("run") << "run.json"
                             << "{\"id\":\"a\"}"
                             << "specification";
    }

    void damagedRecordsNameFileAndField() {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, field);
        const fs::path directory = place("records");
        fs::remove_all(directory);
        RunSpecification s = specification("svd");
        s.layers = "attn_q";
        executeRun(s, directory, {});
        std::ofstream(directory / file.toStdString()) << text.toStdString();
        try {
            static_cast<void>(loadModelOrRun(directory.string()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            const QString message = QString::fromStdString(error.what());
            QVERIFY2(message.contains(file) && message.contains(field), error.what());
        }
        if (file == "result.json") {  // the same command mends it
            QVERIFY(executeRun(s, directory, {}).bytes > 0);
        }
    }

    void goesOnWhereItStopped() {
        const fs::path whole = place("whole");
        executeRun(specification(), whole, {});
        const fs::path stopped = place("stopped");
        std::stop_source stop;
        RunExecution execution;
        execution.threads = 1;
        int finished = 0;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "matrix_finished" && ++finished == 4) {
                stop.request_stop();
            }
        };
        QCOMPARE(executeRun(specification(), stopped, execution, stop.get_token()).termination,
                 Termination::Cancelled);
        QVERIFY(!fs::exists(stopped / "result.json"));
        QCOMPARE(static_cast<int>(hashes(stopped / "matrices").size()), 4);

        // One of the finished matrices is damaged meanwhile: it is made again.
        fs::resize_file(stopped / "matrices" / "blk.0.attn_k.safetensors", 100);
        finished = 0;
        execution.onEvent = [&](const nlohmann::json& event) {
            finished += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        QCOMPARE(executeRun(specification(), stopped, execution).termination,
                 Termination::Converged);
        QCOMPARE(finished, 11);
        QCOMPARE(hashes(stopped / "matrices"), hashes(whole / "matrices"));

        // A finished run is left alone.
        finished = 0;
        QCOMPARE(executeRun(specification(), stopped, execution).matrices, 14);
        QCOMPARE(finished, 0);
    }

    void refusesOtherSettings() {
        const fs::path directory = place("settings");
        RunSpecification s = specification("svd");
        s.layers = "attn_k";
        executeRun(s, directory, {});
        s.cr = 0.3;
        try {
            executeRun(s, directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("cr was 0.2 and is now 0.3"));
        }
    }

    // Another revision of the program may compute other bits: the run says so, once.
    void otherRevisionsAreTold() {
        if (programRevision().empty()) {
            QSKIP("built from sources whose revision is not known");
        }
        const fs::path directory = place("revisions");
        RunSpecification s = specification("svd");
        s.layers = "blk.0.attn_[qk]$";
        std::vector<std::string> warnings;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "warning") {
                warnings.push_back(event.at("message").get<std::string>());
            }
        };
        executeRun(s, directory, execution);
        const fs::path kept = directory / "matrices" / "blk.0.attn_q.safetensors";
        QCOMPARE(readMatrixFile(kept).record.revision, programRevision());
        const auto goOn = [&] {
            fs::remove(directory / "result.json");
            fs::remove(directory / "matrices" / "blk.0.attn_k.safetensors");
            executeRun(s, directory, execution);
        };
        goOn();
        QCOMPARE(warnings.size(), 0u);
        std::ifstream stream(kept, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(stream)), {});
        stream.close();
        const std::string other(programRevision().size(), '0');
        bytes.replace(bytes.find(programRevision()), other.size(), other);
        fs::remove(kept);  // a new file: the model folder's shares the old one
        std::ofstream(kept, std::ios::binary) << bytes;
        goOn();
        QCOMPARE(warnings.size(), 1u);
        QVERIFY2(
            warnings[0].find("1 of 2 matrices were made by revision " + other) != std::string::npos,
            warnings[0].c_str());
    }

    // A file whose time was set back is another one all the same.
    void changedFilesAreHashedAgain() {
        const fs::path file = place("hashed.bin");
        std::ofstream(file, std::ios::binary) << "first";
        const auto time = fs::last_write_time(file);
        QCOMPARE(cachedSha256(file), sha256OfString("first"));
        const auto changed = [&] {
            struct stat status {};
            ::stat(file.c_str(), &status);
            return std::pair(status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
        };
        const auto before = changed();
        do {  // the kernel's clock for this goes in steps of some milliseconds
            std::ofstream(file, std::ios::binary) << "other";
            fs::last_write_time(file, time);
        } while (changed() == before);
        QVERIFY(fs::last_write_time(file) == time);
        QCOMPARE(cachedSha256(file), sha256OfString("other"));
        // FIPS 180-4's own example, and the empty text.
        QCOMPARE(sha256OfString("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256OfString(""),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    }

    void refusesASecondWriter() {
        const RunSpecification s = resolved(specification("svd"));
        const RunWriter first(place("locked"), s);
        QVERIFY_EXCEPTION_THROWN(RunWriter(place("locked"), s), Error);
    }

    void refusesAForeignDirectory() {
        fs::create_directories(place("foreign"));
        std::ofstream(place("foreign") / "letter.txt") << "dear reader";
        QVERIFY_EXCEPTION_THROWN(executeRun(specification(), place("foreign"), {}), Error);
        QVERIFY(fs::exists(place("foreign") / "letter.txt"));
        QVERIFY(!fs::exists(place("foreign") / "run.json"));
    }

    void badSpecificationsNameTheField_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("field");
        QTest::newRow("cr 0") << "{\"cr\": 0}"
                              << "cr";
        QTest::newRow("cr 1") << "{\"cr\": 1.0}"
                              << "cr";
        QTest::newRow("rho") << "{\"rho\": 0.5}"
                             << "rho";
        QTest::newRow("type") << "{\"cr\": \"much\"}"
                              << "cr";
        QTest::newRow("unknown") << "{\"crr\": 0.2}"
                                 << "crr";
        QTest::newRow("method") << "{\"method\": \"magic\"}"
                                << "method";
        QTest::newRow("solver") << "{\"solver\": \"magic\"}"
                                << "solver";
        QTest::newRow("regex") << "{\"layers\": \"(\"}"
                               << "layers";
        QTest::newRow("no layer") << "{\"layers\": \"ffn_sideways\"}"
                                  << "layers";
        QTest::newRow("bits") << "{\"coefficient_bits\": 3}"
                              << "coefficient_bits";
        QTest::newRow("format") << "{\"coefficient_format\": \"decimal\"}"
                                << "coefficient_format";
        QTest::newRow("eight bits of ksvd") << "{\"solver\": \"ksvd\", \"coefficient_bits\": 8}"
                                            << "coefficient_bits";
        QTest::newRow("eight bits with short mantissas")
            << "{\"coefficient_format\": \"mantissa\", \"coefficient_bits\": 8}"
            << "coefficient_bits";
        QTest::newRow("a right factor of eight bits with short mantissas")
            << "{\"method\": \"svd\", \"accounting\": \"packed\", \"cr\": 0.3, "
               "\"coefficient_format\": \"mantissa\"}"
            << "coefficient_bits";
        QTest::newRow("refit") << "{\"refit\": \"maybe\"}"
                               << "refit";
        QTest::newRow("nested") << "{\"method\": \"svd-llm\", \"calibration\": {\"sequences\": 0}}"
                                << "calibration.sequences";
        QTest::newRow("no model") << "{\"model\": \"/nowhere/model.gguf\"}"
                                  << "/nowhere/model.gguf";
    }

    void badSpecificationsNameTheField() {
        QFETCH(QString, json);
        QFETCH(QString, field);
        const fs::path directory = place("never");
        try {
            nlohmann::json object = nlohmann::json::parse(json.toStdString());
            object.emplace("model", kModel.string());  // unless the row has its own
            object.emplace("method", "cospadi-free");
            executeRun(runSpecificationFromJson(object), directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.where()).contains(field), error.what());
            QVERIFY(!error.hint().empty());
        }
        QVERIFY(!fs::exists(directory / "result.json"));
        fs::remove_all(directory);
    }

    void specificationSurvivesJson() {
        RunSpecification s = specification();
        s.cr = 0.35;
        s.accounting = Accounting::Eq10;
        s.calibration.sequences = 7;
        QCOMPARE(QString::fromStdString(toJson(runSpecificationFromJson(toJson(s))).dump()),
                 QString::fromStdString(toJson(s).dump()));
    }
};

QTEST_APPLESS_MAIN(TestRun)
#include "tst_run.moc"
