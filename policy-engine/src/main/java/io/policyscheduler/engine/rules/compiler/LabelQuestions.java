package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.LabelQuestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the labels that a rule asks the pods of each node for. */
public final class LabelQuestions {
    private static final Member ANY = member(1);
    private static final Member VALUE = member(2);

    private static Member member(int arguments) {
        Member member = Members.find(RuleType.NODE, "podsWithLabel", arguments);
        if (member == null) {
            throw new IllegalStateException("no member podsWithLabel with " + arguments);
        }
        return member;
    }

    private LabelQuestions() {}

    /** Those of a rule, each once. */
    public static List<LabelQuestion> of(Term term) {
        List<LabelQuestion> questions = new ArrayList<>();
        collect(term, questions);
        return List.copyOf(Set.copyOf(questions));
    }

    private static void collect(Term term, List<LabelQuestion> into) {
        if (term instanceof Term.Access access) {
            boolean constant = access.arguments().stream().allMatch(Term.Constant.class::isInstance);
            if (constant && (access.member().equals(ANY) || access.member().equals(VALUE))) {
                List<String> texts = access.arguments().stream()
                        .map(argument -> String.valueOf(((Term.Constant) argument).value()))
                        .toList();
                into.add(new LabelQuestion(texts.get(0), texts.size() > 1 ? texts.get(1) : null));
            }
            collect(access.receiver(), into);
        }
        term.parts().forEach(part -> collect(part, into));
    }
}
