// What methods say of themselves, and the two whose solvers are their own: RTN by hand and against
// what its formula bounds, COMPOT against what makes it one.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/forms/forms.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/group_quantisation/rtn_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/model/layer_weight.h"
#include "core/store/idle_settings.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "oracle_data.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_methods {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using nlohmann::json;

namespace {

const GroupQuantisedCodes& codesOf(const StoredWeightPtr& weight) {
    return dynamic_cast<const GroupQuantisedWeight&>(*weight).codes();
}

// That a specification of these fields is refused for.
std::string refusedField(const json& fields) {
    return whereOf([&] { validate(runSpecificationFromJson(fields)); });
}

}  // namespace

class TestMethods : public QObject {
    Q_OBJECT
    CpuBackend m_backend;
    QTemporaryDir m_folder;

    CompressedMatrix rtn(const MatrixXf& w, int bits, int groupSize, const char* zeroPoint) {
        MatrixOptions options;
        options.method = &rtnMethod();
        options.own["bits"] = std::int64_t{bits};
        options.own["group_size"] = std::int64_t{groupSize};
        setOwnOption(options, "zero_point", zeroPoint);
        return compressMatrix(m_backend, w, nullptr, options);
    }

  private slots:
    void everyMethodDescribesItself() {
        const json usual = toJson(RunSpecification());
        std::set<std::string> names;
        for (const Method* method : methods()) {
            QVERIFY2(names.insert(method->name()).second, method->name());
            QCOMPARE(&methodFromName(method->name()), method);
            QVERIFY2(*method->summary() != 0 && *method->title() != 0, method->name());
            QVERIFY2(method == &denseMethod() || findForm(method->form()) != nullptr,
                     method->name());
            QCOMPARE(method->options().size(), method->settings().size());
            for (const Option* option : method->options()) {
                QVERIFY2(*option->help != 0 && *option->title != 0, option->name);
                requireInRange(*option, option->usual);
            }
        }
        for (const Option& option : sharedOptions()) {
            QVERIFY2(option.onlyWhereGiven ? !usual.contains(option.name)
                                           : usual.at(option.name) == jsonOf(option.usual),
                     option.name);
        }
    }

    // A specification takes the words that its option lists, and no other.
    void specificationsTakeTheWordsOfTheirOptions() {
        for (const Option& option : sharedOptions()) {
            if (option.choices.empty()) {
                continue;
            }
            json fields = toJson(RunSpecification());
            const json usualMethodName = fields.at("method");
            for (const OptionChoice& choice : option.choices) {
                fields[option.name] = choice.word;
                // Remapped are two dense factors: codes of a dictionary are none.
                const bool ofLowRank = std::string(choice.word) == "remapped";
                if (ofLowRank) {
                    QCOMPARE(refusedField(fields), std::string("accounting"));
                }
                fields["method"] = ofLowRank ? json("svd-llm") : usualMethodName;
                validate(runSpecificationFromJson(fields));
                fields["method"] = usualMethodName;
            }
            fields[option.name] = "nonsense";
            try {
                static_cast<void>(runSpecificationFromJson(fields));
                QFAIL(option.name);
            } catch (const Error& error) {
                QCOMPARE(error.where(), std::string(option.name));
                QVERIFY2(error.problem().find("nonsense") != std::string::npos, error.what());
            }
        }
    }

    void ownOptionsOfAMethod() {
        RunSpecification s = runSpecificationFromJson(json{{"method", "rtn"}, {"bits", 3}});
        validate(s);
        QCOMPARE(toJson(s).at("bits").get<int>(), 3);
        QCOMPARE(toJson(s).at("group_size").get<int>(), 64);  // as usual, but told
        QVERIFY(toJson(runSpecificationFromJson(toJson(s))) == toJson(s));
        QCOMPARE(methodLabel(s), std::string("rtn (bits 3)"));
        QVERIFY(!settingsOf(s).contains("cr"));
        s.method = &methodFromName("cospadi");
        s.solver = Solver::Ksvd;
        QCOMPARE(settingsOf(s).at("coder"), std::string("omp"));  // left out of JSON, as usual
        QVERIFY(!toJson(s).contains("bits"));
        QVERIFY(withoutIdleSettings(s).own.empty());
        for (const json& wrong : {json{{"bits", 9}}, json{{"bits", 1}}, json{{"bits", 1.5}},
                                  json{{"zero_point", "middle"}}}) {
            json fields{{"method", "rtn"}};
            fields.update(wrong);
            QCOMPARE(refusedField(fields), wrong.items().begin().key());
        }
    }

    // A pattern fixes the bytes: the ratio does not count, stands in no name and tells no two runs
    // apart. Names are ids.
    void groupsHaveNoRatio() {
        RunSpecification s = runSpecificationFromJson(json{{"method", "wanda"}, {"cr", 0.35}});
        validate(s);
        QVERIFY(hasRatio(s));
        QCOMPARE(shortLabel(s), std::string("wanda-cr0.35"));
        QCOMPARE(settingsOf(s).at("cr"), std::string("0.35"));
        QCOMPARE(methodLabel(s), std::string("wanda"));
        setOwnOption(s, "pattern", "2:4");
        s.allocation = &allocationFromName("knapsack");
        QVERIFY(!hasRatio(s));
        QVERIFY(!settingsOf(s).contains("cr") && !settingsOf(s).contains("allocation"));
        const RunSpecification idle = withoutIdleSettings(s);
        QCOMPARE(idle.cr, RunSpecification().cr);
        QCOMPARE(idle.allocation, RunSpecification().allocation);
        QCOMPARE(shortLabel(idle), std::string("wanda-2-4"));
        QCOMPARE(methodLabel(s), std::string("wanda (pattern 2:4)"));
        QCOMPARE(settingsOf(s).at("pattern"), std::string("2:4"));
        QVERIFY(toJson(runSpecificationFromJson(toJson(s))) == toJson(s));
        QCOMPARE(whereOf([&] { setOwnOption(s, "pattern", "4:4"); }), std::string("pattern"));
    }

    // Methods may share an option: then it is one, described once, and the command line has one
    // flag.
    void optionsOfOneNameAreOne() {
        std::set<std::string> names;
        for (const Option* option : allOptions()) {
            QVERIFY2(names.insert(option->name).second, option->name);
        }
        for (const Method* method : methods()) {
            for (const Option& option : method->ownOptions()) {
                const auto known = std::find_if(
                    allOwnOptions().begin(), allOwnOptions().end(),
                    [&](const Option* other) { return other->name == std::string(option.name); });
                QVERIFY2(known != allOwnOptions().end(), option.name);
                QVERIFY2((*known)->usual == option.usual && (*known)->least == option.least &&
                             (*known)->most == option.most &&
                             (*known)->valuesText() == option.valuesText() &&
                             (*known)->help == std::string(option.help),
                         option.name);
            }
        }
    }

    void aFamilysOptionsPassFromMethodToMethod() {
        RunSpecification s = runSpecificationFromJson(
            json{{"method", "gptq"}, {"bits", 3}, {"damp", 0}, {"propagation", "input"}});
        validate(s);
        const json fields = toJson(s);
        QCOMPARE(fields.at("bits").get<int>(), 3);
        QCOMPARE(fields.at("damp").get<double>(), 0.0);
        QCOMPARE(fields.at("act_order").get<std::string>(), std::string("off"));
        QVERIFY(toJson(runSpecificationFromJson(fields)) == fields);
        QCOMPARE(methodLabel(s), std::string("gptq (input, bits 3, damping 0)"));
        QCOMPARE(shortLabel(s), std::string("gptq-input-3-64-minimum-0-off"));
        QVERIFY(!settingsOf(s).contains("ridge"));
        s.method = &methodFromName("rtn");
        s.propagation = PropagationKind::Off;
        QVERIFY(withoutIdleSettings(s).own == (OptionValues{{"bits", std::int64_t{3}}}));
        QCOMPARE(methodLabel(s), std::string("rtn (bits 3)"));
        for (const json& wrong : {json{{"bits", 9}}, json{{"damp", 1.5}}, json{{"damp", "much"}},
                                  json{{"act_order", "yes"}}}) {
            json gptq{{"method", "gptq"}};
            gptq.update(wrong);
            QCOMPARE(refusedField(gptq), wrong.items().begin().key());
        }
    }

    // Two groups of an output: 0 … 15 is what four bits hold, −3.5 … 4 is in steps of a half.
    void rtnByHand() {
        MatrixXf w(32, 1);
        for (int i = 0; i < 16; ++i) {
            w(i, 0) = static_cast<float>(i);
            w(16 + i, 0) = 4.0F - 0.5F * static_cast<float>(i);
        }
        const CompressedMatrix result = rtn(w, 4, 16, "minimum");
        const GroupQuantisedCodes& q = codesOf(result.weight);
        QCOMPARE(q.scales(0, 0), 1.0F);
        QCOMPARE(q.minimums(0, 0), 0.0F);
        QCOMPARE(q.scales(1, 0), 0.5F);
        QCOMPARE(q.minimums(1, 0), -3.5F);
        for (int i = 0; i < 16; ++i) {
            QCOMPARE(static_cast<int>(q.codes[static_cast<std::size_t>(i)]), i);
            QCOMPARE(static_cast<int>(q.codes[static_cast<std::size_t>(16 + i)]), 15 - i);
        }
        QVERIFY(result.weight->recomposed() == w);
        QCOMPARE(result.relativeError, 0.0);
    }

    // Nearest: no entry is further from its code than half a step, but for the rounding of scale
    // and minimum to float16.
    void rtnIsNearest_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<QByteArray>("zeroPoint");
        for (int bits = 2; bits <= 8; ++bits) {
            QTest::addRow("%d bits, minimum", bits) << bits << QByteArray("minimum");
            QTest::addRow("%d bits, none", bits) << bits << QByteArray("none");
        }
    }
    void rtnIsNearest() {
        QFETCH(int, bits);
        QFETCH(QByteArray, zeroPoint);
        const MatrixXf w = randomMatrix(96, 40, 3);
        const CompressedMatrix result = rtn(w, bits, 32, zeroPoint.constData());
        const GroupQuantisedCodes& q = codesOf(result.weight);
        const MatrixXf back = result.weight->recomposed();
        const float codes = static_cast<float>((1 << bits) - 1);
        for (Eigen::Index j = 0; j < w.cols(); ++j) {
            for (Eigen::Index i = 0; i < w.rows(); ++i) {
                const float scale = q.scales(i / 32, j);
                const float slack = 1e-3F * (codes * scale);  // of float16, at both ends
                QVERIFY(std::abs(w(i, j) - back(i, j)) <= 0.5F * scale + slack);
            }
        }
        MatrixOptions options;
        options.method = &rtnMethod();
        options.own["bits"] = std::int64_t{bits};
        options.own["group_size"] = std::int64_t{32};
        setOwnOption(options, "zero_point", zeroPoint.constData());
        const double planned = rtnMethod().plan(options, 96, 40).bytes();
        // A code an entry; a scale, and a minimum where there is one, of 16 bits for 32 entries.
        const double bitsAGroup = zeroPoint == "minimum" ? 32 : 16;
        QCOMPARE(planned, 96 * 40 * (bits + bitsAGroup / 32) / 8);
        QVERIFY(std::abs(result.relativeError - (w - back).norm() / w.norm()) < 1e-6);

        // And the file gives it back, in the planned bytes.
        MatrixRecord record;
        record.name = "blk.0.attn_q";
        record.kind = "attn_q";
        record.d1 = 96;
        record.d2 = 40;
        const std::filesystem::path path =
            m_folder.filePath(QString::number(bits) + zeroPoint).toStdString();
        writeMatrixFile(path, *result.weight, record);
        const StoredMatrix read = readMatrixFile(path);
        QVERIFY(read.weight->equals(*result.weight));
        QCOMPARE(read.record.form, std::string(GroupQuantisedWeight::kForm));
        QCOMPARE(read.record.facts.at("bits").get<int>(), bits);
        QVERIFY(read.weight->makeLayer(record.bytes)->denseWeight() == back);
        const std::size_t bytes = testing::tensorBytes(path);
        QCOMPARE(static_cast<double>(bytes), std::ceil(planned));
        std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(path)));
    }

    void groupsMustDivideTheInputs() {
        try {
            static_cast<void>(rtn(randomMatrix(96, 4, 1), 4, 64, "minimum"));
            QFAIL("64 does not divide 96");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("group_size"));
        }
    }

    // The default model came in Q4_1: four bits with a scale and a minimum in float16 for each
    // group of 32. Rounding to the same grid changes nothing.
    void fourBitsAreLosslessWhereTheModelHasFour() {
        SKIP_WITHOUT_MODEL();
        const LayerWeight layer = readLayerWeight(*oracle::defaultModel(), "blk.10.ffn_up");
        QVERIFY(rtn(layer.weight, 4, 32, "minimum").relativeError < 1e-6);
        QVERIFY(rtn(layer.weight, 4, 64, "minimum").relativeError > 1e-3);
    }

    // D of the whitened weight is orthonormal, so that DᵀD = D_aᵀ G D_a = I but for rounding; the
    // best subspace with full codes is the truncated SVD's, which sparse codes and more atoms
    // undercut.
    void compotIsOrthonormalAndBelowLowRank() {
        const int d1 = 64, d2 = 160;
        std::srand(5);
        MatrixXf w = MatrixXf::Random(d1, d2);
        for (int i = 0; i < d1; ++i) {
            w.row(i) /= std::sqrt(1.0F + static_cast<float>(i));
        }
        const MatrixXd x = MatrixXd::Random(4 * d1, d1);
        const MatrixXd gram = x.transpose() * x;
        const Whitening whitening(gram, "layer");
        MatrixOptions options;
        options.method = &compotMethod();
        const CompressedMatrix result = compressMatrix(m_backend, w, &whitening, options);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        const SparseBudget budget = sparseBudgetOf(options, d1, d2);
        QCOMPARE(factors.dictionary.cols(), budget.k);
        QVERIFY((factors.codes.array() != 0).cast<int>().colwise().sum().maxCoeff() <= budget.s);
        const MatrixXd atoms = factors.dictionary.cast<double>();
        const MatrixXd products = atoms.transpose() * gram * atoms;
        // An atom's scale is a power of two that its codes gave it.
        const MatrixXd scale = products.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
        const MatrixXd unit = scale * products * scale;
        QVERIFY2((unit - MatrixXd::Identity(budget.k, budget.k)).cwiseAbs().maxCoeff() < 0.02,
                 qPrintable(QString::number(
                     (unit - MatrixXd::Identity(budget.k, budget.k)).cwiseAbs().maxCoeff())));
        MatrixOptions lowRank;
        lowRank.method = &svdLlmMethod();
        QVERIFY(result.relativeError <
                compressMatrix(m_backend, w, &whitening, lowRank).relativeError);
    }

    // Where the formula gives more atoms than orthonormal ones there are, their bytes go into
    // non-zeros.
    void orthonormalAtomsKeepTheBytes_data() {
        QTest::addColumn<QByteArray>("method");
        QTest::newRow("compot") << QByteArray("compot");
        QTest::newRow("rocket") << QByteArray("rocket");
        QTest::newRow("geopair") << QByteArray("geopair");
    }
    void orthonormalAtomsKeepTheBytes() {
        QFETCH(QByteArray, method);
        MatrixOptions options;
        options.method = &methodFromName(method.toStdString());
        MatrixOptions cospadi;
        for (const auto& [d1, d2] : {std::pair{64, 4096}, {4096, 64}, {576, 1536}, {64, 64}}) {
            const SparseBudget sizes = sparseBudgetOf(options, d1, d2);
            QVERIFY(sizes.k <= std::min(d1, d2) && sizes.s <= sizes.k && sizes.s > 0);
            cospadi.side = DictionarySide::Input;
            const SparseBudget formula = sparseBudgetOf(cospadi, d1, d2);
            QVERIFY(sizes.totalBytes() <= formula.totalBytes());
            QVERIFY(sizes.s == sizes.k ||
                    sizes.totalBytes() >
                        formula.totalBytes() -
                            2 * formula.valueBytes() / static_cast<double>(formula.s) -
                            0.01 * formula.totalBytes());
        }
    }

    // Of a matrix without a Gram the same method, or its twin that needs none.
    void whatNeedsACalibrationMayHaveATwin() {
        for (const Method* method : methods()) {
            const Method& twin = method->withoutCalibration();
            QVERIFY2(&twin == method || (method->needsCalibration() && !twin.needsCalibration()),
                     method->name());
        }
        QCOMPARE(methodFromName("cospadi").withoutCalibration().name(),
                 methodFromName("cospadi-free").name());
        QCOMPARE(&methodFromName("svd-llm").withoutCalibration(), &methodFromName("svd-llm"));
    }
};

COSPADI_TEST(TestMethods)

}  // namespace tst_methods

#include "tst_methods.moc"
