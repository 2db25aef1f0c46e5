// DeviceBlas over cuBLAS, which is loaded when the first backend is opened.
#include <cublas_v2.h>

#include "gpu/device/open_handle.h"
#include "gpu/device/shared_library.h"
#include "gpu/device/symbol_name.h"
#include "gpu/device_blas.h"

namespace cospadi {

namespace {

struct CublasLibrary {
    SharedLibrary library{"libcublas.so." COSPADI_SYMBOL_NAME(CUBLAS_VER_MAJOR)};
    decltype(cublasCreate)* create = nullptr;
    decltype(cublasDestroy)* destroy = nullptr;
    decltype(cublasSetStream)* setStream = nullptr;
    decltype(cublasGetVersion)* getVersion = nullptr;
    decltype(cublasGetStatusString)* statusString = nullptr;
    decltype(cublasSetMathMode)* setMathMode = nullptr;
    decltype(cublasSgemm)* sgemm = nullptr;
    decltype(cublasDgemm)* dgemm = nullptr;
    decltype(cublasSsyrk)* ssyrk = nullptr;
    decltype(cublasDsyrk)* dsyrk = nullptr;
    decltype(cublasStrsm)* strsm = nullptr;
    decltype(cublasDtrmm)* dtrmm = nullptr;
    decltype(cublasDtrsm)* dtrsm = nullptr;

    CublasLibrary() {
        if (!library) {
            throw DeviceError("cuBLAS cannot be loaded: " + library.problem(), "device",
                              "install it with its dependencies, put it next to the program, or "
                              "set CUDA_PATH to the CUDA toolkit; or use --device cpu");
        }
        const bool complete =
            library.find(COSPADI_SYMBOL_NAME(cublasCreate), create) &&
            library.find(COSPADI_SYMBOL_NAME(cublasDestroy), destroy) &&
            library.find(COSPADI_SYMBOL_NAME(cublasSetStream), setStream) &&
            library.find(COSPADI_SYMBOL_NAME(cublasGetVersion), getVersion) &&
            library.find(COSPADI_SYMBOL_NAME(cublasGetStatusString), statusString) &&
            library.find(COSPADI_SYMBOL_NAME(cublasSetMathMode), setMathMode) &&
            library.find(COSPADI_SYMBOL_NAME(cublasSgemm), sgemm) &&
            library.find(COSPADI_SYMBOL_NAME(cublasDgemm), dgemm) &&
            library.find(COSPADI_SYMBOL_NAME(cublasSsyrk), ssyrk) &&
            library.find(COSPADI_SYMBOL_NAME(cublasDsyrk), dsyrk) &&
            library.find(COSPADI_SYMBOL_NAME(cublasStrsm), strsm) &&
            library.find(COSPADI_SYMBOL_NAME(cublasDtrmm), dtrmm) &&
            library.find(COSPADI_SYMBOL_NAME(cublasDtrsm), dtrsm);
        if (!complete) {
            throw DeviceError("cuBLAS lacks a function: " + library.problem(), "device",
                              "install the version this program was built with");
        }
    }

    static const CublasLibrary& loaded() {
        static const auto* const instance = new CublasLibrary;  // for handles that end at exit
        return *instance;
    }
};

cublasOperation_t blasOp(Op op) { return op == Op::None ? CUBLAS_OP_N : CUBLAS_OP_T; }

int bi(std::int64_t value) { return static_cast<int>(value); }

class CublasBlas final : public DeviceBlas {
  public:
    explicit CublasBlas(DeviceMemory& memory)
        : m_cublas(CublasLibrary::loaded()), m_memory(memory) {
        check(openHandle(memory, m_cublas.create, m_handle), "opening cuBLAS");
        check(m_cublas.setStream(m_handle, memory.stream()), "opening cuBLAS");
    }
    ~CublasBlas() override {
        m_memory.makeCurrent();
        m_cublas.destroy(m_handle);
    }
    CublasBlas(const CublasBlas&) = delete;
    CublasBlas& operator=(const CublasBlas&) = delete;

    std::string description() const override {
        int version = 0;
        check(m_cublas.getVersion(handle(), &version), "cuBLAS");
        return "cuBLAS " + std::to_string(version);
    }

    void gemm(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
              const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
              float* c, std::int64_t ldc, Precision precision) override {
        setPrecision(precision);
        check(m_cublas.sgemm(handle(), blasOp(opA), blasOp(opB), bi(m), bi(n), bi(k), &alpha, a,
                             bi(lda), b, bi(ldb), &beta, c, bi(ldc)),
              "a product");
    }

    void gemmDouble(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc) override {
        const double one = 1;
        const double zero = 0;
        check(m_cublas.dgemm(handle(), blasOp(opA), blasOp(opB), bi(m), bi(n), bi(k), &one, a,
                             bi(lda), b, bi(ldb), &zero, c, bi(ldc)),
              "a product");
    }

    void syrk(Op op, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, float* c,
              Precision precision) override {
        const float one = 1;
        const float zero = 0;
        setPrecision(precision);
        check(m_cublas.ssyrk(handle(), CUBLAS_FILL_MODE_UPPER, blasOp(op), bi(n), bi(k), &one, a,
                             bi(lda), &zero, c, bi(n)),
              "a symmetric product");
    }

    void syrkDouble(Op op, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
                    double beta, double* c) override {
        const double one = 1;
        check(m_cublas.dsyrk(handle(), CUBLAS_FILL_MODE_UPPER, blasOp(op), bi(n), bi(k), &one, a,
                             bi(lda), &beta, c, bi(n)),
              "a symmetric product");
    }

    void solveTriangularRight(Op op, std::int64_t m, std::int64_t n, const float* u,
                              float* b) override {
        const float one = 1;
        setPrecision(Precision::Float32);
        check(m_cublas.strsm(handle(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, blasOp(op),
                             CUBLAS_DIAG_NON_UNIT, bi(m), bi(n), &one, u, bi(n), b, bi(m)),
              "a triangular solve");
    }

    void multiplyTriangularDouble(Op op, std::int64_t m, std::int64_t n, const double* u,
                                  const double* b, double* c) override {
        const double one = 1;
        check(
            m_cublas.dtrmm(handle(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, blasOp(op),
                           CUBLAS_DIAG_NON_UNIT, bi(m), bi(n), &one, u, bi(m), b, bi(m), c, bi(m)),
            "a triangular product");
    }

    void solveTriangularDouble(std::int64_t m, std::int64_t n, const double* u,
                               double* b) override {
        const double one = 1;
        check(m_cublas.dtrsm(handle(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                             CUBLAS_DIAG_NON_UNIT, bi(m), bi(n), &one, u, bi(m), b, bi(m)),
              "a triangular solve");
    }

  private:
    // A handle works on the device it was made on, and only where that is current.
    cublasHandle_t handle() const {
        checkCuda(m_memory.makeCurrent(), "cuBLAS");
        return m_handle;
    }

    void check(cublasStatus_t status, const char* doing) const {
        if (status == CUBLAS_STATUS_ALLOC_FAILED) {
            throw OutOfDeviceMemory("cuBLAS");
        }
        if (status != CUBLAS_STATUS_SUCCESS) {
            throw DeviceError(std::string("cuBLAS failed: ") + m_cublas.statusString(status), doing,
                              "check that nvidia-smi still lists the device, then resume the run; "
                              "--device cpu continues without it");
        }
    }

    void setPrecision(Precision precision) {
        if (precision != m_precision) {
            check(m_cublas.setMathMode(handle(), precision == Precision::Tf32
                                                     ? CUBLAS_TF32_TENSOR_OP_MATH
                                                     : CUBLAS_DEFAULT_MATH),
                  "cuBLAS");
            m_precision = precision;
        }
    }

    const CublasLibrary& m_cublas;
    DeviceMemory& m_memory;
    cublasHandle_t m_handle = nullptr;
    Precision m_precision = Precision::Float32;  // cuBLAS begins with it
};

}  // namespace

std::unique_ptr<DeviceBlas> openDeviceBlas(DeviceMemory& memory) {
    return std::make_unique<CublasBlas>(memory);
}

}  // namespace cospadi
