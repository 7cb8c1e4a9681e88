/* Which plots a set of rows gives: each view groups rows into plots, and the rows of a plot into series. */
#include "views.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char rate_label[] = "10^9 keys a second";

/* A row as a view looks at it. */
struct look {
    const struct collection *collection;
    const struct entry *entry;
    const struct entry *choice; /* clsort's own row of the same sort on the device at hand; NULL if there is none */
};

struct view {
    const char *heading;
    const char *what;
    const char *name; /* of files */
    const char *y_label;
    double line;
    size_t fewest_series;
    const char *alone; /* a series of this label is not worth a plot of its own; NULL: each is */
    int across_devices;
    int (*wants)(const struct look *look);
    void (*title)(const struct look *look, char *text, size_t text_bytes);
    void (*label)(const struct look *look, char *text, size_t text_bytes);
    void (*point)(const struct look *look, struct plot_point *point);
};

void views_describe(const struct result_row *row, char *text, size_t text_bytes)
{
    int pairs = strstr(row->operation, "pairs") != NULL, argsort = strstr(row->operation, "argsort") != NULL;
    snprintf(text, text_bytes, "%s %s%s%s%s", row->operation, row->key,
             pairs     ? "+"
             : argsort ? ", index "
                       : "",
             pairs || argsort ? row->value : "", !strcmp(row->order, "desc") ? ", descending" : "");
}

static int is_uniform(const struct result_row *row)
{
    return !strcmp(row->data, "uniform");
}

static int wants_choice(const struct look *look)
{
    return collection_is_choice(look->entry->row);
}

static int wants_uniform_choice(const struct look *look)
{
    return wants_choice(look) && is_uniform(look->entry->row);
}

static int wants_own(const struct look *look)
{
    return !collection_is_peer(look->entry->row);
}

static int wants_libraries(const struct look *look)
{
    return wants_choice(look) || collection_is_peer(look->entry->row);
}

static int wants_copied(const struct look *look)
{
    return wants_uniform_choice(look) && look->entry->row->copy_ms > 0;
}

static int wants_peer(const struct look *look)
{
    return collection_is_peer(look->entry->row) && look->choice && look->choice->row->ms.lower_quartile > 0;
}

static void title_sort_and_data(const struct look *look, char *text, size_t text_bytes)
{
    char sort[128];
    views_describe(look->entry->row, sort, sizeof sort);
    snprintf(text, text_bytes, "%s, %s", sort, look->entry->row->data);
}

static void title_sort(const struct look *look, char *text, size_t text_bytes)
{
    views_describe(look->entry->row, text, text_bytes);
}

static void title_data(const struct look *look, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s data", look->entry->row->data);
}

static void label_device(const struct look *look, char *text, size_t text_bytes)
{
    collection_name(look->collection, look->entry->device, text, text_bytes);
}

static void label_library(const struct look *look, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s", look->entry->row->library);
}

static void label_data(const struct look *look, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s", look->entry->row->data);
}

static void point_rate(const struct look *look, struct plot_point *point)
{
    const struct result_row *row = look->entry->row;
    point->y = results_rate(row);
    point->low = (double)row->n / row->ms.upper_quartile / 1e6;
    point->high = (double)row->n / row->ms.lower_quartile / 1e6;
}

static void point_ratio(const struct look *look, struct plot_point *point)
{
    const struct spread *peer = &look->entry->row->ms, *own = &look->choice->row->ms;
    point->y = peer->median / own->median;
    point->low = peer->lower_quartile / own->upper_quartile;
    point->high = peer->upper_quartile / own->lower_quartile;
}

static void point_copy(const struct look *look, struct plot_point *point)
{
    const struct result_row *row = look->entry->row;
    point->y = 100 * row->copy_ms / row->ms.median;
    point->low = 100 * row->copy_ms / row->ms.upper_quartile;
    point->high = 100 * row->copy_ms / row->ms.lower_quartile;
}

static const struct view views[] = {
    {"Devices beside each other", "Rate of the library's own choice on each device. Up is faster.", "devices",
     rate_label, 0, 2, NULL, 1, wants_choice, title_sort_and_data, label_device, point_rate},
    {"Kinds of sorts", "Rate of the library's own choice. Up is faster.", "sorts", rate_label, 0, 1, NULL, 0,
     wants_uniform_choice, title_data, title_sort, point_rate},
    {"Algorithms", "\"clsort\" is the library's own choice, the others were asked for by name. Up is faster.",
     "algorithms", rate_label, 0, 2, NULL, 0, wants_own, title_sort_and_data, label_library, point_rate},
    {"Libraries", "Rate of the library's own choice and of other libraries. Up is faster.", "libraries", rate_label, 0,
     2, NULL, 0, wants_libraries, title_sort_and_data, label_library, point_rate},
    {"Data", "Rate of the library's own choice for each shape of data. Up is faster.", "data", rate_label, 0, 1,
     "uniform", 0, wants_choice, title_sort, label_data, point_rate},
    {"Other libraries' time over clsort's", "Above 1, clsort is faster.", "ratio", "time over clsort's", 1, 1, NULL, 0,
     wants_peer, title_sort_and_data, label_library, point_ratio},
    {"Fraction of the copy bandwidth",
     "100 % would be a sort in the time in which the device copies the same data once: the roof over every sort that "
     "reads "
     "and writes memory.",
     "copy", "% of the copy bandwidth", 100, 1, NULL, 0, wants_copied, title_data, title_sort, point_copy},
};

enum { n_views = sizeof views / sizeof views[0] };

/* Letters, digits and single hyphens. */
static void make_name(const char *view, const char *device, const char *title, char *name, size_t name_bytes)
{
    char text[3 * PLOT_TEXT];
    size_t length = 0;
    snprintf(text, sizeof text, "%s-%s-%s", view, device, title);
    for (const char *p = text; *p && length + 1 < name_bytes; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 128 && isalnum(c))
            name[length++] = (char)tolower(c);
        else if (length && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length && name[length - 1] == '-')
        length--;
    name[length] = '\0';
}

static struct plot *new_plot(struct plot_list *list, const struct view *view, const char *title, const char *device)
{
    char name[PLOT_TEXT], plain[PLOT_TEXT - 8];
    unsigned same = 1;
    make_name(view->name, device, title, plain, sizeof plain);
    for (size_t i = 0; i < list->n_plots; i++)
        same += !strcmp(list->plots[i].title, title);
    snprintf(name, sizeof name, same > 1 ? "%s-%u" : "%s", plain, same);
    struct plot *plot = plot_add(list, title, device, name);
    if (plot) {
        plot->y_label = view->y_label;
        plot->line = view->line;
    }
    return plot;
}

/* The series in the plots of that title; the last of these plots gets a successor when it is full. */
static struct plot_series *find_series(struct plot_list *list, const struct view *view, const char *title,
                                       const char *label, const char *device)
{
    struct plot_series *series = NULL;
    for (size_t i = 0; i < list->n_plots && !series; i++)
        if (!strcmp(list->plots[i].title, title))
            series = plot_find_series(&list->plots[i], label);
    if (series)
        return series;
    struct plot *plot = new_plot(list, view, title, device);
    return plot ? plot_find_series(plot, label) : NULL;
}

static const struct entry *find_choice(const struct collection *c, const struct entry *entry, size_t device)
{
    for (size_t i = 0; i < c->n_entries; i++)
        if (c->entries[i].device == device && collection_is_choice(c->entries[i].row) &&
            collection_is_same_sort(c->entries[i].row, entry->row))
            return &c->entries[i];
    return NULL;
}

static int add_entry(const struct look *look, const struct view *view, const char *device, struct plot_list *list)
{
    char title[PLOT_TEXT], label[PLOT_TEXT];
    struct plot_point point = {(double)look->entry->row->n, 0, 0, 0};
    view->title(look, title, sizeof title);
    view->label(look, label, sizeof label);
    view->point(look, &point);
    struct plot_series *series = find_series(list, view, title, label, device);
    return series && plot_add_point(series, &point);
}

/* Plots that say nothing have too few series, all parts of one that was full taken together. */
static int is_worth_it(const struct plot_list *list, const struct plot *plot, const struct view *view)
{
    size_t n_series = 0;
    for (size_t i = 0; i < list->n_plots; i++)
        if (!strcmp(list->plots[i].title, plot->title))
            n_series += list->plots[i].n_series;
    return n_series >= view->fewest_series &&
           !(n_series == 1 && view->alone && !strcmp(plot->series[0].label, view->alone));
}

static void keep_good_plots(struct plot_list *list, const struct view *view)
{
    struct plot_list kept = {0, 0, list->plots};
    for (size_t i = 0; i < list->n_plots; i++)
        list->plots[i].is_kept = is_worth_it(list, &list->plots[i], view);
    for (size_t i = 0; i < list->n_plots; i++) {
        struct plot plot = list->plots[i];
        if (plot.is_kept) {
            plot_sort(&plot);
            kept.plots[kept.n_plots++] = plot;
            continue;
        }
        for (size_t j = 0; j < plot.n_series; j++)
            free(plot.series[j].points);
    }
    list->n_plots = kept.n_plots;
}

static int fill_section(const struct collection *c, size_t device, const struct view *view,
                        struct view_section *section)
{
    char name[PLOT_TEXT] = "";
    if (!view->across_devices)
        collection_name(c, device, name, sizeof name);
    for (size_t i = 0; i < c->n_entries; i++) {
        const struct entry *entry = &c->entries[i];
        if (!entry->row->n || entry->row->ms.best <= 0 ||
            (!view->across_devices && !collection_belongs(c, entry, device)))
            continue;
        const struct look look = {c, entry, view->across_devices ? NULL : find_choice(c, entry, device)};
        if (view->wants(&look) && !add_entry(&look, view, name, &section->plots))
            return 0;
    }
    keep_good_plots(&section->plots, view);
    if (view->label == label_library)
        plot_colour(&section->plots, "clsort");
    else if (section->plots.n_plots)
        plot_colour(&section->plots, section->plots.plots[0].series[0].label);
    return 1;
}

int views_make(const struct collection *c, size_t device, struct view_section sections[VIEW_SECTIONS])
{
    int across_devices = device == c->n_devices;
    memset(sections, 0, VIEW_SECTIONS * sizeof sections[0]);
    for (size_t i = 0; i < n_views; i++) {
        sections[i].heading = views[i].heading;
        sections[i].what = views[i].what;
        if (views[i].across_devices == across_devices && !fill_section(c, device, &views[i], &sections[i]))
            return 0;
    }
    return 1;
}
