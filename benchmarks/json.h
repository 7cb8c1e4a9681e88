/* Reads JSON (RFC 8259) into a tree whose values know their line. */
#ifndef BENCHMARKS_JSON_H
#define BENCHMARKS_JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    unsigned line;
    const char *name; /* of a member of an object, else NULL */
    const char *text; /* of a string, in UTF-8 without an end inside; of a number, its digits and what follows */
    double number;    /* 1 for true */
    struct json *first, *next; /* first of an array or object, and the one after this one */
};

/* A document owns its values and texts. */
struct json_document {
    char *text;
    struct json_block *blocks;
    const struct json *root;
};

/* Reads a file. On failure 0, and text says the file, the line and what is wrong; json_free() is due in both cases. */
int json_read_file(struct json_document *document, const char *path, char *text, size_t text_bytes);

void json_free(struct json_document *document);

/* A member of an object; NULL if value is none or has none of that name. */
const struct json *json_member(const struct json *value, const char *name);

/* 1 if value is a number without sign, fraction and exponent that fits. */
int json_whole(const struct json *value, uint64_t *number);

#endif
