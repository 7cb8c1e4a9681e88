/* What an outside program does first: sorts a few keys on the default device and checks them. C99, C11 and C++. */
#include <clsort/clsort.h>
#include <stdio.h>

#define N_KEYS 1000

int main(void)
{
    static uint32_t keys[N_KEYS];
    uint32_t state = 1;
    uint64_t sum = 0;
    clsort_sorter *sorter = NULL;
    clsort_request request;
    clsort_status status;
    char text[1024];
    int i;

    for (i = 0; i < N_KEYS; i++) {
        state = state * 1664525u + 1013904223u;
        keys[i] = state;
        sum += state;
    }
    clsort_request_init(&request);
    request.operation = CLSORT_KEYS;
    request.key_type = CLSORT_U32;
    request.count = N_KEYS;
    status = clsort_create_default(NULL, NULL, &sorter);
    if (status == CLSORT_SUCCESS)
        status = clsort_sort_host(sorter, &request, keys, keys, NULL, NULL);
    if (status != CLSORT_SUCCESS) {
        clsort_last_error(sorter, text, sizeof text);
        printf("clsort: %s: %s\n", clsort_status_text(status), text);
        return 1;
    }
    clsort_destroy(sorter);

    for (i = 0; i < N_KEYS; i++) {
        sum -= keys[i];
        if (i > 0 && keys[i - 1] > keys[i]) {
            printf("keys %d and %d are out of order\n", i - 1, i);
            return 1;
        }
    }
    if (sum != 0 || clsort_version() / 10000 != CLSORT_VERSION_MAJOR) {
        printf("keys were lost, or header and library differ\n");
        return 1;
    }
    printf("sorted %d keys\n", N_KEYS);
    return 0;
}
