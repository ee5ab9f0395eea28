package io.policyscheduler.cmd.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;

/** Writes the bash completion script of the archive, which {@code completion bash} also prints. */
public final class CompletionFile {
    private CompletionFile() {}

    /** Writes the script to the file that the only argument names. */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            throw new IllegalArgumentException("which file?");
        }
        Files.writeString(Path.of(args[0]), bash(Main.commandLine()));
    }

    /** @param program with all of its commands */
    static String bash(CommandLine program) {
        return AutoComplete.bash(program.getCommandName(), program);
    }
}
