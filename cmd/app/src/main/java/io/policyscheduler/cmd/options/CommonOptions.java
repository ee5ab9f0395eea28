package io.policyscheduler.cmd.options;

import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.report.Output.OutputFormat;
import io.policyscheduler.cmd.report.Progress;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin with the options of every command. */
public final class CommonOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private final HelpOption help = new HelpOption();

    private final boolean hasReport;
    private OutputFormat format = OutputFormat.TABLE;

    /** Creates the options of a command without a Markdown report. */
    public CommonOptions() {
        this(false);
    }

    private CommonOptions(boolean hasReport) {
        this.hasReport = hasReport;
    }

    /** Returns the options of a command with a Markdown report. */
    public static CommonOptions withReport() {
        return new CommonOptions(true);
    }

    @Option(
            names = {"-o", "--output", "--format"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "Output format: table, wide (columns are not cut), json, yaml, or, for reports, markdown"
                    + " (default: ${DEFAULT-VALUE}).")
    private void setFormat(OutputFormat wanted) {
        if (wanted == OutputFormat.MARKDOWN && !hasReport) {
            throw new ParameterException(
                    spec.commandLine(),
                    "-o markdown: " + spec.name()
                            + " has no report; only compare, simulate, explain, audit, and migrate have one");
        }
        format = wanted;
    }

    /** Returns the output in the selected format. */
    public Output output() {
        return new Output(out(), format);
    }

    /** Returns the selected format. */
    OutputFormat format() {
        return format;
    }

    /**
     * Checks that no format is selected.
     *
     * @param instead the alternative, for the message
     * @throws ParameterException if one is selected
     */
    public void requireNoFormat(String instead) {
        if (format != OutputFormat.TABLE) {
            throw new ParameterException(
                    spec.commandLine(), "-o " + format + ": " + spec.name() + " has no result; " + instead);
        }
    }

    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    public PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Prints notes about the inputs, after the result and only next to a table: {@code note: assumed Kubernetes 1.34; ...}. */
    public void notes(List<String> notes) {
        if (output().isTable()) {
            out().flush();
            notes.forEach(note -> err().println("note: " + note));
            err().flush();
        }
    }

    /** Returns a progress line on stderr. */
    public Progress progress(InstantSource clock) {
        return new Progress(err(), Progress.isTerminal(), clock);
    }

    /** A command that only has subcommands. */
    public abstract static class Group implements Runnable {
        @Spec
        private CommandSpec spec;

        @Mixin
        private final HelpOption help = new HelpOption();

        @Override
        public void run() {
            throw new ParameterException(
                    spec.commandLine(),
                    "a command is required: "
                            + String.join(", ", spec.subcommands().keySet()));
        }
    }

    /** {@code --help}. */
    public static final class HelpOption {
        @SuppressWarnings("UnusedVariable") // picocli looks at it
        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Show this help and exit.")
        private boolean help;
    }
}
