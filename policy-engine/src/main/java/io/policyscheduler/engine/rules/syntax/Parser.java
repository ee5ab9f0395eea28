package io.policyscheduler.engine.rules.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Recursive descent over the tokens of one expression; see the grammar in {@code LANGUAGE.md}. */
public final class Parser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");

    private final Refusal refusal;
    private final RuleLimits limits;
    private final List<Token> tokens;
    private int next;
    private int depth;
    private int terms;

    private Parser(String text, RuleLimits limits) throws RuleException {
        this.refusal = new Refusal(text);
        this.limits = limits;
        this.tokens = Lexer.tokens(text, limits);
    }

    /** The tree of an expression. */
    public static Syntax parse(String text, RuleLimits limits) throws RuleException {
        Parser parser = new Parser(text, limits);
        Syntax tree = parser.expression();
        if (parser.peek().kind() != Token.Kind.END) {
            throw parser.unexpected("an operator or the end");
        }
        return tree;
    }

    private Syntax expression() throws RuleException {
        enter();
        Syntax condition = or();
        if (!peek().isSymbol("?")) {
            depth--;
            return condition;
        }
        int at = take().start();
        Syntax yes = expression();
        expect(":", "the other choice of '?'");
        Syntax no = expression();
        depth--;
        return term(new Syntax.Conditional(condition, yes, no, at));
    }

    private Syntax or() throws RuleException {
        Syntax left = and();
        while (peek().isSymbol("||")) {
            int at = take().start();
            left = term(new Syntax.Binary("||", left, and(), at));
        }
        return left;
    }

    private Syntax and() throws RuleException {
        Syntax left = comparison();
        while (peek().isSymbol("&&")) {
            int at = take().start();
            left = term(new Syntax.Binary("&&", left, comparison(), at));
        }
        return left;
    }

    private Syntax comparison() throws RuleException {
        Syntax left = sum();
        Token token = peek();
        boolean comparison = token.kind() == Token.Kind.SYMBOL && COMPARISONS.contains(token.text());
        if (!comparison && !token.isName("in")) {
            return left;
        }
        take();
        Syntax result = term(new Syntax.Binary(token.text(), left, sum(), token.start()));
        Token after = peek();
        if (after.isName("in") || (after.kind() == Token.Kind.SYMBOL && COMPARISONS.contains(after.text()))) {
            throw refusal.at(
                    RuleCode.SYNTAX,
                    after.start(),
                    "a comparison of a comparison",
                    "write a < b && b < c, or use parentheses");
        }
        return result;
    }

    private Syntax sum() throws RuleException {
        Syntax left = product();
        while (peek().isSymbol("+") || peek().isSymbol("-")) {
            Token operator = take();
            left = term(new Syntax.Binary(operator.text(), left, product(), operator.start()));
        }
        return left;
    }

    private Syntax product() throws RuleException {
        Syntax left = unary();
        while (peek().isSymbol("*") || peek().isSymbol("/") || peek().isSymbol("%")) {
            Token operator = take();
            left = term(new Syntax.Binary(operator.text(), left, unary(), operator.start()));
        }
        return left;
    }

    private Syntax unary() throws RuleException {
        if (peek().isSymbol("!") || peek().isSymbol("-")) {
            Token operator = take();
            enter();
            Syntax operand = unary();
            depth--;
            return term(new Syntax.Unary(operator.text(), operand, operator.start()));
        }
        return postfix(primary());
    }

    private Syntax postfix(Syntax start) throws RuleException {
        Syntax target = start;
        while (true) {
            if (peek().isSymbol("[")) {
                throw refusal.at(
                        RuleCode.SYNTAX,
                        peek().start(),
                        "there is no access by index",
                        "a label is read with .label('key')");
            }
            if (peek().isSymbol("(")) {
                throw refusal.at(RuleCode.SYNTAX, peek().start(), "only functions and methods are called", null);
            }
            if (!peek().isSymbol(".")) {
                return target;
            }
            take();
            Token name = peek();
            if (name.kind() != Token.Kind.NAME) {
                throw unexpected("the name of a member");
            }
            take();
            target = peek().isSymbol("(")
                    ? term(new Syntax.MethodCall(target, name.text(), arguments(), name.start()))
                    : term(new Syntax.Select(target, name.text(), name.start()));
        }
    }

    private Syntax primary() throws RuleException {
        Token token = peek();
        if (token.kind() == Token.Kind.NAME) {
            return name(token);
        }
        if (token.kind() == Token.Kind.NUMBER) {
            take();
            return term(new Syntax.NumberLiteral(token.text(), token.start()));
        }
        if (token.kind() == Token.Kind.STRING) {
            take();
            return term(new Syntax.StringLiteral(token.text(), token.start()));
        }
        if (token.isSymbol("(")) {
            take();
            Syntax inner = expression();
            expect(")", "the ')' of the '(' before");
            return inner;
        }
        if (token.isSymbol("[")) {
            return list(take().start());
        }
        throw unexpected("a value");
    }

    private Syntax name(Token token) throws RuleException {
        if (token.text().equals("in")) {
            throw unexpected("a value");
        }
        take();
        if (token.text().equals("true") || token.text().equals("false")) {
            return term(new Syntax.BoolLiteral(token.text().equals("true"), token.start()));
        }
        if (peek().isSymbol("(")) {
            return term(new Syntax.FunctionCall(token.text(), arguments(), token.start()));
        }
        return term(new Syntax.Name(token.text(), token.start()));
    }

    private List<Syntax> arguments() throws RuleException {
        take();
        if (peek().isSymbol(")")) {
            take();
            return List.of();
        }
        return items(")");
    }

    private Syntax list(int at) throws RuleException {
        if (peek().isSymbol("]")) {
            throw refusal.at(RuleCode.LIST, at, "an empty list", "list at least one value");
        }
        List<Syntax> items = items("]");
        if (items.size() > limits.listItems()) {
            throw refusal.at(
                    RuleCode.LIST,
                    at,
                    "a list of " + items.size() + " items, at most " + limits.listItems() + " are allowed",
                    "use matches or a label that stands for all of them");
        }
        return term(new Syntax.ListLiteral(items, at));
    }

    private List<Syntax> items(String close) throws RuleException {
        List<Syntax> items = new ArrayList<>();
        while (true) {
            items.add(expression());
            if (peek().isSymbol(",")) {
                take();
                continue;
            }
            expect(close, "',' or '" + close + "'");
            return List.copyOf(items);
        }
    }

    private void enter() throws RuleException {
        if (++depth > limits.depth()) {
            throw refusal.at(
                    RuleCode.TOO_DEEP,
                    peek().start(),
                    "nested deeper than " + limits.depth() + " levels",
                    "split it into several rules");
        }
    }

    private Syntax term(Syntax made) throws RuleException {
        if (++terms > limits.terms()) {
            throw refusal.at(
                    RuleCode.TOO_MANY_TERMS,
                    made.at(),
                    "more than " + limits.terms() + " terms",
                    "split it into several rules");
        }
        return made;
    }

    private Token peek() {
        return tokens.get(next);
    }

    private Token take() {
        Token token = tokens.get(next);
        next += token.kind() == Token.Kind.END ? 0 : 1;
        return token;
    }

    private void expect(String symbol, String what) throws RuleException {
        if (!peek().isSymbol(symbol)) {
            throw unexpected(what);
        }
        take();
    }

    private RuleException unexpected(String wanted) {
        Token token = peek();
        String hint = null;
        if (token.kind() == Token.Kind.NAME
                && Set.of("contains", "matches", "startsWith", "endsWith").contains(token.text())) {
            hint = "write it as a method: a." + token.text() + "(b)";
        }
        return refusal.at(RuleCode.SYNTAX, token.start(), "expected " + wanted + ", found " + token.show(), hint);
    }
}
