#include "Calls.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int evidence_in_child(void (*body)(void *), void *context, unsigned seconds) {
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        // Nothing handles its signal, so it ends the process.
        alarm(seconds);
        body(context);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {}
    return status;
}
