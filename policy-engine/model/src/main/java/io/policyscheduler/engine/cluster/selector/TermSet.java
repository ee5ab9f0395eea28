package io.policyscheduler.engine.cluster.selector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Weighted selectors, indexed by label to find those that match some labels. A selector that requires a label is evaluated only if
 * the label exists; one with only negative requirements matches unless a label contradicts it. Immutable.
 */
public final class TermSet {
    /**
     * The sum of the matching selectors.
     *
     * @param terms their number
     * @param weight the sum of their weights
     */
    public record Sum(long terms, long weight) {
        static final Sum NOTHING = new Sum(0, 0);
    }

    private record Entry(LabelSelector selector, int group, long terms, long weight) {}

    /** Entries by their requirement on one label key. */
    private static final class Postings {
        final Map<String, int[]> demanding = new HashMap<>(2);
        final Map<String, int[]> denying = new HashMap<>(2);
        int[] demandingAny = {};
        int[] denyingAny = {};
    }

    private static final int[] NONE = {};
    private static final int MAX_LINEAR = 8;

    private final Entry[] entries;
    /** By group, the entries that match unless contradicted. */
    private final Sum[] unlessContradicted;

    private final Map<String, Postings> postings = new HashMap<>();

    private TermSet(Entry[] entries, int groups) {
        this.entries = entries;
        this.unlessContradicted = new Sum[groups];
        Arrays.fill(unlessContradicted, Sum.NOTHING);
        if (entries.length > MAX_LINEAR) {
            Map<String, Lists> lists = new HashMap<>();
            for (int i = 0; i < entries.length; i++) {
                post(i, lists);
            }
            lists.forEach((key, made) -> postings.put(key, made.freeze()));
        }
    }

    /** Collects selectors; equal ones are merged. */
    public static final class Builder {
        private record Key(LabelSelector selector, int group) {}

        private final Map<Key, Sum> sums = new HashMap<>();
        private final List<Key> order = new ArrayList<>();
        private int groups = 1;

        /** @param group a group that callers can exclude, from 0 */
        public void add(LabelSelector selector, int group, long weight) {
            if (selector.error() != null) {
                // Matches nothing.
                return;
            }
            Key key = new Key(selector, group);
            Sum old = sums.get(key);
            if (old == null) {
                order.add(key);
                sums.put(key, new Sum(1, weight));
            } else {
                sums.put(key, new Sum(old.terms() + 1, old.weight() + weight));
            }
            groups = Math.max(groups, group + 1);
        }

        public TermSet build() {
            Entry[] entries = new Entry[order.size()];
            for (int i = 0; i < entries.length; i++) {
                Key key = order.get(i);
                Sum sum = sums.getOrDefault(key, Sum.NOTHING);
                entries[i] = new Entry(key.selector(), key.group(), sum.terms(), sum.weight());
            }
            return new TermSet(entries, groups);
        }
    }

    private static final class Lists {
        final Map<String, List<Integer>> demanding = new HashMap<>(2);
        final Map<String, List<Integer>> denying = new HashMap<>(2);
        final List<Integer> demandingAny = new ArrayList<>(0);
        final List<Integer> denyingAny = new ArrayList<>(0);

        Postings freeze() {
            Postings frozen = new Postings();
            demanding.forEach((value, list) -> frozen.demanding.put(value, array(list)));
            denying.forEach((value, list) -> frozen.denying.put(value, array(list)));
            frozen.demandingAny = array(demandingAny);
            frozen.denyingAny = array(denyingAny);
            return frozen;
        }

        private static int[] array(List<Integer> list) {
            return list.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    private void post(int number, Map<String, Lists> lists) {
        Entry entry = entries[number];
        LabelRequirement demand = demand(entry.selector());
        if (demand != null) {
            Lists ofKey = lists.computeIfAbsent(demand.key(), key -> new Lists());
            if (demand.operator().equals("In")) {
                for (String value : new LinkedHashSet<>(demand.values())) {
                    ofKey.demanding
                            .computeIfAbsent(value, v -> new ArrayList<>(1))
                            .add(number);
                }
            } else {
                ofKey.demandingAny.add(number);
            }
            return;
        }
        Sum sum = unlessContradicted[entry.group()];
        unlessContradicted[entry.group()] = new Sum(sum.terms() + entry.terms(), sum.weight() + entry.weight());
        for (LabelRequirement requirement : entry.selector().requirements()) {
            Lists ofKey = lists.computeIfAbsent(requirement.key(), key -> new Lists());
            if (requirement.operator().equals("NotIn")) {
                Set<String> values = new LinkedHashSet<>(requirement.values());
                for (String value : values) {
                    ofKey.denying
                            .computeIfAbsent(value, v -> new ArrayList<>(1))
                            .add(number);
                }
            } else {
                ofKey.denyingAny.add(number);
            }
        }
    }

    /** The most selective requirement; null if none requires a label. */
    private static @Nullable LabelRequirement demand(LabelSelector selector) {
        @Nullable LabelRequirement best = null;
        for (LabelRequirement requirement : selector.requirements()) {
            switch (requirement.operator()) {
                case "In" -> {
                    if (best == null
                            || !best.operator().equals("In")
                            || requirement.values().size() < best.values().size()) {
                        best = requirement;
                    }
                }
                case "NotIn", "DoesNotExist" -> {}
                default -> best = best == null ? requirement : best;
            }
        }
        return best;
    }

    /**
     * The sum of the selectors that match {@code labels}.
     *
     * @param groups whether a group is included; called at least once per relevant group
     */
    public Sum of(Labels labels, IntPredicate groups) {
        return entries.length <= MAX_LINEAR ? scan(labels, groups) : sumOf(labels, groups);
    }

    /** The number of selectors that {@link #of} evaluates, for tests. */
    int examinedFor(Labels labels) {
        if (entries.length <= MAX_LINEAR) {
            return entries.length;
        }
        int examined = 0;
        for (int i = 0; i < labels.size(); i++) {
            Postings ofKey = postings.get(labels.key(i));
            if (ofKey != null) {
                String value = labels.value(i);
                examined += ofKey.demandingAny.length + ofKey.demanding.getOrDefault(value, NONE).length;
                examined += ofKey.denyingAny.length + ofKey.denying.getOrDefault(value, NONE).length;
            }
        }
        return examined;
    }

    private Sum scan(Labels labels, IntPredicate groups) {
        long terms = 0;
        long weight = 0;
        for (Entry entry : entries) {
            if (groups.test(entry.group()) && entry.selector().matches(labels)) {
                terms += entry.terms();
                weight += entry.weight();
            }
        }
        return terms == 0 ? Sum.NOTHING : new Sum(terms, weight);
    }

    private Sum sumOf(Labels labels, IntPredicate groups) {
        BitSet left = new BitSet(unlessContradicted.length);
        long terms = 0;
        long weight = 0;
        for (int group = 0; group < unlessContradicted.length; group++) {
            if (groups.test(group)) {
                left.set(group);
                terms += unlessContradicted[group].terms();
                weight += unlessContradicted[group].weight();
            }
        }
        @Nullable BitSet contradicted = null;
        for (int i = 0; i < labels.size(); i++) {
            Postings ofKey = postings.get(labels.key(i));
            if (ofKey == null) {
                continue;
            }
            for (int[] list : List.of(ofKey.demandingAny, ofKey.demanding.getOrDefault(labels.value(i), NONE))) {
                for (int number : list) {
                    Entry entry = entries[number];
                    if (left.get(entry.group()) && entry.selector().matches(labels)) {
                        terms += entry.terms();
                        weight += entry.weight();
                    }
                }
            }
            for (int[] list : List.of(ofKey.denyingAny, ofKey.denying.getOrDefault(labels.value(i), NONE))) {
                for (int number : list) {
                    Entry entry = entries[number];
                    contradicted = contradicted == null ? new BitSet(entries.length) : contradicted;
                    if (left.get(entry.group()) && !contradicted.get(number)) {
                        contradicted.set(number);
                        terms -= entry.terms();
                        weight -= entry.weight();
                    }
                }
            }
        }
        return terms == 0 ? Sum.NOTHING : new Sum(terms, weight);
    }

    /** A large number of valid requirements, indexed by key, with the requirements of each key merged. */
    static final class RequirementIndex {
        /** The requirements on one key. */
        private static final class OfKey {
            /** Null if any value is allowed. */
            @Nullable
            Set<String> allowed;

            final Set<String> denied = new HashSet<>(2);
            boolean mustBe;
            boolean mustNotBe;
            /** Gt and Lt. */
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
}
