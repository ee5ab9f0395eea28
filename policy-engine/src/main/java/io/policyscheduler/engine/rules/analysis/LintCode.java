package io.policyscheduler.engine.rules.analysis;

/** What can be found in a rule that is accepted. Codes do not change their meaning; {@code docs/codes.md} has all of them. */
public enum LintCode {
    /** The whole expression does not depend on anything. */
    CONSTANT("L001", true),
    /** A condition that has the same answer whatever it looks at. */
    DECIDED("L002", true),
    /** A predicate that treats all pods alike. */
    NO_POD("L003", false),
    /** A priority that gives all nodes the same. */
    NO_NODE("L004", true),
    /** Counting where asking whether there is one does. */
    COUNTS_TO_ASK("L005", false),
    /** Going through pods that are counted already. */
    COUNTED_MEMBER("L006", false),
    /** A parameter that nothing reads. */
    UNUSED_PARAMETER("L007", true),
    /** A local that nothing reads. */
    UNUSED_LOCAL("L008", true),
    /** A shared rule of a policy that no entry uses. */
    UNUSED_RULE("L009", true),
    /** {@code !!a}. */
    DOUBLE_NEGATION("L010", false),
    /** Both sides are the same. */
    SAME_SIDES("L011", true),
    /** The same term twice in one {@code &&} or {@code ||}. */
    REPEATED("L012", true),
    /** A predicate that does not say why it rejects. */
    NO_REASON("L013", false),
    /** Preemption is asked to help where it cannot. */
    RESOLVABLE("L014", true),
    /** A priority whose scores are all the same, whatever it looks at. */
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

    /** True for what was probably not meant, false for what could be said better. */
    public boolean isWarning() {
        return warning;
    }
}
