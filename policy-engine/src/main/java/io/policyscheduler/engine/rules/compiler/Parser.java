package io.policyscheduler.engine.rules.compiler;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a rule, most often a single expression; see the grammar in {@code LANGUAGE.md}. Statements become one tree:
 * {@code if} is a choice, and a local stands around what follows it.
 */
public final class Parser {
    private static final String END = "";
    private static final String BLOCK = "}";
    /** Names that stand for a value, and cannot get another one. */
    private static final Set<String> VALUES = Set.of("true", "false", "in");

    private final TokenCursor tokens;
    private final ExpressionParser expressions;
    /** A value of a block that is written without return, which only the last statement of the rule may have; else null. */
    private @Nullable Token bareValue;

    private Parser(String text, RuleLimits limits) throws RuleException {
        this.tokens = new TokenCursor(text, limits);
        this.expressions = new ExpressionParser(tokens);
    }

    /** The tree of a rule. */
    public static ParsedRule parse(String text, RuleLimits limits) throws RuleException {
        Parser parser = new Parser(text, limits);
        return parser.tokens.parsed(parser.statements(END));
    }

    /** What the statements up to an end come to. */
    private Syntax statements(String end) throws RuleException {
        Token token = tokens.peek();
        if (isAt(end)) {
            throw noValue(token);
        }
        if (token.isWord("if")) {
            return ifStatement(end);
        }
        boolean declared = token.isWord("var");
        if (declared) {
            tokens.take();
        }
        Token name = tokens.peek();
        boolean local =
                name.kind() == Token.Kind.NAME && tokens.peekAfter().isSymbol("=") && !VALUES.contains(name.text());
        if (local) {
            return local(end);
        }
        boolean typed = name.kind() == Token.Kind.NAME && tokens.isNameWithValueAfter();
        if (typed) {
            throw refusal(
                    RuleCode.KEYWORD,
                    name,
                    "rules have no type '" + Shown.text(name.text()) + "'",
                    "write a local as x = 1;");
        }
        if (declared) {
            throw tokens.unexpected("x = ... after 'var'");
        }
        boolean returns = token.isWord("return");
        if (returns) {
            tokens.take();
        } else if (end.equals(BLOCK) && bareValue == null) {
            bareValue = token;
        }
        Syntax value = expressions.expression();
        if (!isAt(end) && !tokens.peek().isSymbol(";")) {
            throw tokens.unexpected("an operator or the end");
        }
        boolean more = tokens.takeIf(";") && !isAt(end);
        if (more && tokens.isAtEnd()) {
            throw tokens.unexpected("the '}' of the block");
        }
        if (more) {
            throw refusal(
                    RuleCode.STATEMENT,
                    returns ? tokens.peek() : token,
                    returns ? "unreachable code after 'return'" : "unused value",
                    returns ? "remove it" : "assign it to a local: x = ...; or return it");
        }
        return value;
    }

    private boolean isAt(String end) {
        return end.equals(END) ? tokens.isAtEnd() : tokens.peek().isSymbol(end);
    }

    private Syntax local(String end) throws RuleException {
        Token name = tokens.take();
        tokens.take();
        Syntax value = expressions.expression();
        if (!isAt(end)) {
            tokens.expect(";", "a ';' after the value of '" + Shown.text(name.text()) + "'");
        }
        // Counted before what follows, so that a long row of locals ends before the stack does.
        tokens.count(name.start());
        return tokens.placed(new Syntax.Local(name.text(), value, statements(end), name.start()), name.start());
    }

    private Syntax ifStatement(String end) throws RuleException {
        int at = tokens.take().start();
        tokens.expect("(", "'(' and the condition of 'if'");
        Syntax condition = expressions.expression();
        tokens.expect(")", "the ')' of the condition of 'if'");
        Syntax yes = block();
        tokens.count(at);
        if (!tokens.peek().isWord("else")) {
            if (bareValue != null) {
                throw bare(bareValue);
            }
            tokens.takeIf(";");
            return tokens.placed(new Syntax.Conditional("if", condition, yes, statements(end), at), at);
        }
        tokens.take();
        Syntax no;
        if (tokens.peek().isWord("if")) {
            tokens.enter();
            no = ifStatement(end);
            tokens.leave();
        } else {
            no = block();
            tokens.takeIf(";");
            if (!isAt(end)) {
                throw bareValue == null
                        ? refusal(
                                RuleCode.STATEMENT,
                                tokens.peek(),
                                "unreachable code after this 'if': both of its blocks return",
                                "remove it, or remove a 'return'")
                        : bare(bareValue);
            }
        }
        return tokens.placed(new Syntax.Conditional("if", condition, yes, no, at), at);
    }

    private Syntax block() throws RuleException {
        if (!tokens.takeIf("{")) {
            throw refusal(
                    RuleCode.SYNTAX,
                    tokens.peek(),
                    "expected a block in '{' and '}', found " + tokens.peek().show(),
                    "write if (c) { return a; } else { return b; }");
        }
        tokens.enter();
        Syntax value = statements(BLOCK);
        tokens.leave();
        tokens.expect("}", "the '}' of the block");
        return value;
    }

    private RuleException noValue(Token token) {
        return refusal(
                RuleCode.NO_VALUE,
                token,
                "this path through the rule ends without a value",
                "end it with return ...; each 'if' needs an 'else' or a 'return' after it");
    }

    private RuleException bare(Token value) {
        return refusal(
                RuleCode.NO_VALUE,
                value,
                "this value ends its block, but the rule continues after the block",
                "write return before it");
    }

    private RuleException refusal(RuleCode code, Token token, String message, String hint) {
        return tokens.refusal().at(code, token.start(), message, hint);
    }
}
