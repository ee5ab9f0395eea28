package io.policyscheduler.cmd.options;

import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.report.OutputFormat;
import io.policyscheduler.cmd.report.Progress;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command, as a mixin. */
public final class CommonOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private final HelpOption help = new HelpOption();

    private final boolean hasReport;
    private OutputFormat format = OutputFormat.TABLE;

    /** For a command without a report in Markdown. */
    public CommonOptions() {
        this(false);
    }

    private CommonOptions(boolean hasReport) {
        this.hasReport = hasReport;
    }

    /** For a command that gives {@link Output} a report in Markdown, too. */
    public static CommonOptions withReport() {
        return new CommonOptions(true);
    }

    @Option(
            names = {"-o", "--output", "--format"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "Output format: table, wide (columns are not cut), json, or yaml. compare, simulate,"
                    + " explain, audit, and migrate also have markdown (default: ${DEFAULT-VALUE}).")
    private void setFormat(OutputFormat wanted) {
        if (wanted == OutputFormat.MARKDOWN && !hasReport) {
            throw new ParameterException(
                    spec.commandLine(),
                    "-o markdown: " + spec.name()
                            + " has no report; compare, simulate, explain, audit and migrate have one");
        }
        format = wanted;
    }

    /** Where the result goes. */
    public Output output() {
        return new Output(out(), format);
    }

    /** The format that was asked for. */
    OutputFormat format() {
        return format;
    }

    /**
     * Nothing, when no format was asked for.
     *
     * @param instead why there is no result to be formatted, and what to do instead
     * @throws ParameterException when one was
     */
    public void requireNoFormat(String instead) {
        if (format != OutputFormat.TABLE) {
            throw new ParameterException(
                    spec.commandLine(), "-o " + format + ": " + spec.name() + " prints no result; " + instead);
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

    /** A progress line on stderr. */
    public Progress progress(InstantSource clock) {
        return new Progress(err(), Progress.isTerminal(), clock);
    }
}
