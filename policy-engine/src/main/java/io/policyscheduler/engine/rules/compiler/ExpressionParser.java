package io.policyscheduler.engine.rules.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Recursive descent over the tokens of one expression; see the grammar in {@code LANGUAGE.md}. */
final class ExpressionParser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=", "~=");
    private static final Set<String> WORDS = Set.of("in", "contains");

    private final TokenCursor tokens;

    ExpressionParser(TokenCursor tokens) {
        this.tokens = tokens;
    }

    Syntax expression() throws RuleException {
        int from = tokens.peek().start();
        tokens.enter();
        Syntax condition = or();
        if (!tokens.peek().isSymbol("?")) {
            tokens.leave();
            return condition;
        }
        int at = tokens.take().start();
        Syntax yes = expression();
        tokens.expect(":", "the other choice of '?'");
        Syntax no = expression();
        tokens.leave();
        return tokens.term(new Syntax.Conditional("?", condition, yes, no, at), from);
    }

    private Syntax or() throws RuleException {
        int from = tokens.peek().start();
        Syntax left = and();
        while (tokens.peek().isSymbol("||") || tokens.peek().isWord("or")) {
            Token operator = tokens.take();
            left = tokens.term(new Syntax.Binary(operator.text(), left, and(), operator.start()), from);
        }
        return left;
    }

    private Syntax and() throws RuleException {
        int from = tokens.peek().start();
        Syntax left = comparison();
        while (tokens.peek().isSymbol("&&") || tokens.peek().isWord("and")) {
            Token operator = tokens.take();
            left = tokens.term(new Syntax.Binary(operator.text(), left, comparison(), operator.start()), from);
        }
        return left;
    }

    private Syntax comparison() throws RuleException {
        int from = tokens.peek().start();
        Syntax left = sum();
        Token token = tokens.peek();
        if (!compares(token)) {
            return left;
        }
        tokens.take();
        Syntax result = tokens.term(new Syntax.Binary(token.text(), left, sum(), token.start()), from);
        if (compares(tokens.peek())) {
            throw tokens.refusal()
                    .at(
                            RuleCode.SYNTAX,
                            tokens.peek().start(),
                            "comparisons cannot be chained",
                            "write a < b && b < c, or use parentheses");
        }
        return result;
    }

    private static boolean compares(Token token) {
        return (token.kind() == Token.Kind.SYMBOL && COMPARISONS.contains(token.text()))
                || (token.kind() == Token.Kind.NAME && WORDS.contains(token.text()));
    }

    private Syntax sum() throws RuleException {
        int from = tokens.peek().start();
        Syntax left = product();
        while (tokens.peek().isSymbol("+") || tokens.peek().isSymbol("-")) {
            Token operator = tokens.take();
            left = tokens.term(new Syntax.Binary(operator.text(), left, product(), operator.start()), from);
        }
        return left;
    }

    private Syntax product() throws RuleException {
        int from = tokens.peek().start();
        Syntax left = unary();
        while (tokens.peek().isSymbol("*")
                || tokens.peek().isSymbol("/")
                || tokens.peek().isSymbol("%")) {
            Token operator = tokens.take();
            left = tokens.term(new Syntax.Binary(operator.text(), left, unary(), operator.start()), from);
        }
        return left;
    }

    private Syntax unary() throws RuleException {
        if (tokens.peek().isSymbol("!") || tokens.peek().isSymbol("-")) {
            Token operator = tokens.take();
            tokens.enter();
            Syntax operand = unary();
            tokens.leave();
            return tokens.term(new Syntax.Unary(operator.text(), operand, operator.start()));
        }
        int from = tokens.peek().start();
        return postfix(primary(), from);
    }

    private Syntax postfix(Syntax start, int from) throws RuleException {
        Syntax target = start;
        while (true) {
            if (tokens.peek().isSymbol("[")) {
                int at = tokens.take().start();
                Syntax key = expression();
                tokens.expect("]", "the ']' of the '[' before");
                target = tokens.term(new Syntax.Index(target, key, at), from);
                continue;
            }
            if (tokens.peek().isSymbol("(")) {
                throw tokens.refusal()
                        .at(RuleCode.SYNTAX, tokens.peek().start(), "only functions and methods can be called", null);
            }
            if (!tokens.takeIf(".") && !tokens.takeIf(".?")) {
                return target;
            }
            Token name = tokens.peek();
            if (name.kind() != Token.Kind.NAME) {
                throw tokens.unexpected("the name of a member");
            }
            tokens.take();
            target = tokens.peek().isSymbol("(")
                    ? tokens.term(new Syntax.MethodCall(target, name.text(), arguments(), name.start()), from)
                    : tokens.term(new Syntax.Select(target, name.text(), name.start()), from);
        }
    }

    private Syntax primary() throws RuleException {
        Token token = tokens.peek();
        if (token.kind() == Token.Kind.NAME) {
            return name(token);
        }
        if (token.kind() == Token.Kind.NUMBER) {
            tokens.take();
            return tokens.term(new Syntax.NumberLiteral(token.text(), token.start()));
        }
        if (token.kind() == Token.Kind.STRING) {
            tokens.take();
            return tokens.term(new Syntax.StringLiteral(token.text(), token.start()));
        }
        if (token.isSymbol("(")) {
            return parentheses();
        }
        if (token.isSymbol("[")) {
            return list(tokens.take().start());
        }
        boolean nothing = token.isWord("null") || token.isWord("nil") || token.isWord("empty");
        if (nothing) {
            tokens.take();
            return tokens.term(new Syntax.NullLiteral(token.text(), token.start()));
        }
        throw tokens.unexpected("a value");
    }

    /** A projection, or whatever else stands in parentheses. */
    private Syntax parentheses() throws RuleException {
        int from = tokens.take().start();
        Syntax inner = expression();
        Syntax condition = null;
        boolean projects = false;
        if (inner instanceof Syntax.Binary in && in.operator().equals("in")) {
            if (tokens.peek().isWord("if")) {
                tokens.take();
                condition = expression();
            }
            inner = new Syntax.Projection(in.left(), in.right(), condition, in.at());
            projects = true;
        }
        tokens.expect(")", "the ')' of the '(' before");
        return projects ? tokens.placed(inner, from) : inner;
    }

    private Syntax name(Token token) throws RuleException {
        if (token.text().equals("in")) {
            throw tokens.unexpected("a value");
        }
        tokens.take();
        if (token.text().equals("true") || token.text().equals("false")) {
            return tokens.term(new Syntax.BoolLiteral(token.text().equals("true"), token.start()));
        }
        if (tokens.peek().isSymbol("(")) {
            return tokens.term(new Syntax.FunctionCall(token.text(), arguments(), token.start()));
        }
        return tokens.term(new Syntax.Name(token.text(), token.start()));
    }

    private List<Syntax> arguments() throws RuleException {
        tokens.take();
        if (tokens.peek().isSymbol(")")) {
            tokens.take();
            return List.of();
        }
        return items(")");
    }

    private Syntax list(int at) throws RuleException {
        if (tokens.peek().isSymbol("]")) {
            throw tokens.refusal().at(RuleCode.LIST, at, "an empty list", "write at least one value");
        }
        List<Syntax> items = items("]");
        if (items.size() > tokens.limits().listItems()) {
            throw tokens.refusal()
                    .at(
                            RuleCode.LIST,
                            at,
                            "a list of " + items.size() + " items; the limit is "
                                    + tokens.limits().listItems(),
                            "use matches, or a label for all of them");
        }
        return tokens.term(new Syntax.ListLiteral(items, at));
    }

    private List<Syntax> items(String close) throws RuleException {
        List<Syntax> items = new ArrayList<>();
        while (true) {
            items.add(expression());
            if (tokens.peek().isSymbol(",")) {
                tokens.take();
                continue;
            }
            tokens.expect(close, "',' or '" + close + "'");
            return List.copyOf(items);
        }
    }
}
