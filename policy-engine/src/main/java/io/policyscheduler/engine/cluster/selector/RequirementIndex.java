package io.policyscheduler.engine.cluster.selector;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Many valid requirements at once, asked by the labels that there are instead of one after the other: what they say about a key
 * is one thing, however often they say it.
 */
final class RequirementIndex {
    /** What is required of one key. */
    private static final class OfKey {
        /** Null when any value will do. */
        @Nullable
        Set<String> allowed;

        final Set<String> denied = new HashSet<>(2);
        boolean mustBe;
        boolean mustNotBe;
        /** Comparisons. */
        final List<LabelRequirement> others = new ArrayList<>(0);

        void add(LabelRequirement requirement) {
            switch (requirement.operator()) {
                case "In" -> {
                    mustBe = true;
                    if (allowed == null) {
                        allowed = new HashSet<>(requirement.values());
                    } else {
                        allowed.removeIf(value -> !requirement.values().contains(value));
                    }
                }
                case "NotIn" -> denied.addAll(requirement.values());
                case "DoesNotExist" -> mustNotBe = true;
                case "Exists" -> mustBe = true;
                default -> {
                    mustBe = true;
                    if (!others.contains(requirement)) {
                        others.add(requirement);
                    }
                }
            }
        }

        boolean accepts(String value, Labels labels) {
            if (mustNotBe || denied.contains(value) || (allowed != null && !allowed.contains(value))) {
                return false;
            }
            for (int i = 0; i < others.size(); i++) {
                if (!others.get(i).matches(labels)) {
                    return false;
                }
            }
            return true;
        }
    }

    private final Map<String, OfKey> byKey = new HashMap<>();
    private int keysThatMustBe;

    RequirementIndex(List<LabelRequirement> requirements) {
        for (LabelRequirement requirement : requirements) {
            byKey.computeIfAbsent(requirement.key(), key -> new OfKey()).add(requirement);
        }
        for (OfKey ofKey : byKey.values()) {
            keysThatMustBe += ofKey.mustBe ? 1 : 0;
        }
    }

    /** True when all requirements hold. */
    boolean matches(Labels labels) {
        if (keysThatMustBe > labels.size()) {
            return false;
        }
        int present = 0;
        for (int i = 0; i < labels.size(); i++) {
            OfKey ofKey = byKey.get(labels.key(i));
            if (ofKey != null) {
                if (!ofKey.accepts(labels.value(i), labels)) {
                    return false;
                }
                present += ofKey.mustBe ? 1 : 0;
            }
        }
        return present == keysThatMustBe;
    }
}
