package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.policyscheduler.engine.cluster.VisibleText;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.slf4j.event.KeyValuePair;

/**
 * The log for people, one line for each event: time with zone, level, component, message, and {@code key=value} for what it is
 * about; what was said of it follows at the end, as it is; then the stack trace, if any. What data brings along cannot add lines or values.
 */
final class LogLines extends LayoutBase<ILoggingEvent> {
    private static final String MESSAGE = "message";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");

    private final ZoneId zone;

    LogLines(ZoneId zone) {
        this.zone = zone;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160)
                .append(TIME.format(LogEvents.time(event).atZone(zone)))
                .append(' ')
                .append(event.getLevel())
                .append(' ')
                .append(LogEvents.component(event))
                .append(": ")
                .append(VisibleText.line(String.valueOf(event.getFormattedMessage())));
        String said = "";
        for (KeyValuePair field : LogEvents.fields(event)) {
            if (field.key.equals(MESSAGE)) {
                said = ": " + VisibleText.line(String.valueOf(field.value));
            } else {
                line.append(' ').append(field.key).append('=').append(quoted(String.valueOf(field.value)));
            }
        }
        line.append(said).append('\n');
        if (event.getThrowableProxy() != null) {
            line.append(VisibleText.lines(
                    ThrowableProxyUtil.asString(event.getThrowableProxy()).replace("\r\n", "\n")));
        }
        return VisibleText.withoutPasswords(line.toString());
    }

    /** As it is when it is one word, else in quotes. */
    private static String quoted(String value) {
        String shown = VisibleText.line(value);
        boolean isWord = !shown.isEmpty() && shown.chars().noneMatch(c -> c == ' ' || c == '"' || c == '=');
        return isWord ? shown : '"' + shown.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
