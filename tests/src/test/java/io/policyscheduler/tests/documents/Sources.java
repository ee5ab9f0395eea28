package io.policyscheduler.tests.documents;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The main sources as text. */
final class Sources {
    private static final int SHORTEST = 12;

    /** Two concatenated literals. */
    private static final Pattern JOIN = Pattern.compile("\"\\s*\\+\\s*\"");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");

    /** A placeholder of a log message. */
    private static final String VALUE = "{}";

    private Sources() {}

    /** Returns the main classes of all modules, with concatenated literals joined. */
    static String all() {
        try (Stream<Path> files = Files.walk(RepositoryFiles.root())) {
            String text = files.filter(file -> file.toString().contains("/src/main/java/"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .map(Pages::text)
                    .collect(Collectors.joining());
            return JOIN.matcher(text).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the parts of literals between placeholders that are long enough to be recognized. */
    static List<String> texts() {
        return LITERAL.matcher(all())
                .results()
                .map(MatchResult::group)
                .map(literal -> literal.substring(1, literal.length() - 1))
                .flatMap(literal -> Stream.of(literal.split(Pattern.quote(VALUE))))
                .map(String::strip)
                .filter(part -> part.length() >= SHORTEST && part.contains(" "))
                .distinct()
                .toList();
    }
}
