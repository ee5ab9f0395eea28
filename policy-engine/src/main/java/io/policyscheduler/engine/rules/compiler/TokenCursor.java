package io.policyscheduler.engine.rules.compiler;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tokens of one expression, the place that a parser has reached in them, and what it has made so far. */
final class TokenCursor {
    private static final Set<String> METHODS = Set.of("matches", "startsWith", "endsWith");

    private final Refusal refusal;
    private final RuleLimits limits;
    private final List<Token> tokens;
    private final Map<Syntax, Span> spans = new IdentityHashMap<>();
    private int next;
    private int depth;
    private int terms;

    TokenCursor(String text, RuleLimits limits) throws RuleException {
        this.refusal = new Refusal(text);
        this.limits = limits;
        this.tokens = Lexer.tokens(text, limits);
    }

    Refusal refusal() {
        return refusal;
    }

    RuleLimits limits() {
        return limits;
    }

    Token peek() {
        return tokens.get(next);
    }

    /** The token after the next one. */
    Token peekAfter() {
        return tokens.get(Math.min(next + 1, tokens.size() - 1));
    }

    /** True when {@code name =} comes after the next token. */
    boolean isNameWithValueAfter() {
        return next + 2 < tokens.size()
                && peekAfter().kind() == Token.Kind.NAME
                && tokens.get(next + 2).isSymbol("=");
    }

    boolean isAtEnd() {
        return peek().kind() == Token.Kind.END;
    }

    Token take() {
        Token token = tokens.get(next);
        next += token.kind() == Token.Kind.END ? 0 : 1;
        return token;
    }

    /** Takes the next token if it is this one. */
    boolean takeIf(String symbol) {
        boolean is = peek().isSymbol(symbol);
        if (is) {
            take();
        }
        return is;
    }

    void expect(String symbol, String what) throws RuleException {
        if (!takeIf(symbol)) {
            throw unexpected(what);
        }
    }

    /** One level deeper; every call is followed by a {@link #leave}. */
    void enter() throws RuleException {
        if (++depth > limits.depth()) {
            throw refusal.at(
                    RuleCode.TOO_DEEP,
                    peek().start(),
                    "nesting is deeper than " + limits.depth() + " levels",
                    "split the rule into several rules");
        }
    }

    void leave() {
        depth--;
    }

    /** Counts what was made of the tokens from its own offset to the last one taken. */
    Syntax term(Syntax made) throws RuleException {
        return term(made, made.at());
    }

    /** Counts what was made of the tokens from an offset to the last one taken. */
    Syntax term(Syntax made, int from) throws RuleException {
        count(made.at());
        return placed(made, from);
    }

    /** Notes where something stands: from an offset to the last token taken. */
    Syntax placed(Syntax made, int from) {
        spans.put(made, new Span(from, next == 0 ? from : tokens.get(next - 1).end()));
        return made;
    }

    ParsedRule parsed(Syntax root) {
        return new ParsedRule(root, spans);
    }

    /** Counts one more term. */
    void count(int at) throws RuleException {
        if (++terms > limits.terms()) {
            throw refusal.at(
                    RuleCode.TOO_MANY_TERMS,
                    at,
                    "more than " + limits.terms() + " terms",
                    "split the rule into several rules");
        }
    }

    RuleException unexpected(String wanted) {
        Token token = peek();
        if (token.isSymbol("=")) {
            return refusal.at(
                    RuleCode.ASSIGNMENT,
                    token.start(),
                    "'=' is an assignment; rules cannot change values",
                    "compare with ==; write a local as x = 1; at the start of a statement");
        }
        if (token.isSymbol(";") || token.isSymbol("{") || token.isSymbol("}")) {
            return refusal.at(
                    RuleCode.STATEMENT,
                    token.start(),
                    "expected " + wanted + ", found '" + token.text() + "'",
                    "statements are x = 1; if (c) { return a; } else { return b; } and return a;");
        }
        return refusal.at(
                token.kind() == Token.Kind.WORD ? RuleCode.KEYWORD : RuleCode.SYNTAX,
                token.start(),
                "expected " + wanted + ", found " + token.show(),
                hint(token));
    }

    private static @Nullable String hint(Token token) {
        if (token.kind() == Token.Kind.NAME && METHODS.contains(token.text())) {
            return "write it as a method: a." + token.text() + "(b)";
        }
        if (token.kind() != Token.Kind.WORD) {
            return null;
        }
        return switch (token.text()) {
            case "if", "else", "return", "var" -> "'if' is a statement; in an expression, write c ? a : b";
            case "and", "or" -> "write it between two values";
            default -> "use it only on the right of == and !=; to read a label, write ['" + token.text() + "']";
        };
    }
}
