/* The floor of a client's cost: sends a request and receives the reply, over and over, on sockets that are
 * logged in already. Nothing is parsed, chosen or recorded.
 *
 *     floor SECONDS REQUEST_BYTES REPLY_BYTES DESCRIPTOR... < REQUESTS
 *
 * REQUESTS has a request for each descriptor, one after the other: they differ in the number of a prepared
 * statement. Prints the number of replies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 65536, EVENTS = 256, SOCKETS = 65536 };

struct session {
    char *request;
    long missing;
};

static void end(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    static char buffer[BUFFER];
    static struct epoll_event events[EVENTS];
    static struct session sessions[SOCKETS];
    if (count < 5) {
        fprintf(stderr, "usage: floor SECONDS REQUEST_BYTES REPLY_BYTES DESCRIPTOR... < REQUESTS\n");
        return 2;
    }
    double until = now() + atof(arguments[1]);
    ssize_t length = atol(arguments[2]);
    long reply = atol(arguments[3]);
    int epoll = epoll_create1(0);
    for (int index = 4; index < count; index++) {
        int socket = atoi(arguments[index]);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
        struct session *session = &sessions[socket];
        session->request = malloc((size_t)length);
        session->missing = reply;
        if (read(0, session->request, (size_t)length) != length) end("request");
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event)) end("epoll_ctl");
        if (send(socket, session->request, (size_t)length, 0) != length) end("send");
    }
    long replies = 0;
    /* The clock is read once for each round, as a load generator does at least. */
    while (now() < until) {
        int ready = epoll_wait(epoll, events, EVENTS, 100);
        if (ready < 0) end("epoll_wait");
        for (int index = 0; index < ready; index++) {
            int socket = events[index].data.fd;
            struct session *session = &sessions[socket];
            ssize_t got = recv(socket, buffer, sizeof buffer, 0);
            if (got <= 0) end("recv");
            if ((session->missing -= got) > 0) continue;
            session->missing = reply;
            replies++;
            if (send(socket, session->request, (size_t)length, 0) != length) end("send");
        }
    }
    printf("replies %ld\n", replies);
    return 0;
}
