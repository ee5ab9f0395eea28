package io.policyscheduler.cmd.dump;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Other names for names. The same text becomes the same name wherever it stands, so that references hold; the order of names stays, so
 * that ties are broken as before.
 */
final class Pseudonyms implements UnaryOperator<String> {
    /** Every cluster has them, or they say nothing about one. */
    private static final Set<String> KEPT = Set.of(
            "default",
            "kube-system",
            "kube-public",
            "kube-node-lease",
            "system-cluster-critical",
            "system-node-critical",
            "default-scheduler",
            "true",
            "false");

    private static final int DIGITS = 6;

    private final Set<String> kept;
    private final SortedSet<String> seen = new TreeSet<>();
    private final Map<String, String> names = new HashMap<>();

    /** @param kept texts that stay as they are, besides numbers and the names that every cluster has */
    Pseudonyms(Set<String> kept) {
        this.kept = Set.copyOf(kept);
    }

    /** Until {@link #assign} the text itself, which is remembered; then its other name. */
    @Override
    public String apply(String text) {
        if (text.isEmpty() || KEPT.contains(text) || kept.contains(text) || isNumber(text)) {
            return text;
        }
        if (names.isEmpty()) {
            seen.add(text);
            return text;
        }
        String name = names.get(text);
        if (name == null) {
            throw new IllegalStateException("a text was not seen before names were given");
        }
        return name;
    }

    /** Gives names to all that has been seen. */
    void assign() {
        List<String> all = new ArrayList<>(seen);
        for (int i = 0; i < all.size(); i++) {
            names.put(all.get(i), String.format("x%0" + DIGITS + "d", i + 1));
        }
    }

    /** Numbers are compared as such by Gt and Lt. */
    private static boolean isNumber(String text) {
        return text.matches("-?\\d{1,18}");
    }
}
