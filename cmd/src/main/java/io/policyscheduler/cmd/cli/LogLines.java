package io.policyscheduler.cmd.cli;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line for each record: time, level, message; then the stack trace, if any. What data brings along cannot add lines. */
final class LogLines extends Formatter {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS");
    /** Kept, because a logger that nobody holds forgets its level. It tells of every start and stop. */
    private static final Logger SERVER = Logger.getLogger("org.eclipse.jetty");

    private final ZoneId zone;

    LogLines(ZoneId zone) {
        this.zone = zone;
    }

    /** Has the log of this process written so, unless somebody has configured it otherwise. */
    static void install() {
        if (System.getProperty("java.util.logging.config.file") != null
                || System.getProperty("java.util.logging.config.class") != null) {
            return;
        }
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.setFormatter(new LogLines(ZoneId.systemDefault()));
        }
        SERVER.setLevel(Level.WARNING);
    }

    @Override
    public String format(LogRecord logged) {
        String line = TIME.format(logged.getInstant().atZone(zone)) + " " + logged.getLevel() + " "
                + VisibleText.line(String.valueOf(formatMessage(logged))) + "\n" + trace(logged);
        return VisibleText.withoutPasswords(line);
    }

    private static String trace(LogRecord logged) {
        Throwable thrown = logged.getThrown();
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return VisibleText.lines(text.toString().replace("\r\n", "\n"));
    }
}
