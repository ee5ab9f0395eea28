package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class ManPagesTest {
    @Command(
            name = "tool",
            description = "Does things.",
            subcommands = Part.class,
            footer = {"", "'quoted' first", ".dotted a^b ~ C:\\d"})
    private static final class Tool {}

    @Command(name = "part", description = "Does one thing.", sortOptions = false)
    private static final class Part {
        @SuppressWarnings("UnusedVariable") // picocli looks at it
        @Option(names = "--how", paramLabel = "HOW", description = "How.")
        private String how = "";

        @SuppressWarnings("UnusedVariable") // picocli looks at it
        @Parameters(paramLabel = "FILE", description = "What.")
        private String file = "";
    }

    @Test
    void writesAPageForEachCommand() {
        CommandLine tool = new CommandLine(new Tool())
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));

        assertEquals(Map.of("tool.1", """
                        .TH "TOOL" "1" "" "tool 1\\-x"
                        .SH NAME
                        tool \\- Does things.
                        .SH SYNOPSIS
                        .nf
                        tool [COMMAND]
                        .fi
                        .SH DESCRIPTION
                        .nf
                        Does things.
                        .fi
                        .SH COMMANDS
                        .nf
                          part  Does one thing.
                        .fi
                        .SH NOTES
                        .nf
                        \\&'quoted' first
                        \\&.dotted a\\(hab \\(ti C:\\ed
                        .fi
                        .SH SEE ALSO
                        tool\\-part(1)
                        """, "tool-part.1", """
                        .TH "TOOL-PART" "1" "" "tool 1\\-x"
                        .SH NAME
                        tool\\-part \\- Does one thing.
                        .SH SYNOPSIS
                        .nf
                        tool part [\\-\\-how=HOW] FILE
                        .fi
                        .SH DESCRIPTION
                        .nf
                        Does one thing.
                        .fi
                        .SH ARGUMENTS
                        .nf
                              FILE        What.
                        .fi
                        .SH OPTIONS
                        .nf
                              \\-\\-how=HOW   How.
                        .fi
                        .SH SEE ALSO
                        tool(1)
                        """), new ManPages("tool 1-x").of(tool));
    }

    @Test
    void everyCommandOfTheProgramHasOne(@TempDir Path folder) throws Exception {
        Path pages = folder.resolve("new/pages");
        ManPages.main(new String[] {pages.toString()});

        Set<String> expected = new TreeSet<>();
        expected.add("policy-scheduler.1");
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            expected.add("policy-scheduler-" + name + ".1");
            command.getSubcommands()
                    .keySet()
                    .forEach(part -> expected.add("policy-scheduler-" + name + "-" + part + ".1"));
        });
        Set<String> written = new TreeSet<>();
        try (Stream<Path> files = Files.list(pages)) {
            files.forEach(file -> written.add(file.getFileName().toString()));
        }
        assertEquals(expected, written);
        assertTrue(
                Files.readString(pages.resolve("policy-scheduler-run.1")).contains("\\-\\-leader\\-elect[=BOOL]"),
                "the flags of run");
    }

    @Test
    void wantsToKnowWhereTo() {
        assertThrows(IllegalArgumentException.class, () -> ManPages.main(new String[0]));
    }
}
