package io.policyscheduler.cmd.embedded.api;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import java.time.DateTimeException;
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
import org.jspecify.annotations.Nullable;

/**
 * The schedule of a CronJob: five fields {@code MINUTE HOUR DAY MONTH WEEKDAY}, a macro such as {@code @hourly}, or an interval such as
 * {@code @every 90m}. Mirrors {@code ParseStandard} of {@code github.com/robfig/cron}, whose version 3 came with Kubernetes 1.21.
 */
public final class CronSchedule {
    private static final Map<String, String> MACROS = ImmutableMap.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final String EVERY = "@every ";
    private static final List<String> MONTHS =
            List.of("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    private static final int FIELDS = 5;
    /** Long enough for the 29th of February. */
    private static final Duration HORIZON = Duration.ofDays(5 * 366);

    /**
     * The values of a field.
     *
     * @param isStar whether the field contains a star, which matters to the two fields of days
     */
    private record Field(BitSet values, boolean isStar) {}

    private final List<Field> fields;
    private final @Nullable Duration interval;
    private final @Nullable ZoneId zone;

    private CronSchedule(List<Field> fields, @Nullable Duration interval, @Nullable ZoneId zone) {
        this.fields = fields;
        this.interval = interval;
        this.zone = zone;
    }

    /**
     * Parses a schedule as the API server of a release does.
     *
     * @throws IllegalArgumentException with the message of the release if the schedule is invalid
     */
    public static CronSchedule parse(String text, Release release) {
        return new Parser(release.atLeast(21)).schedule(text);
    }

    /**
     * Returns the first time after the given one; empty if there is none for years.
     *
     * @param other the time zone of a schedule that names none itself
     */
    public Optional<Instant> next(Instant after, ZoneId other) {
        if (interval != null) {
            return Optional.of(after.truncatedTo(ChronoUnit.SECONDS).plus(interval));
        }
        ZonedDateTime time = after.atZone(zone == null ? other : zone)
                .truncatedTo(ChronoUnit.MINUTES)
                .plusMinutes(1);
        ZonedDateTime end = time.plus(HORIZON);
        while (time.isBefore(end)) {
            if (!has(3, time.getMonthValue())) {
                time = time.plusMonths(1).withDayOfMonth(1).truncatedTo(ChronoUnit.DAYS);
            } else if (!isDay(time)) {
                time = time.plusDays(1).truncatedTo(ChronoUnit.DAYS);
            } else if (!has(1, time.getHour())) {
                time = time.plusHours(1).truncatedTo(ChronoUnit.HOURS);
            } else if (!has(0, time.getMinute())) {
                time = time.plusMinutes(1);
            } else {
                return Optional.of(time.toInstant());
            }
        }
        return Optional.empty();
    }

    private boolean has(int field, int value) {
        return fields.get(field).values().get(value);
    }

    /** A day must match both fields of days if one of them is a star, and else one of them. */
    private boolean isDay(ZonedDateTime time) {
        boolean day = has(2, time.getDayOfMonth());
        boolean weekday = has(4, time.getDayOfWeek().getValue() % DAYS.size());
        return fields.get(2).isStar() || fields.get(4).isStar() ? day && weekday : day || weekday;
    }

    /** @param isVersion3 whether the version of the library is 3, else 1 */
    private record Parser(boolean isVersion3) {
        CronSchedule schedule(String text) {
            if (text.isEmpty()) {
                throw error("Empty spec string");
            }
            boolean hasZone = isVersion3 && (text.startsWith("TZ=") || text.startsWith("CRON_TZ="));
            if (!hasZone) {
                return schedule(text, null);
            }
            int space = text.indexOf(' ');
            if (space < 0) {
                throw error("Invalid schedule format: runtime error: slice bounds out of range [:-1]");
            }
            String name = text.substring(text.indexOf('=') + 1, space);
            try {
                return schedule(text.substring(space).strip(), ZoneId.of(name));
            } catch (DateTimeException e) {
                throw error("Provided bad location " + name + ": unknown time zone " + name);
            }
        }

        private CronSchedule schedule(String text, @Nullable ZoneId zone) {
            if (text.startsWith(EVERY)) {
                String length = text.substring(EVERY.length());
                try {
                    Duration whole = GoDuration.parse(length).truncatedTo(ChronoUnit.SECONDS);
                    Duration second = Duration.ofSeconds(1);
                    return new CronSchedule(List.of(), whole.compareTo(second) < 0 ? second : whole, zone);
                } catch (DateTimeException e) {
                    throw error("Failed to parse duration " + text + ": " + e.getMessage());
                }
            }
            if (text.startsWith("@") && !MACROS.containsKey(text)) {
                throw error("Unrecognized descriptor: " + text);
            }
            List<String> parts =
                    Splitter.onPattern("\\s+").omitEmptyStrings().splitToList(MACROS.getOrDefault(text, text));
            if (parts.size() != FIELDS) {
                throw error("Expected exactly " + FIELDS + " fields, found " + parts.size() + ": "
                        + (isVersion3 ? "[" + String.join(" ", parts) + "]" : text));
            }
            return new CronSchedule(
                    List.of(
                            field(parts.get(0), 0, 59, List.of()),
                            field(parts.get(1), 0, 23, List.of()),
                            field(parts.get(2), 1, 31, List.of()),
                            field(parts.get(3), 1, 12, MONTHS),
                            field(parts.get(4), 0, 6, DAYS)),
                    null,
                    zone);
        }

        private Field field(String text, int least, int most, List<String> names) {
            BitSet values = new BitSet();
            boolean isStar = false;
            for (String range : Splitter.on(',').omitEmptyStrings().split(text)) {
                List<String> stepped = Splitter.on('/').splitToList(range);
                List<String> ends = Splitter.on('-').splitToList(stepped.get(0));
                boolean isAll = ends.get(0).equals("*") || ends.get(0).equals("?");
                int first = isAll ? least : number(ends.get(0), names);
                if (!isAll && ends.size() > 2) {
                    throw error("Too many hyphens: " + range);
                }
                int last = isAll ? most : ends.size() == 1 ? first : number(ends.get(1), names);
                if (stepped.size() > 2) {
                    throw error("Too many slashes: " + range);
                }
                int step = stepped.size() == 1 ? 1 : number(stepped.get(1), List.of());
                if (stepped.size() == 2 && ends.size() == 1) {
                    last = most;
                }
                check(range, first, last, step, least, most);
                // Version 3 does not regard a star with a step as one.
                isStar |= isAll && !(isVersion3 && step > 1);
                for (int i = first; i <= last; i += step) {
                    values.set(i);
                }
            }
            return new Field(values, isStar);
        }

        private void check(String range, int first, int last, int step, int least, int most) {
            if (first < least) {
                throw error("Beginning of range (" + first + ") below minimum (" + least + "): " + range);
            }
            if (last > most) {
                throw error("End of range (" + last + ") above maximum (" + most + "): " + range);
            }
            if (first > last) {
                throw error("Beginning of range (" + first + ") beyond end of range (" + last + "): " + range);
            }
            if (step == 0) {
                throw error("Step of range should be a positive number: " + range);
            }
        }

        private int number(String text, List<String> names) {
            int named = text.isEmpty() ? -1 : names.indexOf(text.toLowerCase(Locale.ROOT));
            if (named >= 0) {
                return named;
            }
            int number;
            try {
                number = Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw error("Failed to parse int from " + text + ": strconv.Atoi: parsing " + GoText.quote(text) + ": "
                        + (text.matches("[+-]?[0-9]+") ? "value out of range" : "invalid syntax"));
            }
            if (number < 0) {
                throw error("Negative number (" + number + ") not allowed: " + text);
            }
            return number;
        }

        /** Messages of version 3 begin with a small letter. */
        private IllegalArgumentException error(String message) {
            return new IllegalArgumentException(
                    isVersion3 ? message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) : message);
        }
    }
}
