/* The Nth call that writes below a folder fails. Loaded before the C library; built by test_every_write_fails.py.

   FAIL_UNDER   part of the path of the files that count
   FAIL_AT      which call fails, from 1 on; 0: none
   FAIL_ERRNO   how
   FAIL_COUNT   a file that is told how many calls there were */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static int counts(const char *path) {
    const char *under = getenv("FAIL_UNDER");
    return under && path && strstr(path, under) != NULL;
}

static int fails_here(void) {
    const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_ERRNO"), *report = getenv("FAIL_COUNT");
    char text[32];
    calls++;
    if (report) {
        int fd = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0) {
            int size = snprintf(text, sizeof text, "%d\n", calls);
            syscall(SYS_write, fd, text, size);
            syscall(SYS_close, fd);
        }
    }
    if (!at || atoi(at) != calls)
        return 0;
    errno = how ? atoi(how) : EIO;
    return 1;
}

static int fails_path(const char *path) { return counts(path) && fails_here(); }

static int fails_fd(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return fails_path(path);
}

#define REAL(type, name) static type (*real)() ; if (!real) real = (type (*)()) dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *raw, size_t size) { REAL(ssize_t, "write"); return fails_fd(fd) ? -1 : real(fd, raw, size); }
ssize_t pwrite(int fd, const void *raw, size_t size, off_t at) { REAL(ssize_t, "pwrite"); return fails_fd(fd) ? -1 : real(fd, raw, size, at); }
ssize_t pwrite64(int fd, const void *raw, size_t size, off_t at) { REAL(ssize_t, "pwrite64"); return fails_fd(fd) ? -1 : real(fd, raw, size, at); }
int fsync(int fd) { REAL(int, "fsync"); return fails_fd(fd) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(int, "fdatasync"); return fails_fd(fd) ? -1 : real(fd); }
int ftruncate(int fd, off_t size) { REAL(int, "ftruncate"); return fails_fd(fd) ? -1 : real(fd, size); }
int ftruncate64(int fd, off_t size) { REAL(int, "ftruncate64"); return fails_fd(fd) ? -1 : real(fd, size); }
int rename(const char *from, const char *to) { REAL(int, "rename"); return fails_path(to) ? -1 : real(from, to); }

static int mode_of(int flags, va_list rest) { return flags & O_CREAT ? va_arg(rest, int) : 0; }

#define OPENS(name) int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int mode = mode_of(flags, rest); va_end(rest); \
    REAL(int, #name); return fails_path(path) ? -1 : real(path, flags, mode); }
OPENS(open)
OPENS(open64)
