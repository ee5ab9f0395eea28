package io.policyscheduler.tests.packaging;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the metrics of this program in queries. */
final class MetricNames {
    private static final Pattern METRIC = Pattern.compile("\\b(?:policy_)?scheduler_\\w+");
    /** Suffixes of the samples of a histogram. */
    private static final Pattern SAMPLE = Pattern.compile("_(?:bucket|sum|count)$");

    private MetricNames() {}

    /** Returns the metrics in a query. */
    static Set<String> in(String question) {
        Set<String> names = new TreeSet<>();
        Matcher metric = METRIC.matcher(question);
        while (metric.find()) {
            names.add(SAMPLE.matcher(metric.group()).replaceFirst(""));
        }
        return names;
    }

    /** Returns the metrics of the program whose names begin with one of the prefixes. */
    static Set<String> own(String... prefixes) throws IOException {
        Set<String> names = in(sources());
        names.removeIf(name -> Stream.of(prefixes).noneMatch(name::startsWith));
        return names;
    }

    /** Returns the metrics in a query that the program does not have. */
    static Set<String> unknown(Set<String> names) throws IOException {
        String sources = sources();
        Set<String> unknown = new TreeSet<>(names);
        unknown.removeIf(name -> sources.contains("\"" + name + "\""));
        return unknown;
    }

    private static String sources() throws IOException {
        Path folder = RepositoryFiles.root().resolve("cmd/app/src/main/java/io/policyscheduler/cmd/metrics");
        StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                sources.append(Files.readString(file));
            }
        }
        return sources.toString();
    }
}
