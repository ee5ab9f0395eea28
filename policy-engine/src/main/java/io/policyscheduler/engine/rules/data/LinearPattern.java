package io.policyscheduler.engine.rules.data;

/**
 * A pattern for {@code matches}: matches the whole text in linear time. The positions of the pattern (Glushkov's construction) are
 * bits of one long, so matching allocates nothing and cannot backtrack. Immutable.
 *
 * <p>Syntax: characters, {@code .}, classes {@code [a-z0-9_]} and {@code [^...]}, {@code \d}, {@code \w}, {@code \s}, {@code \}
 * before any other sign, groups, {@code |}, {@code *}, {@code +}, {@code ?}. A {@code ^} at the start and a {@code $} at the end
 * are accepted without effect.
 */
public final class LinearPattern {
    /** The maximum number of characters and classes of a pattern. */
    public static final int MAX_SIZE = 63;

    /** The positions where a match of a part can start and end, and whether it matches the empty text. */
    private record Part(long first, long last, boolean nullable) {
        static final Part NOTHING = new Part(0, 0, true);
    }

    /** Thrown for an invalid pattern; caught by the checker. */
    public static final class PatternException extends Exception {
        private static final long serialVersionUID = 1L;

        PatternException(String message) {
            super(message, null, false, false);
        }

        public String text() {
            return String.valueOf(getMessage());
        }
    }

    private static final int MAX_DEPTH = 20;
    /** The number of characters per charge; shorter texts are included in the cost of the term. */
    private static final int BLOCK = 64;
    /** The number of positions per character at a cost of 1. */
    private static final int FOLLOWED = 4;

    private static final int ASCII = 128;

    private final String source;
    private final int maxSize;
    private final long[] byCharacter = new long[ASCII];
    /** The positions that accept characters beyond ASCII: the dot and negated classes. */
    private long beyondAscii;

    private final long[] follow;
    private final long first;
    private final long last;
    private final boolean nullable;
    private int at;
    private int size;
    private int depth;

    private LinearPattern(String source, int maxSize) throws PatternException {
        this.source = source;
        this.maxSize = maxSize;
        this.follow = new long[maxSize];
        at = source.startsWith("^") ? 1 : 0;
        Part whole = alternatives();
        if (at < source.length()) {
            throw new PatternException("')' has no '('");
        }
        first = whole.first();
        last = whole.last();
        nullable = whole.nullable();
    }

    /** Compiles a pattern. */
    public static LinearPattern compile(String source, int maxSize) throws PatternException {
        return new LinearPattern(source, maxSize);
    }

    /** The pattern as written. */
    public String source() {
        return source;
    }

    /** True if the whole text matches. The cost per character is at most the number of positions. */
    public boolean matches(String text, Meter meter) {
        int length = text.length();
        if (length == 0) {
            return nullable;
        }
        long states = first & taking(text.charAt(0));
        for (int i = 1; i < length && states != 0; i++) {
            if ((i & (BLOCK - 1)) == 0) {
                meter.charge((long) BLOCK * (1 + size / FOLLOWED));
            }
            long reachable = 0;
            for (long rest = states; rest != 0; rest &= rest - 1) {
                reachable |= follow[Long.numberOfTrailingZeros(rest)];
            }
            states = reachable & taking(text.charAt(i));
        }
        return (states & last) != 0;
    }

    private long taking(char c) {
        return c < ASCII ? byCharacter[c] : beyondAscii;
    }

    private Part alternatives() throws PatternException {
        if (++depth > MAX_DEPTH) {
            throw new PatternException("groups nesting is deeper than " + MAX_DEPTH);
        }
        Part whole = sequence();
        while (at < source.length() && source.charAt(at) == '|') {
            at++;
            Part other = sequence();
            whole = new Part(
                    whole.first() | other.first(), whole.last() | other.last(), whole.nullable() || other.nullable());
        }
        depth--;
        return whole;
    }

    private Part sequence() throws PatternException {
        Part whole = Part.NOTHING;
        while (at < source.length() && source.charAt(at) != '|' && source.charAt(at) != ')') {
            if (source.charAt(at) == '$' && at == source.length() - 1) {
                at++;
                break;
            }
            whole = joined(whole, repeated(atom()));
        }
        return whole;
    }

    private Part joined(Part left, Part right) {
        link(left.last(), right.first());
        return new Part(
                left.nullable() ? left.first() | right.first() : left.first(),
                right.nullable() ? left.last() | right.last() : right.last(),
                left.nullable() && right.nullable());
    }

    private void link(long from, long to) {
        for (long rest = from; rest != 0; rest &= rest - 1) {
            follow[Long.numberOfTrailingZeros(rest)] |= to;
        }
    }

    private Part repeated(Part part) throws PatternException {
        Part result = part;
        while (at < source.length() && "*+?{".indexOf(source.charAt(at)) >= 0) {
            char sign = source.charAt(at++);
            if (sign == '{') {
                throw new PatternException("counted repetition {n} is not supported; repeat the expression");
            }
            if (sign != '?') {
                link(result.last(), result.first());
            }
            result = new Part(result.first(), result.last(), sign != '+' || result.nullable());
        }
        return result;
    }

    private Part atom() throws PatternException {
        char c = source.charAt(at++);
        return switch (c) {
            case '(' -> group();
            case '[' -> characterClass();
            case '.' -> position(new boolean[ASCII], true);
            case '\\' -> position(escaped(), false);
            case '*', '+', '?' -> throw new PatternException("'" + c + "' does not follow an expression");
            case '{', '}', '^', '$', ']' ->
                throw new PatternException("'" + c + "' is only literal in a class: [" + c + "]");
            default -> position(only(c), false);
        };
    }

    private Part group() throws PatternException {
        if (at < source.length() && source.charAt(at) == '?') {
            throw new PatternException("groups with (? are not supported");
        }
        Part inner = alternatives();
        if (at >= source.length()) {
            throw new PatternException("'(' has no ')'");
        }
        at++;
        return inner;
    }

    private static boolean[] only(char c) throws PatternException {
        if (c >= ASCII) {
            throw new PatternException("non-ASCII character");
        }
        boolean[] set = new boolean[ASCII];
        set[c] = true;
        return set;
    }

    private boolean[] escaped() throws PatternException {
        if (at >= source.length()) {
            throw new PatternException("'\\' at the end");
        }
        char c = source.charAt(at++);
        boolean[] set = new boolean[ASCII];
        switch (c) {
            case 'd' -> fill(set, '0', '9');
            case 'w' -> {
                fill(set, '0', '9');
                fill(set, 'a', 'z');
                fill(set, 'A', 'Z');
                set['_'] = true;
            }
            case 's' -> {
                fill(set, '\t', '\r');
                set[' '] = true;
            }
            default -> {
                if (Character.isLetterOrDigit(c)) {
                    throw new PatternException("'\\" + c + "' is not supported; use \\d, \\w, or \\s");
                }
                return only(c);
            }
        }
        return set;
    }

    private static void fill(boolean[] set, int from, int to) {
        for (int c = from; c <= to; c++) {
            set[c] = true;
        }
    }

    private Part characterClass() throws PatternException {
        boolean negated = at < source.length() && source.charAt(at) == '^';
        at += negated ? 1 : 0;
        boolean[] set = new boolean[ASCII];
        int members = 0;
        while (at < source.length() && source.charAt(at) != ']') {
            members++;
            char from = source.charAt(at++);
            if (from == '\\') {
                boolean[] more = escaped();
                for (int c = 0; c < ASCII; c++) {
                    set[c] |= more[c];
                }
                continue;
            }
            if (from == '[') {
                throw new PatternException("'[' in a class; write \\[");
            }
            boolean range = at + 1 < source.length() && source.charAt(at) == '-' && source.charAt(at + 1) != ']';
            char to = range ? source.charAt(at + 1) : from;
            at += range ? 2 : 0;
            if (to >= ASCII || from > to || to == '\\') {
                throw new PatternException("a range in a class must be ascending: " + from + "-" + to);
            }
            fill(set, from, to);
        }
        if (at >= source.length() || members == 0) {
            throw new PatternException(members == 0 && at < source.length() ? "empty class" : "'[' has no ']'");
        }
        at++;
        return position(set, negated);
    }

    /** Adds a position that accepts the characters of the set, or with {@code negated} all others. */
    private Part position(boolean[] set, boolean negated) throws PatternException {
        if (size >= maxSize) {
            throw new PatternException("more than " + maxSize + " characters and classes; use startsWith or endsWith");
        }
        long bit = 1L << size++;
        for (int c = 0; c < ASCII; c++) {
            byCharacter[c] |= set[c] == negated ? 0 : bit;
        }
        beyondAscii |= negated ? bit : 0;
        return new Part(bit, bit, false);
    }
}
