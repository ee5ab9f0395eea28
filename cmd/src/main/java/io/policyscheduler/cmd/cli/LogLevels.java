package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.policyscheduler.cmd.settings.LogSettings;
import java.util.Iterator;
import java.util.List;

/** What {@code -v}, {@code --vmodule} and {@code --logging-format} make of the log of this process. */
final class LogLevels {
    private static final String OURS = "io.policyscheduler";
    private static final String SCHEDULER = "scheduler";
    private static final int DEBUG = 4;
    private static final int ALL = 6;
    private static final int LIBRARIES = 8;

    private final LoggerContext context;

    LogLevels(LoggerContext context) {
        this.context = context;
    }

    /** Has the log say as much as that, in that form. */
    void apply(LogSettings settings) {
        if (settings.format() == LogSettings.Format.JSON) {
            for (Iterator<Appender<ILoggingEvent>> all = root().iteratorForAppenders(); all.hasNext(); ) {
                if (all.next() instanceof ConsoleAppender<ILoggingEvent> console) {
                    LogSetup.write(console, new LogObjects());
                }
            }
        }
        Integer verbosity = settings.verbosity();
        if (verbosity == null && settings.modules().isEmpty()) {
            return;
        }
        int usual = verbosity == null ? 0 : verbosity;
        int most = settings.modules().stream()
                .mapToInt(LogSettings.Module::verbosity)
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

    /** Lets pass what each class may say: by the first module that fits it, else by the usual verbosity. */
    static final class ByModule extends Filter<ILoggingEvent> {
        private final List<LogSettings.Module> modules;
        private final int usual;

        ByModule(List<LogSettings.Module> modules, int usual) {
            this.modules = List.copyOf(modules);
            this.usual = usual;
        }

        @Override
        public FilterReply decide(ILoggingEvent event) {
            return event.getLevel().isGreaterOrEqual(least(event)) ? FilterReply.NEUTRAL : FilterReply.DENY;
        }

        private Level least(ILoggingEvent event) {
            for (LogSettings.Module module : modules) {
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
