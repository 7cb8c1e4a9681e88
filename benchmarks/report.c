/* clsort-bench report: reads files of rows, has their plots drawn and puts them on a page. */
#include "report.h"
#include "gnuplot.h"
#include "page.h"
#include "svg.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: clsort-bench report FILE.json... -o REPORT.html [OPTION...]\n"
    "Makes one page with plots of the rows: rates over n by device, kind of sort, algorithm and data, other\n"
    "libraries' times over clsort's, and the fraction of the device's copy bandwidth. The page needs no\n"
    "network. Of the same case in several files the last one counts. CSV files are read too, if their names\n"
    "end in .csv. gnuplot draws the plots.\n"
    "\n"
    "  -o FILE         the page\n"
    "  --svg FOLDER    writes each plot as an SVG file into a folder, which has to be there\n"
    "  --title TEXT    of the page\n"
    "  --help\n"
    "\n"
    "Exit status: 0; 1 if the plots could not be drawn or written; 2 for wrong usage or a file that cannot\n"
    "be read.\n";

struct report {
    char **paths; /* of the rows */
    size_t n_paths;
    const char *output;
    const char *folder; /* of SVG files; NULL: none are wanted */
    const char *title;
    int help;
    struct collection collection;
    size_t n_groups; /* all devices together, and one for each device */
    struct view_section (*sections)[VIEW_SECTIONS];
};

static int complain(int code, const char *what, const char *which)
{
    fprintf(stderr, "clsort-bench: report: %s%s\n", what, which);
    return code;
}

/* 0, or the exit status of wrong usage. */
static int read_arguments(struct report *r, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"-o", &r->output}, {"--svg", &r->folder}, {"--title", &r->title}};
    r->paths = argv + 1; /* the files move to the front */
    for (int i = 1; i < argc; i++) {
        size_t text = 0;
        while (text < 3 && strcmp(argv[i], texts[text].name) != 0)
            text++;
        if (text < 3 && i + 1 == argc)
            return complain(2, "an argument is missing: ", argv[i]);
        if (text < 3)
            *texts[text].text = argv[++i];
        else if (!strcmp(argv[i], "--help"))
            r->help = 1;
        else if (argv[i][0] == '-')
            return complain(2, "no such option; --help lists them: ", argv[i]);
        else
            r->paths[r->n_paths++] = argv[i];
    }
    if (r->help)
        return 0;
    if (!r->n_paths)
        return complain(2, "a file of rows is needed", "");
    return r->output || r->folder ? 0 : complain(2, "-o FILE or --svg FOLDER is needed", "");
}

/* Where gnuplot writes a plot: in the folder, or beside the page for the time being. */
static void path_of(const struct report *r, const struct plot *plot, unsigned number, char *path, size_t path_bytes)
{
    if (r->folder)
        snprintf(path, path_bytes, "%s/%s.svg", r->folder, plot->name);
    else
        snprintf(path, path_bytes, "%s.%u.svg", r->output, number);
}

/* Calls a function for each plot, numbered from 1 on, until it returns 0. */
static int for_each_plot(struct report *r, int (*call)(struct report *, const struct plot *, unsigned, void *),
                         void *context)
{
    unsigned number = 0;
    for (size_t group = 0; group < r->n_groups; group++)
        for (size_t i = 0; i < VIEW_SECTIONS; i++)
            for (size_t j = 0; j < r->sections[group][i].plots.n_plots; j++)
                if (!call(r, &r->sections[group][i].plots.plots[j], ++number, context))
                    return 0;
    return 1;
}

/* Makes an empty file, so that what is read later on is what gnuplot wrote now, and that it is here that it fails. */
static int make_file(struct report *r, const struct plot *plot, unsigned number, void *context)
{
    char path[1024];
    (void)context;
    path_of(r, plot, number, path, sizeof path);
    FILE *file = fopen(path, "wb");
    return file ? fclose(file) == 0 : complain(0, "cannot be written: ", path);
}

static int draw(struct report *r, const struct plot *plot, unsigned number, void *gnuplot)
{
    char path[1024];
    path_of(r, plot, number, path, sizeof path);
    gnuplot_draw(gnuplot, plot, path);
    return 1;
}

static int draw_all(struct report *r)
{
    if (!for_each_plot(r, make_file, NULL))
        return 0;
    FILE *gnuplot = gnuplot_open();
    if (gnuplot)
        for_each_plot(r, draw, gnuplot);
    return gnuplot && gnuplot_close(gnuplot) ? 1 : complain(0, "gnuplot could not draw the plots", "");
}

static int style_file(struct report *r, const struct plot *plot, unsigned number, void *context)
{
    char path[1024], title[2 * PLOT_TEXT + 64];
    (void)context;
    path_of(r, plot, number, path, sizeof path);
    page_describe(plot, title, sizeof title);
    char *svg = svg_read(path);
    int done = svg && svg_write_styled(path, svg, title);
    free(svg);
    return done;
}

static int remove_file(struct report *r, const struct plot *plot, unsigned number, void *context)
{
    char path[1024];
    (void)context;
    path_of(r, plot, number, path, sizeof path);
    remove(path);
    return 1;
}

/* The plots of a device, or of all together; number is that of the last plot before. */
static int write_group(struct report *r, FILE *page, size_t group, unsigned *number)
{
    int begun = 0;
    size_t device = group ? group - 1 : r->collection.n_devices;
    for (size_t i = 0; i < VIEW_SECTIONS; i++) {
        const struct view_section *section = &r->sections[group][i];
        if (!section->plots.n_plots)
            continue;
        if (!begun++)
            page_device(page, &r->collection, device);
        page_section(page, section);
        for (size_t j = 0; j < section->plots.n_plots; j++) {
            char path[1024];
            const struct plot *plot = &section->plots.plots[j];
            path_of(r, plot, ++*number, path, sizeof path);
            char *svg = svg_read(path);
            if (!svg)
                return 0;
            page_plot(page, plot, svg, *number);
            free(svg);
        }
        page_section_end(page);
    }
    if (group && !begun)
        page_device(page, &r->collection, device);
    if (group)
        page_rows(page, &r->collection, device);
    return 1;
}

static int write_page(struct report *r)
{
    unsigned number = 0;
    FILE *page = fopen(r->output, "wb");
    if (!page)
        return complain(0, "cannot be written: ", r->output);
    page_begin(page, &r->collection, r->title ? r->title : "clsort: measured sorts");
    int done = 1;
    for (size_t group = 0; done && group < r->n_groups; group++)
        done = write_group(r, page, group, &number);
    page_end(page);
    done = done && !ferror(page);
    done = fclose(page) == 0 && done;
    return done ? 1 : complain(0, "not all of it could be written: ", r->output);
}

/* Groups and their plots: first all devices together. */
static int make_plots(struct report *r)
{
    size_t n_devices = r->collection.n_devices;
    r->sections = calloc(n_devices + 1, sizeof *r->sections);
    if (!r->sections)
        return 0;
    r->n_groups = n_devices + 1;
    int done = views_make(&r->collection, n_devices, r->sections[0]);
    for (size_t device = 0; done && device < n_devices; device++)
        done = views_make(&r->collection, device, r->sections[device + 1]);
    return done;
}

static int run(struct report *r)
{
    char text[1024];
    if (!collection_read(&r->collection, r->paths, r->n_paths, text, sizeof text))
        return complain(2, text, "");
    if (!make_plots(r))
        return complain(1, "not enough memory", "");
    if (!r->collection.n_entries)
        return complain(2, "the files have no rows", "");
    if (!gnuplot_find(text, sizeof text))
        return complain(1, text, "");
    int done = draw_all(r) && (!r->output || write_page(r));
    if (!r->folder)
        for_each_plot(r, remove_file, NULL);
    else if (done && !(done = for_each_plot(r, style_file, NULL)))
        complain(1, "the plots could not be written into ", r->folder);
    return !done;
}

int report_main(int argc, char **argv)
{
    static struct report r;
    int code = read_arguments(&r, argc, argv);
    if (code)
        return code;
    if (r.help)
        return fputs(help, stdout) < 0;
    code = run(&r);
    for (size_t group = 0; group < r.n_groups; group++)
        for (size_t i = 0; i < VIEW_SECTIONS; i++)
            plot_free(&r.sections[group][i].plots);
    free(r.sections);
    collection_free(&r.collection);
    return code;
}
