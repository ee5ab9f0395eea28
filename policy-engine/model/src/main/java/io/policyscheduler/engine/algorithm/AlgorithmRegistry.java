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
 * The algorithms of this program, by their name in a Policy file. An algorithm can have a release-specific variant, which replaces
 * it in clusters of later releases. Immutable.
 */
public final class AlgorithmRegistry {
    /** Creates an algorithm, if needed from others of the registry. */
    private interface Factory<T> extends BiFunction<AlgorithmRegistry, AlgorithmConfig, T> {}

    /** The variant of an algorithm for later releases. */
    private record Variant<T>(Release since, BiFunction<T, AlgorithmConfig, T> form) {}

    private final Map<String, Factory<Predicate>> predicates;
    private final Map<String, Factory<Priority>> priorities;
    private final Map<String, Variant<Predicate>> predicateVariants;
    private final Map<String, Variant<Priority>> priorityVariants;

    private AlgorithmRegistry(Builder builder) {
        this.predicates = Collections.unmodifiableMap(new TreeMap<>(builder.predicates));
        this.priorities = Collections.unmodifiableMap(new TreeMap<>(builder.priorities));
        this.predicateVariants = Collections.unmodifiableMap(new TreeMap<>(builder.predicateVariants));
        this.priorityVariants = Collections.unmodifiableMap(new TreeMap<>(builder.priorityVariants));
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
     * Builds a predicate, in the variant of the release of {@code config}.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public Predicate predicate(String name, AlgorithmConfig config) {
        return create(predicates, predicateVariants, name, "predicate", config);
    }

    /**
     * Builds a priority, in the variant of the release of {@code config}.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public Priority priority(String name, AlgorithmConfig config) {
        return create(priorities, priorityVariants, name, "priority", config);
    }

    private <T> T create(
            Map<String, Factory<T>> factories,
            Map<String, Variant<T>> variants,
            String name,
            String what,
            AlgorithmConfig config) {
        @Nullable Factory<T> factory = factories.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no " + what + " named " + name);
        }
        T first = factory.apply(this, config);
        @Nullable Variant<T> variant = variants.get(name);
        return variant == null || config.gates().release().compareTo(variant.since()) < 0
                ? first
                : variant.form().apply(first, config);
    }

    /** Collects algorithms; names are unique. */
    public static final class Builder {
        private final Map<String, Factory<Predicate>> predicates = new TreeMap<>();
        private final Map<String, Factory<Priority>> priorities = new TreeMap<>();
        private final Map<String, Variant<Predicate>> predicateVariants = new TreeMap<>();
        private final Map<String, Variant<Priority>> priorityVariants = new TreeMap<>();

        private Builder() {}

        /** Adds a predicate. */
        public Builder predicate(String name, Function<AlgorithmConfig, Predicate> factory) {
            return composed(name, (registry, config) -> factory.apply(config));
        }

        /** Adds a predicate that consists of others of the finished registry. */
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
         * Adds the variant of a predicate for later releases.
         *
         * @param since the first release that it applies to
         * @param form creates it from the one of 1.17
         */
        public Builder predicateVariant(
                String name, Release since, BiFunction<Predicate, AlgorithmConfig, Predicate> form) {
            once(predicateVariants.putIfAbsent(name, new Variant<>(since, form)), "variant of predicate", name);
            return this;
        }

        /**
         * Adds the variant of a priority for later releases.
         *
         * @param since the first release that it applies to
         * @param form creates it from the one of 1.17
         */
        public Builder priorityVariant(
                String name, Release since, BiFunction<Priority, AlgorithmConfig, Priority> form) {
            once(priorityVariants.putIfAbsent(name, new Variant<>(since, form)), "variant of priority", name);
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
