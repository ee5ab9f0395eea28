package io.policyscheduler.cmd.report;

import java.util.Map;
import java.util.Properties;

/**
 * What somebody sees the output on.
 *
 * @param columns how wide it is; 0 for no limit, which files and pipes have
 * @param colours whether it shows colours, and its user wants them
 */
public record Terminal(int columns, boolean colours) {
    /** A file, a pipe, or a terminal that is not known. */
    public static final Terminal NONE = new Terminal(0, false);

    /** Set by the launcher, which can see what stdout is; the JDK of this release cannot. */
    private static final String STDOUT = "policyscheduler.stdout.terminal";

    private static final String STDERR = "policyscheduler.stderr.terminal";
    private static final String COLUMNS = "policyscheduler.columns";
    /** Narrower is taken for a slip: nothing could be read. */
    private static final int LEAST = 40;

    /** What stdout of this process is. */
    public static Terminal ofStdout() {
        return of(STDOUT, System.getProperties(), System.getenv());
    }

    /** What stderr of this process is. */
    public static Terminal ofStderr() {
        return of(STDERR, System.getProperties(), System.getenv());
    }

    /**
     * A user who sets COLUMNS gets that width everywhere, also in a file or a pipe. Otherwise a terminal has its own width, and files
     * and pipes have no limit.
     */
    static Terminal of(String property, Properties properties, Map<String, String> environment) {
        int wanted = columns(environment.getOrDefault("COLUMNS", ""));
        if (!properties.getProperty(property, "false").equals("true")) {
            return wanted == 0 ? NONE : new Terminal(wanted, false);
        }
        boolean colours = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
        return new Terminal(wanted == 0 ? columns(properties.getProperty(COLUMNS, "")) : wanted, colours);
    }

    private static int columns(String text) {
        return text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= LEAST ? Integer.parseInt(text) : 0;
    }
}
