package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.FlagGroup;
import io.policyscheduler.framework.config.setting.Setting;

/** The flags of kube-scheduler about its log: those of klog and of component-base. */
public final class LoggingFlags {
    private static final String STDERR = "the log goes to stderr, whole; whoever starts the program redirects it";
    private static final String HEADER = "each line has its time and level";

    public static final Setting VERBOSITY = Setting.ofFlag("--v", Shape.INT32)
            .also("-v")
            .label("LEVEL")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text(
                    "How much is logged: 0 to 3 warnings and a line for each pod, 4 and 5 what is decided on the way,",
                    "6 and more everything, 8 and more also of the libraries.")
            .shownDefault("0")
            .in(FlagGroup.LOG)
            .row();
    public static final Setting VMODULE = Setting.ofFlag("--vmodule", Shape.list(Shape.STRING))
            .label("PREFIX=LEVEL,...")
            .text("The same for the classes of a package, e.g. cmd.kube=6, or for one class by its name.")
            .in(FlagGroup.LOG)
            .row();
    public static final Setting FORMAT = Setting.ofFlag("--logging-format", Shape.STRING)
            .label("FORMAT")
            .choices("text", "json")
            .standard("text")
            .text("Form of each line of the log: text or json.")
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
            ignored("--log-dir", "DIR", "Folder of log files.", STDERR),
            ignored("--log-file", "FILE", "A file for the log.", STDERR),
            ignored("--log-file-max-size", "MEGABYTES", "When a new one is begun.", STDERR),
            ignored(
                    "--log-flush-frequency",
                    "DURATION",
                    "Longest time between writes.",
                    "each line is written at once"),
            ignored(
                    "--log-backtrace-at",
                    "FILE:LINE",
                    "Log the stack at a line of Go.",
                    "there is no such line here; --debug shows the stack of an error"),
            Setting.ofFlag("--skip-headers", Shape.BOOL)
                    .text("Leave time and level out of the log.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--skip-log-headers", Shape.BOOL)
                    .text("Leave headers out of log files.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--add-dir-header", Shape.BOOL)
                    .text("Add the folder of the Go file to each line.")
                    .noEffect("W140", HEADER)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--one-output", Shape.BOOL)
                    .text("Write each line to one log file only.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            ignored("--stderrthreshold", "LEVEL", "From which level on lines go to stderr, too.", STDERR),
            ignored("--log-text-info-buffer-size", "SIZE", "How much is kept before it is written.", STDERR),
            ignored("--log-json-info-buffer-size", "SIZE", "How much is kept before it is written.", STDERR),
            Setting.ofFlag("--log-text-split-stream", Shape.BOOL)
                    .text("Write errors to stderr and all else to stdout.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--log-json-split-stream", Shape.BOOL)
                    .text("Write errors to stderr and all else to stdout.")
                    .noEffect("W140", STDERR)
                    .harmless("false")
                    .in(FlagGroup.IGNORED_LOG)
                    .row(),
            Setting.ofFlag("--experimental-logging-sanitization", Shape.BOOL)
                    .text("Leave secrets out of the log.")
                    .noEffect("W140", "nothing secret is logged anyway; leave the flag out")
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
}
