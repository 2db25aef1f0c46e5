#include "core/model/tensor_widener.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/model/permuted_rows.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

constexpr std::int64_t kRowsPerTask = 64;
constexpr std::size_t kHugePage = 2 << 20;

// Uninitialised. Large blocks ask for huge pages: most of the time of loading is page faults.
std::shared_ptr<float> allocate(std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    if (bytes < 2 * kHugePage) {
        const auto memory =
            std::make_shared_for_overwrite<float[]>(static_cast<std::size_t>(count));
        return {memory, memory.get()};
    }
    void* memory = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));  // a wish; no matter if not granted
    return {static_cast<float*>(memory), [](float* data) { std::free(data); }};
}

bool allFinite(const float* values, std::int64_t count) {
    // x − x is 0, or NaN for NaN and infinities; eight sums leave room for vector instructions.
    float sums[8] = {};
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int j = 0; j < 8; ++j) {
            sums[j] += values[i + j] - values[i + j];
        }
    }
    for (; i < count; ++i) {
        sums[0] += values[i] - values[i];
    }
    return std::all_of(std::begin(sums), std::end(sums), [](float sum) { return sum == 0; });
}

}  // namespace

Error damagedWeights(const TensorView& view) {
    return {"tensor " + printableName(view.name) + " contains NaN or infinite weights", view.file,
            "the model is damaged; fetch or convert it again"};
}

FloatTensor TensorWidener::add(const TensorView& view, std::int64_t permutedHeads) {
    const std::int64_t count = view.elementCount();
    const bool aligned = reinterpret_cast<std::uintptr_t>(view.bytes.data()) % alignof(float) == 0;
    if (view.dtype == DType::F32 && aligned && permutedHeads == 0) {
        m_jobs.push_back({&view, nullptr, 0});
        return {view.owner, reinterpret_cast<const float*>(view.bytes.data()), count};
    }
    const std::shared_ptr<float> memory = allocate(count);
    m_jobs.push_back({&view, memory.get(), permutedHeads});
    return {memory, memory.get(), count};
}

void TensorWidener::run(ThreadPool& pool) const {
    std::vector<std::pair<std::size_t, std::int64_t>> tasks;
    for (std::size_t i = 0; i < m_jobs.size(); ++i) {
        for (std::int64_t row = 0; row < m_jobs[i].rows(); row += kRowsPerTask) {
            tasks.emplace_back(i, row);
        }
    }
    pool.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t task) {
        const auto& [index, row] = tasks[static_cast<std::size_t>(task)];
        const Job& job = m_jobs[index];
        for (std::int64_t r = row; r < std::min(job.rows(), row + kRowsPerTask); ++r) {
            job.widenRow(r);
        }
    });
}

void TensorWidener::run() const {
    for (const Job& job : m_jobs) {
        for (std::int64_t row = 0; row < job.rows(); ++row) {
            job.widenRow(row);
        }
    }
}

void TensorWidener::Job::widenRow(std::int64_t row) const {
    const std::int64_t size = view->elementCount() / rows();
    const float* values = nullptr;
    if (target == nullptr) {
        values = reinterpret_cast<const float*>(view->bytes.data()) + row * size;
    } else if (heads > 0 && view->shape.size() == 1) {
        const std::vector<float> inOrder = view->toFloat();
        for (std::int64_t i = 0; i < size; ++i) {
            target[i] = inOrder[static_cast<std::size_t>(rowInFile(i, size, heads))];
        }
        values = target;
    } else {
        dequantize(view->dtype, rowInFile(*view, row, heads), size, target + row * size);
        values = target + row * size;
    }
    if (!allFinite(values, size)) {
        throw damagedWeights(*view);
    }
}

}  // namespace cospadi
