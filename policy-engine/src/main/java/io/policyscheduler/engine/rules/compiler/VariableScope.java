package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.Term.Variable;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The elements and locals at the current position, and what is known about them. */
final class VariableScope {
    /**
     * A name and its term.
     *
     * @param slot whether the value has a slot at run time
     */
    private record Binding(String name, Term value, boolean slot) {}

    private final Deque<Binding> bindings = new ArrayDeque<>();
    private int slots;
    private Set<Term> present = Set.of();

    /** The term of a name, null if it is not bound. */
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

    /** The variable for the next {@link #bind}. */
    Variable next(RuleType type, String name) {
        return new Variable(type, Variable.FIRST_LOOP + slots, name);
    }

    /** Binds a name to a value that is computed once. */
    void bind(Variable variable) {
        bindings.push(new Binding(variable.name(), variable, true));
        slots++;
    }

    /** Binds a name to a term. */
    void alias(String name, Term value) {
        bindings.push(new Binding(name, value, false));
    }

    /** Removes the last name. */
    void unbind() {
        slots -= bindings.pop().slot() ? 1 : 0;
    }

    /** Adds terms that are known to exist; returns the previous ones. */
    Set<Term> assume(Set<Term> terms) {
        Set<Term> before = present;
        if (!terms.isEmpty()) {
            Set<Term> all = new HashSet<>(present);
            all.addAll(terms);
            present = Set.copyOf(all);
        }
        return before;
    }

    /** Restores the result of {@link #assume}. */
    void forget(Set<Term> before) {
        present = before;
    }

    /** True if an optional term is known to exist. */
    boolean isPresent(Term term) {
        return present.contains(term);
    }

    /** Finds the entries of maps and tables that a condition has checked for null. */
    static final class NullChecks {
        private NullChecks() {}

        /** The optional terms that exist if a condition has this result. */
        static Set<Term> of(Term condition, boolean truth) {
            if (condition instanceof Term.Not not) {
                return of(not.operand(), !truth);
            }
            if (condition instanceof Term.Logic logic) {
                Set<Term> left = of(logic.left(), truth);
                Set<Term> right = of(logic.right(), truth);
                Set<Term> both = new HashSet<>(left);
                if (logic.and() == truth) {
                    both.addAll(right);
                } else {
                    both.retainAll(right);
                }
                return both;
            }
            if (condition instanceof TextTerm.Blank blank) {
                return truth ? Set.of() : maybe(blank.text());
            }
            if (condition instanceof Term.Equality equality) {
                return equality.equal() == truth ? equal(equality.left(), equality.right()) : Set.of();
            }
            return truth ? ofTrue(condition) : Set.of();
        }

        private static Set<Term> ofTrue(Term condition) {
            if (condition instanceof TextTerm.Present present) {
                return maybe(present.text());
            }
            if (condition instanceof MaybeTerm.Present present) {
                return maybe(present.value());
            }
            if (condition instanceof TableTerm.Has has && !has.table().isRecord()) {
                return maybe(new TableTerm.Entry(has.table(), TableSchema.VALUE, has.key()));
            }
            if (condition instanceof Term.In in) {
                return maybe(in.value());
            }
            if (condition instanceof Term.Access access
                    && access.receiver().type() == RuleType.LABELS
                    && access.member().name().equals("containsKey")) {
                Member entry = Members.find(RuleType.LABELS, "get", 1);
                return entry == null ? Set.of() : Set.of(new Term.Access(access.receiver(), entry, access.arguments()));
            }
            return Set.of();
        }

        /** A value that equals an existing string exists, too. */
        private static Set<Term> equal(Term left, Term right) {
            if (left.type() == RuleType.STRING) {
                return maybe(right);
            }
            return right.type() == RuleType.STRING ? maybe(left) : Set.of();
        }

        private static Set<Term> maybe(Term term) {
            return term.type().isMaybe() ? Set.copyOf(List.of(term)) : Set.of();
        }
    }

    /** Finds the name of a projection's element, which is not declared. */
    static final class FreeNames {
        /** The implicit name of the element in MVEL. */
        static final String ELEMENT = "$";

        private final Predicate<String> bound;
        private @Nullable String first;
        private boolean element;

        private FreeNames(Predicate<String> bound) {
            this.bound = bound;
        }

        /** The name of the element in a part of a projection: {@code $} if it is used, else the first unbound name, or null. */
        static @Nullable String element(Syntax part, Predicate<String> bound) {
            FreeNames names = new FreeNames(bound);
            names.visit(part);
            return names.element ? ELEMENT : names.first;
        }

        private void visit(Syntax syntax) {
            if (syntax instanceof Syntax.Name name) {
                boolean free = !bound.test(name.name());
                element |= free && name.name().equals(ELEMENT);
                first = first == null && free ? name.name() : first;
            } else if (syntax instanceof Syntax.Projection projection) {
                // Its other parts have an element of their own.
                visit(projection.list());
            } else if (!(syntax instanceof Syntax.ListLiteral || syntax instanceof Syntax.Local)) {
                syntax.parts().forEach(this::visit);
            }
        }
    }
}
