package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.HelpOption;
import io.policyscheduler.cmd.report.Terminal;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.run.RunCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The program {@code policy-scheduler}. */
@Command(
        name = "policy-scheduler",
        versionProvider = VersionProvider.class,
        description = "Runs the scheduling policies that Kubernetes dropped: legacy kube-scheduler Policy files.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 ok, 1 the answer is no (a policy refused, a pod without a place, a difference),",
            "2 wrong usage, 3 bad input, 4 trouble with the cluster, 5 the leadership is lost,",
            "70 a bug of this program.",
            "",
            "policy-scheduler help COMMAND tells about one command, as COMMAND --help does."
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final HelpOption help = new HelpOption();

    @SuppressWarnings("UnusedVariable") // picocli looks at it
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    private boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show stack traces of errors.")
    private boolean debug;

    /** The program with all its commands, for what tells of them. */
    public static CommandLine commandLine() {
        return Commands.of(new Main());
    }

    /** Runs the program and exits. */
    public static void main(String[] args) {
        LogSetup.bridge();
        Writer out = writer(FileDescriptor.out);
        Writer err = writer(FileDescriptor.err);
        FatalErrors.install(new TerminalWriter(err), List.of(args).contains("--debug"));
        int code =
                run(args, new TerminalWriter(out, Terminal.ofStdout()), new TerminalWriter(err, Terminal.ofStderr()));
        System.exit(code);
    }

    private static Writer writer(FileDescriptor descriptor) {
        return new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8);
    }

    /** Runs one command line and gives its exit code; what it writes is flushed. */
    public static int run(String[] args, Writer out, Writer err) {
        return run(args, new TerminalWriter(out), new TerminalWriter(err));
    }

    private static int run(String[] args, TerminalWriter cleanOut, TerminalWriter cleanErr) {
        Main main = new Main();
        ErrorReport errors = new ErrorReport(() -> main.debug);
        CommandLine commandLine = Commands.of(main, args);
        HelpLayout.apply(commandLine, HelpLayout.width(cleanOut.terminal()));
        LogLevels levels = new LogLevels(LogSetup.log());
        commandLine.getSubcommands().values().stream()
                .map(CommandLine::getCommand)
                .filter(RunCommand.class::isInstance)
                .forEach(run -> ((RunCommand) run).onLogSettings(levels::apply));
        int code = commandLine
                .setOut(cleanOut)
                .setErr(cleanErr)
                // Colours would be spelled out, as any other control characters.
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setUsageHelpWidth(HelpLayout.width(cleanOut.terminal()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                // Otherwise --cluster FILE... takes the option behind its files for one more file.
                .setUnmatchedOptionsAllowedAsOptionParameters(false)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .execute(args);
        cleanOut.flush();
        int written = ErrorReport.written(cleanOut.failure(), code, cleanErr);
        cleanErr.flush();
        return written;
    }

    /** No command was given. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
    }
}
