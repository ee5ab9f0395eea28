package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A CSV file with one pod per line, plain or gzipped. The first line names the columns:
 *
 * <ul>
 * <li>{@code time}: the arrival, in seconds since the start or as an RFC 3339 time
 * <li>{@code duration}: how many seconds the pod runs; empty for a pod that does not end
 * <li>{@code end}: when its owner removes it, as {@code time}
 * <li>{@code name}, {@code namespace}, {@code owner}, {@code restarts}
 * <li>{@code template}: name of a pod in the template files, instead of the columns below
 * <li>{@code cpu}, {@code memory}, {@code request.NAME}, {@code priority}, {@code label.KEY}, {@code annotation.KEY},
 * {@code selector.KEY} (values joined by {@code |}), {@code toleration.KEY}
 * </ul>
 */
final class ArrivalsFile {
    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);
    private static final Set<String> PLAIN = Set.of(
            "time",
            "duration",
            "end",
            "name",
            "namespace",
            "owner",
            "restarts",
            "template",
            "cpu",
            "memory",
            "priority");
    private static final List<String> PREFIXES =
            List.of("request.", "label.", "annotation.", "selector.", "toleration.");
    /** Columns that are not part of the pod template. */
    private static final Set<String> OF_ONE = Set.of("time", "duration", "end", "name", "namespace", "restarts");

    private final String name;
    private final Map<String, PodInfo> templates;
    private final ObjectReader reader;
    private final Map<String, PodInfo> read = new HashMap<>();
    private final Map<PodInfo, ObjectNode> objects = new IdentityHashMap<>();
    private final List<Row> rows = new ArrayList<>();
    private int lineNumber;
    private @Nullable Instant earliest;

    /** Times in the syntax of the file: seconds, or an instant. */
    private record Time(
            @Nullable BigDecimal seconds, @Nullable Instant instant) {}

    private record Row(
            Time at, Time end, String namespace, String name, PodInfo template, long duration, boolean restarts) {}

    /**
     * The pods of a file.
     *
     * @param start the instant of second 0; null if the file has no seconds, but instants
     * @param arrivals ordered by time, pods of one time as in the file
     * @param objects the objects of templates that the file describes itself
     */
    record Arrivals(@Nullable Instant start, List<Arrival> arrivals, Map<PodInfo, ObjectNode> objects) {}

    private ArrivalsFile(String name, FeatureGates gates, Map<String, PodInfo> templates) {
        this.name = name;
        this.templates = templates;
        this.reader = new ObjectReader(gates, true);
    }

    /**
     * Reads a file.
     *
     * @param templates pods by name
     * @param start the instant of second 0, if it is known; else the first instant in the file
     * @throws InputException if the file cannot be read, with the line
     */
    static Arrivals read(Path file, FeatureGates gates, Map<String, PodInfo> templates, @Nullable Instant start) {
        ArrivalsFile arrivals = new ArrivalsFile(file.toString(), gates, templates);
        CsvFile.read(file, ArrivalsFile::checkColumns, arrivals::add);
        return arrivals.resolve(start);
    }

    private InputException problem(String text) {
        return new InputException(name + ":" + lineNumber + ": " + text);
    }

    private static void checkColumns(List<String> columns) {
        Set<String> seen = new TreeSet<>();
        for (String column : columns) {
            if (!PLAIN.contains(column) && PREFIXES.stream().noneMatch(column::startsWith)) {
                throw new IllegalArgumentException("unknown column \"" + column + "\"; the columns are "
                        + String.join(", ", new TreeSet<>(PLAIN)) + ", and " + String.join("*, ", PREFIXES) + "*");
            }
            if (!seen.add(column)) {
                throw new IllegalArgumentException("the column \"" + column + "\" is there twice");
            }
        }
        if (!seen.contains("time")) {
            throw new IllegalArgumentException(
                    "the column \"time\" is missing; name the columns in the first line, such as"
                            + " time,duration,cpu,memory");
        }
    }

    private void add(CsvFile.Row row) {
        lineNumber = row.line();
        Map<String, String> values = row.cells();
        StringBuilder shared = new StringBuilder();
        for (String column : row.columns()) {
            if (!OF_ONE.contains(column)) {
                shared.append(row.text(column)).append('\0');
            }
        }
        // Pods with equal cells share one spec.
        PodInfo template = read.get(shared.toString());
        if (template == null) {
            template = template(values);
            read.put(shared.toString(), template);
        }
        Time at = time("time", cell(values, "time"));
        if (at.seconds() == null && at.instant() == null) {
            throw problem("the time is missing");
        }
        String duration = cell(values, "duration");
        boolean restarts = switch (cell(values, "restarts")) {
            case "" -> !cell(values, "owner").isEmpty();
            case "true" -> true;
            case "false" -> false;
            default -> throw problem("restarts: \"" + cell(values, "restarts") + "\" is neither true nor false");
        };
        String podName = cell(values, "name");
        String namespace = cell(values, "namespace");
        rows.add(new Row(
                at,
                time("end", cell(values, "end")),
                namespace.isEmpty() ? "default" : namespace,
                podName.isEmpty() ? "pod-" + rows.size() : podName,
                template,
                duration.isEmpty() ? ClusterTrace.NONE : nanos("duration", number("duration", duration)),
                restarts));
    }

    private static String cell(Map<String, String> values, String column) {
        return values.getOrDefault(column, "");
    }

    private Time time(String column, String text) {
        if (text.isEmpty()) {
            return new Time(null, null);
        }
        if (text.indexOf('T') > 0) {
            try {
                Instant instant = Instant.parse(text);
                if (earliest == null || instant.isBefore(earliest)) {
                    earliest = instant;
                }
                return new Time(null, instant);
            } catch (DateTimeException e) {
                throw problem(column + ": \"" + text + "\" is not an RFC 3339 time");
            }
        }
        return new Time(number(column, text), null);
    }

    private BigDecimal number(String column, String text) {
        try {
            BigDecimal number = new BigDecimal(text);
            if (number.signum() >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw problem(column + ": \"" + text + "\" is not a number of seconds, 0 or more");
    }

    private long nanos(String column, BigDecimal seconds) {
        try {
            return seconds.multiply(NANOS).toBigInteger().longValueExact();
        } catch (ArithmeticException e) {
            throw problem(column + ": " + seconds + " seconds is too long; the longest time is 292 years");
        }
    }

    private PodInfo template(Map<String, String> values) {
        String named = cell(values, "template");
        if (!named.isEmpty()) {
            PodInfo template = templates.get(named);
            if (template == null) {
                throw problem("there is no pod template \"" + named + "\"; name its file with --templates");
            }
            return template;
        }
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata").put("name", "template").put("uid", "template");
        ObjectNode spec = pod.putObject("spec");
        ObjectNode requests = spec.putArray("containers")
                .addObject()
                .put("name", "main")
                .putObject("resources")
                .putObject("requests");
        String owner = cell(values, "owner");
        if (!owner.isEmpty()) {
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "apps/v1")
                    .put("kind", "ReplicaSet")
                    .put("name", owner)
                    .put("uid", owner)
                    .put("controller", true);
        }
        values.forEach((column, value) -> {
            if (!value.isEmpty()) {
                put(column, value, metadata, spec, requests);
            }
        });
        try {
            PodInfo template = (PodInfo) Objects.requireNonNull(reader.readTree("Pod", pod));
            objects.put(template, pod);
            return template;
        } catch (IOException e) {
            throw problem(String.valueOf(e.getMessage()));
        }
    }

    private void put(String column, String value, ObjectNode metadata, ObjectNode spec, ObjectNode requests) {
        int dot = column.indexOf('.');
        String key = column.substring(dot + 1);
        switch (dot < 0 ? column : column.substring(0, dot)) {
            case "cpu", "memory" -> requests.put(column, value);
            case "request" -> requests.put(key, value);
            case "label" -> metadata.withObject("/labels").put(key, value);
            case "annotation" -> metadata.withObject("/annotations").put(key, value);
            case "priority" -> {
                try {
                    spec.put("priority", Integer.parseInt(value));
                } catch (NumberFormatException e) {
                    throw problem("priority: \"" + value + "\" is not an integer");
                }
            }
            case "toleration" ->
                spec.withArray("/tolerations")
                        .addObject()
                        .put("key", key)
                        .put("operator", "Equal")
                        .put("value", value);
            case "selector" -> {
                ObjectNode expression =
                        spec.withObject("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
                ObjectNode term = expression.has("nodeSelectorTerms")
                        ? (ObjectNode) expression.get("nodeSelectorTerms").get(0)
                        : expression.putArray("nodeSelectorTerms").addObject();
                ObjectNode in = term.withArray("/matchExpressions")
                        .addObject()
                        .put("key", key)
                        .put("operator", "In");
                Splitter.on('|').split(value).forEach(in.putArray("values")::add);
            }
            default -> {
                // Columns of one pod.
            }
        }
    }

    private Arrivals resolve(@Nullable Instant given) {
        Instant start = given != null ? given : earliest;
        List<Arrival> arrivals = new ArrayList<>(rows.size());
        for (Row row : rows) {
            long at = nanos(row.at(), start);
            long end = row.end().equals(new Time(null, null)) ? ClusterTrace.NONE : nanos(row.end(), start);
            if (at < 0 || (end != ClusterTrace.NONE && end < at)) {
                throw new InputException(name + ": pod " + row.namespace() + "/" + row.name() + " "
                        + (at < 0 ? "arrives before the start " + start : "ends before it arrives"));
            }
            arrivals.add(
                    new Arrival(at, row.namespace(), row.name(), row.template(), row.duration(), end, row.restarts()));
        }
        arrivals.sort(Comparator.comparingLong(Arrival::atNanos));
        return new Arrivals(start, arrivals, objects);
    }

    private long nanos(Time time, @Nullable Instant start) {
        if (time.seconds() != null) {
            return nanos("time", time.seconds());
        }
        Duration since = Duration.between(Objects.requireNonNull(start), Objects.requireNonNull(time.instant()));
        return since.isNegative() ? -1 : since.toNanos();
    }
}
