/* clsort-bench report: a page of plots from files of rows. */
#ifndef BENCHMARKS_REPORT_H
#define BENCHMARKS_REPORT_H

/* The arguments begin with the word "report". The exit status. */
int report_main(int argc, char **argv);

#endif
