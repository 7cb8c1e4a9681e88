// The sorts that a program has on the processor itself: std::sort, std::stable_sort, qsort and Highway's vqsort.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>
#ifdef CLSORT_HAVE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif
#include "peer.h"
extern "C" {
#include "../machine.h"
}

namespace {

enum class Way { std_sort, std_stable_sort, qsort, vqsort, vqsort_avx2 };

struct Work {
    virtual ~Work() = default;
    virtual void restore() = 0;
    virtual void sort() = 0;
    virtual void fetch() = 0;
};

template <class T> int compare_keys(const void *a, const void *b)
{
    const T &x = *static_cast<const T *>(a), &y = *static_cast<const T *>(b);
    return (y < x) - (x < y);
}

template <class K> void vqsort(K *keys, size_t n)
{
#ifdef CLSORT_HAVE_HIGHWAY
    if constexpr (sizeof(K) > 1)
        hwy::Sorter()(keys, n, hwy::SortAscending());
#else
    (void)keys, (void)n;
#endif
}

// Whatever std::sort takes: keys, pairs, positions.
template <class T, class Less> void sort_elements(std::vector<T> &v, Way way, Less less)
{
    if (way == Way::std_stable_sort)
        std::stable_sort(v.begin(), v.end(), less);
    else
        std::sort(v.begin(), v.end(), less);
}

template <class K> struct KeysWork : Work {
    const peer_case &c;
    Way way;
    std::vector<K> v;
    KeysWork(const peer_case &given, Way w) : c(given), way(w), v(given.n)
    {
    }
    void restore() override
    {
        const K *keys = static_cast<const K *>(c.keys_in);
        std::copy(keys, keys + c.n, v.begin());
    }
    void sort() override
    {
        if (way == Way::qsort)
            ::qsort(v.data(), v.size(), sizeof(K), compare_keys<K>);
        else if (way == Way::vqsort || way == Way::vqsort_avx2)
            vqsort(v.data(), v.size());
        else
            sort_elements(v, way, [](K a, K b) { return a < b; });
    }
    void fetch() override
    {
        std::copy(v.begin(), v.end(), static_cast<K *>(c.keys_out));
    }
};

// Keys and values lie side by side, as a program has them that sorts by these functions.
template <class K, class V> struct PairsWork : Work {
    struct Pair {
        K key;
        V value;
        bool operator<(const Pair &other) const
        {
            return key < other.key;
        }
    };
    const peer_case &c;
    Way way;
    std::vector<Pair> v;
    PairsWork(const peer_case &given, Way w) : c(given), way(w), v(given.n)
    {
    }
    void restore() override
    {
        for (size_t i = 0; i < v.size(); i++)
            v[i] = {static_cast<const K *>(c.keys_in)[i], static_cast<const V *>(c.values_in)[i]};
    }
    void sort() override
    {
        if (way == Way::qsort)
            ::qsort(v.data(), v.size(), sizeof(Pair), compare_keys<Pair>);
        else
            sort_elements(v, way, [](const Pair &a, const Pair &b) { return a < b; });
    }
    void fetch() override
    {
        for (size_t i = 0; i < v.size(); i++) {
            static_cast<K *>(c.keys_out)[i] = v[i].key;
            static_cast<V *>(c.values_out)[i] = v[i].value;
        }
    }
};

template <class K, class I> struct ArgsortWork : Work {
    const peer_case &c;
    Way way;
    std::vector<I> v;
    ArgsortWork(const peer_case &given, Way w) : c(given), way(w), v(given.n)
    {
    }
    void restore() override
    {
    }
    void sort() override
    {
        const K *keys = static_cast<const K *>(c.keys_in);
        for (size_t i = 0; i < v.size(); i++)
            v[i] = static_cast<I>(i);
        sort_elements(v, way, [keys](I a, I b) { return keys[a] < keys[b]; });
    }
    void fetch() override
    {
        std::copy(v.begin(), v.end(), static_cast<I *>(c.values_out));
    }
};

template <class K> Work *make_work(const peer_case &c, Way way)
{
    bool is_vqsort = way == Way::vqsort || way == Way::vqsort_avx2;
    if (c.operation == CLSORT_KEYS)
        return is_vqsort && sizeof(K) == 1 ? nullptr : new KeysWork<K>(c, way);
    if (is_vqsort || (way == Way::qsort && c.operation == CLSORT_ARGSORT))
        return nullptr;
    if (c.operation == CLSORT_PAIRS)
        return c.value_bytes == 4 ? static_cast<Work *>(new PairsWork<K, uint32_t>(c, way))
                                  : new PairsWork<K, uint64_t>(c, way);
    return c.value_bytes == 4 ? static_cast<Work *>(new ArgsortWork<K, uint32_t>(c, way))
                              : new ArgsortWork<K, uint64_t>(c, way);
}

Work *make_work_of_type(const peer_case &c, Way way)
{
    switch (c.key_type) {
    case CLSORT_U8:
        return make_work<uint8_t>(c, way);
    case CLSORT_U16:
        return make_work<uint16_t>(c, way);
    case CLSORT_U32:
        return make_work<uint32_t>(c, way);
    case CLSORT_U64:
        return make_work<uint64_t>(c, way);
    case CLSORT_I8:
        return make_work<int8_t>(c, way);
    case CLSORT_I16:
        return make_work<int16_t>(c, way);
    case CLSORT_I32:
        return make_work<int32_t>(c, way);
    case CLSORT_I64:
        return make_work<int64_t>(c, way);
    default:
        return nullptr;
    }
}

template <Way way> void *open_work(const peer_case *c)
{
#ifdef CLSORT_HAVE_HIGHWAY
    if (way == Way::vqsort || way == Way::vqsort_avx2)
        hwy::DisableTargets(way == Way::vqsort_avx2 ? HWY_AVX2 - 1 : 0); // the better a target, the lower its bit
#endif
    try {
        return make_work_of_type(*c, way);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

int restore(void *state)
{
    static_cast<Work *>(state)->restore();
    return 1;
}

int sort(void *state)
{
    static_cast<Work *>(state)->sort();
    return 1;
}

int fetch(void *state)
{
    static_cast<Work *>(state)->fetch();
    return 1;
}

uint64_t workspace_bytes(void *)
{
    return 0;
}

void close_work(void *state)
{
    delete static_cast<Work *>(state);
}

} // namespace

const peer_library peer_libraries[] = {
    {"std_sort", 0, open_work<Way::std_sort>, restore, sort, fetch, workspace_bytes, close_work},
    {"std_stable_sort", 1, open_work<Way::std_stable_sort>, restore, sort, fetch, workspace_bytes, close_work},
    {"qsort", 0, open_work<Way::qsort>, restore, sort, fetch, workspace_bytes, close_work},
#ifdef CLSORT_HAVE_HIGHWAY
    {"vqsort", 0, open_work<Way::vqsort>, restore, sort, fetch, workspace_bytes, close_work},
#if HWY_ARCH_X86
    // On Zen 4 its AVX-512 code, as Debian 12 has it, is the slower one.
    {"vqsort_avx2", 0, open_work<Way::vqsort_avx2>, restore, sort, fetch, workspace_bytes, close_work},
#endif
#endif
    {nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}};

int peer_open_device(const char *, peer_device *device, char *, size_t)
{
    static char name[256];
    static const std::string compiler = std::string("C++ compiler ") + __VERSION__;
    machine_name(name, sizeof name);
    name[std::strcspn(name, ",")] = '\0'; // how many there are is told apart
    device->name = name;
    device->vendor = "";
    device->platform = "host";
    device->driver = compiler.c_str();
    device->type = "cpu";
    device->compute_units = std::thread::hardware_concurrency();
    return 1;
}

void peer_close_device()
{
}
