package io.policyscheduler.engine.rules.compiler;

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
        /** A word that names nothing: {@code if}, {@code and}, {@code null}. */
        WORD,
        SYMBOL,
        END
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    /** For messages. */
    String show() {
        return kind == Kind.END ? "the end" : kind == Kind.STRING ? "a string" : "'" + text + "'";
    }
}
