package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.TableRecorder;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin: the policy whose tables the dump includes. Other parts of the policy are ignored. */
final class DeclaredTables {
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
                object.putObject("metadata").put("namespace", name.namespace()).put("name", name.name());
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
