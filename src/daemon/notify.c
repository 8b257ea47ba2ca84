/* daemon/notify.c - telling systemd how we are.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "daemon/notify.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify(const char *path, const char *state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = path ? strlen(path) : 0;
    if (size < 2 || size >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@') /* the abstract name space */
        address.sun_path[0] = 0;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    /* Nothing depends on it. */
    if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, length) < 0) {
    }
    close(fd);
}
