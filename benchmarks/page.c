/* Writes the page of a report: one file without scripts, fonts or anything else from elsewhere. */
#include "page.h"
#include "colours.h"
#include "machine.h"
#include "svg.h"
#include <inttypes.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--text:#1a1a1a;--soft:#595959;--back:#ffffff;--line:#d4d4d4}\n"
    "@media (prefers-color-scheme: dark){:root{--text:#e5e5e5;--soft:#a3a3a3;--back:#161616;--line:#404040}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1180px;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--text);"
    "background:var(--back)}\n"
    "h1{font-size:1.6rem;line-height:1.2}h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem;"
    "overflow-wrap:anywhere}h3{margin:1.5rem 0 0}\n"
    "p{margin:.3rem 0}a{color:inherit}.soft{color:var(--soft)}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin-top:.7rem}"
    "\n"
    "figure{margin:0;max-width:36rem}figure svg{display:block;width:100%;height:auto}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}\n"
    ".number{text-align:right}summary{cursor:pointer;margin-top:1rem}\n";

static void cell(FILE *page, const char *text)
{
    fputs("<td>", page);
    svg_write_escaped(page, text);
    fputs("</td>", page);
}

/* Adds a fact to the list of them, if it is known. */
static void fact(FILE *page, int *n_facts, const char *what, const char *text)
{
    if (!*text)
        return;
    fprintf(page, "%s%s", (*n_facts)++ ? " · " : "", what);
    svg_write_escaped(page, text);
}

static void facts(FILE *page, const struct collected_device *device)
{
    const struct result_device *d = device->facts;
    char units[64] = "", memory[64] = "";
    int n_facts = 0;
    if (d->compute_units)
        snprintf(units, sizeof units, "%" PRIu64 " compute units", d->compute_units);
    if (d->memory_bytes)
        snprintf(memory, sizeof memory, "%.1f GiB", (double)d->memory_bytes / (1024.0 * 1024 * 1024));
    fact(page, &n_facts, "", device->is_host ? "processor" : d->type);
    fact(page, &n_facts, "", device->is_host ? "" : d->platform);
    fact(page, &n_facts, "driver ", d->driver);
    fact(page, &n_facts, "", units);
    fact(page, &n_facts, "", memory);
    fact(page, &n_facts, "in a machine with ", device->file->machine);
}

static int has_rows(const struct collection *c, const struct results *file, size_t device)
{
    for (size_t i = 0; i < c->n_entries; i++)
        if (c->entries[i].file == file && c->entries[i].device == device)
            return 1;
    return 0;
}

/* Which files a device's rows are from, and what these say about themselves. */
static void sources(FILE *page, const struct collection *c, size_t device)
{
    for (size_t i = 0; i < c->n_files; i++) {
        const struct results *file = &c->files[i];
        const char *slash = strrchr(file->path, '/');
        int n_facts = 0;
        if (!has_rows(c, file, device))
            continue;
        fputs("<br/>\n", page);
        fact(page, &n_facts, "", slash ? slash + 1 : file->path);
        fact(page, &n_facts, "", file->date);
        fact(page, &n_facts, "clsort ", file->version);
        fact(page, &n_facts, "", file->note);
    }
}

void page_begin(FILE *page, const struct collection *c, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          page);
    svg_write_escaped(page, title);
    fputs("</title>\n<style>\n", page);
    fputs(style, page);
    colours_write_style(page);
    fputs("</style>\n</head>\n<body>\n<h1>", page);
    svg_write_escaped(page, title);
    fputs("</h1>\n<p>Medians of whole sorts, host time from enqueue to finish; bars reach from the lower to the upper "
          "quartile. Each result was checked before it was timed. Times of different machines and days do not "
          "compare.</p>\n<ul>\n",
          page);
    for (size_t i = 0; i < c->n_devices; i++) {
        char name[PLOT_TEXT];
        collection_name(c, i, name, sizeof name);
        fprintf(page, "<li><a href=\"#device%zu\">", i);
        svg_write_escaped(page, name);
        fputs("</a></li>\n", page);
    }
    fputs("</ul>\n", page);
}

void page_device(FILE *page, const struct collection *c, size_t device)
{
    if (device == c->n_devices) {
        fputs("<h2>All devices</h2>\n", page);
        return;
    }
    char name[PLOT_TEXT];
    collection_name(c, device, name, sizeof name);
    fprintf(page, "<h2 id=\"device%zu\">", device);
    svg_write_escaped(page, name);
    fputs("</h2>\n<p class=\"soft\">", page);
    facts(page, &c->devices[device]);
    sources(page, c, device);
    fputs("</p>\n", page);
}

void page_section(FILE *page, const struct view_section *section)
{
    fputs("<h3>", page);
    svg_write_escaped(page, section->heading);
    fputs("</h3>\n<p class=\"soft\">", page);
    svg_write_escaped(page, section->what);
    fputs("</p>\n<div class=\"plots\">\n", page);
}

void page_describe(const struct plot *plot, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "%s: %s over n%s%s", plot->title, plot->y_label, *plot->subtitle ? ", " : "",
             plot->subtitle);
}

void page_plot(FILE *page, const struct plot *plot, const char *svg, unsigned number)
{
    char title[2 * PLOT_TEXT + 64];
    page_describe(plot, title, sizeof title);
    fputs("<figure>\n", page);
    svg_write_inline(page, svg, number, title);
    fputs("</figure>\n", page);
}

void page_section_end(FILE *page)
{
    fputs("</div>\n", page);
}

static void row(FILE *page, const struct result_row *r)
{
    char sort[128];
    views_describe(r, sort, sizeof sort);
    fputs("<tr>", page);
    cell(page, r->library);
    cell(page, sort);
    cell(page, r->data);
    fprintf(page, "<td class=\"number\">%" PRIu64 "</td><td class=\"number\">%.5g</td>", r->n, r->ms.median);
    fprintf(page, "<td class=\"number\">%.5g to %.5g</td><td class=\"number\">%.4g</td>", r->ms.lower_quartile,
            r->ms.upper_quartile, results_rate(r));
    if (r->moved_bytes)
        fprintf(page, "<td class=\"number\">%.4g</td>", results_bandwidth(r));
    else
        fputs("<td></td>", page);
    if (r->copy_ms > 0)
        fprintf(page, "<td class=\"number\">%.1f %%</td>", 100 * results_copy_fraction(r));
    else
        fputs("<td></td>", page);
    cell(page, r->algorithm);
    fputs("</tr>\n", page);
}

void page_rows(FILE *page, const struct collection *c, size_t device)
{
    fputs("<details><summary>All rows</summary>\n<div "
          "class=\"wide\"><table>\n<tr><th>library</th><th>sort</th><th>data</th>"
          "<th>n</th><th>median, ms</th><th>quartiles, ms</th><th>10^9 keys/s</th><th>GB/s</th><th>of the copy</th>"
          "<th>algorithm</th></tr>\n",
          page);
    for (size_t i = 0; i < c->n_entries; i++)
        if (c->entries[i].device == device)
            row(page, c->entries[i].row);
    fputs("</table></div></details>\n", page);
}

void page_end(FILE *page)
{
    fprintf(page, "<p class=\"soft\">Made by clsort-bench report.</p>\n</body>\n</html>\n");
}
