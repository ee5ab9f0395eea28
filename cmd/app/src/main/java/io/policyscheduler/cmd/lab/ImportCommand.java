package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.SnapshotOptions;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab import}: data of other programs as a trace. */
@Command(
        name = "import",
        description = "Converts a data set to a trace for lab run and lab compare.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler lab import csv PODS [NODES] --mapping=FILE --out=DIR",
            "policy-scheduler lab import (swf | kss | kwok | simkube | audit) FILE... --out=DIR",
            "policy-scheduler lab import prometheus URL --from=TIME --to=TIME --out=DIR [OPTION...]",
            "policy-scheduler lab import run DIRECTORY --out=DIR",
            "policy-scheduler lab import openb PODS NODES --out=DIR [OPTION...]"
        },
        footer = {
            "",
            "csv: lists of pods and nodes. The mapping file is YAML or JSON, for example:",
            "  pods: {time: submitted, cpu: cores, memory: {column: mem_mib, suffix: Mi}}",
            "  nodes: {name: host, cpu: cores, memory: {value: 64Gi}}",
            "A key of \"pods\" is a column of --arrivals (see the help of lab run). A key of \"nodes\" is name, cpu,",
            "memory, pods, resource.NAME, or label.KEY. The value is a column of your list, or these fields:",
            "  column: a column of your list         value: a constant, instead of column",
            "  minus: a column to subtract           unit: a factor",
            "  suffix: text to append                format: of times in UTC, such as yyyy-MM-dd HH:mm:ss",
            "Without NODES, DIR has no cluster.json: use --cluster FILE --arrivals DIR/arrivals.csv.",
            "",
            "swf: the Standard Workload Format 2.2 of the Parallel Workloads Archive. A job becomes pods of at most",
            "MaxProcs/MaxNodes CPUs, which are placed independently. Memory is not imported.",
            "",
            "kss: records of kube-scheduler-simulator. audit: audit logs of API servers, in the order of time. The",
            "audit policy must record nodes, pods, and pods/* with the level RequestResponse. Requests without an",
            "object are skipped and counted. If an object is older than the log, its first state in the log is in",
            "the snapshot at the start of the trace.",
            "",
            "kwok: a record of kwokctl snapshot record, or of kwokctl snapshot export --record. These have no",
            "dates: the trace starts at 2000-01-01T00:00:00Z.",
            "",
            "simkube: a trace of SimKube (version 2 or 3). It has no nodes: run it with --cluster FILE --arrivals",
            "DIR/arrivals.csv --templates DIR/templates.json. Deployments, ReplicaSets, and StatefulSets have as",
            "many pods as they request. Jobs, CronJobs, and other kinds have the pods of pod_lifecycles, which",
            "arrive when their containers started; a Job without them has its parallel pods until it is deleted.",
            "DaemonSets, objects without lifecycles or with several pod templates, and volumes are skipped.",
            "",
            "prometheus: metrics of kube-state-metrics from the server at URL. They have no affinity, tolerations,",
            "taints, priorities, volumes, and labels of pods, so that the pods fit on more nodes than in the cluster.",
            "All nodes that existed from --from to --to are there from the start. Pods that did not complete end",
            "when their last sample was taken. Other resources than cpu, memory, and ephemeral-storage are named",
            "prometheus/NAME. Pods of DaemonSets and static pods stay on their node.",
            "",
            "run: a directory that run --record has written. Each start of run becomes a part of the trace. lab",
            "show lists the parts.",
            "",
            "openb: the GPU trace of the FGD simulator (Weng et al., ATC 2023), to repeat its packing experiment.",
            "The pods arrive one after the other in a random order, and stay. The trace ends when they request",
            "--load times the GPUs of the nodes. If the pods of the list request less, lab import adds randomly",
            "selected pods of the list. DIR also gets a configuration for each score of the sample plugin GpuShare.",
            "Run them with --tie-break first, as the experiment did.",
            "",
            "-o json prints the document that docs/schemas/lab-import.schema.json describes."
        })
final class ImportCommand implements Callable<Integer> {
    /** Formats that can be imported. */
    enum Format {
        OPENB,
        CSV,
        SWF,
        KSS,
        KWOK,
        SIMKUBE,
        AUDIT,
        PROMETHEUS,
        RUN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FORMAT",
            description = "Format of the files: csv, swf, kss, kwok, simkube, audit, prometheus, run, or openb.")
    private Format format = Format.OPENB;

    @Parameters(index = "1..*", paramLabel = "FILE", arity = "1..*", description = "Files to convert, or a URL.")
    private List<String> sources = List.of();

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Directory of the trace.")
    private Path out = Path.of("");

    @Option(names = "--mapping", paramLabel = "FILE", description = "csv: file that maps the columns.")
    private @Nullable Path mapping;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = SnapshotOptions.TimeConverter.class,
            description = "prometheus: start, such as 2026-01-31T12:00:00Z.")
    private @Nullable Instant from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            converter = SnapshotOptions.TimeConverter.class,
            description = "prometheus: end.")
    private @Nullable Instant to;

    @Option(names = "--bearer-token-file", paramLabel = "FILE", description = "prometheus: file with a bearer token.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "prometheus: certificate authorities in PEM. Default: those of the JVM.")
    private @Nullable Path authorities;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "openb: seed of the order of pods and nodes (default: ${DEFAULT-VALUE}).")
    private long seed = 42;

    @Option(
            names = "--load",
            paramLabel = "X",
            defaultValue = "1.3",
            description = "openb: GPUs that all pods request together, as a multiple of the GPUs of the nodes (default:"
                    + " ${DEFAULT-VALUE}).")
    private double load = 1.3;

    @Mixin
    private CommonOptions common = new CommonOptions();

    private record Counts(int nodes, int arrivals, int skipped, String whatIsSkipped) {}

    @Override
    public Integer call() {
        Counts counts = convert();
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", format.toString());
        json.put("nodes", counts.nodes()).put("arrivals", counts.arrivals()).put("skipped", counts.skipped());
        json.put("out", out.toString());
        common.output()
                .write(
                        () -> {
                            common.out()
                                    .println("wrote " + counts.nodes() + " nodes and " + counts.arrivals()
                                            + " arrivals to " + out);
                            if (counts.skipped() > 0) {
                                common.out()
                                        .println("skipped: " + counts.skipped() + " (" + counts.whatIsSkipped() + ")");
                            }
                        },
                        () -> json);
        return ExitCode.OK;
    }

    private Counts convert() {
        if ((mapping != null) != (format == Format.CSV)) {
            throw new ParameterException(
                    spec.commandLine(),
                    format == Format.CSV ? "csv requires --mapping FILE" : "--mapping is only for csv");
        }
        List<Path> files = format == Format.PROMETHEUS
                ? List.of()
                : sources.stream().map(Path::of).toList();
        switch (format) {
            case PROMETHEUS -> {
                requireFiles(1, 1, "one URL");
                if (from == null || to == null || !from.isBefore(to)) {
                    throw new ParameterException(
                            spec.commandLine(), "prometheus requires --from TIME and --to TIME, which is later");
                }
                return counts(PrometheusImport.read(sources.get(0), tokenFile, authorities, from, to), 0, "");
            }
            case OPENB -> {
                requireFiles(2, 2, "PODS NODES");
                OpenbImport openb = OpenbImport.of(files.get(0), files.get(1));
                int arrivals = openb.write(out, seed, load);
                return new Counts(openb.nodeCount(), arrivals, 0, "");
            }
            case CSV -> {
                requireFiles(1, 2, "PODS [NODES]");
                return counts(CsvImport.read(mapping == null ? Path.of("") : mapping, files), 0, "");
            }
            case SWF -> {
                requireFiles(1, 1, "one FILE");
                SwfImport.Workload workload = SwfImport.read(files.get(0));
                return counts(workload.trace(), workload.skipped(), "jobs without a run time or processors");
            }
            case RUN -> {
                requireFiles(1, 1, "one DIR");
                RecordImport.Imported imported = RunImport.write(files.get(0), out);
                return new Counts(imported.nodes(), imported.arrivals(), 0, "");
            }
            case SIMKUBE -> {
                requireFiles(1, 1, "one FILE");
                SimkubeImport.Imported imported = SimkubeImport.read(files.get(0));
                return counts(imported.trace(), imported.skipped(), "objects whose pods the trace does not describe");
            }
            case KWOK -> {
                requireFiles(1, 1, "one FILE");
                return record(files, RecordImport.Source.KWOK, "patches of objects that the record does not contain");
            }
            case KSS -> {
                return record(files, RecordImport.Source.KSS, "");
            }
            default -> {
                return record(files, RecordImport.Source.AUDIT, "requests of which the log has no object");
            }
        }
    }

    private Counts counts(ImportedTrace trace, int skipped, String whatIsSkipped) {
        trace.write(out);
        return new Counts(trace.nodeCount(), trace.podCount(), skipped, whatIsSkipped);
    }

    private Counts record(List<Path> files, RecordImport.Source source, String whatIsSkipped) {
        RecordImport.Imported imported = RecordImport.write(source, files, out);
        return new Counts(imported.nodes(), imported.arrivals(), imported.skipped(), whatIsSkipped);
    }

    private void requireFiles(int least, int most, String usage) {
        if (sources.size() < least || sources.size() > most) {
            throw new ParameterException(
                    spec.commandLine(), format + " takes " + usage + ", not " + sources.size() + " files");
        }
    }

    /**
     * A trace made of a list of pods, {@code arrivals.csv}, and of lists of nodes and of pod templates if the source has them,
     * {@code cluster.json} and {@code templates.json}.
     */
    static final class ImportedTrace {
        private static final String PODS_OF_NODE = "1000";

        private final List<String> columns;
        private final List<List<String>> rows = new ArrayList<>();
        private final ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
        private final ArrayNode templates = JsonNodeFactory.instance.arrayNode();

        /** @param columns of {@code arrivals.csv} */
        ImportedTrace(List<String> columns) {
            this.columns = List.copyOf(columns);
        }

        /** Adds a pod; the cells are in the order of the columns. */
        void pod(List<String> cells) {
            rows.add(cells);
        }

        /**
         * Adds a node.
         *
         * @param allocatable quantities by resource; a missing number of pods means 1000
         */
        void node(String name, Map<String, String> allocatable, Map<String, String> labels) {
            ObjectNode node = nodes.addObject().put("apiVersion", "v1").put("kind", "Node");
            ObjectNode metadata = node.putObject("metadata").put("name", name);
            Map<String, String> all = new LinkedHashMap<>(labels);
            all.putIfAbsent("kubernetes.io/hostname", name);
            all.forEach(metadata.putObject("labels")::put);
            ObjectNode amounts = node.putObject("status").putObject("allocatable");
            allocatable.forEach(amounts::put);
            if (!allocatable.containsKey("pods")) {
                amounts.put("pods", PODS_OF_NODE);
            }
        }

        /** Adds a pod that the column {@code template} names. */
        void template(ObjectNode pod) {
            templates.add(pod);
        }

        int podCount() {
            return rows.size();
        }

        int nodeCount() {
            return nodes.size();
        }

        /** Writes the files, but no empty list of nodes or templates. */
        void write(Path folder) {
            try {
                Files.createDirectories(folder);
                list(folder.resolve(LabOptions.CLUSTER_FILE), nodes);
                list(folder.resolve("templates.json"), templates);
                try (BufferedWriter out = Files.newBufferedWriter(folder.resolve(LabOptions.ARRIVALS_FILE))) {
                    line(out, columns);
                    for (List<String> row : rows) {
                        line(out, row);
                    }
                }
            } catch (IOException e) {
                throw new InputException("cannot write " + folder + ": " + e.getMessage(), e);
            }
        }

        private static void list(Path file, ArrayNode items) throws IOException {
            if (!items.isEmpty()) {
                ObjectNode list = JsonNodeFactory.instance
                        .objectNode()
                        .put("apiVersion", "v1")
                        .put("kind", "List");
                list.set("items", items);
                Files.writeString(file, list + "\n");
            }
        }

        private static void line(BufferedWriter out, List<String> cells) throws IOException {
            for (int i = 0; i < cells.size(); i++) {
                out.write((i == 0 ? "" : ",") + quoted(cells.get(i)));
            }
            out.write("\n");
        }

        private static String quoted(String cell) {
            return cell.indexOf(',') < 0 && cell.indexOf('"') < 0 && cell.indexOf('\n') < 0
                    ? cell
                    : '"' + cell.replace("\"", "\"\"") + '"';
        }
    }

    /**
     * Converts a recording of {@code run --record} to a trace of {@code lab record}, so that the pods of the recording can be run under another
     * policy. Each recorded process becomes a part.
     */
    private static final class RunImport {
        private final TraceFiles files;
        private final Set<String> arrived = new HashSet<>();
        /** The last state of each object, by kind and key. */
        private final Map<String, ObjectNode> known = new HashMap<>();

        private final List<ObjectNode> items = new ArrayList<>();
        private @Nullable TraceWriter trace;
        private @Nullable ClusterRecorder recorder;
        private Instant now = Instant.EPOCH;
        private String release = "";
        private int nodes;

        private RunImport(Path recording) {
            this.files = TraceFiles.of(recording);
        }

        /**
         * Converts a recording.
         *
         * @throws InputException if it cannot be read, or the folder contains a trace
         */
        static RecordImport.Imported write(Path recording, Path folder) {
            if (RecordedTrace.isIn(folder)) {
                throw new InputException(folder + ": there is a trace; name another directory");
            }
            try {
                return new RunImport(recording).write(folder);
            } catch (IOException e) {
                throw new InputException(String.valueOf(e.getMessage()), e);
            } catch (UncheckedIOException e) {
                throw new InputException("cannot write " + folder + ": " + e.getMessage(), e);
            }
        }

        private RecordImport.Imported write(Path folder) throws IOException {
            try {
                for (TraceFile file : files.list()) {
                    TraceReader.read(file, text -> true, line -> accept(line, folder));
                }
            } finally {
                if (trace != null) {
                    trace.close();
                }
            }
            if (trace == null) {
                throw new InputException(
                        files.folder() + ": there is no recording of a scheduler; run --record writes it");
            }
            return new RecordImport.Imported(nodes, arrived.size(), 0);
        }

        private void accept(Line line, Path folder) throws IOException {
            now = line.time();
            switch (line.kind()) {
                case "policy" -> release = "v" + line.fields().path("release").asText() + ".0";
                case "start" -> begin(folder);
                case "item" -> items.add((ObjectNode) line.fields().path("object"));
                case "in" -> change(line.fields());
                default -> {
                    // Decisions, and what only a replay needs.
                }
            }
        }

        private void begin(Path folder) throws IOException {
            if (trace == null) {
                trace = TraceWriter.open(
                        TraceFiles.of(folder), Limits.NONE, "lab import", JsonNodeFactory.instance.objectNode(), now);
            }
            known.clear();
            nodes = 0;
            recorder = new ClusterRecorder(trace, () -> now, object -> object);
            recorder.begin(release);
        }

        private void change(JsonNode line) {
            ClusterRecorder current = recorder;
            ResourceKind kind = ResourceKind.ofObjectKind(line.path("kind").asText());
            if (current != null && kind != null) {
                switch (line.path("change").asText()) {
                    case "list" -> {
                        items.forEach(item -> known(kind, item));
                        current.replaced(kind, List.copyOf(items));
                        nodes += kind == ResourceKind.NODES ? items.size() : 0;
                    }
                    case "put" -> {
                        ObjectNode object = (ObjectNode) line.path("object");
                        boolean isNew = known(kind, object);
                        current.upserted(kind, object);
                        if (isNew && kind == ResourceKind.PODS) {
                            arrived.add(object.at("/metadata/uid").asText());
                        }
                    }
                    case "delete" -> {
                        String namespace = line.path("namespace").asText();
                        String name = line.path("name").asText();
                        ObjectNode last =
                                known.remove(kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name));
                        if (last != null) {
                            current.deleted(kind, last);
                        }
                    }
                    default -> {
                        // Answers of the API server, which the watch shows, too.
                    }
                }
            }
            items.clear();
        }

        /** Remembers the state of an object; true for a new one. */
        private boolean known(ResourceKind kind, ObjectNode object) {
            return known.put(kind + " " + ClusterRecorder.key(object), object) == null;
        }
    }
}
