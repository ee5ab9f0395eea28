package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Lexer.Token;
import io.policyscheduler.engine.rules.compiler.Parser.ExpressionParser.TokenCursor;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Syntax.ParsedRule;
import io.policyscheduler.engine.rules.compiler.Syntax.Span;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parser of statements of a rule, usually a single expression; see the grammar in {@code LANGUAGE.md}. Statements become one
 * tree: {@code if} is a conditional, and a local contains the statements after it.
 */
public final class Parser {
    private static final String END = "";
    private static final String BLOCK = "}";
    /** Reserved names of values. */
    private static final Set<String> VALUES = Set.of("true", "false", "in");

    private final TokenCursor tokens;
    private final ExpressionParser expressions;
    /** A value without return in a block, which is only allowed as the last statement of the rule; else null. */
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

    /** The tree of the statements up to an end token. */
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
            throw error(
                    RuleCode.KEYWORD,
                    name,
                    "rules have no type '" + PrintableText.text(name.text()) + "'",
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
            throw error(
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
            tokens.expect(";", "a ';' after the value of '" + PrintableText.text(name.text()) + "'");
        }
        // Counted before the body, so that a long chain of locals reaches the limit before a stack overflow.
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
                        ? error(
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
            throw error(
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
        return error(
                RuleCode.NO_VALUE,
                token,
                "this path through the rule ends without a value",
                "end it with return ...; each 'if' needs an 'else' or a 'return' after it");
    }

    private RuleException bare(Token value) {
        return error(
                RuleCode.NO_VALUE,
                value,
                "this value ends its block, but the rule continues after the block",
                "write return before it");
    }

    private RuleException error(RuleCode code, Token token, String message, String hint) {
        return tokens.problemFactory().at(code, token.start(), message, hint);
    }

    /** Recursive descent over the tokens of one expression; see the grammar in {@code LANGUAGE.md}. */
    static final class ExpressionParser {
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
                throw tokens.problemFactory()
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
                    throw tokens.problemFactory()
                            .at(
                                    RuleCode.SYNTAX,
                                    tokens.peek().start(),
                                    "only functions and methods can be called",
                                    null);
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

        /** A projection or an expression in parentheses. */
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
                throw tokens.problemFactory().at(RuleCode.LIST, at, "an empty list", "write at least one value");
            }
            List<Syntax> items = items("]");
            if (items.size() > tokens.limits().listItems()) {
                throw tokens.problemFactory()
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

        /** The tokens of one expression, the current position, and the number of terms so far. */
        static final class TokenCursor {
            private static final Set<String> METHODS = Set.of("matches", "startsWith", "endsWith");

            private final ProblemFactory problemFactory;
            private final RuleLimits limits;
            private final List<Token> tokens;
            private final Map<Syntax, Span> spans = new IdentityHashMap<>();
            private int next;
            private int depth;
            private int terms;

            TokenCursor(String text, RuleLimits limits) throws RuleException {
                this.problemFactory = new ProblemFactory(text);
                this.limits = limits;
                this.tokens = Lexer.tokens(text, limits);
            }

            ProblemFactory problemFactory() {
                return problemFactory;
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

            /** True if {@code name =} follows the next token. */
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

            /** Consumes the next token if it is this one. */
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

            /** Increases the depth; must be followed by a {@link #leave}. */
            void enter() throws RuleException {
                if (++depth > limits.depth()) {
                    throw problemFactory.at(
                            RuleCode.TOO_DEEP,
                            peek().start(),
                            "nesting is deeper than " + limits.depth() + " levels",
                            "split the rule into several rules");
                }
            }

            void leave() {
                depth--;
            }

            /** Counts a term that ends at the last token. */
            Syntax term(Syntax made) throws RuleException {
                return term(made, made.at());
            }

            /** Counts a term from an offset to the last token. */
            Syntax term(Syntax made, int from) throws RuleException {
                count(made.at());
                return placed(made, from);
            }

            /** Records the position of a part, from an offset to the last token. */
            Syntax placed(Syntax made, int from) {
                spans.put(
                        made,
                        new Span(from, next == 0 ? from : tokens.get(next - 1).end()));
                return made;
            }

            ParsedRule parsed(Syntax root) {
                return new ParsedRule(root, spans);
            }

            /** Counts one more term. */
            void count(int at) throws RuleException {
                if (++terms > limits.terms()) {
                    throw problemFactory.at(
                            RuleCode.TOO_MANY_TERMS,
                            at,
                            "more than " + limits.terms() + " terms",
                            "split the rule into several rules");
                }
            }

            RuleException unexpected(String expected) {
                Token token = peek();
                if (token.isSymbol("=")) {
                    return problemFactory.at(
                            RuleCode.ASSIGNMENT,
                            token.start(),
                            "'=' is an assignment; rules cannot change values",
                            "compare with ==; write a local as x = 1; at the start of a statement");
                }
                if (token.isSymbol(";") || token.isSymbol("{") || token.isSymbol("}")) {
                    return problemFactory.at(
                            RuleCode.STATEMENT,
                            token.start(),
                            "expected " + expected + ", found '" + token.text() + "'",
                            "statements are x = 1; if (c) { return a; } else { return b; } and return a;");
                }
                return problemFactory.at(
                        token.kind() == Token.Kind.WORD ? RuleCode.KEYWORD : RuleCode.SYNTAX,
                        token.start(),
                        "expected " + expected + ", found " + token.show(),
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
    }
}
