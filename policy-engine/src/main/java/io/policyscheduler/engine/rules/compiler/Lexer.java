package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The lexer of expressions. Accepts only printable ASCII, including strings, because labels have nothing else. */
final class Lexer {
    private static final int MAX_DIGITS = 15;
    private static final List<String> ASSIGNMENTS =
            List.of("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", ":=", "**");
    private static final List<String> LONG_SYMBOLS = List.of("&&", "||", "==", "!=", "<=", ">=", "~=", ".?");
    private static final String SHORT_SYMBOLS = "+-*/%<>!?:().,[]{};=";

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private Lexer(String text) {
        this.text = text;
    }

    /** The tokens of an expression; the last one is an END. */
    static List<Token> tokens(String text, RuleLimits limits) throws RuleException {
        if (text.length() > limits.length()) {
            throw new ProblemFactory(text)
                    .at(
                            RuleCode.TOO_LONG,
                            limits.length(),
                            "the expression has " + text.length() + " characters; the limit is " + limits.length(),
                            "split the rule into several rules");
        }
        Lexer lexer = new Lexer(text);
        lexer.run();
        if (lexer.tokens.size() == 1) {
            throw new ProblemFactory(text)
                    .at(RuleCode.EMPTY, 0, "the expression is empty", "write a condition such as pod.hasLabel('app')");
        }
        return List.copyOf(lexer.tokens);
    }

    private void run() throws RuleException {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                at++;
            } else if (c == '\'' || c == '"') {
                string(c);
            } else if (isDigit(c)) {
                number();
            } else if (isNameStart(c)) {
                name();
            } else if (isElement(c)) {
                tokens.add(new Token(Token.Kind.NAME, "$", at, ++at));
            } else {
                symbol(c);
            }
        }
        tokens.add(new Token(Token.Kind.END, "", text.length(), text.length()));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    /** The name of the element in {@code ($ in list if $.x)}: no other identifiers contain it. */
    private boolean isElement(char c) {
        boolean last = at + 1 == text.length();
        char next = last ? ' ' : text.charAt(at + 1);
        return c == '$' && !isNameStart(next) && !isDigit(next) && next != '$' && next != '{';
    }

    private void name() throws RuleException {
        int start = at;
        while (at < text.length() && (isNameStart(text.charAt(at)) || isDigit(text.charAt(at)))) {
            at++;
        }
        String name = text.substring(start, at);
        String hint = Keywords.hint(name);
        if (hint != null) {
            throw problemFactory().at(RuleCode.KEYWORD, start, "rules have no '" + name + "'", hint);
        }
        tokens.add(new Token(Keywords.isWord(name) ? Token.Kind.WORD : Token.Kind.NAME, name, start, at));
    }

    private void number() throws RuleException {
        int start = at;
        int digits = digits();
        boolean fraction = at + 1 < text.length() && text.charAt(at) == '.' && isDigit(text.charAt(at + 1));
        if (fraction) {
            at++;
            digits += digits();
        }
        boolean tail = at < text.length() && isNameStart(text.charAt(at));
        if (tail) {
            throw problemFactory()
                    .at(
                            RuleCode.NUMBER,
                            start,
                            "a number followed by '" + text.charAt(at) + "'",
                            "write numbers as 12 or 0.5, and quantities as strings: '512Mi'");
        }
        String number = text.substring(start, at);
        if (digits > MAX_DIGITS) {
            throw problemFactory()
                    .at(
                            RuleCode.NUMBER,
                            start,
                            "a number of " + digits + " digits; the limit is " + MAX_DIGITS,
                            "write large amounts as a quantity: '512Gi'");
        }
        if (number.length() > 1 && number.charAt(0) == '0' && isDigit(number.charAt(1))) {
            throw problemFactory()
                    .at(
                            RuleCode.NUMBER,
                            start,
                            "a number that starts with 0: " + number,
                            "remove the 0; rules have no octal numbers");
        }
        tokens.add(new Token(Token.Kind.NUMBER, number, start, at));
    }

    private int digits() {
        int start = at;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        return at - start;
    }

    private void string(char quote) throws RuleException {
        int start = at++;
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == quote) {
                at++;
                tokens.add(new Token(Token.Kind.STRING, value.toString(), start, at));
                return;
            }
            if (c < ' ' || c > '~') {
                throw problemFactory()
                        .at(
                                RuleCode.CHARACTER,
                                at,
                                "character " + show(c) + " in a string",
                                "strings can only contain printable ASCII");
            }
            if (c == '\\') {
                at++;
                char escaped = at < text.length() ? text.charAt(at) : ' ';
                if (escaped != '\\' && escaped != '\'' && escaped != '"') {
                    throw problemFactory()
                            .at(
                                    RuleCode.STRING,
                                    at - 1,
                                    "unsupported escape",
                                    "use only \\\\, \\', and \\\"; in a pattern, write [.] for a dot");
                }
                c = escaped;
            }
            value.append(c);
            at++;
        }
        throw problemFactory().at(RuleCode.STRING, start, "unterminated string", "close it with " + quote);
    }

    private void symbol(char c) throws RuleException {
        String two = text.substring(at, Math.min(at + 2, text.length()));
        if (two.equals("//") || two.equals("/*")) {
            throw problemFactory()
                    .at(
                            RuleCode.STATEMENT,
                            at,
                            "rules cannot contain comments",
                            "remove it; the name of the rule can describe it");
        }
        if (LONG_SYMBOLS.contains(two)) {
            add(two);
        } else if (ASSIGNMENTS.contains(two)) {
            throw problemFactory()
                    .at(
                            RuleCode.ASSIGNMENT,
                            at,
                            "'" + two + "' is an assignment; rules cannot change values",
                            two.equals(":=") ? "write a local as x = 1;" : "use + - * / alone");
        } else if (SHORT_SYMBOLS.indexOf(c) >= 0) {
            add(String.valueOf(c));
        } else {
            throw problemFactory().at(RuleCode.CHARACTER, at, "character " + show(c), hint(c));
        }
    }

    private static String hint(char c) {
        return switch (c) {
            case '&' -> "write and as &&";
            case '|' -> "write or as ||";
            case '~' -> "to match a pattern, write ~= '...'";
            case '$' -> "use $ only for the element in ($ in list if ...)";
            case '^' -> "unknown operator; use &&, ||, and !";
            default -> c > '~' ? "only ASCII characters are allowed" : "remove it";
        };
    }

    private static String show(char c) {
        return c > ' ' && c <= '~' ? "'" + c + "'" : String.format("U+%04X", (int) c);
    }

    private void add(String symbol) {
        tokens.add(new Token(Token.Kind.SYMBOL, symbol, at, at + symbol.length()));
        at += symbol.length();
    }

    private ProblemFactory problemFactory() {
        return new ProblemFactory(text);
    }

    /**
     * A token of an expression.
     *
     * @param text the value of a string, else the token as written
     * @param start offset of its first character
     * @param end offset after its last character
     */
    record Token(Kind kind, String text, int start, int end) {
        enum Kind {
            NUMBER,
            STRING,
            NAME,
            /** A keyword: {@code if}, {@code and}, {@code null}. */
            WORD,
            SYMBOL,
            END
        }

        boolean isSymbol(String symbol) {
            return kind == Kind.SYMBOL && text.equals(symbol);
        }

        boolean isWord(String word) {
            return kind == Kind.WORD && text.equals(word);
        }

        /** The text in messages. */
        String show() {
            return kind == Kind.END ? "the end" : kind == Kind.STRING ? "a string" : "'" + text + "'";
        }
    }

    /** The keywords of MVEL and Java that rules do not support. They are rejected first. */
    static final class Keywords {
        private static final String ONE_EXPRESSION =
                "rules have no loops or jumps; use if, return, and list operations such as any(x, ...)";
        private static final String NO_OBJECTS = "rules cannot create or load objects";
        private static final Map<String, String> HINTS = hints();

        /** Keywords of rules, which cannot be names. */
        private static final Set<String> WORDS =
                Set.of("if", "else", "return", "var", "null", "nil", "empty", "and", "or");

        private Keywords() {}

        /** True for a keyword of rules. */
        static boolean isWord(String word) {
            return WORDS.contains(word);
        }

        /** The fix for an unsupported keyword, null for other words. */
        static @Nullable String hint(String word) {
            return HINTS.get(word);
        }

        private static Map<String, String> hints() {
            Map<String, String> hints = new TreeMap<>();
            for (String word : new String[] {
                "for",
                "foreach",
                "while",
                "do",
                "until",
                "switch",
                "case",
                "break",
                "continue",
                "try",
                "catch",
                "finally",
                "throw",
                "throws",
                "goto",
                "synchronized"
            }) {
                hints.put(word, ONE_EXPRESSION);
            }
            for (String word : new String[] {
                "new",
                "import",
                "import_static",
                "package",
                "def",
                "function",
                "proto",
                "with",
                "assert",
                "class",
                "interface",
                "enum",
                "extends",
                "implements",
                "static",
                "final",
                "public",
                "private",
                "protected",
                "native",
                "void",
                "untyped",
                "stacklang",
                "super"
            }) {
                hints.put(word, NO_OBJECTS);
            }
            hints.put("undefined", "all names are resolved when the policy is loaded; a missing label is null");
            for (String word :
                    new String[] {"int", "long", "double", "float", "short", "byte", "char", "boolean", "string"}) {
                hints.put(word, "rules have no types or casts; write a local as x = 1;");
            }
            hints.put("instanceof", "types are checked when the policy is loaded");
            hints.put("is", "types are checked when the policy is loaded; compare with ==");
            hints.put("isdef", "all names are resolved when the policy is loaded");
            hints.put("convertable_to", "use number('...', default) to read a number");
            hints.put("soundslike", "use == or matches");
            hints.put("strsim", "use == or matches");
            hints.put("this", "write pod, node, or cluster");
            hints.put("not", "write not as !");
            return Map.copyOf(hints);
        }
    }
}
