/*
 * linked.c: what a program outside of this project does with libmem, for tests/memory/link.
 *
 * Usage: linked. Uses malloc and a region of its own, from two threads and after a fork, and says
 * whose blocks they are. Knows nothing but the installed header.
 */
#include <libmem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *arg)
{
    char *block = malloc(1000);

    memset(block, 1, 1000);
    *(char **)arg = block;
    free(malloc(50000));
    return NULL;
}

static const char *owner(const void *block)
{
    const struct mem_region *region = mem_region_of(block);

    return region ? mem_region_name(region) : "nobody";
}

int main(void)
{
    struct mem_region *region = mem_region_open("mine", MEM_BEST, 0);
    char *heap = strdup("text"), *own = mem_alloc(region, 100), *other = NULL;
    pthread_t thread;
    int status = 1;

    own = mem_resize(region, own, 300000);
    memset(own, 1, 300000);
    if (pthread_create(&thread, NULL, work, &other) || pthread_join(thread, NULL))
        return 1;
    printf("%s %s %s %s\n", owner(heap), owner(own), owner(other), owner(&status));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        free(heap);
        _exit(malloc(100000) == NULL);
    }
    waitpid(pid, &status, 0);
    free(other);
    mem_free_sized(region, own, 300000);
    printf("%d %zu\n", status, mem_check(NULL));
    mem_region_close(region);
    free(heap);
    return 0;
}
