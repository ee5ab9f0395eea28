package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.event.KeyValuePair;

/**
 * The log for programs, one JSON object a line: {@code time} (UTC), {@code level}, {@code component}, {@code thread}, {@code code}
 * of a warning, {@code msg}, then a field for whatever it is about ({@code pod}, {@code node}, {@code attempt}, ...), and
 * {@code error} with the stack trace.
 */
final class LogObjects extends LayoutBase<ILoggingEvent> {
    private static final Pattern CODE = Pattern.compile("^([A-Z][0-9]{3}) ");

    private final JsonFactory json = new JsonFactory();

    @Override
    public String doLayout(ILoggingEvent event) {
        StringWriter line = new StringWriter(256);
        try (JsonGenerator out = json.createGenerator(line)) {
            out.writeStartObject();
            out.writeStringField("time", LogEvents.time(event).toString());
            out.writeStringField("level", event.getLevel().toString());
            out.writeStringField("component", LogEvents.component(event));
            out.writeStringField("thread", event.getThreadName());
            String message = String.valueOf(event.getFormattedMessage());
            Matcher code = CODE.matcher(message);
            if (code.find()) {
                out.writeStringField("code", code.group(1));
            }
            out.writeStringField("msg", shown(message));
            for (KeyValuePair field : LogEvents.fields(event)) {
                write(out, field);
            }
            if (event.getThrowableProxy() != null) {
                out.writeStringField("error", shown(ThrowableProxyUtil.asString(event.getThrowableProxy())));
            }
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.append('\n').toString();
    }

    private static void write(JsonGenerator out, KeyValuePair field) throws IOException {
        if (field.value instanceof Integer || field.value instanceof Long) {
            out.writeNumberField(field.key, ((Number) field.value).longValue());
        } else {
            out.writeStringField(field.key, shown(String.valueOf(field.value)));
        }
    }

    private static String shown(String text) {
        return VisibleText.withoutPasswords(VisibleText.lines(text));
    }
}
