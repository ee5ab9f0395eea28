package io.policyscheduler.engine.rules.check;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.rules.member.Member;
import io.policyscheduler.engine.rules.member.Members;
import io.policyscheduler.engine.rules.syntax.Refusal;
import io.policyscheduler.engine.rules.syntax.RuleCode;
import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.syntax.RuleLimits;
import io.policyscheduler.engine.rules.syntax.Shown;
import io.policyscheduler.engine.rules.syntax.Syntax;
import io.policyscheduler.engine.rules.term.Term;
import io.policyscheduler.engine.rules.term.Term.Constant;
import io.policyscheduler.engine.rules.term.Term.Variable;
import io.policyscheduler.engine.rules.value.LinearPattern;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks names, members, methods and functions. */
final class AccessChecker {
    private static final String PARAMETERS = "params";
    static final Set<String> FUNCTIONS = Set.of("number", "quantity");
    static final Set<String> STRING_METHODS = Set.of("contains", "endsWith", "matches", "startsWith");
    private static final Set<String> REFLECTION = Set.of(
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

    private final Checker checker;
    private final Refusal refusal;
    private final RuleLimits limits;
    private final boolean podOnly;
    private final Deque<Variable> loops = new ArrayDeque<>();

    AccessChecker(Checker checker, Refusal refusal, RuleLimits limits, boolean podOnly) {
        this.checker = checker;
        this.refusal = refusal;
        this.limits = limits;
        this.podOnly = podOnly;
    }

    Term check(Syntax syntax) throws RuleException {
        if (syntax instanceof Syntax.Name name) {
            return name(name);
        }
        if (syntax instanceof Syntax.Select select) {
            return select(select);
        }
        if (syntax instanceof Syntax.MethodCall call) {
            return method(call);
        }
        return function((Syntax.FunctionCall) syntax);
    }

    private Term name(Syntax.Name name) throws RuleException {
        for (Variable loop : loops) {
            if (loop.name().equals(name.name())) {
                return loop;
            }
        }
        Variable root = root(name);
        if (root != null) {
            return root;
        }
        if (name.name().equals(PARAMETERS)) {
            throw refusal.at(RuleCode.TYPE, name.at(), "params is no value", "name one: params." + example());
        }
        throw unknownName(name.name(), name.at());
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
            default -> null;
        };
        if (root != null && podOnly && root.slot() != Variable.POD) {
            throw refusal.at(
                    RuleCode.WHEN,
                    name.at(),
                    "'when' is about the pod alone, it cannot see " + name.name(),
                    "move this part to the expression");
        }
        return root;
    }

    private RuleException unknownName(String name, int at) {
        boolean looksLikeClass = Character.isUpperCase(name.charAt(0)) || PACKAGES.contains(name);
        if (looksLikeClass) {
            return refusal.at(
                    RuleCode.CLASS_ACCESS,
                    at,
                    "'" + Shown.text(name) + "' looks like a class or package; rules cannot reach any",
                    "there are pod, node, cluster and params");
        }
        Set<String> known = new TreeSet<>(Set.of("pod", "node", "cluster"));
        if (!checker.parameters().isEmpty()) {
            known.add(PARAMETERS);
        }
        loops.forEach(loop -> known.add(loop.name()));
        String parameter = checker.parameters().containsKey(name) ? "did you mean \"params." + name + "\"?" : null;
        return refusal.at(
                RuleCode.UNKNOWN_NAME,
                at,
                "unknown name '" + Shown.text(name) + "'",
                parameter == null ? meant(name, known) : parameter);
    }

    private static String meant(String name, Collection<String> known) {
        String nearest = name.length() > 60 ? null : Suggestions.nearest(name, known);
        return nearest == null
                ? "there are " + String.join(", ", new TreeSet<>(known))
                : "did you mean \"" + nearest + "\"?";
    }

    private Term select(Syntax.Select select) throws RuleException {
        if (select.target() instanceof Syntax.Name name && name.name().equals(PARAMETERS)) {
            Constant value = checker.parameters().get(select.name());
            if (value == null) {
                throw refusal.at(
                        RuleCode.PARAMETER,
                        select.at(),
                        "unknown parameter '" + Shown.text(select.name()) + "'",
                        checker.parameters().isEmpty()
                                ? "the rule has no params"
                                : meant(select.name(), checker.parameters().keySet()));
            }
            return value;
        }
        Term target = checker.term(select.target());
        if (target.type().isObjectList() && select.name().equals("size")) {
            return new Term.Size(target);
        }
        Member member = Members.find(target.type(), select.name(), 0);
        if (member != null) {
            return new Term.Access(target, member, List.of());
        }
        if (callable(target.type()).contains(select.name())) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    select.at(),
                    "'" + select.name() + "' is called with arguments",
                    "write ." + usage(target.type(), select.name()));
        }
        throw unknownMember(target.type(), select.name(), select.at());
    }

    private static String usage(RuleType type, String name) {
        for (Member member : Members.of(type)) {
            if (member.name().equals(name)) {
                return member.signature();
            }
        }
        return name + (type == RuleType.STRING ? "('...')" : "(x, ...)");
    }

    private static Set<String> callable(RuleType type) {
        if (type == RuleType.STRING) {
            return STRING_METHODS;
        }
        Set<String> names = new TreeSet<>();
        if (type.isObjectList()) {
            for (Term.Operation operation : Term.Operation.values()) {
                names.add(operation.method);
            }
        }
        for (Member member : Members.of(type)) {
            if (!member.property()) {
                names.add(member.name());
            }
        }
        return names;
    }

    private RuleException unknownMember(RuleType type, String name, int at) {
        if (REFLECTION.contains(name)) {
            return refusal.at(
                    RuleCode.CLASS_ACCESS, at, "'" + name + "' is not reachable from a rule", "see the member table");
        }
        Set<String> known = new TreeSet<>(Members.names(type));
        known.addAll(callable(type));
        if (type.isObjectList()) {
            known.add("size");
        }
        String hint = known.isEmpty() ? "a " + type.label() + " has no members" : meant(name, known);
        return refusal.at(
                RuleCode.UNKNOWN_MEMBER, at, "a " + type.label() + " has no member '" + Shown.text(name) + "'", hint);
    }

    private Term method(Syntax.MethodCall call) throws RuleException {
        Term target = checker.term(call.target());
        if (target.type() == RuleType.STRING && STRING_METHODS.contains(call.name())) {
            return stringTest(call, target);
        }
        if (target.type().isObjectList()) {
            for (Term.Operation operation : Term.Operation.values()) {
                if (operation.method.equals(call.name())) {
                    return fold(call, operation, target);
                }
            }
        }
        List<Syntax> arguments = call.arguments();
        Member member = Members.find(target.type(), call.name(), arguments.size());
        if (member == null || member.property()) {
            throw wrongCall(call, target.type());
        }
        List<Term> checked = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            checked.add(checker.string(arguments.get(i), member.parameters().get(i)));
        }
        return new Term.Access(target, member, List.copyOf(checked));
    }

    private RuleException wrongCall(Syntax.MethodCall call, RuleType type) {
        List<String> forms = new ArrayList<>();
        for (Member member : Members.of(type)) {
            if (member.name().equals(call.name())) {
                forms.add("." + member.signature());
            }
        }
        if (type.isObjectList() && call.name().equals("size")) {
            forms.add(".size");
        }
        return forms.isEmpty()
                ? unknownMember(type, call.name(), call.at())
                : refusal.at(
                        RuleCode.ARGUMENTS,
                        call.at(),
                        "'" + call.name() + "' with " + call.arguments().size() + " arguments",
                        "write " + String.join(" or ", forms));
    }

    private Term stringTest(Syntax.MethodCall call, Term target) throws RuleException {
        if (call.arguments().size() != 1) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'" + call.name() + "' with " + call.arguments().size() + " arguments",
                    "write ." + call.name() + "('...')");
        }
        Syntax argument = call.arguments().get(0);
        Term right = checker.string(argument, "'" + call.name() + "'");
        if (!call.name().equals("matches")) {
            for (Term.StringTest test : Term.StringTest.values()) {
                if (test.method.equals(call.name())) {
                    return Folding.fold(new Term.StringCheck(test, target, right), refusal, call.at());
                }
            }
        }
        if (!(right instanceof Constant constant)) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    argument.at(),
                    "the pattern of 'matches' must be known before the rule runs",
                    "write a string literal or use a parameter");
        }
        try {
            LinearPattern pattern = LinearPattern.compile(String.valueOf(constant.value()), limits.patternSize());
            return Folding.fold(new Term.Matches(target, pattern), refusal, call.at());
        } catch (LinearPattern.PatternException e) {
            throw refusal.at(RuleCode.PATTERN, argument.at(), "bad pattern: " + e.text(), null);
        }
    }

    private Term fold(Syntax.MethodCall call, Term.Operation operation, Term list) throws RuleException {
        boolean named = call.arguments().size() == 2 && call.arguments().get(0) instanceof Syntax.Name;
        if (!named) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'" + call.name() + "' takes a name for the element and what to ask of it",
                    "write ." + call.name() + "(x, x...)");
        }
        Syntax.Name name = (Syntax.Name) call.arguments().get(0);
        boolean taken = loops.stream().anyMatch(loop -> loop.name().equals(name.name()));
        if (taken
                || name.name().equals(PARAMETERS)
                || Set.of("pod", "node", "cluster").contains(name.name())) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    name.at(),
                    "the name '" + Shown.text(name.name()) + "' is taken",
                    "use another one for the element");
        }
        RuleType element = list.type().element();
        if (element == null) {
            throw new IllegalStateException(list.type() + " has no elements");
        }
        Variable variable = new Variable(element, Variable.FIRST_LOOP + loops.size(), name.name());
        loops.push(variable);
        Syntax bodySyntax = call.arguments().get(1);
        Term body = operation.body == RuleType.BOOL
                ? checker.bool(bodySyntax, "'" + call.name() + "'")
                : checker.number(bodySyntax, "'" + call.name() + "'");
        loops.pop();
        return new Term.Fold(operation, list, variable, body, limits.elements(list.type()));
    }

    private Term function(Syntax.FunctionCall call) throws RuleException {
        if (call.name().equals("quantity")) {
            return quantity(call);
        }
        if (call.name().equals("number")) {
            return readNumber(call);
        }
        if (REFLECTION.contains(call.name())
                || Character.isUpperCase(call.name().charAt(0))) {
            throw refusal.at(
                    RuleCode.CLASS_ACCESS,
                    call.at(),
                    "'" + Shown.text(call.name()) + "' is not reachable from a rule",
                    null);
        }
        throw refusal.at(
                RuleCode.UNKNOWN_FUNCTION,
                call.at(),
                "unknown function '" + Shown.text(call.name()) + "'",
                meant(call.name(), FUNCTIONS));
    }

    private Term quantity(Syntax.FunctionCall call) throws RuleException {
        Term text = call.arguments().size() == 1 ? checker.term(call.arguments().get(0)) : null;
        if (!(text instanceof Constant constant) || constant.type() != RuleType.STRING) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'quantity' takes one literal",
                    "write quantity('512Mi'); a label is read with number(node.label('x'), 0)");
        }
        return checker.quantity(constant, call.at());
    }

    private Term readNumber(Syntax.FunctionCall call) throws RuleException {
        if (call.arguments().size() != 2) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'number' with " + call.arguments().size() + " arguments",
                    "write number(node.label('x'), 0); the second counts when the text is no number");
        }
        Term value = checker.string(call.arguments().get(0), "'number'");
        Term otherwise = checker.number(call.arguments().get(1), "'number'");
        return Folding.fold(new Term.ToNumber(value, otherwise), refusal, call.at());
    }
}
