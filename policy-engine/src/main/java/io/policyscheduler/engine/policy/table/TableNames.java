package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.rules.table.TableLimits;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of tables and fields, as they stand in expressions. */
final class TableNames {
    static final String HINT = "a name has up to " + TableLimits.MAX_NAME
            + " letters, digits and _, starts with a letter, and is no word of the language";

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0," + (TableLimits.MAX_NAME - 1) + "}");
    /** What the lexer or the checker takes for something else: words, and what every object in Java has. */
    private static final Set<String> WORDS = Set.of(
            "true",
            "false",
            "null",
            "nil",
            "empty",
            "in",
            "if",
            "else",
            "and",
            "or",
            "contains",
            "return",
            "var",
            "class",
            "getClass",
            "hashCode",
            "toString",
            "equals",
            "clone",
            "finalize",
            "notify",
            "notifyAll",
            "wait",
            "get",
            "getOrDefault",
            "containsKey",
            "size",
            "isEmpty",
            "new",
            "this",
            "is",
            "instanceof",
            "soundslike",
            "strsim",
            "convertable_to",
            "isdef",
            "import",
            "def",
            "function",
            "proto",
            "for",
            "foreach",
            "while",
            "until",
            "do",
            "switch",
            "case",
            "with",
            "assert",
            "static",
            "untyped",
            "try",
            "catch",
            "throw",
            "super",
            "import_static");

    private TableNames() {}

    static boolean isName(String text) {
        return NAME.matcher(text).matches() && !WORDS.contains(text);
    }
}
