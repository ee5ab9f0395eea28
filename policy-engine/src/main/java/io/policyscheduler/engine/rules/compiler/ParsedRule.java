package io.policyscheduler.engine.rules.compiler;

import java.util.IdentityHashMap;
import java.util.Map;

/** The tree of a rule as written, and where each part of it stands. Immutable. */
public final class ParsedRule {
    private final Syntax root;
    /** By identity: equal parts may stand in several places. */
    private final Map<Syntax, Span> spans;

    ParsedRule(Syntax root, Map<Syntax, Span> spans) {
        this.root = root;
        this.spans = new IdentityHashMap<>(spans);
    }

    /** The whole rule. */
    public Syntax root() {
        return root;
    }

    /** Where a part stands, without parentheses around it; a list operation in parentheses includes them. */
    public Span span(Syntax part) {
        Span span = spans.get(part);
        if (span == null) {
            throw new IllegalArgumentException("no part of this rule: " + part);
        }
        return span;
    }
}
