package io.policyscheduler.cmd.embedded.controller.batch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A schedule of five fields, {@code MINUTE HOUR DAY MONTH WEEKDAY}, or a word such as {@code @hourly} (robfig/cron v3). */
final class CronSchedule {
    private static final Map<String, String> WORDS = ImmutableMap.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final List<String> MONTHS =
            List.of("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    /** Long enough for the 29th of February. */
    private static final Duration HORIZON = Duration.ofDays(5 * 366);

    private final BitSet minutes;
    private final BitSet hours;
    private final BitSet days;
    private final BitSet months;
    private final BitSet weekdays;
    /** Whether a day must satisfy both fields of days, as it must when one of them is a star. */
    private final boolean bothDays;

    private CronSchedule(List<String> fields) {
        this.minutes = bits(fields.get(0), 0, 59, List.of());
        this.hours = bits(fields.get(1), 0, 23, List.of());
        this.days = bits(fields.get(2), 1, 31, List.of());
        this.months = bits(fields.get(3), 1, 12, MONTHS);
        this.weekdays = bits(fields.get(4), 0, 6, DAYS);
        this.bothDays = isStar(fields.get(2)) || isStar(fields.get(4));
    }

    /** Empty for a text that is no schedule. */
    static Optional<CronSchedule> parse(String text) {
        String spelled = WORDS.getOrDefault(text.trim(), text.trim());
        List<String> fields = Splitter.onPattern("\\s+").splitToList(spelled);
        if (fields.size() != 5) {
            return Optional.empty();
        }
        try {
            return Optional.of(new CronSchedule(fields));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isStar(String field) {
        return field.startsWith("*") || field.startsWith("?");
    }

    private static BitSet bits(String field, int least, int most, List<String> names) {
        BitSet bits = new BitSet();
        for (String part : Splitter.on(',').split(field)) {
            List<String> stepped = Splitter.on('/').splitToList(part);
            String range = stepped.get(0);
            int step = stepped.size() > 1 ? Integer.parseInt(stepped.get(1)) : 1;
            List<String> ends = Splitter.on('-').splitToList(range);
            boolean star = isStar(range);
            int first = star ? least : number(ends.get(0), names);
            int last =
                    star || (ends.size() == 1 && stepped.size() > 1) ? most : number(ends.get(ends.size() - 1), names);
            if (first < least || last > most || first > last || step < 1 || ends.size() > 2 || stepped.size() > 2) {
                throw new IllegalArgumentException(field);
            }
            for (int i = first; i <= last; i += step) {
                bits.set(i);
            }
        }
        return bits;
    }

    private static int number(String text, List<String> names) {
        int named = names.indexOf(text.toLowerCase(Locale.ROOT));
        return named >= 0 && !text.isEmpty() ? named : Integer.parseInt(text);
    }

    /** The first time after the given one; empty when there is none for years. */
    Optional<Instant> next(Instant after, ZoneId zone) {
        ZonedDateTime time = after.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        ZonedDateTime end = time.plus(HORIZON);
        while (time.isBefore(end)) {
            if (!months.get(time.getMonthValue())) {
                time = time.plusMonths(1).withDayOfMonth(1).truncatedTo(ChronoUnit.DAYS);
            } else if (!isDay(time)) {
                time = time.plusDays(1).truncatedTo(ChronoUnit.DAYS);
            } else if (!hours.get(time.getHour())) {
                time = time.plusHours(1).truncatedTo(ChronoUnit.HOURS);
            } else if (!minutes.get(time.getMinute())) {
                time = time.plusMinutes(1);
            } else {
                return Optional.of(time.toInstant());
            }
        }
        return Optional.empty();
    }

    private boolean isDay(ZonedDateTime time) {
        boolean day = days.get(time.getDayOfMonth());
        boolean weekday = weekdays.get(time.getDayOfWeek().getValue() % 7);
        return bothDays ? day && weekday : day || weekday;
    }
}
