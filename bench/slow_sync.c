/* A disk whose every sync takes two milliseconds longer: loaded with LD_PRELOAD before the C library's own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void linger(void) {
    struct timespec two_milliseconds = {0, 2000000};
    nanosleep(&two_milliseconds, 0);
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    linger();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    linger();
    return next(file);
}
