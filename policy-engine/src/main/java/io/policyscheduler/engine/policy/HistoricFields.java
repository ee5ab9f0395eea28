package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.policy.HistoricName.HistoricTable;
import io.policyscheduler.engine.policy.HistoricName.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Every field and argument that a policy of the releases 1.0 to 1.22 could have. Mirrors {@code scheduler/api/types.go} and
 * {@code scheduler/api/v1/types.go} of each release, and from 1.17 on {@code k8s.io/kube-scheduler/config/v1}. Where a file
 * names no version, releases up to 1.16 took the names of the Go fields, which differ in two places.
 */
public final class HistoricFields {
    private static final ImmutableMap<String, HistoricName> FIELDS = new HistoricTable(Kind.FIELD)
            .same("kind", 0)
            .same("apiVersion", 0)
            .nothing("version", 0, 16, "documents of OpenShift have it instead of apiVersion; no release read it")
            .nothing("metadata", 0, 16, "no release read it")
            .same("predicates", 0)
            .same("predicates[].name", 0)
            .same("predicates[].argument", 0)
            .same("priorities", 0)
            .same("priorities[].name", 0)
            .same("priorities[].weight", 0)
            .same("priorities[].argument", 0)
            .same("extenders", 2)
            .renamed("extenderConfigs", 2, 16, "extenders")
            .same("extenders[].urlPrefix", 2)
            .nothing("extenders[].apiVersion", 2, 16, "extenders have only one version")
            .same("extenders[].filterVerb", 2)
            .same("extenders[].prioritizeVerb", 2)
            .same("extenders[].weight", 2)
            .same("extenders[].enableHttps", 2)
            .same("extenders[].tlsConfig", 2)
            .same("extenders[].tlsConfig.certFile", 2)
            .same("extenders[].tlsConfig.keyFile", 2)
            .same("extenders[].tlsConfig.caFile", 2)
            .same("extenders[].tlsConfig.certData", 2)
            .same("extenders[].tlsConfig.keyData", 2)
            .same("extenders[].tlsConfig.caData", 2)
            .same("extenders[].tlsConfig.insecure", 5)
            .same("extenders[].tlsConfig.serverName", 5)
            .same("extenders[].httpTimeout", 2)
            .same("extenders[].nodeCacheCapable", 6)
            .same("extenders[].bindVerb", 7)
            .same("hardPodAffinitySymmetricWeight", 7)
            .same("extenders[].managedResources", 9)
            .same("extenders[].managedResources[].name", 9)
            .same("extenders[].managedResources[].ignoredByScheduler", 9)
            .same("alwaysCheckAllPredicates", 10)
            .same("extenders[].ignorable", 10)
            .same("extenders[].preemptVerb", 11)
            .build();

    private static final ImmutableMap<String, HistoricName> ARGUMENTS = new HistoricTable(Kind.ARGUMENT)
            .same("predicates[].argument.serviceAffinity", 0)
            .same("predicates[].argument.serviceAffinity.labels", 0)
            .same("predicates[].argument.labelsPresence", 0)
            .same("predicates[].argument.labelsPresence.labels", 0)
            .same("predicates[].argument.labelsPresence.presence", 0)
            .same("priorities[].argument.serviceAntiAffinity", 0)
            .same("priorities[].argument.serviceAntiAffinity.label", 0)
            .same("priorities[].argument.labelPreference", 0)
            .same("priorities[].argument.labelPreference.label", 0)
            .same("priorities[].argument.labelPreference.presence", 0)
            .same("priorities[].argument.requestedToCapacityRatioArguments", 11)
            .same("priorities[].argument.requestedToCapacityRatioArguments.shape", 11)
            .renamed("priorities[].argument.requestedToCapacityRatioArguments.utilizationShape", 11, 16, "shape")
            .same("priorities[].argument.requestedToCapacityRatioArguments.shape[].utilization", 11)
            .same("priorities[].argument.requestedToCapacityRatioArguments.shape[].score", 11)
            .same("priorities[].argument.requestedToCapacityRatioArguments.resources", 16)
            .same("priorities[].argument.requestedToCapacityRatioArguments.resources[].name", 16)
            .same("priorities[].argument.requestedToCapacityRatioArguments.resources[].weight", 16)
            .build();

    private static final ImmutableMap<String, HistoricName> BY_LOWER_CASE = byLowerCase();

    private HistoricFields() {}

    private static ImmutableMap<String, HistoricName> byLowerCase() {
        ImmutableMap.Builder<String, HistoricName> fields = ImmutableMap.builder();
        all().forEach(field -> fields.put(field.name().toLowerCase(Locale.ROOT), field));
        return fields.buildOrThrow();
    }

    /** What releases had at a path such as {@code extenders[].urlPrefix}, in any case; empty if none had anything there. */
    public static Optional<HistoricName> find(String path) {
        return Optional.ofNullable(BY_LOWER_CASE.get(path.toLowerCase(Locale.ROOT)));
    }

    /** All fields and then all members of arguments. */
    public static List<HistoricName> all() {
        return ImmutableList.<HistoricName>builder()
                .addAll(FIELDS.values())
                .addAll(ARGUMENTS.values())
                .build();
    }
}
