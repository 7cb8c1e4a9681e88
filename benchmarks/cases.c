/* The cases of a sweep: every combination of the lists on the command line. */
#include "cases.h"
#include "items.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct case_list *list;
    const struct options *options;
    size_t room;
    int failed;
};

static void add_case(struct maker *m, const struct sort_case *c)
{
    struct case_list *list = m->list;
    if (list->length == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        struct sort_case *cases = realloc(list->cases, room * sizeof *cases);
        if (!cases) {
            m->failed = 1;
            return;
        }
        list->cases = cases;
        m->room = room;
    }
    list->cases[list->length++] = *c;
}

/* All counts of all shapes and algorithms, with the operation, types and order given. */
static void add_shapes(struct maker *m, struct sort_case *c)
{
    const struct options *o = m->options;
    for (size_t shape = 0; shape < o->shapes.length; shape++) {
        const struct option_item *data = &o->shapes.items[shape];
        const char *slash = strchr(data->text, '/');
        c->data_name = data->text;
        c->shape = (enum data_shape)(data->number % ITEM_SEGMENTED);
        c->segments.kind = SEGMENTS_NONE;
        if (data->number & ITEM_SEGMENTED)
            segments_read(slash ? slash + 1 : data->text, &c->segments);
        for (size_t algorithm = 0; algorithm < o->algorithms.length; algorithm++) {
            const struct option_item *item = &o->algorithms.items[algorithm];
            c->algorithm = item->number ? item->text : NULL;
            for (size_t i = 0; i < o->n_counts; i++) {
                c->n = segments_used(c->segments, o->counts[i]);
                add_case(m, c);
            }
        }
    }
}

static void add_values(struct maker *m, struct sort_case *c)
{
    const struct options *o = m->options;
    size_t n_values = c->operation == CLSORT_KEYS ? 1 : o->values.length;
    for (size_t value = 0; value < n_values; value++) {
        int keys = c->operation == CLSORT_KEYS;
        c->value_bytes = keys ? 0 : o->values.items[value].number;
        c->value_name = keys ? "-" : o->values.items[value].text;
        for (size_t order = 0; order < o->orders.length; order++) {
            c->descending = (int)o->orders.items[order].number;
            add_shapes(m, c);
        }
    }
}

int cases_make(struct case_list *list, const struct options *o)
{
    struct maker m = {list, o, 0, 0};
    struct sort_case c = {0};
    memset(list, 0, sizeof *list);
    c.promises_length = o->promise_length;
    for (size_t i = 0; i < o->flags.length; i++)
        c.flags |= (uint32_t)o->flags.items[i].number;
    for (size_t operation = 0; operation < o->operations.length; operation++) {
        c.operation = (clsort_operation)(o->operations.items[operation].number % ITEM_SEGMENTED);
        c.operation_name = o->operations.items[operation].text;
        for (size_t key = 0; key < o->keys.length; key++) {
            c.key_type = (clsort_key_type)o->keys.items[key].number;
            add_values(&m, &c);
        }
    }
    return !m.failed;
}

void case_describe(const struct sort_case *c, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s %s %s %s %s n=%" PRIu64 "%s%s", c->operation_name, clsort_key_type_name(c->key_type),
             c->value_name, c->descending ? "desc" : "asc", c->data_name, c->n, c->algorithm ? " by " : "",
             c->algorithm ? c->algorithm : "");
}

uint64_t case_moved_bytes(const struct sort_case *c)
{
    uint64_t key_bytes = clsort_key_type_bytes(c->key_type);
    if (c->operation == CLSORT_ARGSORT)
        return c->n * (key_bytes + c->value_bytes);
    return 2 * c->n * (key_bytes + c->value_bytes);
}
