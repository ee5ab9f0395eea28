package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a predicate or priority is part of the effective policy.
 *
 * @param kind its source
 * @param positions the entries of the file, in order; empty if it does not come from the file
 * @param detail name of the provider or gate; for mandatory ones, the release and the field; empty otherwise
 * @param names deprecated names in these entries, one for each position; empty for current names
 */
public record Origin(Kind kind, List<SourcePosition> positions, String detail, List<String> names) {
    public enum Kind {
        /** One entry of the file. */
        FILE,
        /** Several entries of the file, merged. */
        MERGED,
        /** The set of a provider. */
        PROVIDER,
        /** The set of a provider, because a feature gate is enabled. */
        GATE,
        /** Added to every configuration. */
        MANDATORY
    }

    public Origin {
        positions = ImmutableList.copyOf(positions);
        names = ImmutableList.copyOf(names);
    }

    /** An origin with current names only. */
    public Origin(Kind kind, List<SourcePosition> positions, String detail) {
        this(kind, positions, detail, Collections.nCopies(positions.size(), ""));
    }

    /** Merges the origins of merged entries. */
    Origin and(Origin other) {
        return new Origin(
                Kind.MERGED,
                ImmutableList.<SourcePosition>builder()
                        .addAll(positions)
                        .addAll(other.positions)
                        .build(),
                detail,
                ImmutableList.<String>builder()
                        .addAll(names)
                        .addAll(other.names)
                        .build());
    }

    /** @param givenNames deprecated names in entries */
    static Origin file(List<SourcePosition> positions, Map<SourcePosition, String> givenNames) {
        List<String> names = positions.stream()
                .map(position -> givenNames.getOrDefault(position, ""))
                .toList();
        return new Origin(positions.size() > 1 ? Kind.MERGED : Kind.FILE, positions, "", names);
    }

    /** The origins of everything that a provider has. */
    static SortedMap<String, Origin> ofProvider(
            String provider, Set<String> names, Function<String, @Nullable KnownAlgorithm> table) {
        SortedMap<String, Origin> origins = new TreeMap<>();
        for (String name : names) {
            KnownAlgorithm known = table.apply(name);
            origins.put(
                    name,
                    known == null || known.gate().isEmpty()
                            ? new Origin(Kind.PROVIDER, List.of(), provider)
                            : new Origin(Kind.GATE, List.of(), known.gate()));
        }
        return origins;
    }

    /** The origins of everything that a file lists. */
    static SortedMap<String, Origin> ofFile(
            Map<String, List<SourcePosition>> keys, Map<SourcePosition, String> givenNames) {
        SortedMap<String, Origin> origins = new TreeMap<>();
        keys.forEach((key, positions) -> origins.put(key, file(positions, givenNames)));
        return origins;
    }

    /**
     * For users: {@code line 7}, {@code line 7 (NoVolumeNodeConflict)}, {@code merged from lines 7, 9},
     * {@code mandatory since 1.19: topologySpreadConstraints}.
     */
    public String describe() {
        StringJoiner lines = new StringJoiner(", ");
        for (int i = 0; i < positions.size(); i++) {
            String name = names.get(i).isEmpty() ? "" : " (" + names.get(i) + ")";
            lines.add(positions.get(i).line() + name);
        }
        return switch (kind) {
            case FILE -> "line " + lines;
            case MERGED -> "merged from lines " + lines;
            case PROVIDER -> detail;
            case GATE -> "feature gate " + detail;
            case MANDATORY -> detail.isEmpty() ? "mandatory" : "mandatory " + detail;
        };
    }
}
