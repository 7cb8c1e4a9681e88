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

/* The titles that gnuplot makes up for images and for lines without one would show where a mouse rests. Their length, 0 if
   there is none here. */
static size_t length_of_title(const char *p)
{
    static const char *const titles[] = {"<title>Gnuplot</title>", "<title>gnuplot_plot_"};
    if (!strncmp(p, titles[0], strlen(titles[0])))
        return strlen(titles[0]);
    const char *end = strncmp(p, titles[1], strlen(titles[1])) ? NULL : strstr(p, "</title>");
    return end ? (size_t)(end - p) + strlen("</title>") : 0;
}

/* What follows the opening of the image; number 0 leaves the names of definitions. */
static void write_rest(FILE *file, const char *p, unsigned number)
{
    for (; *p; p++) {
        size_t skipped = length_of_title(p);
        if (skipped) {
            p += skipped - 1;
            continue;
        }
        if (number && is_name_of_definition(p))
            fprintf(file, "p%u", number);
        fputc(*p, file);
    }
}

void svg_write_inline(FILE *page, const char *svg, unsigned number, const char *title)
{
    fputs("<svg role=\"img\" aria-label=\"", page);
    svg_write_escaped(page, title);
    fputc('"', page);
    write_rest(page, strstr(svg, "<svg") + 4, number);
}

int svg_write_styled(const char *path, const char *svg, const char *title)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    const char *end = strchr(strstr(svg, "<svg"), '>') + 1;
    fwrite(svg, 1, (size_t)(end - svg), file);
    fputs("\n<title>", file);
    svg_write_escaped(file, title);
    fputs("</title>\n<style>\n", file);
    colours_write_style(file);
    fputs("</style>", file);
    write_rest(file, end, 0);
    int failed = ferror(file);
    return fclose(file) == 0 && !failed;
}
