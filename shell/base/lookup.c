/*
 * The system's databases: users, hosts and services.
 *
 * The C library would load modules for them, and a program that is linked statically must not load
 * anything: it would have to be rebuilt whenever the library is replaced. So what /etc/passwd does
 * not answer, and no number spells out, is asked of getent(1), which knows all that the system
 * does. Such questions are rare in scripts, and the answer costs no more than another command.
 *
 * Nothing is kept from one call to the next.
 */
#include "shell/base/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"

extern char **environ;

/* Appends all that FD gives. */
static void read_rest(int fd, struct str *ret)
{
    char buffer[4096];
    ssize_t got;
    while ((got = sys_read(fd, buffer, sizeof buffer)) != 0) {
        if (got > 0)
            str_append(ret, buffer, (size_t)got);
        else if (errno != EINTR)
            return;
    }
}

/* Appends what `getent DATABASE [KEY]` prints. */
static void ask_getent(const char *database, const char *key, struct str *ret)
{
    const char *words[] = { "getent", "--", database, key, NULL };
    char *const *argv = (char *const *)words;
    posix_spawn_file_actions_t actions;
    int fds[2];
    pid_t pid;

    if (sys_pipe(fds) < 0)
        return;
    (void)posix_spawn_file_actions_init(&actions);
    int error = posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* From its usual place first: PATH may lead elsewhere. */
    if (!error && posix_spawn(&pid, "/usr/bin/getent", &actions, NULL, argv, environ) != 0)
        error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    if (!error)
        read_rest(fds[0], ret);
    close(fds[0]);
    while (!error && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* ---- users ---- */

enum passwd_field { PASSWD_NAME, PASSWD_UID = 2, PASSWD_HOME = 5 };

/* Field INDEX of the entry at LINE, which ends with its newline or with the text. */
static const char *passwd_field(const char *line, enum passwd_field index, size_t *ret_len)
{
    for (unsigned skip = index; skip > 0; skip--) {
        line += strcspn(line, ":\n");
        if (*line != ':')
            break;
        line++;
    }
    *ret_len = strcspn(line, ":\n");
    return line;
}

/* Appends the home of the entry whose field INDEX is KEY; false: TEXT has none. */
static bool passwd_search(const struct str *text, enum passwd_field index, const char *key,
                          struct str *ret)
{
    size_t key_len = strlen(key), len;
    for (const char *line = str_text(text); *line;) {
        const char *field = passwd_field(line, index, &len);
        if (text_eq(field, len, key, key_len)) {
            field = passwd_field(line, PASSWD_HOME, &len);
            str_append(ret, field, len);
            return str_ok(ret);
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return false;
}

static void passwd_read(struct str *ret)
{
    int fd = sys_open("/etc/passwd", O_RDONLY, 0);
    if (fd < 0)
        return;
    read_rest(fd, ret);
    close(fd);
}

static bool passwd_find(enum passwd_field index, const char *key, struct str *ret)
{
    struct str text;
    str_init(&text, ret->region);
    passwd_read(&text);
    bool found = passwd_search(&text, index, key, ret);
    if (!found) {
        str_clear(&text);
        ask_getent("passwd", key, &text);
        found = passwd_search(&text, index, key, ret);
    }
    str_release(&text);
    return found;
}

bool lookup_home(const char *name, struct str *ret)
{
    return *name && passwd_find(PASSWD_NAME, name, ret);
}

bool lookup_home_of(uid_t uid, struct str *ret)
{
    char text[16];
    snprintf(text, sizeof text, "%lu", (unsigned long)uid);
    return passwd_find(PASSWD_UID, text, ret);
}

void lookup_users(struct mem_region *work, void (*visit)(void *arg, const char *name), void *arg)
{
    struct str text;
    str_init(&text, work);
    ask_getent("passwd", NULL, &text);
    if (text.len == 0)
        passwd_read(&text);
    for (char *line = text.data; line && *line;) {
        size_t len, all = strcspn(line, "\n");
        char *next = line + all + (line[all] == '\n');
        (void)passwd_field(line, PASSWD_NAME, &len);
        line[len] = '\0';
        if (len > 0)
            visit(arg, line);
        line = next;
    }
    str_release(&text);
}

/* ---- hosts and services ---- */

/* SERVICE as a port; false: there is no such one. */
static bool find_port(const char *service, int type, struct mem_region *work, in_port_t *ret)
{
    char *end;
    unsigned long port = strtoul(service, &end, 10);
    if (*service >= '0' && *service <= '9' && *end == '\0') {
        *ret = htons((in_port_t)port);
        return port <= 65535;
    }
    /* `http  80/tcp www`: each protocol is asked for by itself. */
    struct str key, text;
    str_init(&key, work);
    str_init(&text, work);
    str_printf(&key, "%s/%s", service, type == SOCK_STREAM ? "tcp" : "udp");
    ask_getent("services", str_text(&key), &text);
    const char *number = str_text(&text);
    number += strcspn(number, " \t\n");
    port = strtoul(number, &end, 10);
    bool found = *end == '/' && port > 0 && port <= 65535;
    if (found)
        *ret = htons((in_port_t)port);
    str_release(&key);
    str_release(&text);
    return found;
}

/* TEXT, which may end in `%interface`, as an address with PORT. */
static bool parse_address(const char *text, in_port_t port, struct lookup_address *ret)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&ret->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&ret->address;
    char plain[INET6_ADDRSTRLEN];
    size_t len = strcspn(text, "%");

    memset(&ret->address, 0, sizeof ret->address);
    if (inet_aton(text, &four->sin_addr)) {
        four->sin_family = AF_INET;
        four->sin_port = port;
        ret->len = sizeof *four;
        return true;
    }
    if (len >= sizeof plain)
        return false;
    memcpy(plain, text, len);
    plain[len] = '\0';
    if (inet_pton(AF_INET6, plain, &six->sin6_addr) != 1)
        return false;
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
    six->sin6_scope_id = text[len] == '%' ? if_nametoindex(text + len + 1) : 0;
    ret->len = sizeof *six;
    return true;
}

/* The lines of `getent ahosts`: an address, blanks, the type of socket, perhaps the name. */
static size_t parse_hosts(struct str *text, const char *type, in_port_t port,
                          struct lookup_address ret[LOOKUP_ADDRESSES])
{
    size_t count = 0;
    for (char *line = text->data; line && *line && count < LOOKUP_ADDRESSES;) {
        size_t all = strcspn(line, "\n"), len = strcspn(line, " \t\n");
        char *next = line + all + (line[all] == '\n'), *kind = line + len;
        kind += strspn(kind, " \t");
        line[len] = '\0';
        if (strncmp(kind, type, strlen(type)) == 0 && parse_address(line, port, &ret[count]))
            count++;
        line = next;
    }
    return count;
}

const char *lookup_socket(const char *host, const char *service, int type, struct mem_region *work,
                          struct lookup_address ret[LOOKUP_ADDRESSES], size_t *ret_count)
{
    in_port_t port;
    if (!find_port(service, type, work, &port))
        return "unknown service";
    *ret_count = 1;
    if (parse_address(host, port, ret))
        return NULL;
    struct str text;
    str_init(&text, work);
    ask_getent("ahosts", host, &text);
    *ret_count = parse_hosts(&text, type == SOCK_STREAM ? "STREAM" : "DGRAM", port, ret);
    str_release(&text);
    return *ret_count ? NULL : "unknown host";
}
