/* Threads that sort at once: with a sorter each, all with one, and on queues that they share. */
#include "process.h"
#include "sort_check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 8, N_SHARED_QUEUES = 4, N_THREADS_OF_QUEUE = 4 };

struct worker {
    struct device device; /* its queue is the thread's own */
    uint32_t seed;
    unsigned n_sorts;
    unsigned n_right;
    char message[4096];
};

/* Sorts keys, pairs and argsorts of changing counts. Check's assertions are for the main thread only. */
static void *sort_many(void *argument)
{
    struct worker *worker = argument;
    uint32_t state = worker->seed;
    for (unsigned i = 0; i < worker->n_sorts; i++) {
        struct sort_case c = {.operation = (clsort_operation)(1 + i % 3),
                              .key_type = i % 2 ? CLSORT_U32 : CLSORT_F32,
                              .count = 1 + next_random(&state) % 5000,
                              .data = {DATA_SPECIAL, state, 0},
                              .in_place = i % 4 == 0,
                              .workspace = (enum workspace_kind)(i / 2 % 3)};
        if (run_sort(&worker->device, &c, worker->message, sizeof worker->message) != SORT_RIGHT) {
            return NULL;
        }
        worker->n_right++;
    }
    return NULL;
}

static void run_workers(struct worker *workers, int n_threads)
{
    pthread_t threads[N_SHARED_QUEUES * N_THREADS_OF_QUEUE];
    ck_assert_uint_le((size_t)n_threads, N_ELEMENTS(threads));
    for (int t = 0; t < n_threads; t++) {
        ck_assert_int_eq(pthread_create(&threads[t], NULL, sort_many, &workers[t]), 0);
    }
    for (int t = 0; t < n_threads; t++) {
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    }
    for (int t = 0; t < n_threads; t++) {
        ck_assert_msg(workers[t].n_right == workers[t].n_sorts, "thread %d after %u sorts: %s", t, workers[t].n_right,
                      workers[t].message);
    }
}

static unsigned n_sorts_of_a_thread(void)
{
    return is_small_setting() ? 50 : 200;
}

START_TEST(threads_with_one_sorter_are_all_right)
{
    static struct worker workers[N_THREADS];
    for (int t = 0; t < N_THREADS; t++) {
        workers[t].device = *test_device();
        workers[t].device.queue = make_queue(test_device(), 0);
        workers[t].seed = 1000u + (uint32_t)t;
        workers[t].n_sorts = n_sorts_of_a_thread();
    }
    run_workers(workers, N_THREADS);
    for (int t = 0; t < N_THREADS; t++) {
        clReleaseCommandQueue(workers[t].device.queue);
    }
}
END_TEST

START_TEST(threads_with_a_sorter_each_are_all_right)
{
    static struct worker workers[N_THREADS];
    struct device *shared = test_device();
    for (int t = 0; t < N_THREADS; t++) {
        workers[t].device = *shared;
        CHECK_STATUS(NULL, CLSORT_SUCCESS, clsort_create(shared->context, shared->id, NULL, &workers[t].device.sorter));
        workers[t].device.queue = make_queue(shared, 0);
        workers[t].seed = 2000u + (uint32_t)t;
        workers[t].n_sorts = n_sorts_of_a_thread();
    }
    run_workers(workers, N_THREADS);
    for (int t = 0; t < N_THREADS; t++) {
        close_device(&workers[t].device);
    }
}
END_TEST

/* Sixteen threads, one sorter, four queues, of which every other one is out of order where the device has such. */
START_TEST(threads_that_share_queues_and_a_sorter_are_all_right)
{
    static const struct {
        const char *setting, *why;
    } faults[] = {{"rusticl",
                   "clFinish of Mesa 22.3 may return while another thread has the queue's commands submitted"},
                  {"intel", "Intel's runtime 2026.2.0 hangs on two cores, in programs without clsort too"}};
    for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
        if (strcmp(current_setting()->name, faults[i].setting) == 0) {
            print_exemption("threads that share queues", faults[i].why);
            return;
        }
    }
    static struct worker workers[N_SHARED_QUEUES * N_THREADS_OF_QUEUE];
    cl_command_queue queues[N_SHARED_QUEUES];
    for (int q = 0; q < N_SHARED_QUEUES; q++) {
        queues[q] = q % 2 ? out_of_order_queue(test_device(), "threads that share an out-of-order queue") : NULL;
        queues[q] = queues[q] ? queues[q] : make_queue(test_device(), 0);
    }
    for (int t = 0; t < N_SHARED_QUEUES * N_THREADS_OF_QUEUE; t++) {
        workers[t].device = *test_device();
        workers[t].device.queue = queues[t % N_SHARED_QUEUES];
        workers[t].seed = 4000u + (uint32_t)t;
        workers[t].n_sorts = n_sorts_of_a_thread() / 4;
    }
    run_workers(workers, N_SHARED_QUEUES * N_THREADS_OF_QUEUE);
    for (int q = 0; q < N_SHARED_QUEUES; q++) {
        clReleaseCommandQueue(queues[q]);
    }
}
END_TEST

/* A new sorter's first sorts, all at once: programs are compiled and pools filled under contention. */
START_TEST(threads_that_use_a_new_sorter_first_at_once_are_all_right)
{
    static struct worker workers[N_THREADS];
    struct device device = open_device(NULL, 0);
    for (int t = 0; t < N_THREADS; t++) {
        workers[t].device = device;
        workers[t].device.queue = make_queue(&device, 0);
        workers[t].seed = 3000u + (uint32_t)t;
        workers[t].n_sorts = 3;
    }
    run_workers(workers, N_THREADS);
    for (int t = 0; t < N_THREADS; t++) {
        clReleaseCommandQueue(workers[t].device.queue);
    }
    close_device(&device);
}
END_TEST

static int run_all(void)
{
    return RUN_TESTS("threads", threads_with_one_sorter_are_all_right, threads_with_a_sorter_each_are_all_right,
                     threads_that_share_queues_and_a_sorter_are_all_right,
                     threads_that_use_a_new_sorter_first_at_once_are_all_right);
}

int main(void)
{
    if (is_small_setting()) {
        return run_all();
    }
    /* With as many threads of the runtime as larger machines have, and nothing compiled yet: only so are PoCL's and the
       library's lists of kernels contended for. */
    char *runtime_cache = make_directory("clsort-threads-pocl");
    char *cache = make_directory("clsort-threads");
    setenv("POCL_CACHE_DIR", runtime_cache, 1);
    setenv("CLSORT_CACHE_DIR", cache, 1);
    setenv("POCL_PTHREAD_MIN_THREADS", "16", 1);
    setenv("POCL_MAX_PTHREAD_COUNT", "16", 1);
    int result = run_all();
    remove_directory(cache);
    remove_directory(runtime_cache);
    return result;
}
