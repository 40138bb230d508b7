// Memory for thousands of small clusters in one process: what is given back waits in a list of its size and is given
// out again from there. Nothing is merged, split or returned to the system, so both ways cost a few instructions; with
// the C library's allocator they are a quarter of a seed's time.
//
// In sanitizer builds this is not there: they are to see each allocation.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DROVER_SEES_ALLOCATIONS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DROVER_SEES_ALLOCATIONS
#endif

#ifndef DROVER_SEES_ALLOCATIONS

namespace {

// In front of each piece, so that its alignment stays that of malloc.
union alignas(std::max_align_t) Head {
  std::size_t list;  // its number; 0: from malloc
  Head* next;        // while it waits
};

constexpr std::size_t kStep = sizeof(Head);
constexpr std::size_t kSmall = 1024;        // up to here a list for each multiple of kStep
constexpr std::size_t kLargest = 64 << 10;  // beyond it malloc is asked; between them four lists for each doubling
constexpr std::size_t kSlab = 256 << 10;
constexpr std::size_t kSmallLists = kSmall / kStep;
constexpr std::size_t kLists = kSmallLists + 1 + 4 * 6;

constexpr std::size_t list_of(std::size_t bytes) {
  if (bytes <= kSmall) return (bytes + kStep - 1) / kStep;
  const std::size_t doubling = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 11;
  const std::size_t quarter = (bytes - 1 - (kSmall << doubling)) / ((kSmall << doubling) / 4);
  return kSmallLists + 1 + 4 * doubling + quarter;
}

constexpr std::size_t size_of(std::size_t list) {
  if (list <= kSmallLists) return list * kStep;
  const std::size_t at = list - kSmallLists - 1;
  return (kSmall << (at / 4)) + (at % 4 + 1) * ((kSmall << (at / 4)) / 4);
}

static_assert(size_of(list_of(kSmall)) == kSmall && size_of(list_of(kSmall + 1)) == 1280);
static_assert(list_of(kLargest) == kLists - 1 && size_of(kLists - 1) == kLargest);
static_assert(list_of(1280) == list_of(1025) && list_of(1281) == list_of(1280) + 1 && size_of(list_of(2049)) == 2560);

struct Store {
  std::array<Head*, kLists> waiting = {};
  std::byte* fresh = nullptr;
  std::size_t left = 0;
};
thread_local constinit Store store;

Head* cut_from_slab(std::size_t bytes) {
  if (store.left < bytes) {
    store.fresh = static_cast<std::byte*>(std::malloc(kSlab));
    store.left = store.fresh == nullptr ? 0 : kSlab;
    if (store.fresh == nullptr) return nullptr;
  }
  auto* const head = reinterpret_cast<Head*>(store.fresh);
  store.fresh += bytes;
  store.left -= bytes;
  return head;
}

}  // namespace

void* operator new(std::size_t bytes) {
  const bool is_ours = bytes <= kLargest;
  const std::size_t list = is_ours ? list_of(bytes == 0 ? 1 : bytes) : 0;
  Head* head = is_ours ? store.waiting[list] : static_cast<Head*>(std::malloc(bytes + sizeof(Head)));
  if (is_ours && head != nullptr) {
    store.waiting[list] = head->next;
  } else if (is_ours) {
    head = cut_from_slab(size_of(list) + sizeof(Head));
  }
  if (head == nullptr) throw std::bad_alloc();
  head->list = list;
  return head + 1;
}

void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  Head* const head = static_cast<Head*>(at) - 1;
  const std::size_t list = head->list;
  if (list == 0) {
    std::free(head);
    return;
  }
  head->next = store.waiting[list];
  store.waiting[list] = head;
}

void operator delete(void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }

#endif
