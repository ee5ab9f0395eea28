package io.policyscheduler.engine.algorithm;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.List;

/**
 * One row of the table of v1.17's algorithms: all that is to be known of a predicate or priority besides how it computes.
 *
 * @param name its key in a Policy
 * @param weight of a priority in a provider; 0 for predicates and for priorities that an argument makes
 * @param argument the kind of argument that a Policy must give to get it; empty where a plain entry does
 * @param gate the feature gate without which it is not registered; empty for none
 * @param availability whether it can be listed, and whether it then runs
 * @param plugin the framework plugin that v1.17 makes of it; empty for none
 * @param laterPlugin what that plugin was called from 1.18 on, where it got another name; empty for none
 * @param concept the plugin of current releases that does the same job; its own name where there is none
 * @param parts the predicates that it consists of, in their order; empty for itself
 * @param reasons what it rejects nodes with, but for {@code Insufficient RESOURCE}
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
    /** What v1.17 does with an algorithm that a Policy lists. */
    public enum Availability {
        /** Runs it. */
        RUN,
        /** Takes it and never runs it: it stands in no order list. */
        NEVER_RUN,
        /** Refuses it: it stands in the order list, but nobody registered it. */
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

    /** Whether v1.17 knows its name without an argument. */
    public boolean isListable(FeatureGates gates) {
        return availability != Availability.NOT_REGISTERED && argument.isEmpty() && isEnabled(gates);
    }

    /** Whether its gate, if it has one, is on. */
    public boolean isEnabled(FeatureGates gates) {
        return gate.isEmpty() || gates.enabled(gate);
    }

    /** Whether this rejects nodes with a reason that begins as this text does. */
    public boolean gives(String reason) {
        return reasons.stream().anyMatch(own -> reason.startsWith(own.text()))
                || (name.equals(KnownAlgorithms.POD_FITS_RESOURCES) && reason.startsWith(FailureReasons.INSUFFICIENT));
    }
}
