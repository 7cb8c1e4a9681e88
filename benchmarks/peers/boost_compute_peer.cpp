// The sorts of Boost.Compute on an OpenCL device.
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/iota.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include "peer.h"
extern "C" {
#include "../device.h"
}

namespace bc = boost::compute;

namespace {

bench_device device_at_hand;
std::unique_ptr<bc::command_queue> queue;

struct Work {
    virtual ~Work() = default;
    virtual void restore() = 0;
    virtual void sort() = 0;
    virtual void fetch() = 0;
};

template <class K> struct KeysWork : Work {
    const peer_case &c;
    bc::vector<K> source, keys;
    explicit KeysWork(const peer_case &given)
        : c(given), source(given.n, queue->get_context()), keys(given.n, queue->get_context())
    {
        const K *in = static_cast<const K *>(c.keys_in);
        bc::copy(in, in + c.n, source.begin(), *queue);
    }
    void restore() override
    {
        bc::copy(source.begin(), source.end(), keys.begin(), *queue);
        queue->finish();
    }
    void sort() override
    {
        bc::sort(keys.begin(), keys.end(), *queue);
        queue->finish();
    }
    void fetch() override
    {
        bc::copy(keys.begin(), keys.end(), static_cast<K *>(c.keys_out), *queue);
    }
};

template <class K, class V> struct PairsWork : KeysWork<K> {
    bc::vector<V> values_in, values;
    explicit PairsWork(const peer_case &given)
        : KeysWork<K>(given), values_in(given.n, queue->get_context()), values(given.n, queue->get_context())
    {
        const V *in = static_cast<const V *>(given.values_in);
        bc::copy(in, in + given.n, values_in.begin(), *queue);
    }
    void restore() override
    {
        bc::copy(values_in.begin(), values_in.end(), values.begin(), *queue);
        KeysWork<K>::restore();
    }
    void sort() override
    {
        bc::sort_by_key(this->keys.begin(), this->keys.end(), values.begin(), *queue);
        queue->finish();
    }
    void fetch() override
    {
        KeysWork<K>::fetch();
        bc::copy(values.begin(), values.end(), static_cast<V *>(this->c.values_out), *queue);
    }
};

template <class K> Work *make_work(const peer_case &c)
{
    if (c.operation == CLSORT_KEYS)
        return new KeysWork<K>(c);
    if (c.operation != CLSORT_PAIRS)
        return nullptr;
    return c.value_bytes == 4 ? static_cast<Work *>(new PairsWork<K, cl_uint>(c)) : new PairsWork<K, cl_ulong>(c);
}

void complain(const std::exception &e)
{
    fprintf(stderr, "# Boost.Compute: %s\n", e.what());
}

void *open_work(const peer_case *c)
{
    try {
        switch (c->key_type) {
        case CLSORT_U32:
            return make_work<cl_uint>(*c);
        case CLSORT_U64:
            return make_work<cl_ulong>(*c);
        case CLSORT_I32:
            return make_work<cl_int>(*c);
        case CLSORT_I64:
            return make_work<cl_long>(*c);
        default:
            return nullptr;
        }
    } catch (const std::exception &e) {
        complain(e);
        return nullptr;
    }
}

int call(void *state, void (Work::*function)())
{
    try {
        (static_cast<Work *>(state)->*function)();
        return 1;
    } catch (const std::exception &e) {
        complain(e);
        return 0;
    }
}

int restore(void *state)
{
    return call(state, &Work::restore);
}

int sort(void *state)
{
    return call(state, &Work::sort);
}

int fetch(void *state)
{
    return call(state, &Work::fetch);
}

// Allocated inside of the sort, and not told.
uint64_t workspace_bytes(void *)
{
    return 0;
}

void close_work(void *state)
{
    delete static_cast<Work *>(state);
}

} // namespace

// By-key sorts of CPU devices merge, and are not stable on all.
const peer_library peer_libraries[] = {{"boost_compute", 0, open_work, restore, sort, fetch, workspace_bytes,
                                        close_work},
                                       {nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}};

int peer_open_device(const char *spec, peer_device *device, char *text, size_t text_bytes)
{
    static const struct options options = {};
    bench_device &d = device_at_hand;
    if (device_open(&d, spec, &options, text, text_bytes))
        return 0;
    queue = std::make_unique<bc::command_queue>(d.queue, true);
    device->name = d.name;
    device->vendor = d.vendor;
    device->platform = d.platform;
    device->driver = d.driver;
    device->type = d.type;
    device->compute_units = d.compute_units;
    device->memory_bytes = d.memory_bytes;
    return 1;
}

void peer_close_device()
{
    queue.reset();
    device_close(&device_at_hand);
}
