// DeviceFactorizations over cuSOLVER where it can be loaded, else LAPACK on the host.
#include <cusolverDn.h>

#include "gpu/device/open_handle.h"
#include "gpu/device/shared_library.h"
#include "gpu/device/symbol_name.h"
#include "gpu/device_blas.h"

namespace cospadi {

namespace {

struct CusolverLibrary {
    SharedLibrary library{"libcusolver.so." COSPADI_SYMBOL_NAME(CUSOLVER_VER_MAJOR)};
    decltype(cusolverDnCreate)* create = nullptr;
    decltype(cusolverDnDestroy)* destroy = nullptr;
    decltype(cusolverDnSetStream)* setStream = nullptr;
    decltype(cusolverDnSpotrf_bufferSize)* spotrfSize = nullptr;
    decltype(cusolverDnSpotrf)* spotrf = nullptr;
    decltype(cusolverDnDpotrf_bufferSize)* dpotrfSize = nullptr;
    decltype(cusolverDnDpotrf)* dpotrf = nullptr;
    decltype(cusolverDnSsyevd_bufferSize)* ssyevdSize = nullptr;
    decltype(cusolverDnSsyevd)* ssyevd = nullptr;
    decltype(cusolverDnDsyevd_bufferSize)* dsyevdSize = nullptr;
    decltype(cusolverDnDsyevd)* dsyevd = nullptr;
    decltype(cusolverDnDsyevdx_bufferSize)* syevdxSize = nullptr;
    decltype(cusolverDnDsyevdx)* syevdx = nullptr;
    bool complete = false;

    CusolverLibrary() {
        complete = library && library.find("cusolverDnCreate", create) &&
                   library.find("cusolverDnDestroy", destroy) &&
                   library.find("cusolverDnSetStream", setStream) &&
                   library.find("cusolverDnSpotrf_bufferSize", spotrfSize) &&
                   library.find("cusolverDnSpotrf", spotrf) &&
                   library.find("cusolverDnDpotrf_bufferSize", dpotrfSize) &&
                   library.find("cusolverDnDpotrf", dpotrf) &&
                   library.find("cusolverDnSsyevd_bufferSize", ssyevdSize) &&
                   library.find("cusolverDnSsyevd", ssyevd) &&
                   library.find("cusolverDnDsyevd_bufferSize", dsyevdSize) &&
                   library.find("cusolverDnDsyevd", dsyevd) &&
                   library.find("cusolverDnDsyevdx_bufferSize", syevdxSize) &&
                   library.find("cusolverDnDsyevdx", syevdx);
    }

    static const CusolverLibrary& loaded() {
        static const auto* const instance = new CusolverLibrary;  // for handles that end at exit
        return *instance;
    }
};

void check(cusolverStatus_t status, const char* doing) {
    if (status == CUSOLVER_STATUS_ALLOC_FAILED) {
        throw OutOfDeviceMemory("cuSOLVER");
    }
    if (status != CUSOLVER_STATUS_SUCCESS) {
        throw DeviceError("cuSOLVER failed with status " + std::to_string(status), doing,
                          "check that nvidia-smi still lists the device, then resume the run; "
                          "--device cpu continues without it");
    }
}

int size(std::int64_t n) { return static_cast<int>(n); }

class CusolverFactorizations final : public DeviceFactorizations {
  public:
    explicit CusolverFactorizations(DeviceMemory& memory)
        : m_cusolver(CusolverLibrary::loaded()), m_memory(memory), m_info(memory, 1) {
        check(openHandle(memory, m_cusolver.create, m_handle), "opening cuSOLVER");
        check(m_cusolver.setStream(m_handle, memory.stream()), "opening cuSOLVER");
    }
    ~CusolverFactorizations() override {
        m_memory.makeCurrent();
        m_cusolver.destroy(m_handle);
    }
    CusolverFactorizations(const CusolverFactorizations&) = delete;
    CusolverFactorizations& operator=(const CusolverFactorizations&) = delete;

    std::string description() const override { return "cuSOLVER"; }

    void cholesky(std::int64_t n, float* a, int* failed) override {
        factorize(m_cusolver.spotrfSize, m_cusolver.spotrf, n, a, failed);
    }
    void cholesky(std::int64_t n, double* a, int* failed) override {
        factorize(m_cusolver.dpotrfSize, m_cusolver.dpotrf, n, a, failed);
    }

    bool symmetricEigen(std::int64_t n, float* a, float* values) override {
        return eigen(m_cusolver.ssyevdSize, m_cusolver.ssyevd, n, a, values);
    }
    bool symmetricEigen(std::int64_t n, double* a, double* values) override {
        return eigen(m_cusolver.dsyevdSize, m_cusolver.dsyevd, n, a, values);
    }

    bool leadingEigenvector(std::int64_t n, double* a, double* vector) override {
        const DeviceBuffer<double> values(m_memory, n);
        int length = 0;
        int found = 0;
        check(m_cusolver.syevdxSize(handle(), CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I,
                                    kUpper, size(n), a, size(n), 0, 0, size(n), size(n), &found,
                                    values.get(), &length),
              "an eigenvector");
        const DeviceBuffer<double> work(m_memory, length);
        check(m_cusolver.syevdx(handle(), CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, kUpper,
                                size(n), a, size(n), 0, 0, size(n), size(n), &found, values.get(),
                                work.get(), length, m_info.get()),
              "an eigenvector");
        if (!succeeded("an eigenvector") || found != 1) {
            return false;
        }
        checkCuda(cudaMemcpyAsync(vector, a, static_cast<std::size_t>(n) * sizeof(double),
                                  cudaMemcpyDeviceToDevice, m_memory.stream()),
                  "an eigenvector");
        return true;
    }

  private:
    static constexpr cublasFillMode_t kUpper = CUBLAS_FILL_MODE_UPPER;

    // A handle works on the device it was made on, and only where that is current.
    cusolverDnHandle_t handle() const {
        checkCuda(m_memory.makeCurrent(), "cuSOLVER");
        return m_handle;
    }

    template <typename Size, typename Potrf, typename T>
    void factorize(Size lengthOf, Potrf potrf, std::int64_t n, T* a, int* failed) {
        int length = 0;
        check(lengthOf(handle(), kUpper, size(n), a, size(n), &length), "Cholesky");
        const DeviceBuffer<T> work(m_memory, length);
        check(potrf(handle(), kUpper, size(n), a, size(n), work.get(), length, failed), "Cholesky");
    }

    template <typename Size, typename Syevd, typename T>
    bool eigen(Size lengthOf, Syevd syevd, std::int64_t n, T* a, T* values) {
        int length = 0;
        check(lengthOf(handle(), CUSOLVER_EIG_MODE_VECTOR, kUpper, size(n), a, size(n), values,
                       &length),
              "eigenvectors");
        const DeviceBuffer<T> work(m_memory, length);
        check(syevd(handle(), CUSOLVER_EIG_MODE_VECTOR, kUpper, size(n), a, size(n), values,
                    work.get(), length, m_info.get()),
              "eigenvectors");
        return succeeded("eigenvectors");
    }

    bool succeeded(const char* doing) {
        int info = 0;
        m_info.download(1, &info, doing);
        return info == 0;
    }

    const CusolverLibrary& m_cusolver;
    DeviceMemory& m_memory;
    DeviceBuffer<int> m_info;
    cusolverDnHandle_t m_handle = nullptr;
};

}  // namespace

std::unique_ptr<DeviceFactorizations> openDeviceFactorizations(DeviceMemory& memory) {
    const CusolverLibrary& cusolver = CusolverLibrary::loaded();
    if (cusolver.complete) {
        return std::make_unique<CusolverFactorizations>(memory);
    }
    return lapackFactorizations(memory, cusolver.library.problem());
}

}  // namespace cospadi
