package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.release.Release;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The algorithms that this program contains, by their name in a Policy file. An algorithm can have release-specific variants: it then has
 * a second form, which takes the place of the first in clusters of later releases. Immutable.
 */
public final class AlgorithmRegistry {
    /** Makes an algorithm, of others of the registry if need be. */
    private interface Factory<T> extends BiFunction<AlgorithmRegistry, AlgorithmConfig, T> {}

    /** A later form of an algorithm. */
    private record Growth<T>(Release since, BiFunction<T, AlgorithmConfig, T> form) {}

    private final Map<String, Factory<Predicate>> predicates;
    private final Map<String, Factory<Priority>> priorities;
    private final Map<String, Growth<Predicate>> grownPredicates;
    private final Map<String, Growth<Priority>> grownPriorities;

    private AlgorithmRegistry(Builder builder) {
        this.predicates = Collections.unmodifiableMap(new TreeMap<>(builder.predicates));
        this.priorities = Collections.unmodifiableMap(new TreeMap<>(builder.priorities));
        this.grownPredicates = Collections.unmodifiableMap(new TreeMap<>(builder.grownPredicates));
        this.grownPriorities = Collections.unmodifiableMap(new TreeMap<>(builder.grownPriorities));
    }

    /** An empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Names of all predicates, sorted. */
    public Set<String> predicateNames() {
        return predicates.keySet();
    }

    /** Whether there is a predicate of this name. */
    public boolean hasPredicate(String name) {
        return predicates.containsKey(name);
    }

    /** Whether there is a priority of this name. */
    public boolean hasPriority(String name) {
        return priorities.containsKey(name);
    }

    /** Names of all priorities, sorted. */
    public Set<String> priorityNames() {
        return priorities.keySet();
    }

    /**
     * Builds a predicate, in the form that belongs to the release of {@code config}.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Predicate predicate(String name, AlgorithmConfig config) {
        return make(predicates, grownPredicates, name, "predicate", config);
    }

    /**
     * Builds a priority, in the form that belongs to the release of {@code config}.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Priority priority(String name, AlgorithmConfig config) {
        return make(priorities, grownPriorities, name, "priority", config);
    }

    private <T> T make(
            Map<String, Factory<T>> factories,
            Map<String, Growth<T>> grown,
            String name,
            String what,
            AlgorithmConfig config) {
        @Nullable Factory<T> factory = factories.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no " + what + " named " + name);
        }
        T first = factory.apply(this, config);
        @Nullable Growth<T> growth = grown.get(name);
        return growth == null || config.gates().release().compareTo(growth.since()) < 0
                ? first
                : growth.form().apply(first, config);
    }

    /** Collects algorithms; a name may be given once. */
    public static final class Builder {
        private final Map<String, Factory<Predicate>> predicates = new TreeMap<>();
        private final Map<String, Factory<Priority>> priorities = new TreeMap<>();
        private final Map<String, Growth<Predicate>> grownPredicates = new TreeMap<>();
        private final Map<String, Growth<Priority>> grownPriorities = new TreeMap<>();

        private Builder() {}

        /** Adds a predicate. */
        public Builder predicate(String name, Function<AlgorithmConfig, Predicate> factory) {
            return composed(name, (registry, config) -> factory.apply(config));
        }

        /** Adds a predicate that is made of others of the finished registry. */
        public Builder composed(String name, BiFunction<AlgorithmRegistry, AlgorithmConfig, Predicate> factory) {
            once(predicates.putIfAbsent(name, factory::apply), "predicate", name);
            return this;
        }

        /** Adds a priority. */
        public Builder priority(String name, Function<AlgorithmConfig, Priority> factory) {
            once(priorities.putIfAbsent(name, (registry, config) -> factory.apply(config)), "priority", name);
            return this;
        }

        /**
         * Adds what became of a predicate.
         *
         * @param since the first release whose clusters need the later form
         * @param form makes it; is given the form of v1.17
         */
        public Builder grownPredicate(
                String name, Release since, BiFunction<Predicate, AlgorithmConfig, Predicate> form) {
            once(grownPredicates.putIfAbsent(name, new Growth<>(since, form)), "growth of predicate", name);
            return this;
        }

        /**
         * Adds what became of a priority.
         *
         * @param since the first release whose clusters need the later form
         * @param form makes it; is given the form of v1.17
         */
        public Builder grownPriority(String name, Release since, BiFunction<Priority, AlgorithmConfig, Priority> form) {
            once(grownPriorities.putIfAbsent(name, new Growth<>(since, form)), "growth of priority", name);
            return this;
        }

        private static void once(@Nullable Object earlier, String what, String name) {
            if (earlier != null) {
                throw new IllegalArgumentException(what + " " + name + " registered twice");
            }
        }

        /** The registry. */
        public AlgorithmRegistry build() {
            return new AlgorithmRegistry(this);
        }
    }
}
