package io.policyscheduler.cmd.dump;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.ConfigMapName;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicyTexts;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.rules.table.TableDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Of which policy the tables are wanted, as a mixin; whatever else the policy says is not looked at. */
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
                        "Policy whose tables the dump includes: measured values, and the entries of" + " ConfigMaps.")
        private @Nullable Path file;

        @Option(
                names = "--policy-configmap",
                paramLabel = "[NAMESPACE/]NAME",
                description = "ConfigMap with such a policy (default namespace: " + NAMESPACE + ").")
        private @Nullable String configMap;
    }

    /** Libraries of rules. */
    List<Path> ruleFiles() {
        return ruleFiles;
    }

    /** Whether any tables are wanted. */
    boolean isGiven() {
        return source != null || !ruleFiles.isEmpty();
    }

    /**
     * The tables by name.
     *
     * @throws InputException when policy or library cannot be read or are refused, with a line for each problem
     * @throws io.policyscheduler.cmd.options.ClusterTroubleException when the server does not answer
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
            throw InputException.refused(e);
        }
    }
}
