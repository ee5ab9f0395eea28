package io.policyscheduler.cmd.options;

import picocli.CommandLine.Option;

/** {@code --help}. */
public final class HelpOption {
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;
}
