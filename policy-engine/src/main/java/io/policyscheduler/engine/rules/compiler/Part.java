package io.policyscheduler.engine.rules.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of a rule as it is written, and the term that the checker made of it. Two parts may share a term, and a part that
 * folding took away still has its own. Immutable; compared by identity.
 */
public final class Part {
    private final String expression;
    private final Span span;
    private final Syntax syntax;
    private final @Nullable Term term;
    private final List<Part> parts;

    private Part(String expression, Span span, Syntax syntax, @Nullable Term term, List<Part> parts) {
        this.expression = expression;
        this.span = span;
        this.syntax = syntax;
        this.term = term;
        this.parts = List.copyOf(parts);
    }

    /**
     * The tree of a rule.
     *
     * @param terms what was made of each part, by identity; what is no value by itself is missing
     */
    public static Part of(String expression, ParsedRule parsed, Map<Syntax, Term> terms) {
        return of(expression, parsed, parsed.root(), terms);
    }

    private static Part of(String expression, ParsedRule parsed, Syntax syntax, Map<Syntax, Term> terms) {
        List<Part> parts = new ArrayList<>();
        for (Syntax part : SyntaxParts.of(syntax)) {
            parts.add(of(expression, parsed, part, terms));
        }
        return new Part(expression, parsed.span(syntax), syntax, terms.get(syntax), parts);
    }

    /** The whole rule as written. */
    public String expression() {
        return expression;
    }

    /** Where it stands in the rule, without parentheses around it. */
    public Span span() {
        return span;
    }

    /** The part as written, in one line. */
    public String text() {
        return span.of(expression).strip().replaceAll("\\s+", " ");
    }

    /** The form that it has. */
    public Syntax syntax() {
        return syntax;
    }

    /** What the checker made of it; null for what is no value by itself, such as a list of literals. */
    public @Nullable Term term() {
        return term;
    }

    /** The parts that have values of their own, as they are written from left to right. */
    public List<Part> parts() {
        return parts;
    }

    /** Where it begins. */
    public Excerpt excerpt() {
        return new Excerpt(expression, span.start());
    }

    /** 1-based line of its first character in the rule. */
    public int line() {
        return excerpt().line();
    }

    /** 1-based column of its first character in that line. */
    public int column() {
        return excerpt().column();
    }

    /** Visits this part and all of its parts, the whole before its parts. */
    public void forEach(Consumer<Part> visitor) {
        visitor.accept(this);
        parts.forEach(part -> part.forEach(visitor));
    }
}
