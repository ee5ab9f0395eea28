package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.lab.ImportCommand.ImportedTrace;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts lists of pods and nodes in CSV files with any columns. A mapping file names the sources of the columns of {@code arrivals.csv}
 * and of the allocatable resources of nodes.
 */
final class CsvImport {
    private static final Set<String> PODS =
            Set.of("time", "duration", "end", "name", "namespace", "owner", "restarts", "cpu", "memory", "priority");
    private static final List<String> POD_PREFIXES =
            List.of("request.", "label.", "annotation.", "selector.", "toleration.");
    private static final Set<String> NODES = Set.of("name", "cpu", "memory", "pods");
    private static final List<String> NODE_PREFIXES = List.of("resource.", "label.");
    private static final Set<String> PARTS = Set.of("column", "minus", "unit", "suffix", "value", "format");
    private static final Set<String> TIMES = Set.of("time", "end");
    private static final int NANO_DIGITS = 9;
    private static final int MAX_DIGITS = 18;

    private final Path file;

    /**
     * The source of a column.
     *
     * @param column of the list; null for a constant
     * @param minus a column that is subtracted; null for none
     * @param unit factor; null for none
     * @param suffix of the result, such as {@code Mi}
     * @param value a constant; null for none
     * @param format of times without a zone, which are read as UTC; null for seconds and RFC 3339
     */
    private record Source(
            @Nullable String column,
            @Nullable String minus,
            @Nullable BigDecimal unit,
            String suffix,
            @Nullable String value,
            @Nullable DateTimeFormatter format) {}

    /** A number of seconds since the epoch if {@code isInstant}, else since any moment. */
    private record Moment(BigDecimal seconds, boolean isInstant) {}

    /** A pod before its times are relative to the first one; {@code end} is null if it is not known. */
    private record Pod(
            Map<String, String> cells,
            Moment time,
            @Nullable Moment end) {}

    private CsvImport(Path file) {
        this.file = file;
    }

    /**
     * Reads the lists.
     *
     * @param mapping YAML or JSON
     * @param lists of pods, and of nodes if there are two
     * @throws InputException if a file cannot be used, with the line
     */
    static ImportedTrace read(Path mapping, List<Path> lists) {
        return new CsvImport(mapping).read(lists);
    }

    private InputException problem(String text) {
        return new InputException(file + ": " + text);
    }

    private ImportedTrace read(List<Path> lists) {
        List<JsonNode> documents = ImmutableList.copyOf(ManifestFiles.read(file));
        if (documents.size() != 1 || !documents.get(0).path("pods").isObject()) {
            throw problem("one object is required, in which pods maps columns of a trace to columns of the list");
        }
        JsonNode json = documents.get(0);
        json.fieldNames().forEachRemaining(name -> {
            if (!name.equals("pods") && !name.equals("nodes")) {
                throw problem("unknown field \"" + name + "\"; the fields are pods and nodes");
            }
        });
        Map<String, Source> ofPods = sources("pods", json.path("pods"), PODS, POD_PREFIXES);
        if (!ofPods.containsKey("time")) {
            throw problem("pods: time is missing");
        }
        Map<String, Source> ofNodes = sources("nodes", json.path("nodes"), NODES, NODE_PREFIXES);
        if ((lists.size() == 2) != ofNodes.containsKey("name")) {
            throw problem(
                    lists.size() == 2
                            ? "nodes: name is missing"
                            : "nodes: there is no list of nodes; name it after the list of pods");
        }
        ImportedTrace trace = new ImportedTrace(List.copyOf(ofPods.keySet()));
        pods(lists.get(0), ofPods).forEach(trace::pod);
        if (lists.size() == 2) {
            CsvFile.read(lists.get(1), columns -> check(ofNodes, columns), row -> node(trace, ofNodes, row));
        }
        return trace;
    }

    private Map<String, Source> sources(String field, JsonNode given, Set<String> names, List<String> prefixes) {
        Map<String, Source> sources = new LinkedHashMap<>();
        given.properties().forEach(one -> {
            String name = one.getKey();
            if (!names.contains(name) && prefixes.stream().noneMatch(name::startsWith)) {
                throw problem(field + ": unknown name \"" + name + "\"; the names are "
                        + String.join(", ", names.stream().sorted().toList()) + ", and " + String.join("*, ", prefixes)
                        + "*");
            }
            sources.put(name, source(field + ": " + name, one.getValue()));
        });
        return ImmutableMap.copyOf(sources);
    }

    private Source source(String place, JsonNode given) {
        if (given.isTextual()) {
            return new Source(given.asText(), null, null, "", null, null);
        }
        given.fieldNames().forEachRemaining(name -> {
            if (!PARTS.contains(name)) {
                throw problem(place + ": unknown field \"" + name + "\"; the fields are "
                        + String.join(", ", PARTS.stream().sorted().toList()));
            }
        });
        if (given.has("column") == given.has("value")) {
            throw problem(place + ": either a column or a value is required");
        }
        JsonNode unit = given.path("unit");
        if (!unit.isMissingNode() && !unit.isNumber()) {
            throw problem(place + ": unit: " + unit + " is not a number");
        }
        try {
            return new Source(
                    given.has("column") ? given.path("column").asText() : null,
                    given.has("minus") ? given.path("minus").asText() : null,
                    unit.isNumber() ? unit.decimalValue() : null,
                    given.path("suffix").asText(""),
                    given.has("value") ? given.path("value").asText() : null,
                    given.has("format")
                            ? DateTimeFormatter.ofPattern(given.path("format").asText(), Locale.ROOT)
                            : null);
        } catch (IllegalArgumentException e) {
            throw new InputException(file + ": " + place + ": format: " + e.getMessage(), e);
        }
    }

    private static void check(Map<String, Source> sources, List<String> columns) {
        sources.forEach((name, source) -> {
            for (String column : new String[] {source.column(), source.minus()}) {
                if (column != null && !columns.contains(column)) {
                    throw new IllegalArgumentException(
                            "there is no column \"" + column + "\", of which the mapping makes " + name
                                    + "; the columns are " + String.join(", ", columns));
                }
            }
        });
    }

    /** Returns the rows of the trace, ordered by time; pods of one time are in the order of the list. */
    private static List<List<String>> pods(Path list, Map<String, Source> sources) {
        List<Pod> pods = new ArrayList<>();
        CsvFile.read(list, columns -> check(sources, columns), row -> {
            Map<String, String> cells = new HashMap<>();
            sources.forEach((name, source) -> {
                if (!TIMES.contains(name)) {
                    cells.put(name, name.equals("duration") ? duration(source, row) : text(name, source, row));
                }
            });
            Moment time = moment("time", sources.get("time"), row);
            Moment end = moment("end", sources.get("end"), row);
            if (time == null) {
                throw row.problem("the time is missing");
            }
            boolean isInstant =
                    pods.isEmpty() ? time.isInstant() : pods.get(0).time().isInstant();
            if (time.isInstant() != isInstant || (end != null && end.isInstant() != isInstant)) {
                throw row.problem("some times are seconds, and others are dates");
            }
            pods.add(new Pod(cells, time, end));
        });
        pods.sort(Comparator.comparing(pod -> pod.time().seconds()));
        BigDecimal first = pods.isEmpty() ? BigDecimal.ZERO : pods.get(0).time().seconds();
        List<List<String>> rows = new ArrayList<>();
        for (Pod pod : pods) {
            List<String> row = new ArrayList<>();
            for (String name : sources.keySet()) {
                Moment moment = name.equals("time") ? pod.time() : name.equals("end") ? pod.end() : null;
                row.add(moment == null ? pod.cells().getOrDefault(name, "") : written(moment, first));
            }
            rows.add(row);
        }
        return rows;
    }

    private static String written(Moment moment, BigDecimal first) {
        if (!moment.isInstant()) {
            return plain(moment.seconds().subtract(first));
        }
        BigDecimal whole = new BigDecimal(moment.seconds().toBigInteger());
        return Instant.ofEpochSecond(
                        whole.longValue(),
                        moment.seconds()
                                .subtract(whole)
                                .movePointRight(NANO_DIGITS)
                                .longValue())
                .toString();
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    private static BigDecimal number(String name, String cell, CsvFile.Row row) {
        BigDecimal number;
        try {
            number = new BigDecimal(cell);
        } catch (NumberFormatException e) {
            throw row.problem(name + ": \"" + cell + "\" is not a number");
        }
        // Written in full, a number such as 1e999999999 would fill the memory.
        if (number.precision() - number.scale() > MAX_DIGITS || number.scale() > MAX_DIGITS) {
            throw row.problem(name + ": \"" + cell + "\" has more than " + MAX_DIGITS
                    + " digits before or after the decimal point");
        }
        return number;
    }

    private static String text(String name, Source source, CsvFile.Row row) {
        if (source.value() != null) {
            return source.value();
        }
        String cell = cell(source.column(), row);
        String other = cell(source.minus(), row);
        if (cell.isEmpty() || (source.minus() != null && other.isEmpty())) {
            return "";
        }
        if (source.unit() == null && source.minus() == null) {
            return cell + source.suffix();
        }
        BigDecimal number = number(name, cell, row);
        if (source.minus() != null) {
            number = number.subtract(number(name, other, row));
        }
        return plain(source.unit() == null ? number : number.multiply(source.unit())) + source.suffix();
    }

    private static String cell(@Nullable String column, CsvFile.Row row) {
        return column == null ? "" : row.text(column);
    }

    private static String duration(Source source, CsvFile.Row row) {
        if (source.minus() == null) {
            return text("duration", source, row);
        }
        Moment to = moment("duration", source, source.column(), row);
        Moment from = moment("duration", source, source.minus(), row);
        if (to == null || from == null) {
            return "";
        }
        if (to.isInstant() != from.isInstant()) {
            throw row.problem("duration: one of the times is a number of seconds, and the other one is a date");
        }
        return plain(to.seconds().subtract(from.seconds()));
    }

    private static @Nullable Moment moment(String name, @Nullable Source source, CsvFile.Row row) {
        return source == null ? null : moment(name, source, source.column(), row);
    }

    /** Returns a time; null for an empty cell. */
    private static @Nullable Moment moment(String name, Source source, @Nullable String column, CsvFile.Row row) {
        String cell = source.value() != null ? source.value() : cell(column, row);
        if (cell.isEmpty()) {
            return null;
        }
        try {
            if (source.format() != null) {
                return instant(LocalDateTime.parse(cell, source.format()).toInstant(ZoneOffset.UTC));
            }
            if (cell.indexOf('T') > 0) {
                return instant(Instant.parse(cell));
            }
        } catch (DateTimeException e) {
            throw row.problem(name + ": \"" + cell + "\" is not a time of the form "
                    + (source.format() == null ? "of RFC 3339" : "that the mapping gives"));
        }
        BigDecimal number = number(name, cell, row);
        return new Moment(source.unit() == null ? number : number.multiply(source.unit()), false);
    }

    private static Moment instant(Instant instant) {
        return new Moment(
                BigDecimal.valueOf(instant.getEpochSecond()).add(BigDecimal.valueOf(instant.getNano(), NANO_DIGITS)),
                true);
    }

    private static void node(ImportedTrace trace, Map<String, Source> sources, CsvFile.Row row) {
        Map<String, String> allocatable = new LinkedHashMap<>();
        Map<String, String> labels = new LinkedHashMap<>();
        String[] name = {""};
        sources.forEach((key, source) -> {
            String text = text(key, source, row);
            if (key.equals("name")) {
                name[0] = text;
            } else if (key.startsWith("label.")) {
                labels.put(key.substring("label.".length()), text);
            } else if (!text.isEmpty()) {
                allocatable.put(key.startsWith("resource.") ? key.substring("resource.".length()) : key, text);
            }
        });
        if (name[0].isEmpty()) {
            throw row.problem("the name is missing");
        }
        trace.node(name[0], allocatable, labels);
    }
}
