#pragma once

// How Linux tells of its links and routes: rtnetlink(7). Swift's overlay lacks the structures of its sockets.

#ifdef __linux__
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

/// A socket with these flags that is told of these groups of changes, or a negative errno.
static inline int larder_netlink_open(int flags, unsigned int groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    return descriptor;
}

/// A socket that hears of every change of a link, an address or a route and never blocks, or a negative errno.
static inline int larder_netlink_listen(void) {
    return larder_netlink_open(
        SOCK_NONBLOCK,
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE);
}

/// A socket for questions, on which receiving blocks for a second at most, or a negative errno.
static inline int larder_netlink_ask(void) {
    int descriptor = larder_netlink_open(0, 0);
    if (descriptor < 0) return descriptor;
    struct timeval limit = {.tv_sec = 1, .tv_usec = 0};
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    return descriptor;
}

/// Asks for everything of one kind, marked with `sequence`; 0, or a negative errno.
static inline int larder_netlink_dump(
    int descriptor, unsigned short type, unsigned char family, unsigned int sequence) {
    struct {
        struct nlmsghdr header;
        struct rtmsg body;
        // The kernel takes a request for links only with room for their longer body.
        unsigned char rest[sizeof(struct ifinfomsg) - sizeof(struct rtmsg)];
    } request;
    struct sockaddr_nl kernel;
    memset(&request, 0, sizeof request);
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    request.header.nlmsg_len =
        NLMSG_LENGTH(type == RTM_GETLINK ? sizeof(struct ifinfomsg) : sizeof(struct rtmsg));
    request.header.nlmsg_type = type;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = sequence;
    request.body.rtm_family = family;
    ssize_t sent = sendto(
        descriptor, &request, request.header.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel);
    return sent < 0 ? -errno : 0;
}

/// Receives one datagram of the kernel's; its length, 0 for one of anybody else's, or a negative errno.
///
/// A datagram that does not fit is -EMSGSIZE.
static inline long larder_netlink_receive(int descriptor, void *buffer, unsigned long size) {
    struct sockaddr_nl sender;
    struct iovec room = {.iov_base = buffer, .iov_len = size};
    struct msghdr message;
    memset(&sender, 0, sizeof sender);
    memset(&message, 0, sizeof message);
    message.msg_name = &sender;
    message.msg_namelen = sizeof sender;
    message.msg_iov = &room;
    message.msg_iovlen = 1;
    ssize_t length;
    do length = recvmsg(descriptor, &message, 0);
    while (length < 0 && errno == EINTR);
    if (length < 0) return -(long)errno;
    if (message.msg_flags & MSG_TRUNC) return -(long)EMSGSIZE;
    return sender.nl_pid == 0 ? (long)length : 0;
}

/// Closes a socket of these.
static inline void larder_netlink_close(int descriptor) { close(descriptor); }
#endif
