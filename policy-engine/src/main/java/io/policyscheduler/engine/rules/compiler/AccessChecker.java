package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.rules.compiler.FunctionChecker.StringMethods;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.Variable;
import io.policyscheduler.engine.rules.compiler.VariableScope.FreeNames;
import io.policyscheduler.engine.rules.data.RuleType;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The checker of names, members, map entries, and methods. */
final class AccessChecker {
    private static final String PARAMETERS = "params";
    private static final Set<String> ROOTS = Set.of("pod", "node", "cluster", "now");
    /** Resources that can be accessed with a dot. */
    private static final Set<String> PLAIN_RESOURCES = Set.of("cpu", "memory", "pods");

    private final Checker checker;
    private final ProblemFactory problemFactory;
    private final MemberProblems problems;
    private final VariableScope scope;
    private final boolean podOnly;

    AccessChecker(Checker checker, ProblemFactory problemFactory, boolean podOnly) {
        this.checker = checker;
        this.problemFactory = problemFactory;
        this.problems = new MemberProblems(problemFactory);
        this.scope = checker.scope();
        this.podOnly = podOnly;
    }

    /** True if a name is bound here. */
    boolean isBound(String name) {
        return isFixed(name) || scope.find(name) != null;
    }

    /** True for names that are bound in every rule. */
    static boolean isFixed(String name) {
        return ROOTS.contains(name)
                || name.equals(PARAMETERS)
                || name.equals(TableChecker.TABLES)
                || name.equals(FunctionChecker.MATH);
    }

    Term name(Syntax.Name name) throws RuleException {
        Term bound = scope.find(name.name());
        if (bound != null) {
            return checker.known(bound);
        }
        Variable root = root(name);
        if (root != null) {
            return root;
        }
        if (name.name().equals(TableChecker.TABLES)) {
            return checker.tables().all(name.at());
        }
        if (name.name().equals(PARAMETERS)) {
            throw problemFactory.at(
                    RuleCode.TYPE, name.at(), "params is not a value", "use a parameter: params." + example());
        }
        Set<String> known = new TreeSet<>(ROOTS);
        if (!checker.parameters().isEmpty()) {
            known.add(PARAMETERS);
        }
        if (checker.tables().any()) {
            known.add(TableChecker.TABLES);
        }
        known.addAll(scope.names());
        throw problems.unknownName(
                name.name(), name.at(), known, checker.parameters().containsKey(name.name()));
    }

    private String example() {
        return checker.parameters().isEmpty()
                ? "x"
                : checker.parameters().keySet().iterator().next();
    }

    private @Nullable Variable root(Syntax.Name name) throws RuleException {
        Variable root = switch (name.name()) {
            case "pod" -> new Variable(RuleType.POD, Variable.POD, "pod");
            case "node" -> new Variable(RuleType.NODE, Variable.NODE, "node");
            case "cluster" -> new Variable(RuleType.CLUSTER, Variable.CLUSTER, "cluster");
            case "now" -> new Variable(RuleType.NOW, Variable.NOW, "now");
            default -> null;
        };
        boolean ofNode = root != null && root.slot() != Variable.POD && root.slot() != Variable.NOW;
        if (podOnly && ofNode) {
            throw problemFactory.at(
                    RuleCode.WHEN,
                    name.at(),
                    "'when' can only read pod and now, not " + name.name(),
                    "move this condition to the expression");
        }
        return root;
    }

    /** The sections of a manifest, which member names do not contain. */
    private static final Set<String> SECTIONS = Set.of("spec", "metadata", "objectmeta", "status");

    private static boolean isRoot(Syntax syntax, String name) {
        return syntax instanceof Syntax.Name root && root.name().equals(name);
    }

    Term select(Syntax.Select select) throws RuleException {
        if (isRoot(select.target(), PARAMETERS)) {
            return parameter(select);
        }
        if (isRoot(select.target(), FunctionChecker.MATH)) {
            throw checker.functions().notOfMath(select.name(), select.at());
        }
        requireOwnNames(select);
        Term target = checker.term(select.target());
        if (isTable(target)) {
            return checker.tables().select((TableTerm) target, select.name(), select.at());
        }
        if (target.type().element() != null && select.name().equals("size")) {
            return checker.lists().size(target);
        }
        Member member = Members.find(target.type(), select.name(), 0);
        if (member != null && member.property()) {
            return checker.known(new Term.Access(target, member, List.of()));
        }
        RuleException notCalled = problems.notCalled(target.type(), select.name(), select.at());
        if (notCalled != null) {
            throw notCalled;
        }
        if (target.type().isMap()) {
            return plainEntry(target, select);
        }
        throw noMember(target, select.name(), select.at());
    }

    /** Rejects the path of a manifest or of a Go struct, such as {@code pod.Spec.SchedulerName}, and suggests the member. */
    private void requireOwnNames(Syntax.Select select) throws RuleException {
        Deque<Syntax.Select> path = new ArrayDeque<>();
        Syntax root = select;
        while (root instanceof Syntax.Select step) {
            path.addFirst(step);
            root = step.target();
        }
        boolean pod = isRoot(root, "pod");
        if (!(pod || isRoot(root, "node"))
                || !SECTIONS.contains(path.getFirst().name().toLowerCase(Locale.ROOT))) {
            return;
        }
        RuleType type = pod ? RuleType.POD : RuleType.NODE;
        Syntax.Select section = path.removeFirst();
        List<String> rest = path.stream().map(Syntax.Select::name).toList();
        Optional<String> member = memberOf(type, rest);
        String name = type.label();
        throw problemFactory.at(
                RuleCode.UNKNOWN_MEMBER,
                section.at(),
                "a " + name + " has no member '" + PrintableText.text(section.name()) + "'",
                member.map(found -> "did you mean \"" + name + "." + found + "\"?")
                        .orElse("members have no " + section.name().toLowerCase(Locale.ROOT)
                                + " before them: write pod.schedulerName or node.labels"));
    }

    private static Optional<String> memberOf(RuleType type, List<String> path) {
        Set<String> known = new TreeSet<>(Members.names(type));
        Members.of(type).forEach(member -> known.add(member.name()));
        List<String> candidates = new ArrayList<>();
        for (int i = 0; i < path.size(); i++) {
            candidates.add(String.join("", path.subList(i, path.size())));
        }
        path.forEach(candidates::add);
        return candidates.stream()
                .flatMap(candidate -> known.stream().filter(candidate::equalsIgnoreCase))
                .findFirst();
    }

    /** True for a term that is not a value by itself. */
    private static boolean isTable(Term term) {
        return term.type() == RuleType.TABLES || term.type() == RuleType.TABLE || term.type() == RuleType.RECORD;
    }

    private RuleException noMember(Term target, String name, int at) {
        boolean ofString = target.type() == RuleType.MAYBE && StringMethods.ALL.contains(name);
        return ofString ? checker.missing(target, at) : problems.unknownMember(target.type(), name, at);
    }

    private Constant parameter(Syntax.Select select) throws RuleException {
        Constant value = checker.parameters().get(select.name());
        if (value == null) {
            throw problemFactory.at(
                    RuleCode.PARAMETER,
                    select.at(),
                    "unknown parameter '" + PrintableText.text(select.name()) + "'",
                    checker.parameters().isEmpty()
                            ? "the rule has no parameters"
                            : MemberProblems.meant(
                                    select.name(), checker.parameters().keySet()));
        }
        return value;
    }

    /** {@code map.key}. */
    private Term plainEntry(Term map, Syntax.Select select) throws RuleException {
        if (MemberProblems.REFLECTION.contains(select.name())) {
            throw problems.unknownMember(map.type(), select.name(), select.at());
        }
        if (map.type() == RuleType.AMOUNTS && !PLAIN_RESOURCES.contains(select.name())) {
            throw problemFactory.at(
                    RuleCode.UNKNOWN_MEMBER,
                    select.at(),
                    "unknown resource '" + PrintableText.text(select.name()) + "'",
                    MemberProblems.meant(select.name(), PLAIN_RESOURCES)
                            + " write other resources as ['nvidia.com/gpu']");
        }
        return entry(map, Constant.of(select.name()));
    }

    /** {@code map[key]}. */
    Term index(Syntax.Index index) throws RuleException {
        Term map = checker.term(index.target());
        if (isTable(map)) {
            return checker.tables().index((TableTerm) map, index);
        }
        if (!map.type().isMap()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    index.at(),
                    "[...] on a " + map.type().label() + "; only labels, annotations, and resources have entries",
                    map.type().element() == null
                            ? "write members with a dot"
                            : "use any, all, or count on its elements");
        }
        return entry(map, checker.string(index.key(), "the key in [...]"));
    }

    private Term entry(Term map, Term key) {
        Member get = Members.find(map.type(), "get", 1);
        if (get == null) {
            throw new IllegalStateException(map.type() + " has no entries");
        }
        return checker.known(new Term.Access(map, get, List.of(key)));
    }

    Term method(Syntax.MethodCall call) throws RuleException {
        if (isRoot(call.target(), FunctionChecker.MATH)) {
            return checker.functions().math(call);
        }
        boolean contains = call.name().equals("contains") && call.arguments().size() == 1;
        if (contains && call.target() instanceof Syntax.ListLiteral) {
            return checker.equalities().contains(call.target(), call.arguments().get(0), call.at());
        }
        Term target = checker.term(call.target());
        if (isTable(target)) {
            return checker.tables().method((TableTerm) target, call);
        }
        RuleType element = target.type().element();
        if (contains && element != null && element.isScalar()) {
            return checker.equalities().listContains(target, call.arguments().get(0), call.at());
        }
        return method(call, target);
    }

    private Term method(Syntax.MethodCall call, Term target) throws RuleException {
        RuleType type = target.type();
        if (type == RuleType.STRING && StringMethods.ALL.contains(call.name())) {
            return checker.strings().call(call, target);
        }
        if (type.element() != null) {
            boolean isSize = call.name().equals("size") || call.name().equals("isEmpty");
            if (isSize && !call.arguments().isEmpty()) {
                throw problems.arguments(call, "." + call.name() + "()");
            }
            if (isSize) {
                return call.name().equals("size")
                        ? checker.lists().size(target)
                        : checker.lists().isEmpty(target);
            }
            ListOperation operation = type.isObjectList() ? ListChecker.operation(call.name()) : null;
            if (operation != null) {
                return checker.lists().fold(call, operation, target);
            }
        }
        List<Syntax> arguments = call.arguments();
        Member member = Members.find(type, call.name(), arguments.size());
        if (member == null || member.property()) {
            throw type == RuleType.MAYBE ? noMember(target, call.name(), call.at()) : problems.wrongCall(call, type);
        }
        List<Term> checked = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            checked.add(checker.string(arguments.get(i), member.parameters().get(i)));
        }
        if (type == RuleType.NOW) {
            TimeZones.require(checked.get(0), arguments.get(0).at(), problemFactory);
        }
        return checker.known(new Term.Access(target, member, List.copyOf(checked)));
    }

    /** The checker of time zones: an unknown name is a compile-time error. */
    static final class TimeZones {
        private static final String WAY_OUT = "use a name such as 'Europe/Berlin'";

        private TimeZones() {}

        static void require(Term zone, int at, ProblemFactory problemFactory) throws RuleException {
            if (!(zone instanceof Term.Constant constant)) {
                throw problemFactory.at(
                        RuleCode.ARGUMENTS, at, "the time zone must be a constant", WAY_OUT + ", or a parameter");
            }
            String name = String.valueOf(constant.value());
            if (!ZoneId.getAvailableZoneIds().contains(name)) {
                throw problemFactory.at(
                        RuleCode.ARGUMENTS, at, "unknown time zone '" + PrintableText.text(name) + "'", WAY_OUT);
            }
        }
    }

    /** The error messages for unknown names and members, with suggestions. */
    static final class MemberProblems {
        /** The members of every object in Java. */
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

        private static final Set<String> PACKAGES = Set.of(
                "java", "javax", "jakarta", "com", "org", "io", "sun", "jdk", "kotlin", "scala", "groovy", "net");

        private final ProblemFactory problemFactory;

        MemberProblems(ProblemFactory problemFactory) {
            this.problemFactory = problemFactory;
        }

        /** {@code did you mean "x"?}, or the known names. */
        static String meant(String name, Collection<String> known) {
            String nearest = name.length() > 60 ? null : Suggestions.nearest(name, known);
            return nearest == null
                    ? "there are " + String.join(", ", new TreeSet<>(known))
                    : "did you mean \"" + nearest + "\"?";
        }

        /** The equivalent of a function or method of Go, CEL, or Java; null for other names. */
        static @Nullable String ofOtherLanguages(String name) {
            return switch (name) {
                case "len", "size", "length", "count" ->
                    "write .size() after a list or a map, such as pod.labels.size()";
                case "has", "exists" -> "write pod.hasLabel('app'), or pod.labels['app'] != null";
                case "equals", "Equals", "equal", "compareTo", "equalsIgnoreCase" ->
                    "compare with ==, as in pod.name == 'web'";
                case "int", "float", "double", "parseInt", "atoi" -> "write number(node.label('x'), 0)";
                default -> null;
            };
        }

        /** True for names of classes and packages and members of every Java object. */
        static boolean isForeign(String name) {
            return Character.isUpperCase(name.charAt(0)) || PACKAGES.contains(name) || REFLECTION.contains(name);
        }

        /**
         * The error for an unbound name.
         *
         * @param known names that are bound here
         * @param parameter whether it is the name of a parameter
         */
        RuleException unknownName(String name, int at, Set<String> known, boolean parameter) {
            if (name.equals(FreeNames.ELEMENT)) {
                return problemFactory.at(
                        RuleCode.UNKNOWN_NAME,
                        at,
                        "unknown name '$'",
                        "$ is only valid in ($ in list if ...), for the element");
            }
            if (isForeign(name)) {
                return problemFactory.at(
                        RuleCode.CLASS_ACCESS,
                        at,
                        "'" + PrintableText.text(name) + "' looks like a class or package; rules cannot access Java",
                        "use pod, node, cluster, now, or params");
            }
            return problemFactory.at(
                    RuleCode.UNKNOWN_NAME,
                    at,
                    "unknown name '" + PrintableText.text(name) + "'",
                    parameter ? "did you mean \"params." + name + "\"?" : meant(name, known));
        }

        /** The error for a member that a type does not have. */
        RuleException unknownMember(RuleType type, String name, int at) {
            String other = ofOtherLanguages(name);
            if (other != null && !REFLECTION.contains(name)) {
                return problemFactory.at(
                        RuleCode.UNKNOWN_MEMBER,
                        at,
                        "a " + type.label() + " has no member '" + PrintableText.text(name) + "'",
                        other);
            }
            if (REFLECTION.contains(name)) {
                return problemFactory.at(
                        RuleCode.CLASS_ACCESS,
                        at,
                        "'" + name + "' is not accessible in a rule",
                        other != null
                                ? other
                                : type == RuleType.LABELS
                                        ? "to read a label, write ['" + name + "']"
                                        : "see the table of members");
            }
            Set<String> known = new TreeSet<>(Members.names(type));
            known.addAll(callable(type));
            if (type.element() != null) {
                known.add("size");
            }
            if (type == RuleType.MAYBE) {
                return problemFactory.at(
                        RuleCode.UNKNOWN_MEMBER,
                        at,
                        "an entry has no member '" + PrintableText.text(name) + "'",
                        "write a key with dots or slashes as ['example.com/key']");
            }
            String getter = name.length() > 3 && name.regionMatches(true, 0, "get", 0, 3) ? name.substring(3) : name;
            String hint = known.isEmpty()
                    ? "a " + type.label() + " has no members"
                    : known.stream()
                            .filter(getter::equalsIgnoreCase)
                            .findFirst()
                            .map(found -> "did you mean \"" + found + "\"?")
                            .orElseGet(() -> meant(name, known));
            return problemFactory.at(
                    RuleCode.UNKNOWN_MEMBER,
                    at,
                    "a " + type.label() + " has no member '" + PrintableText.text(name) + "'",
                    hint);
        }

        /** The error for a method without parentheses; null if there is no such method. */
        @Nullable
        RuleException notCalled(RuleType type, String name, int at) {
            if (!callable(type).contains(name)) {
                return null;
            }
            String usage = usage(type, name);
            String hint = "write ." + usage;
            return problemFactory.at(
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

        /** The error for a call with wrong arguments. */
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

        /** The error for a wrong number of arguments. */
        RuleException arguments(Syntax.MethodCall call, String form) {
            return problemFactory.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'" + call.name() + "' with " + call.arguments().size() + " arguments",
                    "write " + form);
        }
    }
}
