package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Why a predicate or priority is part of the configuration.
 *
 * @param kind where it comes from
 * @param positions the entries of the file that led to it, in order; empty if it does not come from the file
 * @param detail name of the provider or gate; of what is mandatory, since when and for which field; empty otherwise
 */
public record Origin(Kind kind, List<SourcePosition> positions, String detail) {
    public enum Kind {
        /** One entry of the file. */
        FILE,
        /** Several entries of the file, merged. */
        MERGED,
        /** A provider's set. */
        PROVIDER,
        /** A provider's set, because a feature gate is on. */
        GATE,
        /** Added to every configuration. */
        MANDATORY
    }

    public Origin {
        positions = ImmutableList.copyOf(positions);
    }

    static Origin file(List<SourcePosition> positions) {
        return new Origin(positions.size() > 1 ? Kind.MERGED : Kind.FILE, positions, "");
    }

    /** For people: {@code line 7}, {@code merged from lines 7, 9}, {@code mandatory since 1.19: topologySpreadConstraints}. */
    public String describe() {
        String lines = positions.stream()
                .map(position -> String.valueOf(position.line()))
                .collect(Collectors.joining(", "));
        return switch (kind) {
            case FILE -> "line " + lines;
            case MERGED -> "merged from lines " + lines;
            case PROVIDER -> detail;
            case GATE -> "feature gate " + detail;
            case MANDATORY -> detail.isEmpty() ? "mandatory" : "mandatory " + detail;
        };
    }
}
