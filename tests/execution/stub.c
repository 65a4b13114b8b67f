/* One program under many names, for the sandbox of the execution tests.
 *
 * As `runner ROOT WORKER FIRST LAST` it enters namespaces of its own (user, mount, network, processes), makes
 * ROOT its root folder, and runs the commands /cases/FIRST to /cases/LAST-1 with bash, one after the other.
 * Under any other name it is a stub: it adds its arguments to the log, and does nothing else, unless there is a
 * program of that name in /real, which it then becomes, or the name is that of a wrapper that it plays itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG "/w/log"
#define SIZE 65536
#define SECONDS 2

static const char *const PLAYED[] = {"sudo", "doas", "busybox", "stdbuf", "ionice", NULL};

static const char *const FRESH[] = {"/w/d", "/w/home", "/w/tmp", NULL}; /* folders that each command gets anew */

static void log_call(const char *name, int argc, char **argv)
{
    char text[SIZE];
    size_t at = 0;
    int file = open(LOG, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        _exit(111);
    for (int i = 0; i < argc; i++) {
        const char *word = i == 0 ? name : argv[i];
        size_t length = strlen(word) + 1;
        if (at + length + 2 > SIZE)
            break;
        memcpy(text + at, word, length);
        at += length;
    }
    text[at++] = '\n'; /* a word of its own cannot be told from this mark: NUL, newline, NUL */
    text[at++] = '\0';
    if (write(file, text, at) != (ssize_t)at)
        _exit(111);
    close(file);
}

static int play_wrapper(const char *name, char **argv)
{
    int at = 1, sets = !strcmp(name, "sudo") || !strcmp(name, "doas");
    while (argv[at] && (argv[at][0] == '-' || (sets && strchr(argv[at], '=')))) {
        int takes = !strcmp(argv[at], "-u") || !strcmp(argv[at], "-g") || !strcmp(argv[at], "-c");
        if (!strcmp(argv[at], "--")) {
            at++;
            break;
        }
        if (argv[at][0] != '-')
            putenv(argv[at]);
        at += takes && argv[at + 1] ? 2 : 1;
    }
    if (!argv[at])
        return 0;
    execvp(argv[at], argv + at);
    return 127;
}

static int stub(int argc, char **argv)
{
    const char *path = (const char *)getauxval(AT_EXECFN);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char real[512];
    signal(SIGPIPE, SIG_DFL);
    log_call(name, argc, argv);
    for (int i = 0; PLAYED[i]; i++)
        if (!strcmp(name, PLAYED[i]))
            return play_wrapper(name, argv);
    snprintf(real, sizeof real, "/real/%s", name);
    execv(real, argv);
    return 0;
}

static void put(const char *path, const char *text)
{
    int file = open(path, O_WRONLY);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        fprintf(stderr, "cannot write %s\n", path);
    if (file >= 0)
        close(file);
}

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(70);
}

static void enter(const char *root, const char *worker)
{
    char text[4096], place[4096];
    unsigned uid = getuid(), gid = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS))
        fail("unshare");
    put("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "0 %u 1", uid);
    put("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "0 %u 1", gid);
    put("/proc/self/gid_map", text);
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        fail("mount");
    snprintf(text, sizeof text, "%s/workers/%s", root, worker);
    snprintf(place, sizeof place, "%s/w", root);
    if (mount(text, place, NULL, MS_BIND, NULL))
        fail("bind");
    snprintf(place, sizeof place, "%s/dev/null", root);
    if (mount("/dev/null", place, NULL, MS_BIND, NULL))
        fail("bind /dev/null");
    pid_t child = fork(); /* the first process of the new namespace: every orphan becomes its child */
    if (child < 0)
        fail("fork");
    if (child > 0) {
        int status;
        waitpid(child, &status, 0);
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 71);
    }
    if (chroot(root) || chdir("/"))
        fail("chroot");
    if (mount("proc", "/proc", "proc", 0, NULL))
        fprintf(stderr, "no /proc: process substitutions will not run\n");
}

static void limit(int what, rlim_t most)
{
    struct rlimit value = {most, most};
    setrlimit(what, &value);
}

static void become(int number)
{
    static char text[SIZE * 2];
    char path[64];
    snprintf(path, sizeof path, "/cases/%d", number);
    int file = open(path, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    int null = open("/dev/null", O_RDWR);
    if (size < 0 || null < 0 || chdir("/w/d"))
        _exit(112);
    text[size] = 0;
    close(file);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    if (null > 2)
        close(null);
    setsid();
    limit(RLIMIT_CPU, SECONDS);
    limit(RLIMIT_FSIZE, 1 << 20);
    limit(RLIMIT_NPROC, 4096);
    limit(RLIMIT_CORE, 0);
    char *argv[] = {"bash", "-c", text, NULL};
    char *env[] = {"PATH=/bin", "HOME=/home/u", "USER=u", "LC_ALL=C.UTF-8", "TERM=dumb", NULL};
    execve("/real/bash", argv, env);
    _exit(113);
}

static void run_case(int number)
{
    char place[64];
    struct timespec start, now, pause = {0, 500000};
    for (int i = 0; FRESH[i]; i++)
        mkdir(FRESH[i], 0700);
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0)
        become(number);
    for (;;) { /* until no process is left, or the time is over */
        pid_t gone = waitpid(-1, NULL, WNOHANG);
        if (gone < 0)
            break;
        if (gone > 0)
            continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec > SECONDS) {
            kill(-1, SIGKILL);
            while (waitpid(-1, NULL, 0) > 0)
                ;
            snprintf(place, sizeof place, "/w/logs/%d.late", number);
            close(open(place, O_WRONLY | O_CREAT, 0600));
            break;
        }
        nanosleep(&pause, NULL);
    }
    snprintf(place, sizeof place, "/w/logs/%d", number);
    rename(LOG, place);
    for (int i = 0; FRESH[i]; i++) {
        snprintf(place, sizeof place, "/w/old/%d-%d", number, i);
        rename(FRESH[i], place);
    }
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    if (argc != 5 || strcmp(name ? name + 1 : argv[0], "runner"))
        return stub(argc, argv);
    enter(argv[1], argv[2]);
    signal(SIGPIPE, SIG_DFL);
    for (int number = atoi(argv[3]); number < atoi(argv[4]); number++)
        run_case(number);
    return 0;
}
