package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says what a rule means where a label, an annotation or another entry is missing. */
final class MissingWords {
    private final Set<String> sentences = new LinkedHashSet<>();

    private MissingWords() {}

    static List<String> of(Term term) {
        MissingWords words = new MissingWords();
        words.visit(term, null);
        return List.copyOf(words.sentences);
    }

    private void visit(Term term, @Nullable Term around) {
        if (term instanceof Term.Access access) {
            access(access, around);
            visit(access.receiver(), access);
        }
        for (Term part : term.parts()) {
            visit(part, term instanceof TextTerm.Known && around != null ? around : term);
        }
    }

    private void access(Term.Access access, @Nullable Term around) {
        Member member = access.member();
        String name = member.name();
        if (member.receiver() == RuleType.LABELS && name.equals("get")) {
            sentences.add("Where " + Nouns.of(access) + " is missing, " + entry(around));
        } else if (access.arguments().size() == 2 && (name.equals("label") || name.equals("getOrDefault"))) {
            String plain = Nouns.of(access).replaceAll(" \\([^()]* without it\\)$", "");
            sentences.add("Where " + plain + " is missing, "
                    + Nouns.of(access.arguments().get(1)) + " is used.");
        } else if (access.arguments().size() == 1
                && (name.equals("label") || name.equals("annotation") || name.equals("nodeSelector"))) {
            sentences.add("Where " + Nouns.of(access) + " is missing, the value is ''.");
        } else if (name.endsWith("InTopology") && member.receiver() == RuleType.NODE) {
            sentences.add("On nodes without label "
                    + Nouns.of(access.arguments().get(0)) + ", " + Nouns.of(access) + " is 0.");
        } else if (name.endsWith("WithLabel")) {
            String what = name.startsWith("nodes") ? "Nodes" : "Pods";
            sentences.add(what + " without label " + Nouns.of(access.arguments().get(0)) + " are not counted.");
        }
    }

    private static String entry(@Nullable Term around) {
        if (around instanceof Term.Equality equality) {
            boolean both =
                    equality.left().type() == RuleType.MAYBE && equality.right().type() == RuleType.MAYBE;
            return "it does not equal any value" + (both ? " except another missing value." : ".");
        }
        if (around instanceof Term.ToNumber number) {
            return "the number is " + Nouns.of(number.otherwise()) + ".";
        }
        if (around instanceof TextTerm.OrElse orElse) {
            return Nouns.of(orElse.otherwise()) + " is used.";
        }
        if (around instanceof Term.In) {
            return "it does not match any value.";
        }
        if (around instanceof TextTerm.Blank) {
            return "it is treated as blank.";
        }
        return around instanceof TextTerm.Present
                ? "the condition checks for that."
                : "an earlier condition excludes that.";
    }
}
