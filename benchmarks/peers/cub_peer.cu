// The radix sorts of CUB (NVIDIA's CUDA toolkit) on an NVIDIA GPU.
#include <cub/cub.cuh>
#include <cstdint>
#include <cstdio>
#include <string>
#include "peer.h"

namespace
{

bool works(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "# CUB: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

struct Work {
    virtual ~Work() = default;
    virtual bool sort() = 0;
    virtual bool fetch() = 0;
    size_t workspace_bytes = 0;
};

template <class T> T *upload(const void *from, size_t n)
{
    T *p = nullptr;
    if (!works(cudaMalloc(&p, n * sizeof(T))))
        return nullptr;
    if (from && !works(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice))) {
        cudaFree(p);
        return nullptr;
    }
    return p;
}

// Input and output are arrays of their own; the workspace is allocated before.
template <class K, class V> struct RadixWork : Work {
    const peer_case &c;
    bool pairs;
    K *in, *out;
    V *values_in = nullptr, *values_out = nullptr;
    void *workspace = nullptr;
    explicit RadixWork(const peer_case &given) : c(given), pairs(given.operation == CLSORT_PAIRS)
    {
        in = upload<K>(c.keys_in, c.n);
        out = upload<K>(nullptr, c.n);
        if (pairs) {
            values_in = upload<V>(c.values_in, c.n);
            values_out = upload<V>(nullptr, c.n);
        }
        if (call() == cudaSuccess)
            works(cudaMalloc(&workspace, workspace_bytes));
    }
    ~RadixWork() override
    {
        cudaFree(in), cudaFree(out), cudaFree(values_in), cudaFree(values_out), cudaFree(workspace);
    }
    bool is_ready() const
    {
        return in && out && workspace && (!pairs || (values_in && values_out));
    }
    cudaError_t call()
    {
        if (pairs)
            return cub::DeviceRadixSort::SortPairs(workspace, workspace_bytes, in, out, values_in, values_out, c.n);
        return cub::DeviceRadixSort::SortKeys(workspace, workspace_bytes, in, out, c.n);
    }
    bool sort() override
    {
        return works(call()) && works(cudaDeviceSynchronize());
    }
    bool fetch() override
    {
        return works(cudaMemcpy(c.keys_out, out, c.n * sizeof(K), cudaMemcpyDeviceToHost)) &&
               (!pairs || works(cudaMemcpy(c.values_out, values_out, c.n * sizeof(V), cudaMemcpyDeviceToHost)));
    }
};

template <class K, class V> Work *ready(const peer_case &c)
{
    auto *work = new RadixWork<K, V>(c);
    if (work->is_ready())
        return work;
    delete work;
    return nullptr;
}

template <class K> Work *make_work(const peer_case &c)
{
    if (!c.n || c.operation == CLSORT_ARGSORT)
        return nullptr;
    return c.operation == CLSORT_PAIRS && c.value_bytes == 8 ? ready<K, uint64_t>(c) : ready<K, uint32_t>(c);
}

void *open_work(const peer_case *c)
{
    switch (c->key_type) {
    case CLSORT_U8: return make_work<uint8_t>(*c);
    case CLSORT_U16: return make_work<uint16_t>(*c);
    case CLSORT_U32: return make_work<uint32_t>(*c);
    case CLSORT_U64: return make_work<uint64_t>(*c);
    case CLSORT_I8: return make_work<int8_t>(*c);
    case CLSORT_I16: return make_work<int16_t>(*c);
    case CLSORT_I32: return make_work<int32_t>(*c);
    case CLSORT_I64: return make_work<int64_t>(*c);
    default: return nullptr;
    }
}

// The input stays as it is.
int restore(void *)
{
    return 1;
}

int sort(void *state)
{
    return static_cast<Work *>(state)->sort();
}

int fetch(void *state)
{
    return static_cast<Work *>(state)->fetch();
}

uint64_t workspace_bytes(void *state)
{
    return static_cast<Work *>(state)->workspace_bytes;
}

void close_work(void *state)
{
    delete static_cast<Work *>(state);
}

} // namespace

const peer_library peer_libraries[] = {
    {"cub", 1, open_work, restore, sort, fetch, workspace_bytes, close_work},
    {nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}};

int peer_open_device(const char *, peer_device *device, char *text, size_t text_bytes)
{
    static cudaDeviceProp properties;
    static std::string driver;
    int version = 0;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess) {
        snprintf(text, text_bytes, "no CUDA device: %s", cudaGetErrorString(error));
        return 0;
    }
    cudaDriverGetVersion(&version);
    driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ", CUB " +
             std::to_string(CUB_VERSION / 100000) + "." + std::to_string(CUB_VERSION / 100 % 1000);
    device->name = properties.name;
    device->vendor = "NVIDIA Corporation";
    device->platform = "CUDA";
    device->driver = driver.c_str();
    device->type = "gpu";
    device->compute_units = properties.multiProcessorCount;
    device->memory_bytes = properties.totalGlobalMem;
    return 1;
}

void peer_close_device()
{
}
