/* Users, hosts and services: what files and numbers tell, and what getent(1) is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <pwd.h>

#include "shell/base/lookup.h"

static void test_home(void **state)
{
    (void)state;
    struct str home;
    str_init(&home, mem_region_malloc());
    const struct passwd *root = getpwnam("root");
    assert_non_null(root);
    str_append_z(&home, "before:");
    assert_true(lookup_home("root", &home));
    assert_string_equal(str_text(&home) + 7, root->pw_dir);
    str_clear(&home);
    assert_true(lookup_home_of(0, &home));
    assert_string_equal(str_text(&home), root->pw_dir);
    str_clear(&home);
    assert_false(lookup_home("no-such-user-here", &home));
    assert_false(lookup_home("", &home));
    assert_false(lookup_home("-h", &home));
    assert_false(lookup_home("root:x", &home));
    assert_false(lookup_home_of(3999999999u, &home));
    assert_int_equal(home.len, 0);
    str_release(&home);
}

static void count_user(void *arg, const char *name)
{
    size_t *count = arg;
    count[0]++;
    count[1] += strcmp(name, "root") == 0;
}

static void test_users(void **state)
{
    (void)state;
    size_t count[2] = { 0, 0 }, want = 0;
    lookup_users(mem_region_malloc(), count_user, count);
    setpwent();
    while (getpwent())
        want++;
    endpwent();
    assert_int_equal(count[0], want);
    assert_int_equal(count[1], 1);
}

static const char *find(const char *host, const char *service, int type,
                        struct lookup_address ret[LOOKUP_ADDRESSES], size_t *ret_count)
{
    return lookup_socket(host, service, type, mem_region_malloc(), ret, ret_count);
}

static void test_numbers(void **state)
{
    (void)state;
    struct lookup_address found[LOOKUP_ADDRESSES];
    struct sockaddr_in *four = (struct sockaddr_in *)&found[0].address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&found[0].address;
    size_t count;
    assert_null(find("127.0.0.1", "65535", SOCK_STREAM, found, &count));
    assert_int_equal(count, 1);
    assert_int_equal(found[0].len, sizeof *four);
    assert_int_equal(four->sin_family, AF_INET);
    assert_int_equal(ntohs(four->sin_port), 65535);
    assert_int_equal(ntohl(four->sin_addr.s_addr), 0x7f000001);
    assert_null(find("::1", "9", SOCK_DGRAM, found, &count));
    assert_int_equal(count, 1);
    assert_int_equal(six->sin6_family, AF_INET6);
    assert_int_equal(ntohs(six->sin6_port), 9);
    assert_memory_equal(&six->sin6_addr, &in6addr_loopback, sizeof in6addr_loopback);
    assert_string_equal(find("127.0.0.1", "65536", SOCK_STREAM, found, &count), "unknown service");
    assert_string_equal(find("127.0.0.1", "no-such-service", SOCK_STREAM, found, &count),
                        "unknown service");
}

static void test_names(void **state)
{
    (void)state;
    struct lookup_address found[LOOKUP_ADDRESSES];
    size_t count;
    assert_null(find("localhost", "1", SOCK_STREAM, found, &count));
    assert_true(count >= 1);
    assert_string_equal(find("no such host", "1", SOCK_STREAM, found, &count), "unknown host");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_home),
        cmocka_unit_test(test_users),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
