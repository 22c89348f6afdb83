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
    bool has_day;   /* a number was taken as the day of the month */
    bool has_year;  /* a whole date was said */
    bool has_month; /* a month was named */
    int nth;        /* third friday in ...: 3, with NTH_DAY; LAST_OF_MONTH: the last; 0: none */
    bool nth_in;    /* ... and the month was said */
    int nth_day;    /* the day of the week; ANY_DAY: a day of the month */
};

enum { LAST_OF_MONTH = -1, ANY_DAY = 7 };

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
    } else if (len == 1 && strchr("aApP", *r->at) && strncasecmp(r->at + 1, ".m.", 3) == 0) {
        hour = hour % 12 + ((*r->at | 0x20) == 'p' ? 12 : 0);
        r->at += 4;
    }
    if (hour < 0 || hour > 24 || minute > 59 || second > 61)
        return false;
    set_time(r, (int)hour, (int)minute, (int)second);
    r->ns = ns;
    return true;
}

/* A year as written: with two digits it is one near us. */
static long full_year(long year)
{
    return year < 70 ? year + 2000 : year < 100 ? year + 1900 : year;
}

static bool set_date(struct reader *r, long year, long month, long day)
{
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    r->tm.tm_year = (int)(year - 1900);
    r->tm.tm_mon = (int)month - 1;
    r->tm.tm_mday = (int)day;
    r->has_day = r->has_year = true;
    return true;
}

/* hhmm[ss] in the digits of N. */
static bool set_compact_time(struct reader *r, long n, size_t len)
{
    long second = len == 6 ? n % 100 : 0;
    n = len == 6 ? n / 100 : n;
    if (n / 100 > 24 || n % 100 > 59 || second > 61)
        return false;
    set_time(r, (int)(n / 100), (int)(n % 100), (int)second);
    return true;
}

/* Digits without separators: yyyymmdd[hhmm[ss]], yyyymmddThhmm[ss], yyyymmddhhmm.ss. */
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
    if (!set_date(r, (long)(n / 10000), (long)(n / 100 % 100), (long)(n % 100)))
        return false;
    size_t more = strspn(r->at + 1, "0123456789");
    if (len == 12 && *r->at == '.' && more == 2) {
        r->tm.tm_sec = (int)strtol(r->at + 1, NULL, 10);
        r->at += 3;
    } else if (len == 8 && (*r->at | 0x20) == 't' && (more == 4 || more == 6)) {
        r->at += 1 + more;
        return set_compact_time(r, strtol(r->at - more, NULL, 10), more);
    }
    return true;
}

/* Y-Www[-d], YWww[d]: the day of a week of the year, Monday when it is not said; at the W. */
static bool read_week(struct reader *r, long year)
{
    size_t digits = strspn(r->at + 1, "0123456789");
    long week = 0, day = 1;
    size_t width = digits < 2 ? digits : 2;
    for (r->at++; width > 0; width--, digits--)
        week = 10 * week + *r->at++ - '0';
    bool dash = *r->at == '-' && cclass_is(r->at[1], CC_DIGIT);
    if (dash || digits)
        day = strtol(r->at + dash, (char **)&r->at, 10);
    if (week < 1 || week > 53 || day < 1 || day > 7 || !set_date(r, year, 1, 4))
        return false;
    normalize(r); /* the 4th of January is in the first week */
    r->tm.tm_mday += (int)(7 * (week - 1) + day - 1) - (r->tm.tm_wday + 6) % 7;
    return true;
}

/* Y-ddd: the day of the year; at the digits. */
static bool read_year_day(struct reader *r, long year)
{
    char *end;
    long day = strtol(r->at, &end, 10);
    r->at = end;
    if (day < 1 || day > 366 || !set_date(r, year, 1, 1))
        return false;
    r->tm.tm_mday = (int)day;
    return true;
}

/* d-mon-y after the day; at the month. */
static bool read_named_date(struct reader *r, long day)
{
    size_t len = word_length(r->at);
    int month = find_name(month_names, r->at, len);
    char *end;
    if (month < 0 || len == 0)
        return false;
    r->at += len;
    if (*r->at == '-')
        r->at++;
    if (!cclass_is(*r->at, CC_DIGIT))
        return false;
    long year = strtol(r->at, &end, 10);
    r->at = end;
    r->has_month = true;
    return set_date(r, full_year(year), month + 1, day);
}

/* y-m-d, y/m/d, y.m.d or m/d/y after the first number and separator. */
static bool read_date(struct reader *r, long first, bool first_is_year)
{
    char separator = *r->at;
    char *end;
    long second = strtol(r->at + 1, &end, 10);
    bool three = *end == separator && cclass_is(end[1], CC_DIGIT);
    long third = three ? strtol(end + 1, &end, 10) : 1;
    r->at = end;
    size_t hour_len = *r->at ? strspn(r->at + 1, "0123456789") : 0;
    if (hour_len && ((*r->at | 0x20) == 't' ||
                     (strchr("+-._@", *r->at) && hour_len <= 2 && r->at[1 + hour_len] == ':')))
        r->at++; /* the time follows */
    if (first_is_year)
        return set_date(r, full_year(first), second, third);
    if (!three)
        third = r->tm.tm_year + 1900;
    return set_date(r, full_year(third), first, second);
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

/* Is an ordinal number N followed by `DAY` or, with `in`, by `day`? Then it is that day of the
 * month, and the month may be said behind. */
static bool read_nth(struct reader *r, int n)
{
    const char *at = r->at;
    skip_blanks(r);
    size_t len = word_length(r->at);
    int day = find_name(day_names, r->at, len);
    const char *in = r->at + len + strspn(r->at + len, " \t");
    bool has_month = word_length(in) == 2 && strncasecmp(in, "in", 2) == 0;
    if (is_word(r->at, len, "day"))
        day = ANY_DAY;
    if (day < 0 || (day == ANY_DAY && !has_month && n != LAST_OF_MONTH)) {
        r->at = at;
        return false;
    }
    r->at = has_month ? in + 2 : r->at + len;
    r->nth = n;
    r->nth_day = day;
    r->nth_in = has_month;
    return true;
}

/* After all is read: the day of the month that read_nth() means. */
static void go_to_nth(struct reader *r)
{
    if (r->nth == LAST_OF_MONTH) {
        r->tm.tm_mon++;
        r->tm.tm_mday = 0;
    } else {
        r->tm.tm_mday = 1;
    }
    normalize(r);
    if (r->nth_day == ANY_DAY)
        r->tm.tm_mday += r->nth == LAST_OF_MONTH ? 0 : r->nth - 1;
    else if (r->nth == LAST_OF_MONTH)
        r->tm.tm_mday -= (r->tm.tm_wday - r->nth_day + 7) % 7;
    else
        r->tm.tm_mday += (r->nth_day - r->tm.tm_wday + 7) % 7 + 7 * (r->nth - 1);
    r->day_start |= r->nth_in ? r->nth == LAST_OF_MONTH : r->nth_day != ANY_DAY;
}

/* first, second ... twelfth: the number; LAST_OF_MONTH for final; 0: none. */
static int find_ordinal(const char *word, size_t len)
{
    static const char *const names[] = { "first", "second", "third",    "fourth",
                                         "fifth", "sixth",  "seventh",  "eighth",
                                         "ninth", "tenth",  "eleventh", "twelfth" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_word(word, len, names[i]))
            return (int)i + 1;
    }
    return is_word(word, len, "final") ? LAST_OF_MONTH : 0;
}

/* PnYnMnWnDTnHnMnS after the P: a time from now. */
static bool read_duration(struct reader *r)
{
    static const char letters[] = "ymwdhms";
    static const enum unit units[] = { UNIT_YEAR, UNIT_MONTH,  UNIT_WEEK,  UNIT_DAY,
                                       UNIT_HOUR, UNIT_MINUTE, UNIT_SECOND };
    bool exact = r->exact, in_time = false;
    r->exact = true;
    normalize(r);
    while (*r->at && !cclass_is(*r->at, CC_SPACE)) {
        char *end;
        if ((*r->at | 0x20) == 't') {
            in_time = true;
            r->at++;
            continue;
        }
        long n = strtol(r->at, &end, 10);
        const char *letter = strchr(in_time ? letters + 4 : letters, *end | 0x20);
        if (end == r->at || !*end || !letter)
            return false;
        move(r, n, units[letter - letters]);
        r->at = end + 1;
    }
    r->exact = exact;
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
    size_t dash = *r->at == '-';
    if (len == 4 && (r->at[dash] | 0x20) == 'w' && cclass_is(r->at[dash + 1], CC_DIGIT))
        return r->at += dash, read_week(r, n);
    if (len == 4 && *r->at == '-' && strspn(r->at + 1, "0123456789") == 3)
        return r->at++, read_year_day(r, n);
    if (len <= 2 && *r->at == '-' && word_length(r->at + 1))
        return r->at++, read_named_date(r, n);
    if (len <= 2 && word_length(r->at) >= 3 && cclass_is(r->at[word_length(r->at)], CC_DIGIT))
        return read_named_date(r, n);
    if ((*r->at == '-' || *r->at == '/' || (*r->at == '.' && len == 4)) &&
        cclass_is(r->at[1], CC_DIGIT))
        return read_date(r, n, len > 2 || *r->at == '-');
    if (len == 8 || len == 12 || len == 14)
        return read_compact(r, start, len);
    const char *after = r->at;
    skip_blanks(r);
    size_t word = word_length(r->at);
    if (word == 2 && (r->at[1] | 0x20) == 'm' && find_unit(r->at, word) < 0)
        return read_clock(r, n);
    if (word == 2 && after == r->at && strchr("snrt", *r->at | 0x20) &&
        find_unit(r->at, word) < 0) { /* 1st 2nd 3rd 4th */
        r->at += word;
        if (read_nth(r, (int)n))
            return true;
    } else if (word > 0 && find_unit(r->at, word) >= 0 && find_name(month_names, r->at, word) < 0)
        return read_relative(r, n);
    bool no_date = !r->has_month && !r->has_day;
    if (len == 4 && (no_date || (r->has_year && !r->has_time)) && set_compact_time(r, n, len))
        return true;
    if (r->has_day && len <= 2 && r->has_month) {
        r->tm.tm_year = (int)full_year(n) - 1900;
        return true;
    }
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
        ahead += 7 * count;
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
    if (day >= 0 && (unit < 0 || len == 3)) { /* mon is a day */
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

/* After `last`: is it the last DAY in some month, or the last day of this one? */
static bool last_in_month(struct reader *r)
{
    const char *at = r->at + strspn(r->at, " \t");
    size_t len = word_length(at);
    if (is_word(at, len, "day"))
        return true;
    const char *in = at + len + strspn(at + len, " \t");
    return find_name(day_names, at, len) >= 0 && is_word(in, word_length(in), "in");
}

/* The usual names of zones, behind a time of day. */
static bool find_zone(struct reader *r, const char *word, size_t len)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = { { "est", -5 }, { "edt", -4 }, { "cst", -6 },  { "cdt", -5 },
                  { "mst", -7 }, { "mdt", -6 }, { "pst", -8 },  { "pdt", -7 },
                  { "wet", 0 },  { "cet", 1 },  { "cest", 2 },  { "eet", 2 },
                  { "bst", 1 },  { "jst", 9 },  { "aest", 10 }, { "aedt", 11 } };
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        if (is_word(word, len, zones[i].name)) {
            r->has_zone = true;
            r->zone_seconds = zones[i].hours * 3600L;
            return true;
        }
    }
    return false;
}

static bool read_word(struct reader *r)
{
    const char *word = r->at;
    size_t len = word_length(word);
    r->at += len;
    bool duration = (*word | 0x20) == 'p' && cclass_is(word[len], CC_DIGIT);
    if (duration && (len == 1 || (len == 2 && (word[1] | 0x20) == 't'))) {
        r->at = word + 1;
        return read_duration(r);
    }
    int ordinal = find_ordinal(word, len);
    if (ordinal)
        return read_nth(r, ordinal);
    if (is_word(word, len, "last") && last_in_month(r))
        return read_nth(r, LAST_OF_MONTH);
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
    static const struct {
        const char *name;
        int hour;
    } hours[] = { { "midnight", 0 }, { "morning", 6 }, { "noon", 12 }, { "evening", 18 } };
    for (size_t i = 0; i < sizeof hours / sizeof *hours; i++) {
        if (is_word(word, len, hours[i].name)) {
            set_time(r, hours[i].hour, 0, 0);
            return true;
        }
    }
    if (r->has_time && find_zone(r, word, len))
        return true;
    if (is_word(word, len, "z") || is_word(word, len, "utc") || is_word(word, len, "gmt")) {
        r->has_zone = true;
        return true;
    }
    if (is_word(word, len, "exact") || is_word(word, len, "exactly")) {
        r->exact = true;
        return true;
    }
    if (is_word(word, len, "now") || is_word(word, len, "at") || is_word(word, len, "on") ||
        is_word(word, len, "in") || is_word(word, len, "ago") || is_word(word, len, "and") ||
        is_word(word, len, "hence") || is_word(word, len, "t"))
        return true;
    int month = find_name(month_names, word, len);
    if (month >= 0) {
        r->tm.tm_mon = month;
        r->has_month = true;
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
    if (r.nth)
        go_to_nth(&r);
    if (r.day_start && !r.has_time)
        set_time(&r, 0, 0, 0);
    r.tm.tm_isdst = -1;
    time_t seconds = r.has_zone ? timegm(&r.tm) - r.zone_seconds : mktime(&r.tm);
    *ret_ns = (int64_t)seconds * 1000000000 + r.ns;
    return true;
}
