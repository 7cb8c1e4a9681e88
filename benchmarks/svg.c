/* Images that gnuplot has drawn, as parts of a page and as files of their own. */
#include "svg.h"
#include "colours.h"
#include "load.h"
#include <stdlib.h>
#include <string.h>

char *svg_read(const char *path)
{
    char why[256];
    char *text = load_file(path, NULL, why, sizeof why);
    if (text && strstr(text, "<svg") && strstr(text, "</svg>"))
        return text;
    free(text);
    return NULL;
}

void svg_write_escaped(FILE *page, const char *text)
{
    for (; *text; text++) {
        const char *name = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (*text == '"')
            name = "&quot;";
        if (name)
            fputs(name, page);
        else
            fputc(*text, page);
    }
}

/* The names of definitions that gnuplot gives in every image. */
static int is_name_of_definition(const char *p)
{
    static const char *const names[] = {"gpPt", "gpDot", "textbox'", "greybox'", "gnuplot_"};
    if (p[-1] != '\'' && p[-1] != '"' && p[-1] != '#')
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(p, names[i], strlen(names[i])))
            return 1;
    return 0;
}

void svg_write_inline(FILE *page, const char *svg, unsigned number, const char *title)
{
    const char *p = strstr(svg, "<svg") + 4;
    fputs("<svg role=\"img\" aria-label=\"", page);
    svg_write_escaped(page, title);
    fputc('"', page);
    for (; *p; p++) {
        if (is_name_of_definition(p))
            fprintf(page, "p%u", number);
        fputc(*p, page);
    }
}

int svg_write_styled(const char *path, const char *svg)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    const char *end = strchr(strstr(svg, "<svg"), '>') + 1;
    fwrite(svg, 1, (size_t)(end - svg), file);
    fputs("\n<style>\n", file);
    colours_write_style(file);
    fputs("</style>", file);
    fputs(end, file);
    int failed = ferror(file);
    return fclose(file) == 0 && !failed;
}
