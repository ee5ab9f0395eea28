package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Origin;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Maps the algorithms of an effective policy to the entries of its file. */
final class PolicyEntries {
    private final EffectivePolicy policy;
    private final @Nullable Policy file;
    private final String shortName;
    private final Map<SourcePosition, String> predicateNames = new HashMap<>();
    private final Map<SourcePosition, String> priorityNames = new HashMap<>();

    /** @param file null for a provider */
    PolicyEntries(EffectivePolicy policy, @Nullable Policy file) {
        this.policy = policy;
        this.file = file;
        this.shortName = policy.source().substring(policy.source().lastIndexOf('/') + 1);
        predicateEntries().forEach(entry -> predicateNames.put(entry.position(), entry.name()));
        priorityEntries().forEach(entry -> priorityNames.put(entry.position(), entry.name()));
    }

    /** The entries of the file; empty if it has no such list. */
    List<PredicatePolicy> predicateEntries() {
        return file == null || file.predicates() == null ? List.of() : file.predicates();
    }

    /** The entries of the file; empty if it has no such list. */
    List<PriorityPolicy> priorityEntries() {
        return file == null || file.priorities() == null ? List.of() : file.priorities();
    }

    /** The file, null for a provider. */
    @Nullable
    Policy file() {
        return file;
    }

    /** The entries of a predicate. */
    List<PolicyItem> predicate(String key) {
        return items(key, Objects.requireNonNull(policy.predicates().get(key), key), predicateNames);
    }

    /** The entries that require a label to be present or absent; all those of the predicate if none matches. */
    List<PolicyItem> presenceOf(String label, boolean presence, List<PolicyItem> all) {
        Set<SourcePosition> positions = new HashSet<>();
        for (PredicatePolicy entry : predicateEntries()) {
            PredicateArgument argument = entry.argument();
            if (argument != null
                    && argument.labelsPresence() != null
                    && argument.labelsPresence().presence() == presence
                    && argument.labelsPresence().labels().contains(label)) {
                positions.add(entry.position());
            }
        }
        return among(all, positions);
    }

    /** The entries that prefer a label to be present or absent; all those of the priority if none matches. */
    List<PolicyItem> preferenceOf(String label, boolean presence, List<PolicyItem> all) {
        Set<SourcePosition> positions = new HashSet<>();
        for (PriorityPolicy entry : priorityEntries()) {
            PriorityArgument argument = entry.argument();
            if (argument != null
                    && argument.labelPreference() != null
                    && argument.labelPreference().presence() == presence
                    && argument.labelPreference().label().equals(label)) {
                positions.add(entry.position());
            }
        }
        return among(all, positions);
    }

    private static List<PolicyItem> among(List<PolicyItem> all, Set<SourcePosition> positions) {
        List<PolicyItem> found =
                all.stream().filter(item -> positions.contains(item.position())).toList();
        return found.isEmpty() ? all : found;
    }

    /** The entries of a priority. */
    List<PolicyItem> priority(String key) {
        return items(key, Objects.requireNonNull(policy.priorityOrigins().get(key), key), priorityNames);
    }

    /** A setting, or an entry without an algorithm. */
    PolicyItem at(String name, SourcePosition position) {
        return new PolicyItem(name, name, position, place(position));
    }

    /** Entries with the name EqualPriority, which is accepted and skipped. */
    List<PolicyItem> equalPriorities() {
        return priorityEntries().stream()
                .filter(entry -> entry.name().equals(KnownAlgorithms.EQUAL_PRIORITY))
                .map(entry -> at(entry.name(), entry.position()))
                .toList();
    }

    /** The comment for several items in one line. */
    static String remark(List<PolicyItem> items) {
        boolean hasText = items.stream().anyMatch(item -> item.place().isEmpty());
        return items.stream().map(PolicyItem::remark).distinct().collect(Collectors.joining(hasText ? "; " : ", "));
    }

    /** Names of several items, for texts. */
    static String names(List<PolicyItem> items) {
        return items.stream().map(PolicyItem::name).distinct().collect(Collectors.joining(", "));
    }

    /** The file name without directories, or the provider. */
    String shortName() {
        return shortName;
    }

    private List<PolicyItem> items(String key, Origin origin, Map<SourcePosition, String> names) {
        if (origin.positions().isEmpty()) {
            return List.of(new PolicyItem(key, key, SourcePosition.UNKNOWN, "(" + origin.describe() + ")"));
        }
        List<PolicyItem> items = new ArrayList<>();
        for (SourcePosition position : origin.positions()) {
            items.add(new PolicyItem(names.getOrDefault(position, key), key, position, place(position)));
        }
        return items;
    }

    private String place(SourcePosition position) {
        return position.known() ? shortName + ":" + position.line() : "";
    }

    /**
     * An entry of a policy, of a provider, or of the program.
     *
     * @param name as in the file
     * @param key the algorithm; differs from the name for entries with arguments
     * @param position unknown if it is not in the file
     * @param place for users: file and line, the provider, or that it is mandatory
     */
    record PolicyItem(String name, String key, SourcePosition position, String place) {
        /** The text of a comment: {@code HostName policy.json:7}. */
        String remark() {
            return place.isEmpty() ? name : name + " " + place;
        }
    }
}
