/* The system's databases: users, hosts and services. */
#ifndef SHELL_BASE_LOOKUP_H
#define SHELL_BASE_LOOKUP_H

#include <sys/socket.h>
#include <sys/types.h>

#include "shell/base/str.h"

enum { LOOKUP_ADDRESSES = 16 };

struct lookup_address {
    struct sockaddr_storage address;
    socklen_t len;
};

/* Appends the home directory of the user NAME to RET; false: there is no such user, or no memory.
 */
bool lookup_home(const char *name, struct str *ret);
/* The same for the user UID. */
bool lookup_home_of(uid_t uid, struct str *ret);
/* Calls VISIT with the name of each user, borrowed for the call; WORK says where to put the list
 * meanwhile. */
void lookup_users(struct mem_region *work, void (*visit)(void *arg, const char *name), void *arg);
/* Puts the addresses of SERVICE (a name or a number) at HOST (a name or an address) for sockets of
 * TYPE into RET, best first. NULL, or the reason why there are none; WORK as above. */
const char *lookup_socket(const char *host, const char *service, int type, struct mem_region *work,
                          struct lookup_address ret[LOOKUP_ADDRESSES], size_t *ret_count);

#endif
