/* The colours of plots, and the style sheet that changes them on a dark page. */
#include "colours.h"
#include "plot.h"

/* All of them have a contrast above 4.5 to 1 with their background. */
const struct colour colours_series[PLOT_SERIES] = {{0x0b62a8, 0x60a5fa, 7},  {0xb93c0a, 0xfb923c, 5},
                                                   {0x0f766e, 0x2dd4bf, 9},  {0x7c3aed, 0xc4b5fd, 11},
                                                   {0x8a5a00, 0xfacc15, 13}, {0xbe185d, 0xf472b6, 15},
                                                   {0x3f6d0a, 0xa3e635, 6},  {0x525252, 0xd4d4d4, 4}};

const struct colour colours_grid = {0xd4d4d4, 0x404040, 0};
const struct colour colours_background = {0xffffff, 0x161616, 0};

enum { DARK_TEXT = 0xe5e5e5 };

static const char *const properties[] = {"stroke", "color", "fill"};

/* gnuplot writes colours of lines as rgb(r, g, b) in columns, and gives those of symbols and texts as "color". */
static void write_rule(FILE *file, unsigned light, unsigned dark)
{
    for (int i = 0; i < 3; i++)
        fprintf(file, "svg [%s='rgb(%3u, %3u, %3u)']{%s:#%06x}\n", properties[i], light >> 16, light >> 8 & 255,
                light & 255, properties[i], dark);
}

void colours_write_style(FILE *file)
{
    fputs("@media (prefers-color-scheme: dark){\n", file);
    for (int i = 0; i < 3; i++)
        fprintf(file, "svg [%s='black']{%s:#%06x}\n", properties[i], properties[i], DARK_TEXT);
    fprintf(file, "svg [fill='#%06x']{fill:#%06x}\n", colours_background.light, colours_background.dark);
    write_rule(file, 0x000000, DARK_TEXT);
    write_rule(file, colours_grid.light, colours_grid.dark);
    for (int i = 0; i < PLOT_SERIES; i++)
        write_rule(file, colours_series[i].light, colours_series[i].dark);
    fputs("}\n", file);
}
