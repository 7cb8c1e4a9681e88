/* process.h: runs this command again as a child with a time limit, and notices that the user wants to stop. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <stdbool.h>

enum process_state {
    PROCESS_ENDED,       /* by itself, with an exit code */
    PROCESS_CRASHED,     /* by a signal or an exception */
    PROCESS_TIMED_OUT,   /* was ended, as it took too long */
    PROCESS_INTERRUPTED, /* was ended, as the user wants to stop */
    PROCESS_NOT_STARTED
};

struct process_end {
    enum process_state state;
    int code; /* the exit code, or the number of the signal or exception */
};

/*
 * Runs this command with these arguments (the last one is followed by NULL) to its end; standard output and error go to
 * the file output_path, which is replaced. tick is called some times a second while it runs.
 */
struct process_end process_run(const char *const *arguments, const char *output_path, double limit_seconds,
                               void (*tick)(void));

/* Ends this process after so many seconds, if it is still there: so a child does not outlive a parent that was killed. */
void process_end_after(unsigned seconds);

/* From now on the signal of Ctrl-C is noted, the first time, and does not end the process. */
void interrupt_watch(void);
bool interrupt_seen(void);

#endif
