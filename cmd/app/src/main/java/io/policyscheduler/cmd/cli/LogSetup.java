package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.policyscheduler.cmd.run.LoggingFlags.Verbosity;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import org.slf4j.event.KeyValuePair;

/**
 * The initial log configuration: one line of text per event to stderr, from INFO on. Logback finds it as a service. A
 * configuration of {@code -Dlogback.configurationFile} has priority.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {
    /** Jetty logs each start and stop at INFO. */
    private static final String SERVER = "org.eclipse.jetty";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(context);
        stderr.setName("stderr");
        stderr.setTarget("System.err");
        write(stderr, new TextLayout(ZoneId.systemDefault()));
        stderr.start();
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(stderr);
        ch.qos.logback.classic.Logger server = context.getLogger(SERVER);
        server.setLevel(Level.WARN);
        ServerLogLimit limited = new ServerLogLimit(server, stderr);
        limited.setContext(context);
        limited.setName("server");
        limited.start();
        server.setAdditive(false);
        server.addAppender(limited);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** The log of this process. */
    static LoggerContext log() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    /** Routes {@code java.util.logging} of libraries into the same log. */
    static void bridge() {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }

    /** Has an appender write its lines so from now on. */
    static void write(ConsoleAppender<ILoggingEvent> appender, Layout<ILoggingEvent> layout) {
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(appender.getContext());
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        layout.start();
        encoder.start();
        appender.setEncoder(encoder);
    }

    /** The parts of a log line that all formats share. */
    static final class Events {
        private static final String OURS = "io.policyscheduler.";

        /** Longest message or value in a line, in characters. */
        private static final int LONGEST = 2000;

        private Events() {}

        /** The text of a value, shortened because clients and objects can contain texts of any length. */
        static String cut(@Nullable Object value) {
            String text = String.valueOf(value);
            return text.length() <= LONGEST
                    ? text
                    : text.substring(0, LONGEST) + "... (" + text.length() + " characters)";
        }

        static Instant time(ILoggingEvent event) {
            Instant exact = event.getInstant();
            return exact == null ? Instant.ofEpochMilli(event.getTimeStamp()) : exact;
        }

        /** The package of the logging class, as in {@code --vmodule}; the full name for classes outside of this program. */
        static String component(ILoggingEvent event) {
            String logger = event.getLoggerName();
            if (!logger.startsWith(OURS)) {
                return logger;
            }
            return logger.substring(OURS.length(), Math.max(OURS.length(), logger.lastIndexOf('.')));
        }

        /** The object of the event, such as {@code pod}; empty for none. */
        static List<KeyValuePair> fields(ILoggingEvent event) {
            List<KeyValuePair> fields = event.getKeyValuePairs();
            return fields == null ? List.of() : fields;
        }
    }

    /** Applies {@code -v}, {@code --vmodule}, and {@code --logging-format} to the log of this process. */
    static final class Levels {
        private static final String OURS = "io.policyscheduler";
        private static final String SCHEDULER = "scheduler";
        private static final int DEBUG = 4;
        private static final int ALL = 6;
        private static final int LIBRARIES = 8;

        private final LoggerContext context;

        Levels(LoggerContext context) {
            this.context = context;
        }

        /** Sets verbosity and format. */
        void apply(Verbosity settings) {
            if (settings.format() == Verbosity.Format.JSON) {
                for (Iterator<Appender<ILoggingEvent>> all = root().iteratorForAppenders(); all.hasNext(); ) {
                    if (all.next() instanceof ConsoleAppender<ILoggingEvent> console) {
                        LogSetup.write(console, new JsonLayout());
                    }
                }
            }
            Integer verbosity = settings.verbosity();
            if (verbosity == null && settings.modules().isEmpty()) {
                return;
            }
            int usual = verbosity == null ? 0 : verbosity;
            int most = settings.modules().stream()
                    .mapToInt(Verbosity.Module::verbosity)
                    .reduce(usual, Math::max);
            context.getLogger(OURS).setLevel(level(most));
            context.getLogger(SCHEDULER).setLevel(level(most));
            if (usual >= LIBRARIES) {
                root().setLevel(Level.ALL);
            }
            Filter<ILoggingEvent> filter = new ByModule(settings.modules(), usual);
            filter.start();
            for (Iterator<Appender<ILoggingEvent>> all = root().iteratorForAppenders(); all.hasNext(); ) {
                Appender<ILoggingEvent> appender = all.next();
                appender.clearAllFilters();
                appender.addFilter(filter);
            }
        }

        private Logger root() {
            return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        }

        static Level level(int verbosity) {
            if (verbosity < DEBUG) {
                return Level.INFO;
            }
            return verbosity < ALL ? Level.DEBUG : Level.ALL;
        }

        /** A filter by class: the first module of {@code --vmodule} that matches sets the verbosity, otherwise {@code -v}. */
        static final class ByModule extends Filter<ILoggingEvent> {
            private final List<Verbosity.Module> modules;
            private final int usual;

            ByModule(List<Verbosity.Module> modules, int usual) {
                this.modules = List.copyOf(modules);
                this.usual = usual;
            }

            @Override
            public FilterReply decide(ILoggingEvent event) {
                return event.getLevel().isGreaterOrEqual(least(event)) ? FilterReply.NEUTRAL : FilterReply.DENY;
            }

            private Level least(ILoggingEvent event) {
                for (Verbosity.Module module : modules) {
                    if (fits(module.prefix(), event.getLoggerName())) {
                        return level(module.verbosity());
                    }
                }
                return level(usual);
            }

            private static boolean fits(String prefix, String name) {
                String simple = name.substring(name.lastIndexOf('.') + 1);
                return simple.equals(prefix) || isIn(name, prefix) || isIn(name, OURS + "." + prefix);
            }

            private static boolean isIn(String name, String prefix) {
                return name.equals(prefix) || name.startsWith(prefix.endsWith(".") ? prefix : prefix + ".");
            }
        }
    }

    /**
     * The text format, one line per event: time with zone, level, component, message, {@code key=value} pairs, and the stack
     * trace if there is one. Values are escaped so that they cannot add lines or pairs.
     */
    static final class TextLayout extends LayoutBase<ILoggingEvent> {
        private static final String MESSAGE = "message";
        private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");

        private final ZoneId zone;

        TextLayout(ZoneId zone) {
            this.zone = zone;
        }

        @Override
        public String doLayout(ILoggingEvent event) {
            StringBuilder line = new StringBuilder(160)
                    .append(TIME.format(Events.time(event).atZone(zone)))
                    .append(' ')
                    .append(event.getLevel())
                    .append(' ')
                    .append(Events.component(event))
                    .append(": ")
                    .append(VisibleText.line(Events.cut(event.getFormattedMessage())));
            String said = "";
            for (KeyValuePair field : Events.fields(event)) {
                if (field.key.equals(MESSAGE)) {
                    said = ": " + VisibleText.line(Events.cut(field.value));
                } else {
                    line.append(' ').append(field.key).append('=').append(quoted(Events.cut(field.value)));
                }
            }
            line.append(said).append('\n');
            if (event.getThrowableProxy() != null) {
                line.append(VisibleText.lines(
                        ThrowableProxyUtil.asString(event.getThrowableProxy()).replace("\r\n", "\n")));
            }
            return VisibleText.withoutPasswords(line.toString());
        }

        /** Returns a single word unchanged, other texts in quotes. */
        private static String quoted(String value) {
            String shown = VisibleText.line(value);
            boolean isWord = !shown.isEmpty() && shown.chars().noneMatch(c -> c == ' ' || c == '"' || c == '=');
            return isWord ? shown : '"' + shown.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }

    /**
     * The JSON format, one object per line: {@code time} (UTC), {@code level}, {@code component}, {@code thread}, {@code code} of
     * a warning, {@code msg}, a field per key ({@code pod}, {@code node}, {@code attempt}, ...), and {@code error} with the stack
     * trace.
     */
    static final class JsonLayout extends LayoutBase<ILoggingEvent> {
        private static final Pattern CODE = Pattern.compile("^([A-Z][0-9]{3}) ");

        private final JsonFactory json = new JsonFactory();

        @Override
        public String doLayout(ILoggingEvent event) {
            StringWriter line = new StringWriter(256);
            try (JsonGenerator out = json.createGenerator(line)) {
                out.writeStartObject();
                out.writeStringField("time", Events.time(event).toString());
                out.writeStringField("level", event.getLevel().toString());
                out.writeStringField("component", Events.component(event));
                out.writeStringField("thread", event.getThreadName());
                String message = Events.cut(event.getFormattedMessage());
                Matcher code = CODE.matcher(message);
                if (code.find()) {
                    out.writeStringField("code", code.group(1));
                }
                out.writeStringField("msg", shown(message));
                for (KeyValuePair field : Events.fields(event)) {
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
                out.writeStringField(field.key, shown(Events.cut(field.value)));
            }
        }

        private static String shown(String text) {
            return VisibleText.withoutPasswords(VisibleText.lines(text));
        }
    }

    /**
     * Limits the log lines of the HTTP server to a few per minute and counts the dropped ones. The server logs invalid requests
     * with the text of the client, so that any client could fill the disk. Errors always pass.
     */
    static final class ServerLogLimit extends AppenderBase<ILoggingEvent> {
        /** Lines in a minute. */
        static final int FEW = 3;

        private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

        private final Logger logger;
        private final Appender<ILoggingEvent> next;
        private long windowStart = Long.MIN_VALUE;
        private int passed;
        private long suppressed;

        /**
         * @param logger of the server, which the summary names
         * @param next receives the lines that pass
         */
        ServerLogLimit(Logger logger, Appender<ILoggingEvent> next) {
            this.logger = logger;
            this.next = next;
        }

        /** Called by one thread at a time. */
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
                next.doAppend(event);
                return;
            }
            long now = event.getTimeStamp();
            if (windowStart == Long.MIN_VALUE || now - windowStart >= MINUTE) {
                if (suppressed > 0) {
                    summarize(now, "suppressed " + suppressed + " lines about invalid requests");
                }
                windowStart = now;
                passed = 0;
                suppressed = 0;
            }
            if (passed < FEW) {
                passed++;
                next.doAppend(event);
                return;
            }
            suppressed++;
            if (suppressed == 1) {
                summarize(now, "suppressing further lines about invalid requests for up to a minute");
            }
        }

        private void summarize(long now, String message) {
            LoggingEvent summary =
                    new LoggingEvent(ServerLogLimit.class.getName(), logger, Level.WARN, message, null, null);
            summary.setTimeStamp(now);
            next.doAppend(summary);
        }
    }
}
