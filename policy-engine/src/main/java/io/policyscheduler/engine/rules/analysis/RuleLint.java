package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleDefinition.Normalize;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.analysis.ExpressionLint.SyntaxNames;
import io.policyscheduler.engine.rules.analysis.Ranges.Interval;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.Excerpt;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The linter of valid rules: reports probable mistakes and possible simplifications. */
public final class RuleLint {
    private static final String EXPRESSION = "expression";
    private static final String WHEN = "when";

    private final RuleProgram program;
    private final List<Finding> findings = new ArrayList<>();

    private RuleLint(RuleProgram program) {
        this.program = program;
    }

    /**
     * Checks an expression that is not part of a file: only what needs no other fields of a rule.
     *
     * @return findings in text order
     */
    public static List<Finding> of(RuleProgram program) {
        RuleLint lint = new RuleLint(program);
        lint.findings.addAll(ExpressionLint.of(program.source(), EXPRESSION));
        lint.whole(program.reads(), Normalize.NONE);
        return List.copyOf(lint.findings);
    }

    /**
     * Checks a rule of a file.
     *
     * @param type BOOL for a predicate, NUMBER for a priority
     * @param tables that it can read
     * @return findings in text order, those about its fields last
     * @throws RuleException if the rule is invalid
     */
    public static List<Finding> of(RuleDefinition rule, RuleType type, RuleTables tables) throws RuleException {
        RuleCompiler compiler = RuleCompiler.reading(tables);
        RuleProgram program = compiler.compile(rule.expression(), rule.params(), type);
        String condition = rule.when();
        RuleProgram when = condition == null ? null : compiler.compileWhen(condition, rule.params());
        RuleLint lint = new RuleLint(program);
        if (when != null) {
            lint.findings.addAll(ExpressionLint.of(when.source(), WHEN));
        }
        lint.findings.addAll(ExpressionLint.of(program.source(), EXPRESSION));
        Set<Reads> reads = EnumSet.noneOf(Reads.class);
        reads.addAll(program.reads());
        if (when != null) {
            reads.addAll(when.reads());
        }
        lint.whole(reads, Normalize.of(String.valueOf(rule.normalize())).orElse(Normalize.NONE));
        lint.fields(rule, type, reads, when);
        return List.copyOf(lint.findings);
    }

    /** A shared rule of a policy that no entry uses. */
    public static Finding unused(RuleDefinition rule) {
        return new Finding(
                LintCode.UNUSED_RULE,
                "unused shared rule",
                "use it: {\"use\": \"" + rule.name() + "\"}, or remove it",
                "name",
                new Excerpt(rule.expression(), 0));
    }

    private void add(LintCode code, String field, String message, String suggestion) {
        findings.add(new Finding(code, message, suggestion, field, new Excerpt(program.expression(), 0)));
    }

    /** @param reads the inputs of expression and condition */
    private void whole(Set<Reads> reads, Normalize normalize) {
        if (program.term() instanceof Term.Constant) {
            return;
        }
        if (program.type() == RuleType.BOOL) {
            if (!reads.contains(Reads.POD) && !reads.contains(Reads.POD_NAME)) {
                add(
                        LintCode.NO_POD,
                        EXPRESSION,
                        "the rule does not read the pod, so it applies to all pods, including those of DaemonSets",
                        "use 'when' to select pods");
            }
            return;
        }
        Set<Reads> own = program.reads();
        boolean ofNode = own.contains(Reads.NODE) || own.contains(Reads.NODE_PODS) || own.contains(Reads.TOPOLOGY);
        if (!ofNode) {
            add(
                    LintCode.NO_NODE,
                    EXPRESSION,
                    "the rule does not read the node, so all nodes score the same",
                    "use a field of the node");
            return;
        }
        String only = oneScore(Ranges.of(program.term()), normalize);
        if (only != null) {
            add(
                    LintCode.ONE_SCORE,
                    EXPRESSION,
                    "all nodes score " + only + ", because scores are limited to 0..100",
                    "scale the value to 0..100, or set 'normalize'");
        }
    }

    /** The score of all numbers in a range, null if there are several. */
    private static @Nullable String oneScore(Interval range, Normalize normalize) {
        return switch (normalize) {
            case NONE -> {
                // Rounds half up.
                if (range.high() < 0.5) {
                    yield "0";
                }
                yield range.low() >= 99.5 ? "100" : range.isOne() ? "the same" : null;
            }
            case MAX -> range.high() <= 0 ? "0" : null;
            case REVERSE -> range.high() <= 0 ? "100" : null;
            case MINMAX -> range.isOne() ? "0" : null;
        };
    }

    private void fields(RuleDefinition rule, RuleType type, Set<Reads> reads, @Nullable RuleProgram when) {
        Set<String> used = new HashSet<>(SyntaxNames.parameters(program.source().syntax()));
        if (when != null) {
            used.addAll(SyntaxNames.parameters(when.source().syntax()));
        }
        for (String param : rule.params().keySet()) {
            if (!used.contains(param)) {
                add(LintCode.UNUSED_PARAMETER, "params", "unused parameter params." + param, "remove it");
            }
        }
        if (type == RuleType.BOOL && rule.reason() == null) {
            add(
                    LintCode.NO_REASON,
                    "reason",
                    "no reason: the event contains \"node(s) didn't satisfy rule " + rule.name() + "\"",
                    "set 'reason' to what is missing");
        }
        if (Boolean.TRUE.equals(rule.resolvable()) && !Reads.resolvable(reads)) {
            add(
                    LintCode.RESOLVABLE,
                    "resolvable",
                    "resolvable is true, but evicting pods cannot change the result: preemption evicts pods without success",
                    "remove 'resolvable'");
        }
    }

    /**
     * A finding in a rule.
     *
     * @param message the problem, with the text of the part
     * @param suggestion the fix
     * @param field the field of the rule that contains the position: {@code expression}, {@code when}, or another one, then the
     *     position is the beginning of the expression
     * @param place its position
     */
    public record Finding(LintCode code, String message, String suggestion, String field, Excerpt place) {
        /** One line without position: {@code L002: node.podCount >= 0 is always true; leave it out}. */
        public String text() {
            return code.code() + ": " + message + "; " + suggestion;
        }
    }

    /** The kinds of findings in a valid rule. Codes are stable; {@code docs/codes.md} lists all of them. */
    public enum LintCode {
        /** The whole expression is constant. */
        CONSTANT("L001", true),
        /** A condition with a constant result. */
        DECIDED("L002", true),
        /** A predicate that does not depend on the pod. */
        NO_POD("L003", false),
        /** A priority that does not depend on the node. */
        NO_NODE("L004", true),
        /** A count that is only compared with zero. */
        COUNTS_TO_TEST("L005", false),
        /** An iteration over pods that a cached count can replace. */
        COUNTED_MEMBER("L006", false),
        /** An unused parameter. */
        UNUSED_PARAMETER("L007", true),
        /** An unused local. */
        UNUSED_LOCAL("L008", true),
        /** A shared rule of a policy that no entry uses. */
        UNUSED_RULE("L009", true),
        /** {@code !!a}. */
        DOUBLE_NEGATION("L010", false),
        /** Both sides are the same. */
        SAME_SIDES("L011", true),
        /** The same term twice in one {@code &&} or {@code ||}. */
        REPEATED("L012", true),
        /** A predicate without a reason for rejections. */
        NO_REASON("L013", false),
        /** A rule that is resolvable although preemption cannot help. */
        RESOLVABLE("L014", true),
        /** A priority whose scores are constant. */
        ONE_SCORE("L015", true);

        private final String code;
        private final boolean warning;

        LintCode(String code, boolean warning) {
            this.code = code;
            this.warning = warning;
        }

        /** The stable code, such as {@code L001}. */
        public String code() {
            return code;
        }

        /** True for a probable mistake, false for a possible simplification. */
        public boolean isWarning() {
            return warning;
        }
    }
}
