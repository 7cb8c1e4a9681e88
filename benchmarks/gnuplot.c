/* Draws plots as SVG by the program gnuplot, whose commands it writes. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "gnuplot.h"
#include "colours.h"
#include <math.h>
#include <string.h>
#ifdef _WIN32
#define popen _popen
#define pclose _pclose
#define QUIET "2>nul"
#else
#include <signal.h>
#define QUIET "2>/dev/null"
#endif

/* A label of more characters has no room beside another. */
enum { WIDTH = 480, PLOT_HEIGHT = 310, LINE_HEIGHT = 21, BAR_HEIGHT = 30, WIDE_LABEL = 15 };

int gnuplot_find(char *text, size_t text_bytes)
{
    char version[64] = "";
    FILE *answer = popen("gnuplot --version " QUIET, "r");
    int found = answer && fgets(version, sizeof version, answer) && !strncmp(version, "gnuplot", 7);
    if (answer)
        pclose(answer);
    if (!found)
        snprintf(text, text_bytes,
                 "the plots are drawn by gnuplot, which is not there (Debian: apt install gnuplot-nox)");
    return found;
}

FILE *gnuplot_open(void)
{
#ifndef _WIN32
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its exit status */
#endif
    return popen("gnuplot", "w");
}

int gnuplot_close(FILE *gnuplot)
{
    int failed = ferror(gnuplot);
    return pclose(gnuplot) == 0 && !failed;
}

/* A text between double quotes. Characters that gnuplot would take for commands are left out. */
static void write_text(FILE *gnuplot, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x20 && !strchr("\"`\\$", *text))
            fputc(*text, gnuplot);
}

static void write_path(FILE *gnuplot, const char *path)
{
    fputc('\'', gnuplot);
    for (; *path; path++) {
        if (*path == '\'')
            fputc('\'', gnuplot);
        fputc(*path, gnuplot);
    }
    fputc('\'', gnuplot);
}

/* What all points lie between. */
struct range {
    double from, to;
};

static void widen(struct range *range, double x)
{
    range->from = x < range->from ? x : range->from;
    range->to = x > range->to ? x : range->to;
}

static void find_ranges(const struct plot *plot, struct range *x, struct range *y)
{
    x->from = y->from = HUGE_VAL;
    x->to = y->to = 0;
    if (plot->line > 0)
        widen(y, plot->line);
    for (size_t i = 0; i < plot->n_series; i++)
        for (size_t j = 0; j < plot->series[i].n_points; j++) {
            const struct plot_point *point = &plot->series[i].points[j];
            widen(x, point->x);
            widen(y, point->low);
            widen(y, point->high);
        }
}

/* Powers of 2 where most counts are such or next to one, else of 10; at most 8 of them. */
static void write_x_axis(FILE *gnuplot, const struct plot *plot, struct range x)
{
    size_t n_points = 0, n_powers = 0;
    for (size_t i = 0; i < plot->n_series; i++)
        for (size_t j = 0; j < plot->series[i].n_points; j++, n_points++) {
            double power = log2(plot->series[i].points[j].x);
            n_powers += fabs(power - round(power)) < 0.02;
        }
    int base = 2 * n_powers > n_points ? 2 : 10;
    if (x.from == x.to) {
        x.from /= base;
        x.to *= base;
    }
    int first = (int)floor(log(x.from) / log(base) + 1e-9), last = (int)ceil(log(x.to) / log(base) - 1e-9);
    int step = (last - first + 7) / 8;
    fprintf(gnuplot, "set logscale x %d\nset xrange [%.17g:%.17g]\nset xtics (", base, x.from / 1.15, x.to * 1.15);
    for (int exponent = first, n = 0; exponent <= last; exponent += step, n++)
        fprintf(gnuplot, "%s\"%d^{%d}\" %.17g", n ? ", " : "", base, exponent, pow(base, exponent));
    fputs(")\nset xlabel \"n, keys\" offset 0,0.4\n", gnuplot);
}

/* More steps between the powers of ten the fewer of these there are. */
static void write_logarithmic_y(FILE *gnuplot, struct range y)
{
    static const double few[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 7};
    double from = y.from / 1.2, to = y.to * 1.2, decades = log10(to / from);
    const double *steps = decades < 1 ? many : few;
    int n_steps = decades < 1 ? 7 : decades < 2.5 ? 3 : 1, n = 0;
    fprintf(gnuplot, "set logscale y 10\nset yrange [%.17g:%.17g]\nset ytics (", from, to);
    for (int exponent = (int)floor(log10(from)); exponent <= log10(to); exponent++)
        for (int i = 0; i < n_steps; i++) {
            double at = pow(10, exponent) * steps[i];
            if (at >= from && at <= to)
                fprintf(gnuplot, "%s\"%.12g\" %.17g", n++ ? ", " : "", at, at);
        }
    fputs(")\n", gnuplot);
}

static size_t longest_label(const struct plot *plot)
{
    size_t longest = 0;
    for (size_t i = 0; i < plot->n_series; i++) {
        size_t length = strlen(plot->series[i].label);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The legend stands below, in two columns where the labels are short, and the plot keeps its height. */
static void write_head(FILE *gnuplot, const struct plot *plot, const char *path)
{
    int bars = plot_is_bars(plot), columns = longest_label(plot) > WIDE_LABEL ? 1 : 2;
    int n_series = (int)plot->n_series, rows = (n_series + columns - 1) / columns;
    int height = bars ? 100 + n_series * BAR_HEIGHT : PLOT_HEIGHT + rows * LINE_HEIGHT;
    height += *plot->subtitle ? LINE_HEIGHT : 0;
    fprintf(gnuplot,
            "reset\nset terminal svg size %d,%d dynamic enhanced font 'sans-serif,14' background rgb '#%06x'\n"
            "set output ",
            WIDTH, height, colours_background.light);
    write_path(gnuplot, path);
    fputs("\nset title \"", gnuplot);
    write_text(gnuplot, plot->title);
    fputs(*plot->subtitle ? "\\n" : "", gnuplot);
    write_text(gnuplot, plot->subtitle);
    fprintf(gnuplot,
            "\" noenhanced\nset key bmargin center horizontal reverse Left noenhanced maxcols %d samplen 2 height 0.6\n"
            "set grid lt 1 lw 0.6 lc rgb '#%06x'\nset tics nomirror scale 0.4\nset border 3 lw 0.8\n",
            columns, colours_grid.light);
}

static void write_lines(FILE *gnuplot, const struct plot *plot)
{
    struct range x, y;
    find_ranges(plot, &x, &y);
    write_x_axis(gnuplot, plot, x);
    fprintf(gnuplot, "set ylabel \"%s\"\n", plot->y_label);
    write_logarithmic_y(gnuplot, y);
    for (size_t i = 0; i < plot->n_series; i++) {
        fprintf(gnuplot, "$series%zu << END\n", i);
        for (size_t j = 0; j < plot->series[i].n_points; j++) {
            const struct plot_point *point = &plot->series[i].points[j];
            fprintf(gnuplot, "%.17g %.9g %.9g %.9g\n", point->x, point->y, point->low, point->high);
        }
        fputs("END\n", gnuplot);
    }
    fputs("plot ", gnuplot);
    if (plot->line > 0)
        fprintf(gnuplot, "%.17g with lines lc rgb 'black' lw 1 dt 2 notitle, ", plot->line);
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct colour *colour = &colours_series[plot->series[i].colour];
        fprintf(gnuplot,
                "%s$series%zu using 1:3:(0):($4-$3) with vectors nohead lc rgb '#%06x' lw 3 notitle, "
                "'' using 1:2 with linespoints lc rgb '#%06x' lw 2 pt %d ps 0.6 title \"",
                i ? ", " : "", i, colour->light, colour->light, colour->point);
        write_text(gnuplot, plot->series[i].label);
        fputc('"', gnuplot);
    }
    fputs("\n", gnuplot);
}

/* One bar for each series, with its label before it and its number behind it. */
static void write_bars(FILE *gnuplot, const struct plot *plot)
{
    struct range x, y;
    find_ranges(plot, &x, &y);
    fprintf(gnuplot, "unset key\nset xrange [0:%.17g]\nset yrange [%zu.5:-0.5]\nset xlabel \"%s, n = %s%.0f\"\n",
            y.to * 1.25, plot->n_series - 1, plot->y_label, x.from < x.to ? "about " : "", x.to);
    fprintf(gnuplot, "set style fill solid 0.85 noborder\nset ytics noenhanced scale 0\nset xtics autofreq\n");
    if (plot->line > 0)
        fprintf(gnuplot, "set arrow from %.17g, graph 0 to %.17g, graph 1 nohead dt 2 front\n", plot->line, plot->line);
    fputs("set ytics (", gnuplot);
    for (size_t i = 0; i < plot->n_series; i++) {
        fputs(i ? ", \"" : "\"", gnuplot);
        write_text(gnuplot, plot->series[i].label);
        fprintf(gnuplot, "\" %zu", i);
    }
    fputs(")\n$bars << END\n", gnuplot);
    for (size_t i = 0; i < plot->n_series; i++)
        fprintf(gnuplot, "%.9g\n", plot->series[i].points[0].y);
    fprintf(gnuplot,
            "END\nplot $bars using 1:0:(0):1:($0-0.32):($0+0.32) with boxxyerror lc rgb '#%06x', "
            "'' using 1:0:(sprintf('%%.3g', $1)) with labels left offset 0.5,0\n",
            colours_series[0].light);
}

void gnuplot_draw(FILE *gnuplot, const struct plot *plot, const char *path)
{
    write_head(gnuplot, plot, path);
    if (plot_is_bars(plot))
        write_bars(gnuplot, plot);
    else
        write_lines(gnuplot, plot);
    fputs("unset output\n", gnuplot);
}
