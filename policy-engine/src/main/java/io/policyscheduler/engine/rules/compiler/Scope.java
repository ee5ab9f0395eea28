package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Variable;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The elements and locals that can be named at the place that is being checked, and what is known there. */
final class Scope {
    /**
     * A name and what it stands for.
     *
     * @param slot true when the value takes a slot at run time
     */
    private record Binding(String name, Term value, boolean slot) {}

    private final Deque<Binding> bindings = new ArrayDeque<>();
    private int slots;
    private Set<Term> present = Set.of();

    /** What a name stands for, null when it is not bound here. */
    @Nullable
    Term find(String name) {
        for (Binding binding : bindings) {
            if (binding.name().equals(name)) {
                return binding.value();
            }
        }
        return null;
    }

    /** All bound names, sorted. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        bindings.forEach(binding -> names.add(binding.name()));
        return names;
    }

    /** The variable that {@link #bind} would make. */
    Variable next(RuleType type, String name) {
        return new Variable(type, Variable.FIRST_LOOP + slots, name);
    }

    /** Binds a name to a value that is worked out once. */
    void bind(Variable variable) {
        bindings.push(new Binding(variable.name(), variable, true));
        slots++;
    }

    /** Lets a name stand for a term. */
    void alias(String name, Term value) {
        bindings.push(new Binding(name, value, false));
    }

    /** Forgets the last name. */
    void unbind() {
        slots -= bindings.pop().slot() ? 1 : 0;
    }

    /** Takes it as given that these are there; gives back what was known before. */
    Set<Term> assume(Set<Term> terms) {
        Set<Term> before = present;
        if (!terms.isEmpty()) {
            Set<Term> all = new HashSet<>(present);
            all.addAll(terms);
            present = Set.copyOf(all);
        }
        return before;
    }

    /** Goes back to what {@link #assume} gave. */
    void forget(Set<Term> before) {
        present = before;
    }

    /** True when a term that may be missing is known to be there. */
    boolean isPresent(Term term) {
        return present.contains(term);
    }
}
