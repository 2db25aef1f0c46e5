// Memory that begins at a cache line, which no load of 64 bytes then straddles.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace cospadi {

// Entries that are given no value are not initialised.
template <typename T, std::size_t Alignment>
struct AlignedAllocator {
    using value_type = T;
    template <typename U>
    struct rebind {
        using other = AlignedAllocator<U, Alignment>;
    };

    AlignedAllocator() = default;
    template <typename U>
    explicit AlignedAllocator(const AlignedAllocator<U, Alignment>& /*other*/) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{Alignment}));
    }
    void deallocate(T* memory, std::size_t /*count*/) {
        ::operator delete (memory, std::align_val_t{Alignment});
    }
    void construct(T* entry) { ::new (static_cast<void*>(entry)) T; }
    void construct(T* entry, const T& value) { ::new (static_cast<void*>(entry)) T(value); }
    bool operator==(const AlignedAllocator& /*other*/) const { return true; }
};

template <typename T, std::size_t Alignment = 64>
using AlignedVector = std::vector<T, AlignedAllocator<T, Alignment>>;

}  // namespace cospadi
