package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs commands on files of operators, courses, and issue threads, and compares exit code and output with the tables {@code *.txt}
 * among the resources: a line {@code $ COMMAND}, what the program prints, and a line {@code [exit CODE]}. {@code -Drenew=true}
 * writes the tables again.
 */
class FieldFilesTest {
    private static final Path FOLDER = Path.of("src/test/resources/field-files");
    private static final String PROMPT = "$ ";

    /** One row of a table. */
    private record Row(String command, String expected) {}

    static List<Path> tables() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void commandsPrintWhatTheTableShows(Path table) throws IOException {
        StringBuilder actual = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        for (Row row : rows(Files.readString(table))) {
            expected.append(PROMPT).append(row.command).append('\n').append(row.expected);
            actual.append(PROMPT).append(row.command).append('\n').append(run(row.command));
        }
        if (Boolean.getBoolean("renew")) {
            Files.writeString(table, actual);
        } else {
            assertEquals(expected.toString(), actual.toString());
        }
    }

    /** Each file is part of a command. */
    @Test
    void everyFileIsUsed() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path table : tables()) {
            all.append(Files.readString(table));
        }
        List<String> unused = new ArrayList<>();
        try (Stream<Path> files = Files.walk(FOLDER, 2)) {
            files.filter(file -> Files.isRegularFile(file) && !FOLDER.equals(file.getParent()))
                    .map(file -> FOLDER.relativize(file).toString())
                    .filter(file -> all.indexOf(file) < 0)
                    .forEach(unused::add);
        }
        assertEquals(List.of(), unused);
        assertFalse(all.isEmpty());
    }

    private static List<Row> rows(String table) {
        List<Row> rows = new ArrayList<>();
        for (String block : table.split("(?m)^\\$ ")) {
            int end = block.indexOf('\n');
            if (end >= 0 && !block.isBlank()) {
                rows.add(new Row(block.substring(0, end), block.substring(end + 1)));
            }
        }
        return rows;
    }

    private static String run(String command) {
        String[] words = Stream.of(command.split(" "))
                .map(word -> word.replaceAll("(?<=^|[=:])(?=(\\d\\d-[^/]+|[a-z]+)/[\\w.-]+\\.\\w+)", FOLDER + "/"))
                .toArray(String[]::new);
        CommandRun run = CommandRun.of(words);
        String printed = (run.out() + run.err())
                .replace(FOLDER + "/", "")
                .replaceAll(", [0-9.]+ s\n", ", N s\n")
                .replaceAll("(?m)[ \\t]+$", "");
        return printed + (printed.isEmpty() || printed.endsWith("\n") ? "" : "\n") + "[exit " + run.code() + "]\n";
    }
}
