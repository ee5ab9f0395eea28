package io.policyscheduler.engine.algorithm;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.List;

/**
 * A row of the table of v1.17's algorithms: the metadata of a predicate or priority.
 *
 * @param name its key in a Policy
 * @param weight of a priority in a provider; 0 for predicates and for priorities that an argument creates
 * @param argument the argument in a Policy that creates it; empty if a plain entry does
 * @param gate the feature gate that it requires; empty for none
 * @param availability whether a Policy can list it, and whether it then runs
 * @param plugin its framework plugin in v1.17; empty for none
 * @param laterPlugin the name of that plugin from 1.18 on, if it was renamed; empty otherwise
 * @param concept the plugin of current releases with the same purpose; its own name if there is none
 * @param parts the predicates that it consists of, in their order; empty for itself
 * @param reasons its rejection reasons, except {@code Insufficient RESOURCE}
 */
public record KnownAlgorithm(
        String name,
        long weight,
        String argument,
        String gate,
        Availability availability,
        String plugin,
        String laterPlugin,
        String concept,
        List<String> parts,
        List<FailureReason> reasons) {
    /** The behavior of v1.17 for an algorithm in a Policy. */
    public enum Availability {
        /** Runs. */
        RUN,
        /** Accepted but never runs, because it is not in the predicate order. */
        NEVER_RUN,
        /** Rejected: it is in the predicate order, but not registered. */
        NOT_REGISTERED
    }

    public KnownAlgorithm {
        parts = ImmutableList.copyOf(parts);
        reasons = ImmutableList.copyOf(reasons);
    }

    static KnownAlgorithm predicate(String name, String plugin, String concept, FailureReason... reasons) {
        return new KnownAlgorithm(
                name,
                0,
                "",
                "",
                Availability.RUN,
                plugin,
                "",
                concept,
                ImmutableList.of(),
                ImmutableList.copyOf(reasons));
    }

    static KnownAlgorithm priority(String name, long weight, String plugin, String concept) {
        return new KnownAlgorithm(
                name, weight, "", "", Availability.RUN, plugin, "", concept, ImmutableList.of(), ImmutableList.of());
    }

    KnownAlgorithm by(String kind) {
        return new KnownAlgorithm(name, weight, kind, gate, availability, plugin, laterPlugin, concept, parts, reasons);
    }

    KnownAlgorithm behind(String featureGate) {
        return new KnownAlgorithm(
                name, weight, argument, featureGate, availability, plugin, laterPlugin, concept, parts, reasons);
    }

    KnownAlgorithm but(Availability other) {
        return new KnownAlgorithm(name, weight, argument, gate, other, plugin, laterPlugin, concept, parts, reasons);
    }

    KnownAlgorithm later(String pluginName) {
        return new KnownAlgorithm(
                name, weight, argument, gate, availability, plugin, pluginName, concept, parts, reasons);
    }

    KnownAlgorithm of(String... predicates) {
        return new KnownAlgorithm(
                name,
                weight,
                argument,
                gate,
                availability,
                plugin,
                laterPlugin,
                concept,
                ImmutableList.copyOf(predicates),
                reasons);
    }

    /** Whether v1.17 accepts its name without an argument. */
    public boolean isListable(FeatureGates gates) {
        return availability != Availability.NOT_REGISTERED && argument.isEmpty() && isEnabled(gates);
    }

    /** Whether its gate, if any, is on. */
    public boolean isEnabled(FeatureGates gates) {
        return gate.isEmpty() || gates.enabled(gate);
    }

    /** Whether one of its reasons begins with this text. */
    public boolean gives(String reason) {
        return reasons.stream().anyMatch(own -> reason.startsWith(own.text()))
                || (name.equals(KnownAlgorithms.POD_FITS_RESOURCES) && reason.startsWith(FailureReasons.INSUFFICIENT));
    }
}
