/* What happens to a machine while a program runs: its clock is set, its disk is full and free again. And how often it
   takes a step in SQLite: one for each statement, and one for each row. Loaded before the C library; built by weather.py.

   WEATHER        a file of three numbers of 8 bytes that is looked at each time: by how many nanoseconds the clock is
                  off, whether the disk is full, and the count of steps
   WEATHER_UNDER  part of the path of the files that the full disk holds */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none[3], *weather = none;
static char under[4096];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("WEATHER"), *part = getenv("WEATHER_UNDER");
    int fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *seen = mmap(NULL, 24, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (seen == MAP_FAILED)
        return;
    snprintf(under, sizeof under, "%s", part ? part : "");
    weather = seen;
}

static int full_path(const char *path) {
    if (!weather[1] || !path || !strstr(path, under))
        return 0;
    errno = ENOSPC;
    return 1;
}

static int full_fd(int fd) {
    char link[64], path[4096];
    if (!weather[1])
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return full_path(path);
}

#define REAL(type, name) static type (*real)(); if (!real) real = (type (*)()) dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *raw, size_t size) { REAL(ssize_t, "write"); return full_fd(fd) ? -1 : real(fd, raw, size); }
ssize_t writev(int fd, const struct iovec *parts, int count) { REAL(ssize_t, "writev"); return full_fd(fd) ? -1 : real(fd, parts, count); }
ssize_t pwrite(int fd, const void *raw, size_t size, off_t at) { REAL(ssize_t, "pwrite"); return full_fd(fd) ? -1 : real(fd, raw, size, at); }
ssize_t pwrite64(int fd, const void *raw, size_t size, off_t at) { REAL(ssize_t, "pwrite64"); return full_fd(fd) ? -1 : real(fd, raw, size, at); }
int fallocate(int fd, int mode, off_t at, off_t size) { REAL(int, "fallocate"); return full_fd(fd) ? -1 : real(fd, mode, at, size); }
int posix_fallocate(int fd, off_t at, off_t size) { REAL(int, "posix_fallocate"); return full_fd(fd) ? ENOSPC : real(fd, at, size); }

#define OPENS(name) int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int mode = flags & O_CREAT ? va_arg(rest, int) : 0; va_end(rest); \
    REAL(int, #name); return flags & O_CREAT && access(path, F_OK) && full_path(path) ? -1 : real(path, flags, mode); }
OPENS(open)
OPENS(open64)

/* SQLite's own is the one that the caller was linked with: whatever loaded that did so for itself alone. */
int sqlite3_step(void *statement) {
    static int (*real)(void *);
    if (!real) {
        Dl_info caller;
        void *object = dladdr(__builtin_return_address(0), &caller) ? dlopen(caller.dli_fname, RTLD_LAZY) : NULL;
        real = (int (*)(void *)) dlsym(object ? object : RTLD_NEXT, "sqlite3_step");
    }
    __atomic_add_fetch(&weather[2], 1, __ATOMIC_RELAXED);
    return real(statement);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = syscall(SYS_clock_gettime, which, now);
    if (!done && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        int64_t all = now->tv_sec * 1000000000LL + now->tv_nsec + weather[0];
        now->tv_sec = all / 1000000000LL;
        now->tv_nsec = all % 1000000000LL;
    }
    return done;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec found;
    int done = clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return done;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now)
        *now = found.tv_sec;
    return found.tv_sec;
}
