package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.cli.ErrorReport.FatalErrors;
import io.policyscheduler.cmd.cli.ErrorReport.GcOverheadLimit;
import io.policyscheduler.cmd.cli.LogSetup.Levels;
import io.policyscheduler.cmd.cli.VersionCommand.Provider;
import io.policyscheduler.cmd.options.CommonOptions.HelpOption;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
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
        versionProvider = Provider.class,
        description = "Schedules pods according to legacy kube-scheduler Policy files, which Kubernetes removed"
                + " in 1.23.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 success, 1 negative result (a policy that validate rejects, an unschedulable pod,",
            "a difference), 2 usage error, 3 invalid input, such as an invalid policy (validate exits with 1",
            "instead), 4 cluster error, 5 lost leadership, 70 internal error.",
            "",
            "Use \"policy-scheduler COMMAND --help\" for more information about a command."
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final HelpOption help = new HelpOption();

    @SuppressWarnings("UnusedVariable") // picocli reads it
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version and exit.")
    private boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print stack traces of errors.")
    private boolean debug;

    /** Returns the program with all commands, for the generated documentation. */
    public static CommandLine commandLine() {
        return Commands.of(new Main());
    }

    /** Runs the program and exits. */
    public static void main(String[] args) {
        LogSetup.bridge();
        Writer out = writer(FileDescriptor.out);
        Writer err = writer(FileDescriptor.err);
        FatalErrors.install(new TerminalWriter(err), List.of(args).contains("--debug"));
        GcOverheadLimit.start(new TerminalWriter(err), Boolean.getBoolean("policyscheduler.launcher"));

        int code =
                run(args, new TerminalWriter(out, Terminal.ofStdout()), new TerminalWriter(err, Terminal.ofStderr()));
        System.exit(code);
    }

    private static Writer writer(FileDescriptor descriptor) {
        return new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8);
    }

    /** Runs a command line, flushes its output, and returns its exit code. */
    public static int run(String[] args, Writer out, Writer err) {
        return run(args, new TerminalWriter(out), new TerminalWriter(err));
    }

    /** The same on terminals of a known width. */
    static int run(String[] args, TerminalWriter cleanOut, TerminalWriter cleanErr) {
        Main main = new Main();
        ErrorReport errors = new ErrorReport(() -> main.debug);
        CommandLine commandLine = Commands.of(main, args);
        int width = HelpLayout.width(cleanOut.terminal(), System.getenv());
        HelpLayout.apply(commandLine, width);
        Levels levels = new Levels(LogSetup.log());
        commandLine.getSubcommands().values().stream()
                .map(CommandLine::getCommand)
                .filter(RunCommand.class::isInstance)
                .forEach(run -> ((RunCommand) run).onLogSettings(levels::apply));
        int code = commandLine
                .setOut(cleanOut)
                .setErr(cleanErr)
                // The writer escapes control characters, including colors.
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setUsageHelpWidth(width)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                // Otherwise --cluster FILE... takes the next option as a file.
                .setUnmatchedOptionsAllowedAsOptionParameters(false)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .execute(args);
        cleanOut.flush();
        int written = ErrorReport.written(cleanOut.failure(), code, cleanErr);
        cleanErr.flush();
        return written;
    }

    /** Prints the help if no command is given, as kubectl does. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
