package io.policyscheduler.engine.rules.compiler;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Words that MVEL or Java give a meaning which rules do not have. They are refused before anything else is looked at. */
final class Keywords {
    private static final String ONE_EXPRESSION =
            "rules have no loops or jumps; use if, return, and list operations such as any(x, ...)";
    private static final String NO_OBJECTS = "rules cannot create or load objects";
    private static final Map<String, String> HINTS = hints();

    /** Words that mean something in a rule and therefore name nothing. */
    private static final Set<String> WORDS = Set.of("if", "else", "return", "var", "null", "nil", "empty", "and", "or");

    private Keywords() {}

    /** True for a word that has a meaning of its own in rules. */
    static boolean isWord(String word) {
        return WORDS.contains(word);
    }

    /** The way out for a refused word, null when the word is free. */
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
