/* Reads JSON (RFC 8259) into a tree whose values know their line. */
#include "json.h"
#include "load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32
#define BLOCK_VALUES 1024

struct json_block {
    struct json_block *next;
    size_t used;
    struct json values[BLOCK_VALUES];
};

struct reader {
    struct json_document *document;
    const char *path;
    char *p; /* what is read next; the text ends with '\0' */
    unsigned line;
    unsigned depth;
    char *text;
    size_t text_bytes;
};

static int complain(struct reader *r, const char *what)
{
    snprintf(r->text, r->text_bytes, "%s:%u: %s", r->path, r->line, what);
    return 0;
}

static struct json *new_value(struct reader *r)
{
    struct json_block *block = r->document->blocks;
    if (!block || block->used == BLOCK_VALUES) {
        block = calloc(1, sizeof *block);
        if (!block)
            return NULL;
        block->next = r->document->blocks;
        r->document->blocks = block;
    }
    struct json *value = &block->values[block->used++];
    value->line = r->line;
    return value;
}

static void skip_space(struct reader *r)
{
    for (; *r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'; r->p++)
        r->line += *r->p == '\n';
}

/* Steps over c if it comes next. */
static int accept(struct reader *r, char c)
{
    skip_space(r);
    if (*r->p != c)
        return 0;
    r->p++;
    return 1;
}

/* The four digits of \uXXXX. */
static int read_unit(struct reader *r, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->p++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *r->p ? strchr(digits, *r->p) : NULL;
        if (!digit)
            return complain(r, "four hexadecimal digits have to follow \\u");
        *unit = *unit * 16 + (unsigned)(digit - digits) % 16;
    }
    return 1;
}

/* Writes a code point in UTF-8, which is never longer than its escape. */
static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(lead[more] | code >> (6 * more));
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    return to;
}

static int read_code_point(struct reader *r, char **to)
{
    unsigned code, low;
    if (!read_unit(r, &code))
        return 0;
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->p[0] != '\\' || r->p[1] != 'u')
            return complain(r, "half of a surrogate pair");
        r->p += 2;
        if (!read_unit(r, &low))
            return 0;
        if (low < 0xdc00 || low > 0xdfff)
            return complain(r, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return complain(r, "half of a surrogate pair");
    }
    if (!code)
        return complain(r, "\\u0000 in a string");
    *to = put_utf8(*to, code);
    return 1;
}

static int read_escape(struct reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = *r->p;
    if (c == 'u') {
        r->p++;
        return read_code_point(r, to);
    }
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter)
        return complain(r, "an unknown escape in a string");
    *(*to)++ = meanings[letter - letters];
    r->p++;
    return 1;
}

/* A string is decoded in place, behind its opening quote. */
static int read_string(struct reader *r, const char **string)
{
    char *to = r->p;
    *string = to;
    for (;;) {
        unsigned char c = (unsigned char)*r->p;
        if (c < 0x20)
            return complain(r, c ? "a control character in a string" : "a string without an end");
        r->p++;
        if (c == '"')
            break;
        if (c != '\\')
            *to++ = (char)c;
        else if (!read_escape(r, &to))
            return 0;
    }
    *to = '\0';
    return 1;
}

static void skip_digits(struct reader *r)
{
    while (*r->p >= '0' && *r->p <= '9')
        r->p++;
}

static int read_number(struct reader *r, struct json *value)
{
    value->kind = JSON_NUMBER;
    value->text = r->p;
    r->p += *r->p == '-';
    char first = *r->p;
    const char *begin = r->p;
    skip_digits(r);
    if (r->p == begin || (first == '0' && r->p - begin > 1))
        return complain(r, "a value is missing or malformed");
    if (*r->p == '.') {
        begin = ++r->p;
        skip_digits(r);
        if (r->p == begin)
            return complain(r, "a malformed number");
    }
    if (*r->p == 'e' || *r->p == 'E') {
        r->p += r->p[1] == '+' || r->p[1] == '-' ? 2 : 1;
        begin = r->p;
        skip_digits(r);
        if (r->p == begin)
            return complain(r, "a malformed number");
    }
    value->number = strtod(value->text, NULL);
    return value->number - value->number == 0 ? 1 : complain(r, "a number that is too large");
}

static int read_word(struct reader *r, struct json *value)
{
    static const struct {
        const char *word;
        enum json_kind kind;
        double number;
    } words[] = {{"true", JSON_BOOLEAN, 1}, {"false", JSON_BOOLEAN, 0}, {"null", JSON_NULL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(r->p, words[i].word, length) != 0)
            continue;
        r->p += length;
        value->kind = words[i].kind;
        value->number = words[i].number;
        return 1;
    }
    return read_number(r, value);
}

static int read_value(struct reader *r, struct json *value);

/* What follows the opening bracket of an array or object. */
static int read_list(struct reader *r, struct json *list, char end)
{
    struct json **link = &list->first;
    if (accept(r, end))
        return 1;
    do {
        const char *name = NULL;
        if (end == '}') {
            if (!accept(r, '"'))
                return complain(r, "the name of a member is missing");
            if (!read_string(r, &name))
                return 0;
            if (!accept(r, ':'))
                return complain(r, "a colon is missing");
        }
        skip_space(r);
        struct json *value = new_value(r);
        if (!value)
            return complain(r, "not enough memory");
        value->name = name;
        if (!read_value(r, value))
            return 0;
        *link = value;
        link = &value->next;
    } while (accept(r, ','));
    return accept(r, end) ? 1 : complain(r, end == '}' ? "a comma or } is missing" : "a comma or ] is missing");
}

static int read_value(struct reader *r, struct json *value)
{
    if (*r->p == '"') {
        r->p++;
        value->kind = JSON_STRING;
        return read_string(r, &value->text);
    }
    if (*r->p != '[' && *r->p != '{')
        return read_word(r, value);
    value->kind = *r->p == '[' ? JSON_ARRAY : JSON_OBJECT;
    if (++r->depth > DEEPEST)
        return complain(r, "nested too deeply");
    r->p++;
    int done = read_list(r, value, value->kind == JSON_ARRAY ? ']' : '}');
    r->depth--;
    return done;
}

int json_read_file(struct json_document *document, const char *path, char *text, size_t text_bytes)
{
    size_t length;
    memset(document, 0, sizeof *document);
    document->text = load_file(path, &length, text, text_bytes);
    if (!document->text)
        return 0;
    struct reader r = {document, path, document->text, 1, 0, text, text_bytes};
    skip_space(&r);
    struct json *root = new_value(&r);
    if (!root)
        return complain(&r, "not enough memory");
    if (!read_value(&r, root))
        return 0;
    skip_space(&r);
    if (r.p != document->text + length)
        return complain(&r, "more follows the end of the value");
    document->root = root;
    return 1;
}

void json_free(struct json_document *document)
{
    while (document->blocks) {
        struct json_block *next = document->blocks->next;
        free(document->blocks);
        document->blocks = next;
    }
    free(document->text);
    memset(document, 0, sizeof *document);
}

const struct json *json_member(const struct json *value, const char *name)
{
    if (!value || value->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *member = value->first; member; member = member->next)
        if (!strcmp(member->name, name))
            return member;
    return NULL;
}

int json_whole(const struct json *value, uint64_t *number)
{
    if (!value || value->kind != JSON_NUMBER)
        return 0;
    const char *p = value->text;
    *number = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return 0;
        *number = *number * 10 + digit;
    }
    return p != value->text && *p != '.' && *p != 'e' && *p != 'E';
}
