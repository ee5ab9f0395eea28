package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.policyscheduler.cmd.run.SettingTree.Value;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.FlagGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The logging flags of kube-scheduler: those of klog and component-base. */
public final class LoggingFlags {
    private static final String STDERR = "the log always goes to stderr; redirect stderr instead";
    private static final String HEADER = "each line always has its time and level";

    public static final Setting VERBOSITY = Setting.ofFlag("--v", Shape.INT32)
            .also("-v")
            .label("LEVEL")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text("Log verbosity. 0 to 3: warnings and a line for each pod. 4 and 5: also debug"
                    + " messages. 6 and 7: also trace messages. 8 and more: also messages of libraries.")
            .displayedDefault("0")
            .in(FlagGroup.LOG)
            .row();
    public static final Setting VMODULE = Setting.ofFlag("--vmodule", Shape.list(Shape.STRING))
            .label("PREFIX=LEVEL,...")
            .text("Log verbosity of a package, such as cmd.kube=6, or of one class.")
            .in(FlagGroup.LOG)
            .row();
    public static final Setting FORMAT = Setting.ofFlag("--logging-format", Shape.STRING)
            .label("FORMAT")
            .choices("text", "json")
            .standard("text")
            .text("Format of the log: text or json.")
            .in(FlagGroup.LOG)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            VERBOSITY,
            VMODULE,
            FORMAT,
            Setting.ofFlag("--logtostderr", Shape.BOOL)
                    .text("Log to stderr instead of files.")
                    .noEffect("W140", STDERR)
                    .harmless("true")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--alsologtostderr", Shape.BOOL)
                    .text("Log to stderr as well as to files.")
                    .noEffect("W140", STDERR)
                    .harmless("true", "false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            ignored("--log-dir", "DIR", "Directory of the log files.", STDERR),
            ignored("--log-file", "FILE", "Log file.", STDERR),
            ignored("--log-file-max-size", "MEGABYTES", "Maximum size of the log file.", STDERR),
            ignored(
                    "--log-flush-frequency",
                    "DURATION",
                    "Maximum time between writes.",
                    "each line is written immediately"),
            ignored(
                    "--log-backtrace-at",
                    "FILE:LINE",
                    "Log a stack trace at a line of the Go code.",
                    "policy-scheduler is not a Go program; --debug shows the stack traces of errors"),
            Setting.ofFlag("--skip-headers", Shape.BOOL)
                    .text("Omit the time and level from the log.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--skip-log-headers", Shape.BOOL)
                    .text("Omit the headers of log files.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--add-dir-header", Shape.BOOL)
                    .text("Add the directory of the Go file to each line.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--one-output", Shape.BOOL)
                    .text("Write each line to only one log file.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            ignored("--stderrthreshold", "LEVEL", "Minimum level of lines that also go to stderr.", STDERR),
            ignored("--log-text-info-buffer-size", "SIZE", "Size of the log buffer.", STDERR),
            ignored("--log-json-info-buffer-size", "SIZE", "Size of the log buffer.", STDERR),
            Setting.ofFlag("--log-text-split-stream", Shape.BOOL)
                    .text("Write errors to stderr and other lines to stdout.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--log-json-split-stream", Shape.BOOL)
                    .text("Write errors to stderr and other lines to stdout.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--experimental-logging-sanitization", Shape.BOOL)
                    .text("Remove secrets from the log.")
                    .noEffect("W140", "the log contains no secrets; remove the flag")
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row());

    private LoggingFlags() {}

    private static Setting ignored(String flag, String label, String text, String why) {
        return Setting.ofFlag(flag, Shape.STRING)
                .label(label)
                .text(text)
                .noEffect("W140", why)
                .in(FlagGroup.IGNORED_LOG)
                .row();
    }

    /**
     * Verbosity and format of the log.
     *
     * @param verbosity as in {@code -v}, from 0; null to keep the log as it is
     * @param modules packages and classes with their own verbosity; the first match applies
     * @param format of each line
     */
    public record Verbosity(@Nullable Integer verbosity, List<Module> modules, Format format) {
        /** The format of a line. */
        public enum Format {
            TEXT,
            JSON
        }

        /**
         * A verbosity for some classes.
         *
         * @param prefix a package, with or without {@code io.policyscheduler.}, or the name of a class
         */
        public record Module(String prefix, int verbosity) {}

        public Verbosity {
            modules = ImmutableList.copyOf(modules);
        }

        /**
         * Returns the log settings.
         *
         * @throws IllegalArgumentException if one is invalid; the message is for users
         */
        public static Verbosity of(SettingTree settings) {
            Optional<Value> verbosity = settings.find(LoggingFlags.VERBOSITY);
            List<Module> modules = new ArrayList<>();
            for (String text : settings.texts(LoggingFlags.VMODULE)) {
                modules.add(module(text));
            }
            return new Verbosity(
                    verbosity.isEmpty() ? null : Math.toIntExact(settings.number(LoggingFlags.VERBOSITY)),
                    modules,
                    settings.text(LoggingFlags.FORMAT).equals("json") ? Format.JSON : Format.TEXT);
        }

        private static Module module(String text) {
            int equals = text.lastIndexOf('=');
            Integer level = equals < 1 ? null : Ints.tryParse(text.substring(equals + 1));
            if (level == null || level < 0) {
                throw new IllegalArgumentException(
                        LoggingFlags.VMODULE.flag() + ": \"" + text + "\" is not PREFIX=LEVEL (such as cmd.kube=6)");
            }
            return new Module(text.substring(0, equals).replaceFirst("\\*$", ""), level);
        }
    }
}
