package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cluster.ClusterDump.Kinds;
import io.policyscheduler.cmd.cluster.ClusterDump.Writer;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.snapshot.Anonymizer;
import io.policyscheduler.cmd.snapshot.Dump.Kind;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.TableRecorder;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code dump}: writes the objects that decisions depend on from a running cluster to a file. */
@Command(
        name = "dump",
        description = "Saves a snapshot of a cluster for simulate, explain, compare, and audit.",
        sortOptions = false,
        customSynopsis = "policy-scheduler dump [--kubeconfig=FILE] [--policy=FILE] [--output-file=FILE] [OPTION...]",
        footer = {
            "",
            "A dump contains nodes, unfinished pods, and every kind that a scheduling algorithm of any",
            "release reads. --for restricts it to the kinds that the named schedulers read. Secrets,",
            "ConfigMaps, managedFields, and the last-applied annotation of kubectl are omitted. If the",
            "server does not have a kind or denies access to it, dump prints warning W154. Without nodes and",
            "pods there is no dump. The last object lists the kinds (listedKinds). With --strict, the exit",
            "code is 1 if a kind is denied or a table is not available.",
            "",
            "With --policy, the dump also contains the tables of the policy: the values of Prometheus or the",
            "metrics API, read once, with their timestamps (kind RecordedTable), and the ConfigMap keys that",
            "tables name. Commands that read the dump use these values. --table overrides them. Tables in",
            "files are not included. --anonymize rejects tables, because their keys are names.",
            "",
            "--anonymize keeps label keys, taint keys, resources, quantities, times, UIDs, names of drivers",
            "and provisioners, and the attributes and selectors of devices (W155). Check the result before",
            "you share it.",
            "",
            "The output is gzipped if the name of the file, or of the file that stdout is redirected to, ends",
            "with .gz."
        })
public final class DumpCommand implements Callable<Integer> {
    /** Size of a list without pages, in bytes. */
    private static final int LONGEST_LIST = 64 * 1024 * 1024;

    private static final String WITHOUT_FEATURES =
            "note: the dump has no feature gates: permission to get /metrics of the API server is missing; the defaults of its"
                    + " release are assumed";

    /** No scheduler can decide without these kinds. */
    private static final Set<String> REQUIRED = Set.of("nodes", "pods");

    private static final int MAX_PAGE = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(DumpCommand.class);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConnectionOptions connectionOptions = new ConnectionOptions();

    @Option(
            names = "--output-file",
            paramLabel = "FILE",
            description = "File to write. Gzipped if the name ends with .gz (default: stdout).")
    private @Nullable Path outputFile;

    @Option(
            names = "--page-size",
            paramLabel = "N",
            defaultValue = "500",
            description = "Objects per list request, 1 to 10000 (default: ${DEFAULT-VALUE}).")
    private int pageSize = 500;

    @Option(
            names = "--anonymize",
            description = "Replace the names of objects and namespaces, images, and label values, and remove the"
                    + " fields that scheduling does not read. Decisions stay the same.")
    private boolean anonymize;

    @Option(
            names = "--keep",
            paramLabel = "TEXT",
            split = ",",
            description = "With --anonymize: keep these names and values, because a policy or configuration refers"
                    + " to them.")
    private List<String> kept = List.of();

    @Mixin
    private Kinds kinds = new Kinds();

    @Mixin
    private DeclaredTables tables = new DeclaredTables();

    @Option(names = "--strict", description = "Exit with code 1 if a kind is denied or a table is not available.")
    private boolean strict;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (pageSize < 1 || pageSize > MAX_PAGE) {
            throw new ParameterException(
                    spec.commandLine(), "--page-size: " + pageSize + " is not from 1 to " + MAX_PAGE);
        }
        if (!kept.isEmpty() && !anonymize) {
            throw new ParameterException(spec.commandLine(), "--keep requires --anonymize");
        }
        if (anonymize && tables.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--anonymize cannot be combined with tables, because their keys are names; omit the policy, and"
                            + " pass the values with --table later");
        }
        if (outputFile != null) {
            InputFiles.requireFolder("--output-file", outputFile);
        }
        try (Progress progress = common.progress(SteadyClock.system());
                KubeConnection connection = connectionOptions.connect()) {
            return dump(connection, progress);
        } catch (RuntimeException e) {
            removeTorn();
            throw e;
        }
    }

    /** An incomplete file must not look complete. */
    private void removeTorn() {
        if (outputFile != null && Files.isRegularFile(outputFile)) {
            try {
                Files.delete(outputFile);
            } catch (IOException e) {
                LOG.debug("{} stays", outputFile, e);
            }
        }
    }

    private int dump(KubeConnection connection, Progress progress) {
        int objects = 0;
        Warnings warnings = new Warnings(progress);
        // Before the pods, because pods that are placed after the measurement count in addition to the measured values.
        DeclaredTables.Recorded dumped = new DeclaredTables.Recorded(connection, Clock.systemUTC(), warnings);
        dumped.take(tables.read(connection).values());
        boolean missing = !dumped.isComplete();
        try {
            List<ObjectNode> held = new ArrayList<>();
            ClusterDump cluster =
                    new ClusterDump(connection.withBodyLimit(LONGEST_LIST), ApiDiscovery.load(connection), pageSize);
            try (Writer writer = new Writer(output(), isZipped())) {
                writer.facts(
                        connection.get("/version").json().path("gitVersion").asText(""),
                        SteadyClock.system().instant(),
                        ApiDiscovery.featureGates(
                                connection.withBodyLimit(LONGEST_LIST), () -> progress.note(WITHOUT_FEATURES)));
                writer.write(dumped.objects());
                for (Kind kind : kinds.find(connection, tables.ruleFiles())) {
                    ClusterDump.Listing listing = cluster.list(kind);
                    if (!listing.trouble().isEmpty()) {
                        if (REQUIRED.contains(kind.plural())) {
                            throw new ClusterFailure(
                                    "no dump without " + kind.plural() + ": " + listing.trouble(),
                                    new ApiIoException(listing.trouble(), 0));
                        }
                        warnings.accept("W154 " + kind.plural() + " not dumped: " + listing.trouble());
                        missing |= listing.isDenied();
                    } else {
                        writer.listed(kind.objectKind());
                    }
                    if (anonymize) {
                        held.addAll(listing.objects());
                    } else {
                        writer.write(listing.objects());
                    }
                    progress.count("objects dumped", writer.written() + held.size(), 0);
                }
                writer.write(new Anonymizer(Set.copyOf(kept), warnings).anonymous(held));
                objects = writer.written();
            }
        } catch (ApiIoException e) {
            throw new ClusterFailure(connection.failure(e), e);
        } catch (IOException e) {
            throw outputFile == null
                    ? new InputException("stdout: cannot be written: " + e.getMessage(), e)
                    : InputFiles.unwritable("--output-file", outputFile, e);
        }
        progress.clear();
        if (outputFile != null) {
            common.out().println(objects + " objects in " + outputFile);
        }
        return missing && strict ? ExitCode.NEGATIVE : ExitCode.OK;
    }

    private OutputStream output() throws IOException {
        if (outputFile != null) {
            return Files.newOutputStream(outputFile);
        }
        return isZipped() ? new FileOutputStream(FileDescriptor.out) : new WriterStream(common.out());
    }

    private boolean isZipped() {
        return outputFile != null ? outputFile.toString().endsWith(".gz") : isStdoutNamedSo();
    }

    /** On Linux, the file that stdout is redirected to. */
    private static boolean isStdoutNamedSo() {
        try {
            return Path.of("/proc/self/fd/1").toRealPath().toString().endsWith(".gz");
        } catch (IOException e) {
            return false;
        }
    }

    /** Text that is written as bytes, to the writer of the command line. */
    private static final class WriterStream extends OutputStream {
        private final PrintWriter out;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        WriterStream(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(int b) {
            line.write(b);
            if (b == '\n') {
                flush();
            }
        }

        @Override
        public void flush() {
            out.print(line.toString(StandardCharsets.UTF_8));
            out.flush();
            line.reset();
        }
    }

    /** Picocli mixin: the policy whose tables the dump includes. Other parts of the policy are ignored. */
    private static final class DeclaredTables {
        private static final String NAMESPACE = "kube-system";

        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @ArgGroup
        private @Nullable Source source;

        @Option(
                names = "--rules",
                paramLabel = "FILE",
                description = "Library of rules with tables, JSON or YAML. Repeatable.")
        private List<Path> ruleFiles = List.of();

        private static final class Source {
            @Option(
                    names = "--policy",
                    paramLabel = "FILE",
                    description =
                            "Policy with rules. The dump also contains the lookup tables of its rules: measured values, and"
                                    + " entries of ConfigMaps.")
            private @Nullable Path file;

            @Option(
                    names = "--policy-configmap",
                    paramLabel = "[NAMESPACE/]NAME",
                    description = "ConfigMap with a policy, as --policy (default namespace: " + NAMESPACE + ").")
            private @Nullable String configMap;
        }

        /** Libraries of rules. */
        List<Path> ruleFiles() {
            return ruleFiles;
        }

        /** Whether a policy is given. */
        boolean isGiven() {
            return source != null || !ruleFiles.isEmpty();
        }

        /**
         * The tables by name.
         *
         * @throws InputException if policy or library cannot be read or are invalid, with a line for each problem
         * @throws io.policyscheduler.cmd.options.ExitCode.ClusterFailure if the server does not respond
         */
        SortedMap<String, TableDefinition> read(KubeConnection connection) {
            SortedMap<String, TableDefinition> tables =
                    new TreeMap<>(PolicyOptions.libraries(ruleFiles).tables());
            if (source != null && source.file != null) {
                tables.putAll(tables(InputFiles.text(source.file), source.file.toString()));
            } else if (source != null && source.configMap != null) {
                ConfigMapName name = name(source.configMap);
                tables.putAll(tables(PolicyTexts.of(connection).configMap(name), "configmap " + name));
            }
            return tables;
        }

        private ConfigMapName name(String text) {
            String[] parts = text.split("/", -1);
            if (parts.length > 2 || List.of(parts).contains("")) {
                throw new ParameterException(
                        spec.commandLine(), "--policy-configmap: \"" + text + "\" is not NAME or NAMESPACE/NAME");
            }
            return parts.length == 1 ? new ConfigMapName(NAMESPACE, text) : new ConfigMapName(parts[0], parts[1]);
        }

        private static SortedMap<String, TableDefinition> tables(String text, String origin) {
            try {
                return new TreeMap<>(new PolicyReader().read(text, origin).tables());
            } catch (PolicyException e) {
                throw InputException.of(e);
            }
        }

        /** Tables as objects of a dump: the current measured values, and those entries of ConfigMaps that tables refer to. */
        static final class Recorded {
            private final TableRecorder recorder;
            private final ConfigMapEntries entries;
            private final Consumer<String> warnings;
            private final List<ObjectNode> recorded = new ArrayList<>();
            private final Map<String, ObjectNode> configMaps = new TreeMap<>();
            private boolean complete = true;

            /**
             * @param clock clock for the age of measured values
             * @param warnings receives the tables that are not available
             */
            Recorded(KubeConnection connection, InstantSource clock, Consumer<String> warnings) {
                this.recorder = new TableRecorder(connection, clock);
                this.entries = ConfigMapEntries.of(connection);
                this.warnings = warnings;
            }

            /** Adds the tables that are neither in the policy itself nor in a file next to it. */
            void take(Collection<TableDefinition> tables) {
                for (TableDefinition table : tables) {
                    try {
                        if (table.origin().isMeasured()) {
                            recorded.add(recorder.record(table).object());
                        } else if (table.origin() instanceof TableOrigin.ConfigMap map) {
                            ConfigMapName name = new ConfigMapName(map.namespace(), map.name());
                            String text = entries.entry(name, map.key());
                            configMap(name).withObject("/data").put(map.key(), text);
                        }
                    } catch (MeasureException | IOException e) {
                        complete = false;
                        warnings.accept("W156 table " + table.name() + " not dumped: no values from "
                                + table.origin().text() + ": " + e.getMessage());
                    }
                }
            }

            private ObjectNode configMap(ConfigMapName name) {
                return configMaps.computeIfAbsent(name.toString(), key -> {
                    ObjectNode object = JsonNodeFactory.instance.objectNode();
                    object.put("apiVersion", "v1").put("kind", "ConfigMap");
                    object.putObject("metadata")
                            .put("namespace", name.namespace())
                            .put("name", name.name());
                    return object;
                });
            }

            /** Whether all tables are available. */
            boolean isComplete() {
                return complete;
            }

            /** The available tables. */
            List<ObjectNode> objects() {
                List<ObjectNode> objects = new ArrayList<>(recorded);
                objects.addAll(configMaps.values());
                return objects;
            }
        }
    }
}
