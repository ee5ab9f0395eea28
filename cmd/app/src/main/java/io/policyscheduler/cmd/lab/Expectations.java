package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.PairedRuns.Difference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that compares a candidate with a baseline: two schedulers, and limits of metrics, such as {@code wait.p99: "<= 30"}, {@code
 * cost.total: "<= 1.02 * baseline"}, or {@code unplaced.pods: "<= baseline"}.
 *
 * @param baseline the reference
 * @param candidate the scheduler that must keep the limits
 */
record Expectations(String baseline, String candidate, List<Limit> limits) {
    private static final Set<String> FIELDS = Set.of("baseline", "candidate", "expect");
    private static final Pattern LIMIT =
            Pattern.compile("(<=|>=|==|<|>)\\s*(?:([0-9.]+)\\s*\\*\\s*)?(baseline|-?[0-9.]+)");

    Expectations {
        limits = ImmutableList.copyOf(limits);
    }

    /**
     * A limit of a metric.
     *
     * @param factor of the baseline; null for a limit that is a number
     * @param number the limit, if it does not depend on the baseline
     */
    record Limit(
            String metric,
            String text,
            String operator,
            @Nullable Double factor,
            double number) {}

    /** The result of a limit. */
    enum Outcome {
        PASSED("passed"),
        FAILED("failed"),
        /** The interval of the difference contains the limit. */
        NOT_DECIDED("not decided");

        private final String label;

        Outcome(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** A limit that was compared; the values are null if a run has none. */
    record Checked(
            Limit limit,
            @Nullable Double baseline,
            @Nullable Double candidate,
            Outcome outcome) {}

    /**
     * Reads a file.
     *
     * @throws InputException if it is not understood
     */
    static Expectations read(Path file) {
        List<JsonNode> documents = ManifestFiles.read(file);
        if (documents.size() != 1) {
            throw new InputException(file + ": expected one document, found " + documents.size());
        }
        JsonNode root = documents.get(0);
        for (Iterator<String> names = root.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new InputException(
                        file + ": unknown field \"" + name + "\"; the fields are baseline, candidate, and expect");
            }
        }
        List<Limit> limits = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.path("expect").properties()) {
            limits.add(limit(file, entry.getKey(), entry.getValue().asText()));
        }
        if (limits.isEmpty()) {
            throw new InputException(file + ": expect: no limits, such as wait.p99: \"<= 30\"");
        }
        return new Expectations(text(file, root, "baseline"), text(file, root, "candidate"), limits);
    }

    private static String text(Path file, JsonNode root, String field) {
        String text = root.path(field).asText();
        if (text.isEmpty()) {
            throw new InputException(file + ": the field \"" + field + "\" is missing; it names a scheduler");
        }
        return text;
    }

    /** Reads a limit of a metric. */
    static Limit limit(Path file, String metric, String text) {
        Matcher matcher = LIMIT.matcher(text.strip());
        boolean isRelative = matcher.matches() && matcher.group(3).equals("baseline");
        try {
            if (matcher.matches() && (isRelative || matcher.group(2) == null)) {
                double factor = matcher.group(2) == null ? 1 : Double.parseDouble(matcher.group(2));
                return new Limit(
                        metric,
                        text,
                        matcher.group(1),
                        isRelative ? (Double) factor : null,
                        isRelative ? 0 : Double.parseDouble(matcher.group(3)));
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new InputException(file + ": expect: " + metric + ": \"" + text
                + "\" is not a limit, such as \"<= 30\", \"== 0\", \"<= baseline\", or \"<= 1.02 * baseline\"");
    }

    /**
     * Compares the limits with the runs of the baseline and of the candidate.
     *
     * @throws InputException if there is no such metric
     */
    List<Checked> check(PairedRuns reference, PairedRuns own) {
        List<Checked> checked = new ArrayList<>();
        for (Limit limit : limits) {
            if (!own.metrics().containsKey(limit.metric())) {
                throw new InputException(
                        "expect: there is no metric \"" + limit.metric() + "\"; docs/lab.md lists them");
            }
            Double before = reference.metrics().get(limit.metric());
            Double value = own.metrics().get(limit.metric());
            checked.add(new Checked(limit, before, value, outcome(limit, before, value, own, reference)));
        }
        return checked;
    }

    private static Outcome outcome(
            Limit limit, @Nullable Double before, @Nullable Double value, PairedRuns own, PairedRuns reference) {
        if (value == null || (limit.factor() != null && before == null)) {
            return Outcome.NOT_DECIDED;
        }
        Difference difference = own.difference(reference, limit.metric());
        if (limit.factor() != null
                && before != null
                && difference != null
                && difference.low() != null
                && difference.high() != null) {
            // The differences are those to the baseline itself; a factor moves the limit.
            double room = (limit.factor() - 1) * before;
            boolean low = holds(limit.operator(), difference.low(), room);
            boolean high = holds(limit.operator(), difference.high(), room);
            return low && high ? Outcome.PASSED : low || high ? Outcome.NOT_DECIDED : Outcome.FAILED;
        }
        double bound = limit.factor() == null || before == null ? limit.number() : limit.factor() * before;
        return holds(limit.operator(), value, bound) ? Outcome.PASSED : Outcome.FAILED;
    }

    /** Whether a value keeps a limit. */
    static boolean holds(String operator, double value, double bound) {
        return switch (operator) {
            case "<=" -> value <= bound;
            case ">=" -> value >= bound;
            case "<" -> value < bound;
            case ">" -> value > bound;
            default -> value == bound;
        };
    }
}
