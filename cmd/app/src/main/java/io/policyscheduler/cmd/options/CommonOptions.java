package io.policyscheduler.cmd.options;

import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.report.Output.OutputFormat;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.framework.cycle.TieBreak;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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
    private void setFormat(OutputFormat requested) {
        if (requested == OutputFormat.MARKDOWN && !hasReport) {
            throw new ParameterException(
                    spec.commandLine(),
                    "-o markdown: " + spec.name()
                            + " has no report; only compare, simulate, explain, audit, and migrate have one");
        }
        format = requested;
    }

    /** Returns the output in the selected format. */
    public Output output() {
        return new Output(out(), format);
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

    /** Leaves {@code -o} out of the help of a command without a result; see {@link #requireNoFormat}. */
    public static final class WithoutFormat implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            return hide(spec, "-o");
        }
    }

    /** Leaves options out of the help of a command that does not use them. They are still parsed, for the error. */
    public static CommandSpec hide(CommandSpec spec, String... names) {
        for (String name : names) {
            OptionSpec option = spec.findOption(name);
            spec.remove(option);
            spec.addOption(OptionSpec.builder(option).hidden(true).build());
        }
        return spec;
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
        @SuppressWarnings("UnusedVariable") // picocli reads it
        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Show this help and exit.")
        private boolean help;
    }

    /** Converts durations of Kubernetes flags: {@code 15s}, {@code 1m30s}, {@code 500ms}, {@code 1.5h}; none of them negative. */
    public static final class DurationConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            try {
                Duration duration = GoDuration.parse(value);
                if (!duration.isNegative()) {
                    return duration;
                }
            } catch (DateTimeException e) {
                // Reported below.
            }
            throw new TypeConversionException("'" + value + "' is not a duration (such as 15s, 1m30s or 500ms)");
        }
    }

    /** A percentage, or a fraction of 1. */
    public static final class ShareConverter implements ITypeConverter<Double> {
        private static final Pattern FORM = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,15})?)(%?)");
        private static final double PERCENT = 100;

        /**
         * Parses a share, 0 to 1.
         *
         * @throws IllegalArgumentException if the text is not a share; the message is for users
         */
        public static double share(String text) {
            try {
                return new ShareConverter().convert(text);
            } catch (TypeConversionException e) {
                throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public Double convert(String value) {
            Matcher matcher = FORM.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + value + "' is not a share (such as 0.1% or 0.001)");
            }
            double number = Double.parseDouble(matcher.group(1));
            double share = matcher.group(2).isEmpty() ? number : number / PERCENT;
            if (share > 1) {
                throw new TypeConversionException("'" + value + "' is more than all"
                        + (matcher.group(2).isEmpty() && number <= PERCENT
                                ? "; did you mean \"" + value + "%\"?"
                                : ""));
            }
            return share;
        }
    }

    /** Converters for integer options that reject values out of range. */
    public abstract static sealed class IntRange implements ITypeConverter<Integer> {
        private static final int LAST_PORT = 65_535;
        private static final int ALL = 100;

        private final int least;
        private final int greatest;
        private final String range;

        private IntRange(int least, int greatest, String range) {
            this.least = least;
            this.greatest = greatest;
            this.range = range;
        }

        @Override
        public final Integer convert(String value) {
            try {
                long number = Long.parseLong(value);
                if (number >= least && number <= greatest) {
                    return (int) number;
                }
            } catch (NumberFormatException e) {
                // Reported below with the valid range.
            }
            throw new TypeConversionException("'" + value + "' is not " + range);
        }

        /** 1 or more. */
        public static final class Positive extends IntRange {
            public Positive() {
                super(1, Integer.MAX_VALUE, "a positive integer");
            }
        }

        /** 0 or more. */
        public static final class NotNegative extends IntRange {
            public NotNegative() {
                super(0, Integer.MAX_VALUE, "a non-negative integer");
            }
        }

        /** A port. 0 selects a free one. */
        public static final class Port extends IntRange {
            public Port() {
                super(0, LAST_PORT, "a port from 0 to " + LAST_PORT);
            }
        }

        /** A percentage. */
        public static final class Percent extends IntRange {
            public Percent() {
                super(0, ALL, "an integer from 0 to " + ALL);
            }
        }
    }

    /** The ways to select among equally good nodes. */
    public enum TieBreakOption {
        ROUND_ROBIN,
        RANDOM,
        FIRST;

        /** Returns the constant with this {@link #toString}. */
        public static TieBreakOption of(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        /** The tie-break; {@code seed} counts for random only. */
        public TieBreak create(long seed) {
            return switch (this) {
                case ROUND_ROBIN -> TieBreak.roundRobin();
                case RANDOM -> TieBreak.random(new SplittableRandom(seed));
                case FIRST -> TieBreak.first();
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
