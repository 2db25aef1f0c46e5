// The emulation of CUDA shows the faults it is there for, and over it the backend has none of them:
// results that depend on the order of a block's threads, memory kept, a full or a lost device.
#include <QtTest>
#include <thread>

#include "gpu/cuda_backend.h"
#include "tests/core/sample_matrices.h"
#include "tests/gpu/emulated_device.h"
#include "tests/registered_test.h"

namespace tst_emulation {

using namespace cospadi;
using namespace cospadi::sample;
using cospadi::emulation::messageOf;
using Eigen::MatrixXf;
using emulation::ThreadOrder;

namespace {

constexpr int kBlock = 64;

// Every thread reads what its neighbour wrote; without the barrier that is a race.
void neighbourKernel(bool barrier, int* out) {
    static int values[kBlock];
    values[threadIdx.x] = -1;
    __syncthreads();
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (barrier) {
        __syncthreads();
    }
    out[threadIdx.x] = values[(threadIdx.x + 1) % kBlock];
}

void halfBarrierKernel() {
    if (threadIdx.x < kBlock / 2) {
        __syncthreads();
    }
}

void halfWarpKernel() {
    if (threadIdx.x % 32 < 16) {
        __ballot_sync(kFullWarp, true);
    } else {
        __syncthreads();
    }
}

void warpSumKernel(int* out) {
    int value = static_cast<int>(threadIdx.x);
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(kFullWarp, value, step);
    }
    out[threadIdx.x] = value + 1000 * __popc(__ballot_sync(kFullWarp, threadIdx.x % 3 == 0));
}

// Everything the kernels compute, in one chain.
std::vector<MatrixXf> allVerbs(Backend& backend) {
    const MatrixXf weight = randomMatrix(70, 150, 1);
    const Matrix w = backend.upload(weight);
    Matrix outer = backend.zeros(70, 70);
    backend.syrk(Op::None, w, outer);
    std::vector<MatrixXf> results{backend.download(backend.leadingEigenvectors(outer, 50))};
    Matrix d = backend.leftSingularVectors(w, 50);
    Matrix p = backend.zeros(50, 150);
    Matrix g = backend.zeros(50, 50);
    backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, p);
    backend.syrk(Op::Transpose, d, g);
    Matrix s = backend.zeros(50, 150);
    const auto changes = backend.thresholdStep(p, 1, 12, s);
    results.emplace_back(MatrixXf::Constant(1, 1, static_cast<float>(changes)));
    backend.maskedCg(g, p, 3, 0, s);
    results.push_back(backend.download(s));
    Matrix sm = backend.zeros(50, 150);
    CoupledSystem coupled{g, backend.zeros(150, 150),
                          backend.upload(MatrixXf::Constant(150, 1, 0.5F)), nullptr};
    backend.syrk(Op::Transpose, w, coupled.metric);
    backend.gemm(Op::None, Op::None, 1, s, coupled.metric, 0, sm);
    CoupledCodes at{s, sm, backend.zeros(50, 150)};
    backend.gemm(Op::None, Op::None, 1, p, coupled.metric, 0, at.residual);
    backend.gemm(Op::None, Op::None, -1, g, sm, 1, at.residual);
    backend.coupledCg(coupled, 3, 0, static_cast<double>(weight.squaredNorm()), at);
    for (const Matrix& part : {at.codes, at.codesMetric, at.residual}) {
        results.push_back(backend.download(part));
    }
    Matrix procrustes = backend.zeros(70, 50);
    backend.gemm(Op::None, Op::Transpose, 1, w, s, 0, procrustes);
    backend.polar(procrustes);
    results.push_back(backend.download(procrustes));
    Matrix normal = backend.zeros(50, 50);
    backend.syrk(Op::None, s, normal);
    backend.solveRight(normal, 1e-6, backend.zeros(d.rows, d.cols), d);
    backend.normalizeAtoms(d, {s});
    backend.ompEncode(g, p, 9, s);
    results.push_back(backend.download(s));
    Matrix e = backend.upload(weight);
    backend.gemm(Op::None, Op::None, -1, d, s, 1, e);
    backend.ksvdSweep(3, e, d, s);
    backend.ksvdSweep(0, e, d, s);
    for (const Matrix& m : {d, s, e}) {
        results.push_back(backend.download(m));
    }
    const auto counts = backend.rowCounts(s);
    for (const double norm : backend.squaredColumnNorms(e)) {
        results.emplace_back(MatrixXf::Constant(1, 1, static_cast<float>(norm)));
    }
    results.emplace_back(MatrixXf::Constant(1, 1, static_cast<float>(backend.dot(e, e))));
    results.emplace_back(MatrixXf::Constant(1, 1, static_cast<float>(counts[17])));
    return results;
}

}  // namespace

class TestEmulation : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { emulation::restoreDevice(); }

    void aRaceShowsInTheOrderOfThreads() {
        for (const bool barrier : {true, false}) {
            std::vector<int> forwards(kBlock), backwards(kBlock);
            launch("test", neighbourKernel, 1, kBlock, nullptr, barrier, forwards.data());
            emulation::setThreadOrder(ThreadOrder::Backwards);
            launch("test", neighbourKernel, 1, kBlock, nullptr, barrier, backwards.data());
            emulation::setThreadOrder(ThreadOrder::Forwards);
            QCOMPARE(forwards == backwards, barrier);
            if (barrier) {
                QCOMPARE(forwards.front(), 1);
                QCOMPARE(forwards.back(), 0);
            }
        }
    }

    void aBarrierThatNotAllReachIsAnError() {
        QVERIFY(messageOf([] {
                    launch("test", halfBarrierKernel, 1, kBlock, nullptr);
                }).contains("barrier"));
        QVERIFY(messageOf([] {
                    launch("test", halfWarpKernel, 1, kBlock, nullptr);
                }).contains("for ever"));
        aRaceShowsInTheOrderOfThreads();  // and the next grid runs as if nothing had been
    }

    void warpsExchangeValues() {
        std::vector<int> out(kBlock);
        launch("test", warpSumKernel, 1, kBlock, nullptr, out.data());
        QCOMPARE(out[5], 31 * 32 / 2 + 1000 * 11);          // 0, 3, … 30
        QCOMPARE(out[40], (32 + 63) * 32 / 2 + 1000 * 11);  // 33, 36, … 63
    }

    void verbsDoNotDependOnTheOrderOfThreads() {
        std::vector<std::vector<MatrixXf>> results;
        for (const ThreadOrder order :
             {ThreadOrder::Forwards, ThreadOrder::Backwards, ThreadOrder::Shuffled}) {
            emulation::setThreadOrder(order);
            CudaBackend backend("emulation");
            results.push_back(allVerbs(backend));
        }
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            QVERIFY(results[0][i].allFinite());
            QCOMPARE(results[0][i], results[1][i]);
            QCOMPARE(results[0][i], results[2][i]);
        }
    }

    void memoryIsGivenBack() {
        const std::size_t before = emulation::bytesHeld();
        Matrix survivor;
        {
            CudaBackend backend("emulation");
            allVerbs(backend);
            survivor = backend.zeros(8, 8);
            QVERIFY(backend.peakBytes() > 0);
        }
        QCOMPARE(emulation::bytesHeld(), before + 8 * 8 * sizeof(float));
        survivor = {};
        QCOMPARE(emulation::bytesHeld(), before);
    }

    // A batch that does not fit is halved until it does, and the codes stay the same.
    void aFullDeviceGetsSmallerBatches() {
        CudaBackend backend("emulation");
        const MatrixXf atoms = randomMatrix(40, 30, 2).colwise().normalized();
        const Matrix g = backend.upload(atoms.transpose() * atoms);
        const Matrix p = backend.upload(atoms.transpose() * randomMatrix(40, 90, 3));
        Matrix s = backend.zeros(30, 90);
        backend.ompEncode(g, p, 7, s);
        const MatrixXf expected = backend.download(s);
        const Matrix coded = backend.upload(expected);
        backend.maskedCg(g, p, 4, 0, s);
        const MatrixXf refined = backend.download(s);
        const auto room = [](std::size_t bytes) {
            emulation::failAllocationsAbove(emulation::bytesHeld() + bytes);
        };
        room(20 * 2000);  // a column takes about 2000 bytes
        const std::size_t launches = emulation::launches();
        backend.ompEncode(g, p, 7, s);
        QVERIFY(emulation::launches() - launches > 60);  // several batches of 7 steps
        // BLAS may round a product of fewer columns otherwise.
        QVERIFY((backend.download(s) - expected).cwiseAbs().maxCoeff() < 1e-5F);
        backend.copy(coded, s);
        room(10 * 500);
        backend.maskedCg(g, p, 4, 0, s);
        QVERIFY((backend.download(s) - refined).cwiseAbs().maxCoeff() < 1e-5F);
        room(100);
        const QString message = messageOf([&] { backend.ompEncode(g, p, 7, s); });
        QVERIFY2(message.contains("not enough memory") && message.contains("--device cpu"),
                 qPrintable(message));
    }

    // Work of a pool moves between threads: each begins with the first device, whatever the
    // backend's.
    void anotherThreadWorksOnTheBackendsDevice() {
        const std::size_t before = emulation::bytesHeld();
        cudaSetDevice(1);
        auto backend = std::make_unique<CudaBackend>("emulation");
        QString failure;
        int device = 0;
        const std::size_t changes = emulation::deviceChanges();
        std::thread([&] {
            failure = messageOf([&] { allVerbs(*backend); });
            cudaGetDevice(&device);
        }).join();
        QCOMPARE(failure, QString());
        QCOMPARE(device, 1);
        QCOMPARE(emulation::deviceChanges() - changes, std::size_t{1});

        Matrix matrix = backend->zeros(8, 8);
        cudaSetDevice(0);  // as others do who share the thread
        QCOMPARE(backend->download(matrix), MatrixXf(MatrixXf::Zero(8, 8)));
        cudaSetDevice(0);
        matrix = {};
        cudaSetDevice(0);
        backend = nullptr;
        QCOMPARE(emulation::bytesHeld(), before);
    }

    // What the pool keeps is given back before a device counts as full.
    void aFullDeviceIsTrimmedOnce() {
        CudaBackend backend("emulation");
        const std::size_t bytes = 100 * 100 * sizeof(float);
        emulation::failAllocationsAbove(emulation::bytesHeld() + bytes);
        emulation::keepInPool(bytes / 2);
        QCOMPARE(backend.availableBytes(), static_cast<std::int64_t>(bytes));
        const std::size_t trims = emulation::trims();
        const Matrix fits = backend.zeros(100, 100);
        QCOMPARE(emulation::trims() - trims, std::size_t{1});
        QVERIFY_THROWS_EXCEPTION(OutOfDeviceMemory, backend.zeros(1, 1));
        QCOMPARE(emulation::trims() - trims, std::size_t{2});
    }

    // The program may live on, and look for free memory before its next work.
    void whatThePoolKeepsGoesWithTheLastMatrix() {
        const auto kept = [] {
            std::uint64_t bytes = 0;
            cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrReservedMemCurrent, &bytes);
            return bytes;
        };
        auto backend = std::make_unique<CudaBackend>("emulation");
        Matrix survivor = backend->zeros(8, 8);
        emulation::keepInPool(1000);
        backend = nullptr;
        QCOMPARE(kept(), std::uint64_t{1000});
        survivor = {};
        QCOMPARE(kept(), std::uint64_t{0});
    }

    // Not only allocations take memory: a kernel's first launch does for its code.
    void aLaunchWithoutRoomTrimsThenIsAnError() {
        CudaBackend backend("emulation");
        const MatrixXf ones = MatrixXf::Ones(8, 8);
        const Matrix a = backend.upload(ones);
        Matrix b = backend.upload(ones);
        constexpr std::size_t kCode = 1000;
        emulation::failAllocationsAbove(emulation::bytesHeld() + kCode);
        emulation::needForCode(kCode);
        emulation::keepInPool(kCode / 2);
        backend.axpby(1, a, 1, b);
        QCOMPARE(backend.download(b), MatrixXf(2 * ones));  // added once
        emulation::needForCode(kCode + 1);
        const QString message = messageOf([&] { backend.axpby(1, a, 1, b); });
        QVERIFY2(message.contains("not enough memory on the device for axpby"),
                 qPrintable(message));
        QVERIFY_THROWS_EXCEPTION(OutOfDeviceMemory, backend.axpby(1, a, 1, b));
        emulation::needForCode(0);
        QCOMPARE(backend.download(b), MatrixXf(2 * ones));
    }

    void factorisationsOnTheHostSayWhy() {
        DeviceMemory memory;
        QCOMPARE(lapackFactorizations(memory)->description(), std::string("LAPACK on the host"));
        QCOMPARE(lapackFactorizations(memory, "libcusolver.so.12: not found")->description(),
                 std::string("LAPACK on the host: libcusolver.so.12: not found"));
    }

    void aLostDeviceIsAnErrorInWords() {
        CudaBackend backend("emulation");
        Matrix s = backend.zeros(30, 9);
        emulation::loseDevice(true);
        const auto message = messageOf([&] { backend.thresholdStep(s, 1, 3, s); });
        QVERIFY2(message.contains("the device failed") && message.contains("unavailable"),
                 qPrintable(message));
        QVERIFY_THROWS_EXCEPTION(DeviceError, backend.dot(s, s));
        QVERIFY_THROWS_EXCEPTION(DeviceError, backend.zeros(3, 3));
        QVERIFY_THROWS_EXCEPTION(DeviceError, CudaBackend("emulation"));
    }
};

COSPADI_TEST(TestEmulation)

}  // namespace tst_emulation

#include "tst_emulation.moc"
