package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

    /**
     * Variants of one class of faults: archives {@code *.txtar} with small files, {@code -- NAME --} and the content, each followed by
     * commands and what they print.
     */
    @ParameterizedTest
    @MethodSource("archives")
    void variantsPrintWhatTheArchiveShows(Path archive, @TempDir Path folder) throws IOException {
        String text = Files.readString(archive);
        StringBuilder actual = new StringBuilder();
        Set<String> names = new HashSet<>();
        for (String block : text.split("(?m)^(?=-- \\S+ --$)")) {
            int start = block.indexOf('\n') + 1;
            int commands = Pattern.compile("(?m)^\\$ ")
                    .matcher(block)
                    .results()
                    .mapToInt(MatchResult::start)
                    .findFirst()
                    .orElseThrow();
            String name = block.substring("-- ".length(), start - " --\n".length());
            names.add(name);
            Files.writeString(folder.resolve(name), block.substring(start, commands));
            actual.append(block, 0, commands);
            for (Row row : rows(block.substring(commands))) {
                actual.append(PROMPT).append(row.command).append('\n').append(runIn(folder, names, row.command));
            }
        }
        if (Boolean.getBoolean("renew")) {
            Files.writeString(archive, actual);
        } else {
            assertEquals(text, actual.toString());
        }
    }

    static List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".txtar"))
                    .sorted()
                    .toList();
        }
    }

    private static String runIn(Path folder, Set<String> names, String command) {
        String[] words = Stream.of(command.split(" "))
                .map(word -> {
                    String file = word.substring(Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1);
                    return names.contains(file)
                            ? word.substring(0, word.length() - file.length()) + folder + "/" + file
                            : word;
                })
                .toArray(String[]::new);
        return printed(CommandRun.of(words), folder + "/");
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
        return printed(CommandRun.of(words), FOLDER + "/");
    }

    private static String printed(CommandRun run, String folder) {
        String printed = (run.out() + run.err())
                .replace(folder, "")
                .replaceAll(", [0-9.]+ s\n", ", N s\n")
                .replaceAll("(?m)[ \\t]+$", "");
        return printed + (printed.isEmpty() || printed.endsWith("\n") ? "" : "\n") + "[exit " + run.code() + "]\n";
    }
}
