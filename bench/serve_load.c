/* serve_load.c -- asks a server over HTTP again and again: how many requests a second, how long they take, how many go wrong.
 *
 *   serve_load HOST PORT PATH BODY REQUESTS CONNECTIONS [RATE [HEADER]]
 *
 * BODY is a file, HEADER a line that goes with it. Without RATE every connection asks again as soon as it is answered. With it requests are due
 * so many times a second, whatever the server does, and the time of each counts from when it was due: a server that stalls is not spared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct Link {
    int fd;
    bool busy;
    double due;
    size_t sent, got;
    long body; /* bytes of the answer's body; -1: its header is not all there */
    size_t head;
    char in[65536];
} Link;

static char *request;
static size_t size;
static struct addrinfo *address;
static double *took;
static long done, wrong;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what)
{
    perror(what);
    exit(1);
}

static void connect_link(Link *l, int poll)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = l};

    l->fd = socket(address->ai_family, SOCK_STREAM, 0);
    if (l->fd < 0 || connect(l->fd, address->ai_addr, address->ai_addrlen) != 0)
        stop("connect");
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    fcntl(l->fd, F_SETFL, O_NONBLOCK);
    l->busy = false;
    if (epoll_ctl(poll, EPOLL_CTL_ADD, l->fd, &e) != 0)
        stop("epoll_ctl");
}

static void ask(Link *l, double due)
{
    ssize_t n = write(l->fd, request, size);

    l->busy = true;
    l->due = due;
    l->got = l->head = 0;
    l->body = -1;
    if (n != (ssize_t)size) /* a request is smaller than a socket's buffer */
        stop("write");
}

/* True: the answer is all there. */
static bool is_answered(Link *l)
{
    if (l->body < 0) {
        char *end, *length;

        l->in[l->got] = '\0';
        end = strstr(l->in, "\r\n\r\n");
        length = strcasestr(l->in, "\r\ncontent-length:");
        if (!end || !length)
            return false;
        l->body = atol(length + 17);
        l->head = (size_t)(end + 4 - l->in);
    }
    return l->got >= l->head + (size_t)l->body;
}

/* What came; true: an answer ended. */
static bool receive(Link *l, int poll)
{
    ssize_t n = read(l->fd, l->in + l->got, sizeof l->in - 1 - l->got);

    if (n <= 0) {
        if (n < 0 && errno == EAGAIN)
            return false;
        wrong += l->busy;
        done += l->busy;
        close(l->fd);
        connect_link(l, poll);
        return true;
    }
    l->got += (size_t)n;
    if (!is_answered(l))
        return false;
    wrong += strncmp(l->in, "HTTP/1.1 200", 12) != 0;
    took[done++] = now() - l->due;
    l->busy = false;
    return true;
}

static int smaller(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void make_request(char **argv, const char *header)
{
    FILE *f = fopen(argv[4], "rb");
    static char body[1 << 20];
    size_t n = f ? fread(body, 1, sizeof body, f) : 0;

    if (!f)
        stop(argv[4]);
    fclose(f);
    request = malloc(n + 4096);
    size = (size_t)sprintf(request, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s%s\r\n", argv[3],
                           argv[1], n, header, *header ? "\r\n" : "");
    memcpy(request + size, body, n);
    size += n;
}

static void run(Link *links, int n, int poll, long all, double rate)
{
    double start = now(), end;
    long asked = 0;
    struct epoll_event e[64];

    while (done < all) {
        double due, wait;
        int k;

        for (int i = 0; i < n && asked < all; i++) {
            due = rate > 0 ? start + (double)asked / rate : now();
            if (due > now())
                break;
            if (!links[i].busy) {
                ask(&links[i], due);
                asked++;
            }
        }
        wait = asked < all && rate > 0 ? start + (double)asked / rate - now() : 1;
        if (wait > 0) { /* asleep until the next is due, to the nanosecond: the server may have this core too */
            struct pollfd p = {.fd = poll, .events = POLLIN};

            ppoll(&p, 1, &(struct timespec){(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))}, NULL);
        }
        k = epoll_wait(poll, e, 64, 0);
        for (int i = 0; i < k; i++)
            receive(e[i].data.ptr, poll);
    }
    end = now();
    qsort(took, (size_t)done, sizeof *took, smaller);
    printf("%ld requests, %ld wrong, %.0f a second; ms: median %.3f, 99%% %.3f, 99.9%% %.3f, most %.3f\n", done, wrong,
           (double)done / (end - start), 1e3 * took[done / 2], 1e3 * took[(long)((double)done * 0.99)],
           1e3 * took[(long)((double)done * 0.999)], 1e3 * took[done - 1]);
}

int main(int argc, char **argv)
{
    int n, poll = epoll_create1(0);
    long all;
    Link *links;

    if (argc < 7) {
        fprintf(stderr, "serve_load HOST PORT PATH BODY REQUESTS CONNECTIONS [RATE [HEADER]]\n");
        return 2;
    }
    if (getaddrinfo(argv[1], argv[2], &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &address) != 0)
        stop(argv[1]);
    make_request(argv, argc > 8 ? argv[8] : "");
    all = atol(argv[5]);
    n = atoi(argv[6]);
    links = calloc((size_t)n, sizeof *links);
    took = calloc((size_t)all + 1, sizeof *took);
    for (int i = 0; i < n; i++)
        connect_link(&links[i], poll);
    run(links, n, poll, all, argc > 7 ? atof(argv[7]) : 0);
    return wrong != 0;
}
