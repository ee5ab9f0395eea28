package io.policyscheduler.engine.algorithm;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which algorithms this program contains, by their name in a Policy file. Immutable. */
public final class AlgorithmRegistry {
    private final Map<String, Function<AlgorithmConfig, Predicate>> predicates;
    private final Map<String, Function<AlgorithmConfig, Priority>> priorities;

    private AlgorithmRegistry(Builder builder) {
        this.predicates = Collections.unmodifiableMap(new TreeMap<>(builder.predicates));
        this.priorities = Collections.unmodifiableMap(new TreeMap<>(builder.priorities));
    }

    /** An empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Names of all predicates, sorted. */
    public Set<String> predicateNames() {
        return predicates.keySet();
    }

    /** Names of all priorities, sorted. */
    public Set<String> priorityNames() {
        return priorities.keySet();
    }

    /**
     * Builds a predicate.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Predicate predicate(String name, AlgorithmConfig config) {
        return find(predicates, name, "predicate").apply(config);
    }

    /**
     * Builds a priority.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Priority priority(String name, AlgorithmConfig config) {
        return find(priorities, name, "priority").apply(config);
    }

    private static <T> T find(Map<String, T> map, String name, String what) {
        @Nullable T factory = map.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no " + what + " named " + name);
        }
        return factory;
    }

    /** Collects algorithms; a name may be given once. */
    public static final class Builder {
        private final Map<String, Function<AlgorithmConfig, Predicate>> predicates = new TreeMap<>();
        private final Map<String, Function<AlgorithmConfig, Priority>> priorities = new TreeMap<>();

        private Builder() {}

        /** Adds a predicate. */
        public Builder predicate(String name, Function<AlgorithmConfig, Predicate> factory) {
            if (predicates.putIfAbsent(name, factory) != null) {
                throw new IllegalArgumentException("predicate " + name + " registered twice");
            }
            return this;
        }

        /** Adds a priority. */
        public Builder priority(String name, Function<AlgorithmConfig, Priority> factory) {
            if (priorities.putIfAbsent(name, factory) != null) {
                throw new IllegalArgumentException("priority " + name + " registered twice");
            }
            return this;
        }

        /** The registry. */
        public AlgorithmRegistry build() {
            return new AlgorithmRegistry(this);
        }
    }
}
