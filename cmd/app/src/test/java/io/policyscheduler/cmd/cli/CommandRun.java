package io.policyscheduler.cmd.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The result of one run of the program. */
public record CommandRun(int code, String out, String err) {
    /** Runs the whole program. */
    public static CommandRun of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, new PrintWriter(out), new PrintWriter(err));
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** Runs one command object. */
    public static CommandRun of(Object command, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args);
        return new CommandRun(code, out.toString(), err.toString());
    }
}
