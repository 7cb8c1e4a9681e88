/* Segments to sort: how the elements are divided. */
#include "segments.h"
#include "items.h"
#include <stdlib.h>
#include <string.h>

#define EMPTY_SEGMENTS ((size_t)1 << 20)
#define LONGEST_OF_POWER_LAW ((uint64_t)1 << 22)
#define TINY 8

int segments_read(const char *text, struct segment_shape *shape)
{
    static const struct {
        const char *name;
        enum segment_kind kind;
    } names[] = {{"segments_of_", SEGMENTS_OF},
                 {"segments_to_", SEGMENTS_TO},
                 {"segments_powerlaw", SEGMENTS_POWER_LAW},
                 {"segments_one_huge", SEGMENTS_ONE_HUGE},
                 {"segments_empty", SEGMENTS_EMPTY}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i].name);
        if (strncmp(text, names[i].name, length) != 0)
            continue;
        text += length;
        shape->kind = names[i].kind;
        shape->length = 0;
        if (shape->kind > SEGMENTS_TO)
            return !*text;
        return item_plain_number(&text, &shape->length) && !*text && shape->length > 0 &&
               shape->length <= (uint64_t)1 << 40;
    }
    return 0;
}

uint64_t segments_used(struct segment_shape shape, uint64_t n)
{
    return shape.kind == SEGMENTS_OF ? n / shape.length * shape.length : n;
}

/* xorshift64 (Marsaglia, Xorshift RNGs, 2003). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Length of segment number i, of which those before have `used` of n elements. */
static uint64_t next_length(struct segment_shape shape, uint64_t n, uint64_t used, size_t i, uint64_t *state)
{
    uint64_t length;
    switch (shape.kind) {
    case SEGMENTS_TO:
        length = next_random(state) % (shape.length + 1);
        break;
    case SEGMENTS_POWER_LAW:
        length = ((uint64_t)1 << 32) / ((next_random(state) >> 32) + 1);
        length = length < LONGEST_OF_POWER_LAW ? length : LONGEST_OF_POWER_LAW;
        break;
    case SEGMENTS_ONE_HUGE:
        length = i == n / 2 / TINY / 3 ? n / 2 : TINY;
        break;
    default:
        length = shape.length;
    }
    return length < n - used ? length : n - used;
}

int segments_make(struct segment_shape shape, uint64_t n, struct segments *segments)
{
    uint64_t used = 0, state = 88172645463325252u;
    size_t room = EMPTY_SEGMENTS;
    int empty = shape.kind == SEGMENTS_EMPTY;
    segments->count = empty ? EMPTY_SEGMENTS : 0;
    segments->offsets = calloc(room + 1, sizeof *segments->offsets);
    while (segments->offsets && !empty && used < n) {
        if (segments->count == room) {
            uint64_t *offsets = realloc(segments->offsets, (2 * room + 1) * sizeof *offsets);
            if (!offsets)
                free(segments->offsets);
            segments->offsets = offsets;
            room *= 2;
            continue;
        }
        used += next_length(shape, n, used, segments->count, &state);
        segments->offsets[++segments->count] = used;
    }
    return segments->offsets != NULL;
}
