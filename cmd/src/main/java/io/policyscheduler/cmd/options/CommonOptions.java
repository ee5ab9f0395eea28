package io.policyscheduler.cmd.options;

import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.report.OutputFormat;
import io.policyscheduler.cmd.report.Progress;
import java.io.PrintWriter;
import java.time.InstantSource;
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

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description =
                    "table, wide (tables whole, wider than the terminal), json or yaml (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TABLE;

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

    /** A progress line on stderr. */
    public Progress progress(InstantSource clock) {
        return new Progress(err(), Progress.isTerminal(), clock);
    }
}
