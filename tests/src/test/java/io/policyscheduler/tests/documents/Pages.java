package io.policyscheduler.tests.documents;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Node;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/** The Markdown files of the repository. */
final class Pages {
    private static final Parser PARSER = Parser.builder()
            .extensions(List.of(TablesExtension.create()))
            .includeSourceSpans(IncludeSourceSpans.BLOCKS)
            .build();

    private Pages() {}

    /** Returns all pages except those that a build created, sorted. */
    static List<Path> all() {
        return in(RepositoryFiles.root());
    }

    /** Returns the pages for users: README.md and docs. */
    static List<Path> read() {
        return Stream.concat(
                        Stream.of(RepositoryFiles.root().resolve("README.md")),
                        in(RepositoryFiles.root().resolve("docs")).stream())
                .toList();
    }

    private static List<Path> in(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !contains(folder.relativize(file), "target"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean contains(Path path, String folder) {
        for (Path part : path) {
            if (part.toString().equals(folder)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the name of a page in messages. */
    static String name(Path page) {
        return RepositoryFiles.root().relativize(page).toString();
    }

    static Node parse(Path page) {
        return PARSER.parse(text(page));
    }

    static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
