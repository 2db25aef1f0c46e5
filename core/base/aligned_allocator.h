// For vectors that begin at a cache line, which no load of 64 bytes then straddles.
#pragma once

#include <cstddef>
#include <new>

namespace cospadi {

template <typename T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    AlignedAllocator() = default;
    template <typename U>
    explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), kLine));
    }
    void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, kLine); }
    bool operator==(const AlignedAllocator& /*other*/) const { return true; }
};

}  // namespace cospadi
