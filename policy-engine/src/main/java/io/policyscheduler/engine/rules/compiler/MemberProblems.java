package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Why a name or member is refused, and what was meant. */
final class MemberProblems {
    /** Members of every object in Java. */
    static final Set<String> REFLECTION = Set.of(
            "getClass",
            "forName",
            "newInstance",
            "getMethod",
            "getMethods",
            "getDeclaredMethod",
            "invoke",
            "getConstructor",
            "getClassLoader",
            "loadClass",
            "getRuntime",
            "exec",
            "wait",
            "notify",
            "notifyAll",
            "hashCode",
            "toString",
            "equals",
            "clone",
            "finalize",
            "getField",
            "getDeclaredField",
            "getModule");

    private static final Set<String> PACKAGES =
            Set.of("java", "javax", "jakarta", "com", "org", "io", "sun", "jdk", "kotlin", "scala", "groovy", "net");

    private final Refusal refusal;

    MemberProblems(Refusal refusal) {
        this.refusal = refusal;
    }

    /** {@code did you mean "x"?}, or what there is. */
    static String meant(String name, Collection<String> known) {
        String nearest = name.length() > 60 ? null : Suggestions.nearest(name, known);
        return nearest == null
                ? "there are " + String.join(", ", new TreeSet<>(known))
                : "did you mean \"" + nearest + "\"?";
    }

    /** True for the names of classes, packages and what every object has in Java. */
    static boolean looksForeign(String name) {
        return Character.isUpperCase(name.charAt(0)) || PACKAGES.contains(name) || REFLECTION.contains(name);
    }

    /**
     * The refusal of a name that stands for nothing.
     *
     * @param known names that stand for something here
     * @param parameter it is the name of a parameter
     */
    RuleException unknownName(String name, int at, Set<String> known, boolean parameter) {
        if (name.equals(FreeNames.ELEMENT)) {
            return refusal.at(
                    RuleCode.UNKNOWN_NAME,
                    at,
                    "unknown name '$'",
                    "$ is only valid in ($ in list if ...), for the element");
        }
        if (looksForeign(name)) {
            return refusal.at(
                    RuleCode.CLASS_ACCESS,
                    at,
                    "'" + Shown.text(name) + "' looks like a class or package; rules cannot access Java",
                    "use pod, node, cluster, now, or params");
        }
        return refusal.at(
                RuleCode.UNKNOWN_NAME,
                at,
                "unknown name '" + Shown.text(name) + "'",
                parameter ? "did you mean \"params." + name + "\"?" : meant(name, known));
    }

    /** The refusal of a member that a type does not have. */
    RuleException unknownMember(RuleType type, String name, int at) {
        if (REFLECTION.contains(name)) {
            return refusal.at(
                    RuleCode.CLASS_ACCESS,
                    at,
                    "'" + name + "' is not accessible in a rule",
                    type == RuleType.LABELS ? "to read a label, write ['" + name + "']" : "see the table of members");
        }
        Set<String> known = new TreeSet<>(Members.names(type));
        known.addAll(callable(type));
        if (type.element() != null) {
            known.add("size");
        }
        if (type == RuleType.MAYBE) {
            return refusal.at(
                    RuleCode.UNKNOWN_MEMBER,
                    at,
                    "an entry has no member '" + Shown.text(name) + "'",
                    "write a key with dots or slashes as ['example.com/key']");
        }
        String hint = known.isEmpty() ? "a " + type.label() + " has no members" : meant(name, known);
        return refusal.at(
                RuleCode.UNKNOWN_MEMBER, at, "a " + type.label() + " has no member '" + Shown.text(name) + "'", hint);
    }

    /** The refusal of a member that is written without the parentheses that it needs; null when there is no such member. */
    @Nullable
    RuleException notCalled(RuleType type, String name, int at) {
        if (!callable(type).contains(name)) {
            return null;
        }
        String usage = usage(type, name);
        String hint = "write ." + usage;
        return refusal.at(
                RuleCode.ARGUMENTS,
                at,
                "'" + name + "' is called with " + (usage.endsWith("()") ? "parentheses" : "arguments"),
                type == RuleType.LABELS ? hint + "; to read a label, write ['" + name + "']" : hint);
    }

    private static String usage(RuleType type, String name) {
        for (Member member : Members.of(type)) {
            if (member.name().equals(name)) {
                return member.signature();
            }
        }
        if (StringMethods.WITHOUT_ARGUMENTS.contains(name)) {
            return name + "()";
        }
        if (name.equals("contains")) {
            return "contains(...)";
        }
        return name + (type == RuleType.STRING ? "('...')" : "(x, ...)");
    }

    private static Set<String> callable(RuleType type) {
        if (type == RuleType.STRING) {
            return StringMethods.ALL;
        }
        Set<String> names = new TreeSet<>();
        if (type.element() != null) {
            names.addAll(Set.of("contains", "isEmpty"));
        }
        if (type.isObjectList()) {
            names.remove("contains");
            for (ListOperation operation : ListOperation.values()) {
                names.add(operation.method());
            }
        }
        for (Member member : Members.of(type)) {
            if (!member.property()) {
                names.add(member.name());
            }
        }
        return names;
    }

    /** The refusal of a call with arguments that nothing takes. */
    RuleException wrongCall(Syntax.MethodCall call, RuleType type) {
        List<String> forms = new ArrayList<>();
        for (Member member : Members.of(type)) {
            if (member.name().equals(call.name())) {
                forms.add("." + member.signature());
            }
        }
        return forms.isEmpty()
                ? unknownMember(type, call.name(), call.at())
                : arguments(call, String.join(" or ", forms));
    }

    /** The refusal of a wrong number of arguments. */
    RuleException arguments(Syntax.MethodCall call, String form) {
        return refusal.at(
                RuleCode.ARGUMENTS,
                call.at(),
                "'" + call.name() + "' with " + call.arguments().size() + " arguments",
                "write " + form);
    }
}
