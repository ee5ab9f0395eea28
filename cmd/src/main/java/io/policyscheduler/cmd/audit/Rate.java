package io.policyscheduler.cmd.audit;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often something may be done.
 *
 * @param interval from one time to the next, above 0
 */
record Rate(Duration interval) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,6})/(s|min|h)");

    /**
     * {@code 10/min}, {@code 2/s} or {@code 30/h}.
     *
     * @throws IllegalArgumentException in one line, when it is none of these
     */
    public static Rate parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not a rate such as 10/min, 2/s or 30/h");
        }
        Duration unit = switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(1);
            case "min" -> Duration.ofMinutes(1);
            default -> Duration.ofHours(1);
        };
        return new Rate(unit.dividedBy(Long.parseLong(matcher.group(1))));
    }
}
