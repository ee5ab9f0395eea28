package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds warnings about an accepted policy. */
final class PolicyWarnings {
    /** Smaller timeouts in nanoseconds are most likely in the wrong unit. */
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

    void add(String code, String problem, SourcePosition position) {
        add(code, problem, "", position);
    }

    void add(String code, String problem, String fix, SourcePosition position) {
        warnings.add(new Warning(code, problem, fix, position));
    }

    void nameOverridden(String name, String key, SourcePosition position) {
        add(
                PolicyWarningCode.NAME_OVERRIDDEN,
                "the argument makes this entry " + key + "; it does not configure " + name,
                "give the entry a name of its own",
                position);
    }

    void differentWeights(String argument, SourcePosition position) {
        add(
                PolicyWarningCode.DIFFERENT_WEIGHTS,
                argument
                        + " entries have different weights, which v1.17 rejects; each entry keeps its own weight here,"
                        + " as up to 1.16",
                "give all of them one weight if v1.17 must accept the policy",
                position);
    }

    void labels(List<String> labels, String argument, SourcePosition position) {
        if (labels.isEmpty()) {
            add(
                    PolicyWarningCode.LABELS,
                    argument + " lists no labels and has no effect",
                    "name a label, or remove the entry",
                    position);
        } else if (labels.contains("")) {
            add(
                    PolicyWarningCode.LABELS,
                    argument + " has an empty label, which no node has",
                    "name the label, or remove it",
                    position);
        }
    }

    void ratioResource(PriorityArgument.ResourceWeight resource, boolean repeated) {
        String better = QualifiedNames.nativeResourceFor(resource.name());
        if (better != null) {
            add(
                    PolicyWarningCode.UNKNOWN_RESOURCE,
                    "no node has a resource " + GoText.quote(resource.name()) + ", so it does not distinguish nodes",
                    better.isEmpty()
                            ? "write the name of a resource, such as cpu, memory, or example.com/gpu"
                            : "write " + better,
                    resource.position());
        }
        if (resource.weight() < 0) {
            add(
                    PolicyWarningCode.NEGATIVE_RESOURCE_WEIGHT,
                    "the weight " + resource.weight() + " of resource " + resource.name()
                            + " is less than 1; it is used" + " unchanged",
                    "use a weight of 1 or more",
                    resource.position());
        }
        if (repeated) {
            add(
                    PolicyWarningCode.DUPLICATE_RESOURCE,
                    "resource " + resource.name() + " is listed twice; the last weight applies",
                    "remove one of the entries",
                    resource.position());
        }
    }

    /** Algorithms of an enabled gate that an explicit list does not contain. */
    void gates(FeatureGates gates, Collection<KnownAlgorithm> rows, Set<String> listed) {
        for (KnownAlgorithm known : rows) {
            if (!known.gate().isEmpty() && known.isEnabled(gates) && !listed.contains(known.name())) {
                gateNotListed(known.gate(), known.name());
            }
        }
    }

    /** Warns about labels that are required to be present and absent. */
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
                "v1.17 exits at startup: " + conflict,
                "remove one of the two entries",
                entries.get(entries.size() - 1));
    }

    /** Warns about fields of pods that the cluster honors and this scheduler ignores. */
    void ignoredFields(FeatureGates gates) {
        for (NewerField field : gates.ignored()) {
            if (gates.ignoring(Set.of()).honours(field)) {
                add(
                        PolicyWarningCode.FIELD_IGNORED,
                        "the field " + field.key() + " (" + field.path() + ") is ignored; clusters honor it "
                                + field.since(gates.release()),
                        SourcePosition.UNKNOWN);
            }
        }
    }

    void settings(Policy policy) {
        if (policy.alwaysCheckAllPredicates()) {
            add(
                    PolicyWarningCode.ALWAYS_CHECK_ALL,
                    "v1.17 ignores alwaysCheckAllPredicates if predicates run as plugins; this scheduler honors it",
                    "remove the field to stop at the first predicate that fails, as v1.17 does",
                    policy.alwaysCheckPosition());
        }
        if (policy.hardPodAffinitySymmetricWeight() != 0) {
            add(
                    PolicyWarningCode.HARD_WEIGHT,
                    "v1.17 ignores hardPodAffinitySymmetricWeight of the file and uses the flag; "
                            + (strict ? "strict mode does the same" : "this scheduler uses the value of the file"),
                    "set --hard-pod-affinity-symmetric-weight to the same value",
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
                    "httpTimeout " + timeout + " is less than a millisecond, because its unit is nanoseconds",
                    "write nanoseconds, for example 5000000000 for 5 s",
                    extender.httpTimeoutPosition());
        }
        ExtenderTls tls = extender.tlsConfig();
        boolean ca = tls != null && !(tls.caFile().isEmpty() && tls.caData().isEmpty());
        if (extender.enableHttps() && !ca && (tls == null || !tls.insecure())) {
            add(
                    PolicyWarningCode.EXTENDER_WITHOUT_CA,
                    "enableHttps without a CA: v1.17 does not verify the certificate of the extender; "
                            + (strict
                                    ? "strict mode does the same"
                                    : "this scheduler verifies it with the system's CAs"),
                    "set caFile or caData in tlsConfig, or set insecure: true",
                    extender.position());
        }
        boolean noVerb = extender.filterVerb().isEmpty()
                && extender.prioritizeVerb().isEmpty()
                && extender.preemptVerb().isEmpty()
                && extender.bindVerb().isEmpty();
        if (noVerb) {
            add(
                    PolicyWarningCode.INERT_EXTENDER,
                    "the extender has no verb and is never called",
                    "add a verb, or remove the extender",
                    extender.position());
        } else if (extender.urlPrefix().isEmpty()) {
            add(
                    PolicyWarningCode.INERT_EXTENDER,
                    "the extender has no urlPrefix and cannot be called",
                    "set urlPrefix, or remove the extender",
                    extender.position());
        }
    }

    /** Warns about an explicit predicate list. */
    void predicates(Map<String, List<SourcePosition>> keys) {
        List<SourcePosition> ports = keys.get(KnownAlgorithms.POD_FITS_PORTS);
        if (ports != null) {
            add(
                    PolicyWarningCode.POD_FITS_PORTS,
                    "v1.17 accepts PodFitsPorts and never runs it; "
                            + (strict ? "strict mode does the same" : "this scheduler runs it as PodFitsHostPorts"),
                    "write PodFitsHostPorts",
                    ports.get(0));
        }
        boolean general = keys.containsKey(KnownAlgorithms.GENERAL_PREDICATES);
        List<String> parts = new ArrayList<>(KnownAlgorithms.parts(KnownAlgorithms.GENERAL_PREDICATES));
        parts.retainAll(keys.keySet());
        if (general && !parts.isEmpty()) {
            add(
                    PolicyWarningCode.GENERAL_AND_PART,
                    "GeneralPredicates contains " + String.join(", ", parts)
                            + "; v1.17 exits if both are listed, this scheduler merges them",
                    "remove " + String.join(", ", parts),
                    keys.getOrDefault(parts.get(0), List.of(SourcePosition.UNKNOWN))
                            .get(0));
        }
        if (!general && !keys.containsKey(KnownAlgorithms.POD_FITS_RESOURCES)) {
            add(
                    PolicyWarningCode.NO_RESOURCE_CHECK,
                    "neither PodFitsResources nor GeneralPredicates is listed: resources are not checked, and kubelets"
                            + " reject pods that do not fit",
                    "add GeneralPredicates",
                    SourcePosition.UNKNOWN);
        }
    }

    void priority(String key, long weight, List<SourcePosition> positions) {
        SourcePosition last = positions.get(positions.size() - 1);
        if (key.equals(KnownAlgorithms.SERVICE_SPREADING_PRIORITY)) {
            add(
                    PolicyWarningCode.SERVICE_SPREADING,
                    "ServiceSpreadingPriority scores exactly as SelectorSpreadPriority in v1.17",
                    "write SelectorSpreadPriority",
                    last);
        }
        if (key.equals(KnownAlgorithms.RESOURCE_LIMITS_PRIORITY)) {
            add(
                    PolicyWarningCode.RESOURCE_LIMITS,
                    "ResourceLimitsPriority requires the feature gate ResourceLimitsPriorityFunction, which later"
                            + " releases removed",
                    last);
        }
        boolean plugin = !KnownAlgorithms.scorePlugin(key).isEmpty();
        if (plugin && weight != PluginTranslation.truncated(weight)) {
            add(
                    PolicyWarningCode.TRUNCATED_WEIGHT,
                    "v1.17 truncates the weight " + weight + " of " + key + " to "
                            + PluginTranslation.truncated(weight)
                            + (strict ? "; strict mode does the same" : "; this scheduler uses it in full"),
                    "use a weight that fits in 32 bits",
                    last);
        }
    }

    void unknownTables(Set<String> given, Set<String> known) {
        for (String line : PolicyTables.unknownTables(given, "the policy", known)) {
            add(PolicyWarningCode.NO_SUCH_TABLE, line, SourcePosition.UNKNOWN);
        }
    }

    void gateNotListed(String gate, String name) {
        add(
                PolicyWarningCode.GATE_NOT_LISTED,
                "the feature gate " + gate + " is enabled, but the explicit list does not name " + name,
                "add " + name + " to the list, or disable the gate",
                SourcePosition.UNKNOWN);
    }
}
