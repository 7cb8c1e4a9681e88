/* Sites of failures, the plan of which call fails, and the ledger of what the library holds. */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>

/* The section that fault_sites.h puts a pointer to each site in; the linker names its ends. */
extern struct fault_site *__start_fault_sites[], *__stop_fault_sites[];

size_t n_fault_sites(void)
{
    return (size_t)(__stop_fault_sites - __start_fault_sites);
}

const struct fault_site *fault_site(size_t i)
{
    return __start_fault_sites[i];
}

/* ------------------------------------------------------------------------------------------------------------ plan */

enum { MOST_CALLS = 1 << 16 };

static struct {
    bool is_on;
    size_t failing, n_calls;
    const struct fault_site *calls[MOST_CALLS];
    const struct fault_site *failed, *asked_last;
} plan;

void fault_begin(size_t failing)
{
    plan.is_on = true;
    plan.failing = failing;
    plan.n_calls = 0;
    plan.failed = NULL;
}

struct fault_record fault_end(void)
{
    plan.is_on = false;
    return (struct fault_record){plan.n_calls, plan.calls, plan.failed};
}

bool fault_strikes(struct fault_site *site)
{
    plan.asked_last = site;
    if (!plan.is_on) {
        return false;
    }
    if (plan.n_calls == MOST_CALLS) {
        abort();
    }
    const bool strikes = plan.n_calls == plan.failing;
    plan.calls[plan.n_calls++] = site;
    if (strikes) {
        site->has_failed = true;
        plan.failed = site;
    }
    return strikes;
}

bool fault_strikes_release(struct fault_site *site)
{
    const bool strikes = fault_strikes(site) || (plan.is_on && plan.failed);
    site->has_failed |= strikes;
    return strikes;
}

/* ---------------------------------------------------------------------------------------------------------- ledger */

enum { MOST_HELD = 1 << 14 };

static struct held {
    const void *object;
    const struct fault_site *site; /* that got it first */
    unsigned n_references;
} held[MOST_HELD];
static size_t n_held, n_given_too_often;

/* Newest first, as what was got last is mostly given back first. */
static struct held *find_held(const void *object)
{
    for (size_t i = n_held; i-- > 0;) {
        if (held[i].object == object) {
            return &held[i];
        }
    }
    return NULL;
}

void *fault_hold(void *object)
{
    struct held *entry = object ? find_held(object) : NULL;
    if (entry) {
        entry->n_references++;
    } else if (object) {
        if (n_held == MOST_HELD) {
            abort();
        }
        held[n_held++] = (struct held){object, plan.asked_last, 1};
    }
    return object;
}

void *fault_let_go(void *object)
{
    struct held *entry = object ? find_held(object) : NULL;
    if (entry && --entry->n_references == 0) {
        *entry = held[--n_held];
    } else if (object && !entry) {
        n_given_too_often++;
    }
    return object;
}

void fault_hand_over(const void *object)
{
    fault_let_go((void *)(size_t)object);
}

void fault_forget_held(void)
{
    n_held = n_given_too_often = 0;
}

size_t fault_held(char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < n_held && used < bytes; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "%u references of %s at %s:%d\n", held[i].n_references,
                                 held[i].site->function, held[i].site->file, held[i].site->line);
    }
    if (n_given_too_often && used < bytes) {
        snprintf(text + used, bytes - used, "%zu given back too often\n", n_given_too_often);
    }
    return n_held + n_given_too_often;
}
