package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.settings.LogSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What {@code -v} and {@code --vmodule} let into the log of this process. To be kept as long as they are to hold. */
final class LogLevels {
    private static final String OURS = "io.policyscheduler";
    private static final String SCHEDULER = "scheduler";
    private static final int DEBUG = 4;
    private static final int ALL = 6;
    private static final int LIBRARIES = 8;

    /** A logger that nobody holds forgets its level. */
    private final List<Logger> held = new ArrayList<>();

    private final Logger root;

    LogLevels() {
        this(Logger.getLogger(""));
    }

    /** @param root whose handlers write the log */
    LogLevels(Logger root) {
        this.root = root;
    }

    /** Has the log say as much as that. */
    void apply(LogSettings settings) {
        Integer verbosity = settings.verbosity();
        if (verbosity == null && settings.modules().isEmpty()) {
            return;
        }
        int usual = verbosity == null ? 0 : verbosity;
        int most = settings.modules().stream()
                .mapToInt(LogSettings.Module::verbosity)
                .reduce(usual, Math::max);
        set(Logger.getLogger(OURS), level(most));
        set(Logger.getLogger(SCHEDULER), level(most));
        if (usual >= LIBRARIES) {
            set(root, Level.ALL);
        }
        for (Handler handler : root.getHandlers()) {
            handler.setLevel(Level.ALL);
            handler.setFilter(filter(settings.modules(), usual));
        }
    }

    private void set(Logger logger, Level level) {
        logger.setLevel(level);
        held.add(logger);
    }

    static Level level(int verbosity) {
        if (verbosity < DEBUG) {
            return Level.INFO;
        }
        return verbosity < ALL ? Level.FINE : Level.ALL;
    }

    /** What may pass: each class by the first module that fits it, else by the usual verbosity. */
    static Filter filter(List<LogSettings.Module> modules, int usual) {
        return logged -> logged.getLevel().intValue()
                >= level(modules.stream()
                                .filter(module -> fits(module.prefix(), logged))
                                .findFirst()
                                .map(LogSettings.Module::verbosity)
                                .orElse(usual))
                        .intValue();
    }

    private static boolean fits(String prefix, LogRecord logged) {
        String name = String.valueOf(logged.getLoggerName());
        String simple = name.substring(name.lastIndexOf('.') + 1);
        return simple.equals(prefix) || isIn(name, prefix) || isIn(name, OURS + "." + prefix);
    }

    private static boolean isIn(String name, String prefix) {
        return name.equals(prefix) || name.startsWith(prefix.endsWith(".") ? prefix : prefix + ".");
    }
}
