package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.compiler.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows the counts of a node that stand for going through its pods: they are kept, and asking for one costs next to nothing. */
final class CountedPods {
    private CountedPods() {}

    /** What can be written instead of a term, null when there is nothing. */
    static @Nullable String instead(Term term) {
        if (term instanceof Term.Size size && isPodsOfNode(size.list())) {
            return "node.podCount";
        }
        if (!(term instanceof Term.Fold fold) || !isPodsOfNode(fold.list())) {
            return null;
        }
        String count = count(fold.body(), fold.element());
        if (count == null) {
            return null;
        }
        if (fold.operation() == ListOperation.ANY) {
            return count + " > 0";
        }
        return fold.operation() == ListOperation.COUNT ? count : null;
    }

    private static boolean isPodsOfNode(Term list) {
        return list instanceof Term.Access access
                && access.member().receiver() == RuleType.NODE
                && access.member().name().equals("pods");
    }

    private static @Nullable String count(Term body, Term.Variable pod) {
        if (body instanceof Term.Not outer && outer.operand() instanceof Term.Not inner) {
            // Which is how != null is checked.
            return count(inner.operand(), pod);
        }
        if (body instanceof Term.Equality equality && equality.equal()) {
            String count = valued(equality.left(), equality.right(), pod);
            return count == null ? valued(equality.right(), equality.left(), pod) : count;
        }
        if (body instanceof TextTerm.Present present) {
            Term key = entry(present.text(), pod);
            return key == null ? null : withLabel(List.of(key), pod);
        }
        if (body instanceof Term.Access access) {
            boolean asks = (access.member().name().equals("hasLabel")
                            && access.receiver().equals(pod))
                    || (access.member().name().equals("containsKey") && isLabels(access.receiver(), pod));
            return asks ? withLabel(access.arguments(), pod) : null;
        }
        return null;
    }

    private static @Nullable String valued(Term asked, Term value, Term.Variable pod) {
        if (value.type() != RuleType.STRING) {
            return null;
        }
        if (asked instanceof Term.Access access && access.receiver().equals(pod)) {
            String name = access.member().name();
            if (name.equals("namespace") && !mentions(value, pod)) {
                return call("podsInNamespace", List.of(value));
            }
            // A pod without the label has the text '' here, and is not counted there.
            boolean there =
                    value instanceof Term.Constant constant && !constant.value().equals("");
            boolean label = name.equals("label") && access.arguments().size() == 1;
            return label && there ? withLabel(List.of(access.arguments().get(0), value), pod) : null;
        }
        Term key = entry(asked, pod);
        return key == null ? null : withLabel(List.of(key, value), pod);
    }

    private static boolean isLabels(Term map, Term.Variable pod) {
        return map instanceof Term.Access labels
                && labels.receiver().equals(pod)
                && labels.member().name().equals("labels");
    }

    /** The key of {@code pod.labels[key]}, null for anything else. */
    private static @Nullable Term entry(Term term, Term.Variable pod) {
        boolean entry = term instanceof Term.Access access
                && access.member().name().equals("get")
                && isLabels(access.receiver(), pod);
        return entry ? ((Term.Access) term).arguments().get(0) : null;
    }

    private static @Nullable String withLabel(List<Term> arguments, Term.Variable pod) {
        boolean free = arguments.stream().noneMatch(argument -> mentions(argument, pod));
        boolean known = Members.find(RuleType.NODE, "podsWithLabel", arguments.size()) != null;
        return free && known ? call("podsWithLabel", arguments) : null;
    }

    private static String call(String member, List<Term> arguments) {
        return "node." + member + "("
                + String.join(", ", arguments.stream().map(TermText::of).toList()) + ")";
    }

    private static boolean mentions(Term term, Term.Variable variable) {
        if (term.equals(variable) || (term instanceof Term.Access access && mentions(access.receiver(), variable))) {
            return true;
        }
        return term.parts().stream().anyMatch(part -> mentions(part, variable));
    }
}
