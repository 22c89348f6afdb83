/*
 * Dates as people write them, for printf %T: "2024-02-29 06:07:08", "31 Jan 2024 3pm", "tomorrow
 * noon", "2 days ago", "next friday", "#1700000000".
 *
 * A date is read word by word into broken-down local time; what is not said stays as it is now.
 * Relative words apply after that, in the order written. As in ksh93 going by weeks, months or
 * years without the word `exact` ends at the start of that week, month or year.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "builtins/print.h"
#include "shell/base/cclass.h"

enum unit { UNIT_SECOND, UNIT_MINUTE, UNIT_HOUR, UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_YEAR };

struct reader {
    const char *at;
    struct tm tm;
    int64_t ns;     /* fraction of the second */
    bool has_time;  /* a time of day was said */
    bool day_start; /* without one it is midnight */
    bool has_zone;
    long zone_seconds; /* east of Greenwich */
    bool exact;
    bool has_day; /* a number was taken as the day of the month */
};

static const char month_names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
static const char day_names[] = "sunmontuewedthufrisat";

/* Index of the 3-letter name in NAMES that WORD begins with, -1 none. */
static int find_name(const char *names, const char *word, size_t len)
{
    if (len < 3)
        return -1;
    for (int i = 0; names[i * 3]; i++) {
        if (strncasecmp(names + i * 3, word, 3) == 0)
            return i;
    }
    return -1;
}

static int find_unit(const char *word, size_t len)
{
    static const struct {
        const char *name;
        size_t enough;
        enum unit unit;
    } units[] = {
        { "seconds", 3, UNIT_SECOND }, { "minutes", 3, UNIT_MINUTE }, { "hours", 2, UNIT_HOUR },
        { "days", 2, UNIT_DAY },       { "weeks", 2, UNIT_WEEK },     { "months", 3, UNIT_MONTH },
        { "years", 1, UNIT_YEAR },     { "hr", 2, UNIT_HOUR },        { "s", 1, UNIT_SECOND },
        { "h", 1, UNIT_HOUR },         { "d", 1, UNIT_DAY },          { "w", 1, UNIT_WEEK },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (len >= units[i].enough && len <= strlen(units[i].name) &&
            strncasecmp(units[i].name, word, len) == 0)
            return (int)units[i].unit;
    }
    return -1;
}

static bool is_word(const char *word, size_t len, const char *name)
{
    return len == strlen(name) && strncasecmp(word, name, len) == 0;
}

static void skip_blanks(struct reader *r)
{
    while (cclass_is(*r->at, CC_SPACE) || *r->at == ',')
        r->at++;
}

static size_t word_length(const char *at)
{
    size_t len = 0;
    while ((at[len] | 0x20) >= 'a' && (at[len] | 0x20) <= 'z')
        len++;
    return len;
}

static void set_time(struct reader *r, int hour, int minute, int second)
{
    r->tm.tm_hour = hour;
    r->tm.tm_min = minute;
    r->tm.tm_sec = second;
    r->ns = 0;
    r->has_time = true;
}

/* Moves by COUNT units. */
static void move(struct reader *r, int64_t count, enum unit unit)
{
    bool floor = !r->exact;
    int n = (int)count;
    switch (unit) {
    case UNIT_SECOND:
        r->tm.tm_sec += n;
        return;
    case UNIT_MINUTE:
        r->tm.tm_min += n;
        r->tm.tm_sec = floor ? 0 : r->tm.tm_sec;
        return;
    case UNIT_HOUR:
        r->tm.tm_hour += n;
        return;
    case UNIT_DAY:
        r->tm.tm_mday += n;
        return;
    case UNIT_WEEK:
        if (floor)
            r->tm.tm_mday -= (r->tm.tm_wday + 6) % 7;
        r->tm.tm_mday += 7 * n;
        break;
    case UNIT_MONTH:
        r->tm.tm_mon += n;
        if (floor)
            r->tm.tm_mday = 1;
        break;
    case UNIT_YEAR:
        r->tm.tm_year += n;
        if (floor) {
            r->tm.tm_mon = 0;
            r->tm.tm_mday = 1;
        }
        break;
    }
    r->day_start |= floor;
}

/* Brings the fields into their ranges and finds the day of the week. */
static void normalize(struct reader *r)
{
    r->tm.tm_isdst = -1;
    mktime(&r->tm);
}

/* hh:mm[:ss[.fraction]] after the hour, then am or pm. */
static bool read_clock(struct reader *r, long hour)
{
    char *end = NULL;
    long minute = 0, second = 0;
    int64_t ns = 0;
    if (*r->at == ':') {
        minute = strtol(r->at + 1, &end, 10);
        r->at = end;
        if (*r->at == ':') {
            second = strtol(r->at + 1, &end, 10);
            r->at = end;
            if (*r->at == '.' && cclass_is(r->at[1], CC_DIGIT)) {
                ns = (int64_t)(strtod(r->at, &end) * 1e9);
                r->at = end;
            }
        }
    }
    skip_blanks(r);
    size_t len = word_length(r->at);
    if (len == 2 && (r->at[1] | 0x20) == 'm' &&
        ((*r->at | 0x20) == 'a' || (*r->at | 0x20) == 'p')) {
        hour = hour % 12 + ((*r->at | 0x20) == 'p' ? 12 : 0);
        r->at += 2;
    }
    if (hour < 0 || hour > 24 || minute > 59 || second > 61)
        return false;
    set_time(r, (int)hour, (int)minute, (int)second);
    r->ns = ns;
    return true;
}

static bool set_date(struct reader *r, long year, long month, long day)
{
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    r->tm.tm_year = (int)(year - 1900);
    r->tm.tm_mon = (int)month - 1;
    r->tm.tm_mday = (int)day;
    r->has_day = true;
    return true;
}

/* Digits without separators: yyyymmdd[hhmm[ss]]. */
static bool read_compact(struct reader *r, const char *digits, size_t len)
{
    int64_t n;
    if (!num_parse_int(digits, len, &n))
        return false;
    if (len == 14) {
        long second = (long)(n % 100);
        n /= 100;
        set_time(r, (int)(n / 100 % 100), (int)(n % 100), (int)second);
        n /= 10000;
    } else if (len == 12) {
        set_time(r, (int)(n / 100 % 100), (int)(n % 100), 0);
        n /= 10000;
    }
    return set_date(r, (long)(n / 10000), (long)(n / 100 % 100), (long)(n % 100));
}

/* y-m-d, y/m/d or m/d/y after the first number and separator. */
static bool read_date(struct reader *r, long first, bool first_is_year)
{
    char separator = *r->at;
    char *end;
    long second = strtol(r->at + 1, &end, 10);
    bool three = *end == separator && cclass_is(end[1], CC_DIGIT);
    long third = three ? strtol(end + 1, &end, 10) : 1;
    r->at = end;
    if ((*r->at | 0x20) == 't' && cclass_is(r->at[1], CC_DIGIT))
        r->at++;
    if (first_is_year)
        return set_date(r, first, second, third);
    if (!three)
        third = r->tm.tm_year + 1900;
    return set_date(r,
                    third < 70    ? third + 2000
                    : third < 100 ? third + 1900
                                  : third,
                    first, second);
}

/* +hh:mm -hhmm after a time of day; Z, UTC, GMT. */
static bool read_zone(struct reader *r)
{
    int sign = *r->at == '-' ? -1 : 1;
    char *end;
    long n = strtol(r->at + 1, &end, 10);
    if (end - r->at < 3)
        return false;
    if (*end == ':')
        n = n * 100 + strtol(end + 1, &end, 10);
    else if (end - r->at == 3)
        n *= 100;
    r->at = end;
    r->has_zone = true;
    r->zone_seconds = sign * (n / 100 * 3600 + n % 100 * 60);
    return true;
}

/* N unit [unit of its own later] [ago] ; N is read. */
static bool read_relative(struct reader *r, int64_t count)
{
    skip_blanks(r);
    size_t len = word_length(r->at);
    int unit = find_unit(r->at, len);
    if (unit < 0)
        return false;
    r->at += len;
    /* `ago` at the end turns all that came before it around. */
    for (const char *ahead = r->at; *ahead; ahead++) {
        if (strncasecmp(ahead, "ago", 3) == 0 && word_length(ahead) == 3 && count > 0)
            count = -count;
    }
    normalize(r);
    move(r, count, (enum unit)unit);
    return true;
}

static bool read_number(struct reader *r)
{
    const char *start = r->at;
    size_t len = strspn(start, "0123456789");
    long n = strtol(start, NULL, 10);
    r->at += len;
    if (*r->at == ':')
        return read_clock(r, n);
    if ((*r->at == '-' || *r->at == '/') && cclass_is(r->at[1], CC_DIGIT))
        return read_date(r, n, len > 2 || *r->at == '-');
    if (len == 8 || len == 12 || len == 14)
        return read_compact(r, start, len);
    const char *after = r->at;
    skip_blanks(r);
    size_t word = word_length(r->at);
    if (word == 2 && (r->at[1] | 0x20) == 'm' && find_unit(r->at, word) < 0)
        return read_clock(r, n);
    if (word == 2 && after == r->at && strchr("snrt", *r->at | 0x20) && find_unit(r->at, word) < 0)
        r->at += word; /* 1st 2nd 3rd 4th */
    else if (word > 0 && find_unit(r->at, word) >= 0 && find_name(month_names, r->at, word) < 0)
        return read_relative(r, n);
    if (len == 4 || r->has_day) {
        r->tm.tm_year = (int)n - 1900;
        return len == 4;
    }
    if (n < 1 || n > 31)
        return false;
    r->tm.tm_mday = (int)n;
    r->has_day = true;
    return true;
}

/* The COUNT-th DAY of the week from now; 0: today or the first one to come. */
static void go_to_weekday(struct reader *r, int day, int count)
{
    normalize(r);
    int ahead = (day - r->tm.tm_wday + 7) % 7;
    if (count > 0)
        ahead += ahead == 0 ? 7 * count : 7 * (count - 1);
    else if (count < 0)
        ahead -= 7;
    r->tm.tm_mday += ahead;
    r->day_start = true;
}

/* next, last, this UNIT or WEEKDAY. */
static bool read_step(struct reader *r, int count)
{
    skip_blanks(r);
    size_t len = word_length(r->at);
    int day = find_name(day_names, r->at, len);
    int unit = find_unit(r->at, len);
    if (day >= 0 && unit < 0) {
        r->at += len;
        go_to_weekday(r, day, count);
        return true;
    }
    if (unit < 0)
        return false;
    r->at += len;
    normalize(r);
    move(r, count, (enum unit)unit);
    return true;
}

static bool read_word(struct reader *r)
{
    const char *word = r->at;
    size_t len = word_length(word);
    r->at += len;
    static const struct {
        const char *name;
        int days;
    } days[] = { { "today", 0 }, { "tomorrow", 1 }, { "yesterday", -1 } };
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        if (is_word(word, len, days[i].name)) {
            r->tm.tm_mday += days[i].days;
            r->day_start = true;
            return true;
        }
    }
    if (is_word(word, len, "next"))
        return read_step(r, 1);
    if (is_word(word, len, "last"))
        return read_step(r, -1);
    if (is_word(word, len, "this"))
        return read_step(r, 0);
    if (is_word(word, len, "noon") || is_word(word, len, "midnight")) {
        set_time(r, len == 4 ? 12 : 0, 0, 0);
        return true;
    }
    if (is_word(word, len, "z") || is_word(word, len, "utc") || is_word(word, len, "gmt")) {
        r->has_zone = true;
        return true;
    }
    if (is_word(word, len, "exact")) {
        r->exact = true;
        return true;
    }
    if (is_word(word, len, "now") || is_word(word, len, "at") || is_word(word, len, "on") ||
        is_word(word, len, "in") || is_word(word, len, "ago") || is_word(word, len, "and") ||
        is_word(word, len, "t"))
        return true;
    int month = find_name(month_names, word, len);
    if (month >= 0) {
        r->tm.tm_mon = month;
        return true;
    }
    int day = find_name(day_names, word, len);
    if (day < 0)
        return false;
    if (!r->has_day)
        go_to_weekday(r, day, 0);
    return true;
}

/* #seconds[.fraction] */
static bool read_seconds(const char *text, int64_t *ret_ns)
{
    char *end;
    long double seconds = strtold(text, &end);
    if (end == text || *end || !(seconds > -9e9L && seconds < 9e9L))
        return false;
    *ret_ns = (int64_t)(seconds * 1e9L);
    return true;
}

bool time_parse(const char *date, int64_t now_ns, int64_t *ret_ns)
{
    struct reader r = { .at = date };
    time_t now = (time_t)(now_ns / 1000000000);
    r.ns = now_ns % 1000000000;
    if (!localtime_r(&now, &r.tm))
        return false;
    bool exact = strcasestr(date, "exact") != NULL;
    r.exact = exact;
    while (cclass_is(*r.at, CC_SPACE))
        r.at++;
    if (*r.at == '#')
        return read_seconds(r.at + 1, ret_ns);
    for (skip_blanks(&r); *r.at; skip_blanks(&r)) {
        bool ok;
        if (cclass_is(*r.at, CC_DIGIT)) {
            ok = read_number(&r);
        } else if (*r.at == '+' || *r.at == '-') {
            int64_t sign = *r.at == '-' ? -1 : 1;
            const char *digits = r.at + 1 + strspn(r.at + 1, " \t");
            size_t len = strspn(digits, "0123456789");
            if (r.has_time && r.at + 1 == digits && len >= 2 && word_length(digits + len) == 0) {
                ok = read_zone(&r);
            } else {
                r.at = digits + len;
                r.exact = true;
                ok = len > 0 && read_relative(&r, sign * strtol(digits, NULL, 10));
                r.exact = exact;
            }
        } else {
            ok = word_length(r.at) > 0 && read_word(&r);
        }
        if (!ok)
            return false;
    }
    if (r.day_start && !r.has_time)
        set_time(&r, 0, 0, 0);
    r.tm.tm_isdst = -1;
    time_t seconds = r.has_zone ? timegm(&r.tm) - r.zone_seconds : mktime(&r.tm);
    *ret_ns = (int64_t)seconds * 1000000000 + r.ns;
    return true;
}
