package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.analysis.Explanation.Line;
import java.util.ArrayList;
import java.util.List;

/** Says a rule line by line: {@code &&}, {@code ||}, choices and locals become lists. */
final class Outline {
    private final List<Line> lines = new ArrayList<>();

    private Outline() {}

    /** The lines for a condition, the first one beginning with an introduction such as "The rule accepts a node for a pod when". */
    static List<Line> ofCondition(String introduction, Term term) {
        Outline outline = new Outline();
        outline.condition(0, introduction + " ", term, true);
        return List.copyOf(outline.lines);
    }

    /** The lines for a number. */
    static List<Line> ofNumber(String introduction, Term term) {
        Outline outline = new Outline();
        outline.number(0, introduction + " ", term);
        return List.copyOf(outline.lines);
    }

    private void add(int depth, String text) {
        boolean sentence = depth == 0 && !text.endsWith(":");
        lines.add(new Line(depth, sentence ? text + "." : text));
    }

    private void condition(int depth, String before, Term term, boolean yes) {
        if (term instanceof Term.Not not) {
            condition(depth, before, not.operand(), !yes);
        } else if (term instanceof Term.Logic logic) {
            boolean all = logic.and() == yes;
            add(depth, before + (all ? "all of these are true:" : "at least one of these is true:"));
            Clauses.sides(logic, logic.and()).forEach(side -> condition(depth + 1, "", side, yes));
        } else if (term instanceof Term.Choice choice) {
            add(depth, before + "this is true:");
            condition(depth + 1, "if " + Clauses.inner(choice.condition(), true) + ": ", choice.yes(), yes);
            condition(depth + 1, "otherwise: ", choice.no(), yes);
        } else if (term instanceof Term.Let let) {
            condition(depth, before, let.body(), yes);
            add(depth + 1, "where " + let.local().name() + " is " + Clauses.value(let.value()));
        } else {
            add(depth, before + Clauses.of(term, yes));
        }
    }

    private void number(int depth, String before, Term term) {
        if (term instanceof Term.Choice choice) {
            add(depth, before.stripTrailing() + (before.strip().endsWith(":") ? "" : ":"));
            number(depth + 1, "if " + Clauses.inner(choice.condition(), true) + ": ", choice.yes());
            number(depth + 1, "otherwise: ", choice.no());
        } else if (term instanceof Term.Let let) {
            number(depth, before, let.body());
            add(depth + 1, "where " + let.local().name() + " is " + Clauses.value(let.value()));
        } else {
            add(depth, before + Nouns.of(term));
        }
    }
}
