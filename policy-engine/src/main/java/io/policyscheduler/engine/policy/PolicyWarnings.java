package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ExtenderTls;
import io.policyscheduler.engine.policy.table.PolicyTables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects what is accepted but probably not meant. */
final class PolicyWarnings {
    /** Smaller timeouts in nanoseconds are most likely meant in another unit. */
    private static final long SMALLEST_TIMEOUT = 1_000_000;

    private final boolean strict;
    private final Set<Warning> warnings = new LinkedHashSet<>();

    PolicyWarnings(boolean strict) {
        this.strict = strict;
    }

    List<Warning> all() {
        return List.copyOf(warnings);
    }

    void addAll(List<Warning> more) {
        warnings.addAll(more);
    }

    void add(String code, String message, SourcePosition position) {
        warnings.add(new Warning(code, message, position));
    }

    void nameOverridden(String name, String key, SourcePosition position) {
        add(
                PolicyWarningCode.NAME_OVERRIDDEN,
                "the argument makes this entry " + key + "; " + name + " itself is not configured by it",
                position);
    }

    void differentWeights(String argument, SourcePosition position) {
        add(
                PolicyWarningCode.DIFFERENT_WEIGHTS,
                argument
                        + " entries have different weights, which v1.17 refuses; each counts with its own here, as up to"
                        + " 1.16",
                position);
    }

    void labels(List<String> labels, String argument, SourcePosition position) {
        if (labels.isEmpty()) {
            add(PolicyWarningCode.LABELS, argument + " lists no labels and has no effect", position);
        } else if (labels.contains("")) {
            add(PolicyWarningCode.LABELS, argument + " has an empty label, which no node carries", position);
        }
    }

    void ratioResource(PriorityArgument.ResourceWeight resource, boolean repeated) {
        if (resource.weight() < 0) {
            add(
                    PolicyWarningCode.NEGATIVE_RESOURCE_WEIGHT,
                    "resource " + resource.name() + " weight " + resource.weight() + " must not be less than 1; it is"
                            + " used as it is",
                    resource.position());
        }
        if (repeated) {
            add(
                    PolicyWarningCode.DUPLICATE_RESOURCE,
                    "resource " + resource.name() + " is listed twice; the last weight counts",
                    resource.position());
        }
    }

    /** Algorithms of a gate that is on, which a file with a list of its own leaves out. */
    void gates(FeatureGates gates, Collection<KnownAlgorithm> rows, Set<String> listed) {
        for (KnownAlgorithm known : rows) {
            if (!known.gate().isEmpty() && known.isEnabled(gates) && !listed.contains(known.name())) {
                gateNotListed(known.gate(), known.name());
            }
        }
    }

    /** Labels that are to be there and not to be there. */
    void labelConflict(
            PolicyArguments arguments,
            Map<String, List<SourcePosition>> predicates,
            Map<String, List<SourcePosition>> priorities) {
        String conflict = PluginTranslation.labelConflict(arguments);
        if (conflict == null) {
            return;
        }
        List<SourcePosition> entries = predicates.get(KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE);
        if (entries == null) {
            entries = priorities.getOrDefault(KnownAlgorithms.NODE_LABEL, List.of(SourcePosition.UNKNOWN));
        }
        add(
                PolicyWarningCode.LABEL_CONFLICT,
                "v1.17 dies when it starts: " + conflict,
                entries.get(entries.size() - 1));
    }

    /** Fields of pods that count in the cluster, but not here. */
    void ignoredFields(FeatureGates gates) {
        for (NewerField field : gates.ignored()) {
            if (gates.ignoring(Set.of()).honours(field)) {
                add(
                        PolicyWarningCode.FIELD_IGNORED,
                        "pods are placed as if they had no " + field.key() + " (" + field.path()
                                + "), which clusters have " + field.since(gates.release()),
                        SourcePosition.UNKNOWN);
            }
        }
    }

    void settings(Policy policy) {
        if (policy.alwaysCheckAllPredicates()) {
            add(
                    PolicyWarningCode.ALWAYS_CHECK_ALL,
                    "v1.17 ignores alwaysCheckAllPredicates once predicates run as plugins; it is honoured here",
                    policy.alwaysCheckPosition());
        }
        if (policy.hardPodAffinitySymmetricWeight() != 0) {
            add(
                    PolicyWarningCode.HARD_WEIGHT,
                    "v1.17 checks hardPodAffinitySymmetricWeight of the file and then uses the flag; "
                            + (strict ? "so does strict mode" : "the value of the file is used here"),
                    policy.hardWeightPosition());
        }
        for (ExtenderConfig extender : policy.extenders()) {
            extender(extender);
        }
    }

    private void extender(ExtenderConfig extender) {
        long timeout = extender.httpTimeoutNanos();
        if (timeout > 0 && timeout < SMALLEST_TIMEOUT) {
            add(
                    PolicyWarningCode.SMALL_TIMEOUT,
                    "httpTimeout " + timeout + " is in nanoseconds, less than a millisecond; 5 s is 5000000000",
                    extender.httpTimeoutPosition());
        }
        ExtenderTls tls = extender.tlsConfig();
        boolean ca = tls != null && !(tls.caFile().isEmpty() && tls.caData().isEmpty());
        if (extender.enableHttps() && !ca && (tls == null || !tls.insecure())) {
            add(
                    PolicyWarningCode.EXTENDER_WITHOUT_CA,
                    "enableHttps without a CA: v1.17 trusts whoever answers; "
                            + (strict ? "so does strict mode" : "the system's CAs are asked here")
                            + "; give tlsConfig a caFile or caData, or say insecure: true",
                    extender.position());
        }
        boolean noVerb = extender.filterVerb().isEmpty()
                && extender.prioritizeVerb().isEmpty()
                && extender.preemptVerb().isEmpty()
                && extender.bindVerb().isEmpty();
        if (noVerb) {
            add(PolicyWarningCode.INERT_EXTENDER, "the extender has no verb and is never called", extender.position());
        } else if (extender.urlPrefix().isEmpty()) {
            add(PolicyWarningCode.INERT_EXTENDER, "the extender has no urlPrefix to call", extender.position());
        }
    }

    /** Warnings about an explicit predicate list. */
    void predicates(Map<String, List<SourcePosition>> keys) {
        List<SourcePosition> ports = keys.get(KnownAlgorithms.POD_FITS_PORTS);
        if (ports != null) {
            add(
                    PolicyWarningCode.POD_FITS_PORTS,
                    "v1.17 accepts PodFitsPorts and never runs it; "
                            + (strict ? "so does strict mode" : "it is run as PodFitsHostPorts here"),
                    ports.get(0));
        }
        boolean general = keys.containsKey(KnownAlgorithms.GENERAL_PREDICATES);
        List<String> parts = new ArrayList<>(KnownAlgorithms.parts(KnownAlgorithms.GENERAL_PREDICATES));
        parts.retainAll(keys.keySet());
        if (general && !parts.isEmpty()) {
            add(
                    PolicyWarningCode.GENERAL_AND_PART,
                    "GeneralPredicates contains " + String.join(", ", parts)
                            + "; v1.17 dies on both being listed, here they are merged",
                    keys.getOrDefault(parts.get(0), List.of(SourcePosition.UNKNOWN))
                            .get(0));
        }
        if (!general && !keys.containsKey(KnownAlgorithms.POD_FITS_RESOURCES)) {
            add(
                    PolicyWarningCode.NO_RESOURCE_CHECK,
                    "neither PodFitsResources nor GeneralPredicates is listed: resources are not checked and pods will"
                            + " bounce at the kubelet",
                    SourcePosition.UNKNOWN);
        }
    }

    void priority(String key, long weight, List<SourcePosition> positions) {
        SourcePosition last = positions.get(positions.size() - 1);
        if (key.equals(KnownAlgorithms.SERVICE_SPREADING_PRIORITY)) {
            add(
                    PolicyWarningCode.SERVICE_SPREADING,
                    "ServiceSpreadingPriority scores exactly as SelectorSpreadPriority in v1.17",
                    last);
        }
        if (key.equals(KnownAlgorithms.RESOURCE_LIMITS_PRIORITY)) {
            add(
                    PolicyWarningCode.RESOURCE_LIMITS,
                    "ResourceLimitsPriority exists only with the gate ResourceLimitsPriorityFunction, which later"
                            + " releases dropped",
                    last);
        }
        boolean plugin = !KnownAlgorithms.scorePlugin(key).isEmpty();
        if (plugin && weight != PluginTranslation.truncated(weight)) {
            add(
                    PolicyWarningCode.TRUNCATED_WEIGHT,
                    "v1.17 truncates the weight " + weight + " of " + key + " to "
                            + PluginTranslation.truncated(weight)
                            + (strict ? "; so does strict mode" : "; it is used in full here"),
                    last);
        }
    }

    void tablesNotThere(Set<String> given, Set<String> known) {
        for (String line : PolicyTables.notThere(given, "the policy", known)) {
            add(PolicyWarningCode.NO_SUCH_TABLE, line, SourcePosition.UNKNOWN);
        }
    }

    void gateNotListed(String gate, String name) {
        add(
                PolicyWarningCode.GATE_NOT_LISTED,
                "the gate " + gate + " is on, but the explicit list does not name " + name,
                SourcePosition.UNKNOWN);
    }
}
