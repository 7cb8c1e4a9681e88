/* Failures on demand: every call of the library that can fail is a site, any of which a test can make fail, and what the library
   holds is counted. fault_sites.h makes the sites. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* What a failing OpenCL call gives. The library does not make it up by itself. */
#define FAULT_STATUS CL_OUT_OF_RESOURCES

struct fault_site {
    const char *function, *file;
    int line;
    bool has_failed;
};

/* Notes a call of the library from here on, and has the one with this number (counted from 0) fail. After it every call that
   releases an object reports failure too, though it does release: no device is expected to recover in between. */
void fault_begin(size_t failing);
#define FAULT_NONE ((size_t)-1)

/* The calls since fault_begin(), and the site that failed (NULL: none did). They stay until the next fault_begin(). */
struct fault_record {
    size_t n_calls;
    const struct fault_site *const *calls;
    const struct fault_site *failed;
};
struct fault_record fault_end(void);

/* All sites of the library. */
size_t n_fault_sites(void);
const struct fault_site *fault_site(size_t i);

/* Takes a reference that the library handed to its caller off what it holds. */
void fault_hand_over(const void *object);
/* Forgets what the library holds so far. */
void fault_forget_held(void);
/* What the library holds, a line for each object, in text; returns how many it holds, and how many it gave back too often. */
size_t fault_held(char *text, size_t bytes);

/* ---------------------------------------------------------------------------------------- for fault_sites.h alone */

/* Whether this call has to fail. */
bool fault_strikes(struct fault_site *site);
/* Whether this call, which releases, has to report failure. */
bool fault_strikes_release(struct fault_site *site);
/* The library holds a reference more, from the site that was asked last, or one less; return the object. NULL is no object. */
void *fault_hold(void *object);
void *fault_let_go(void *object);

#endif
