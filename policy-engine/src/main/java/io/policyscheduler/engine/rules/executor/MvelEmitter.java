package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Cost;
import io.policyscheduler.engine.rules.compiler.Cost.Sizes;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Generates the text that MVEL compiles. Of the user's text, only the contents of strings are included, which are printable ASCII.
 * Constructs without a safe form in MVEL (list operations, string tests, checks of division) become calls of
 * {@link MvelOperations}. Bodies of list operations and deeply nested terms become separate texts: MVEL analyzes the content of
 * parentheses again for each level around them, which would take exponential time.
 */
final class MvelEmitter {
    /**
     * A part that is compiled separately.
     *
     * @param elements variables of the enclosing list operations and locals, the innermost last; for a body including its own
     * @param charge for a body, the cost of each element
     */
    record Part(String text, List<Term.Variable> elements, long charge) {
        Term.Variable element() {
            return elements.get(elements.size() - 1);
        }
    }

    private static final int MAX_DEPTH = 3;

    private final List<Part> parts = new ArrayList<>();
    private final List<Term.Variable> elements = new ArrayList<>();
    private final List<LinearPattern> patterns = new ArrayList<>();

    List<Part> parts() {
        return parts;
    }

    List<LinearPattern> patterns() {
        return patterns;
    }

    /** The name of a variable in the text: {@code pod}, or {@code v3}. */
    static String variable(Term.Variable variable) {
        return variable.isLoop() ? "v" + variable.slot() : variable.name();
    }

    String emit(Term term) {
        if (term instanceof Constant constant) {
            return constant(constant);
        }
        if (term instanceof Term.Variable variable) {
            return variable(variable);
        }
        if (term instanceof Term.Access access) {
            return access(access);
        }
        if (term instanceof Term.Not not) {
            return "!(" + argument(not.operand()) + ")";
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            return "ops.finite(" + part(RuleType.NUMBER, arithmetic(arithmetic)) + ")";
        }
        if (term instanceof Term.Comparison comparison) {
            return "(" + argument(comparison.left()) + " " + comparison.operator() + " " + argument(comparison.right())
                    + ")";
        }
        if (term instanceof Term.Equality equality) {
            boolean texts = equality.left().type().isText();
            String equal = equal(texts, argument(equality.left()), argument(equality.right()));
            return equality.equal() ? equal : "!(" + equal + ")";
        }
        if (term instanceof Term.Logic logic) {
            if (Sizes.mayFail(logic.left())) {
                int left = add(emit(logic.left()));
                return "ops." + (logic.and() ? "and" : "or") + "(" + left + ", " + add(emit(logic.right())) + ")";
            }
            return "(" + argument(logic.left()) + (logic.and() ? " && " : " || ") + argument(logic.right()) + ")";
        }
        if (term instanceof Term.Choice choice) {
            return "(" + argument(choice.condition()) + " ? " + argument(choice.yes()) + " : " + argument(choice.no())
                    + ")";
        }
        if (term instanceof Term.In in) {
            return in(in);
        }
        return function(term);
    }

    private String in(Term.In in) {
        boolean constant = in.items().stream().allMatch(Constant.class::isInstance);
        boolean texts = in.value().type().isText() && !constant;
        if (Sizes.mayFail(in.value()) || in.value().type() == RuleType.MAYBE) {
            // A charged term must be evaluated once, and an optional one is only tested for existence.
            int value = add(emit(in.value()));
            List<String> items = in.items().stream().map(this::emit).toList();
            int first = parts.size();
            items.forEach(this::add);
            return "ops.in(" + value + ", " + first + ", " + items.size() + ", " + texts + ")";
        }
        List<String> tests = new ArrayList<>();
        String value = argument(in.value());
        in.items().forEach(item -> tests.add(equal(texts, value, argument(item))));
        return "(" + String.join(" || ", tests) + ")";
    }

    private String function(Term term) {
        if (term instanceof Term.StringCheck check) {
            return "ops." + check.test().method() + "(" + argument(check.left()) + ", " + argument(check.right()) + ")";
        }
        if (term instanceof Term.Matches matches) {
            patterns.add(matches.pattern());
            return "ops.matches(" + (patterns.size() - 1) + ", " + argument(matches.value()) + ")";
        }
        if (term instanceof Term.ToNumber toNumber && Sizes.mayFail(toNumber.text())) {
            int text = add(emit(toNumber.text()));
            return "ops.numberOr(" + text + ", " + add(emit(toNumber.otherwise())) + ")";
        }
        if (term instanceof Term.ToNumber toNumber) {
            String text = argument(toNumber.text());
            return "(ops.isNumber(" + text + ") ? ops.number(" + text + ") : " + emit(toNumber.otherwise()) + ")";
        }
        if (term instanceof Term.Size size) {
            return "ops.size(" + emit(size.list()) + ")";
        }
        if (term instanceof Term.Calculation calculation) {
            List<String> arguments =
                    calculation.arguments().stream().map(this::argument).toList();
            return "ops.calculate(\"" + calculation.function().word() + "\", " + arguments.get(0) + ", "
                    + (arguments.size() > 1 ? arguments.get(1) : "0.0d") + ")";
        }
        if (term instanceof Term.Contains contains) {
            String list = emit(contains.list());
            return "ops.among(" + list + ", " + argument(contains.value()) + ")";
        }
        if (term instanceof TextTerm text) {
            return text(text);
        }
        if (term instanceof Term.Let let) {
            return let(let);
        }
        if (term instanceof TableTerm table) {
            return table(table);
        }
        if (term instanceof MaybeTerm maybe) {
            return maybe(maybe);
        }
        return fold((Term.Fold) term);
    }

    private String text(TextTerm term) {
        if (term instanceof TextTerm.OrElse orElse) {
            int text = add(emit(orElse.text()));
            return "ops.orElse(" + text + ", " + add(emit(orElse.otherwise())) + ")";
        }
        String text = argument(term.text());
        if (term instanceof TextTerm.Present) {
            return "ops.present(" + text + ")";
        }
        if (term instanceof TextTerm.Blank) {
            return "ops.blank(" + text + ")";
        }
        if (term instanceof TextTerm.Converted converted) {
            return "ops.convert(\"" + converted.function().method() + "\", " + text + ")";
        }
        return (term instanceof TextTerm.Length ? "ops.length(" : "ops.known(") + text + ")";
    }

    private String table(TableTerm term) {
        if (term instanceof TableTerm.Count count) {
            return "ops.tableSize(\"" + count.table().name() + "\")";
        }
        if (term instanceof TableTerm.Has has) {
            return "ops.tableHas(\"" + has.table().name() + "\", " + argument(has.key()) + ")";
        }
        if (!(term instanceof TableTerm.Entry entry)) {
            throw new IllegalStateException("no value: " + term.type());
        }
        PlacedAmount placed = entry.placed();
        if (placed != null) {
            return "ops.tableMeasured(\"" + entry.table().name() + "\", \"" + entry.field() + "\", "
                    + argument(entry.key()) + ", \"" + placed.name() + "\")";
        }
        String method = switch (entry.type()) {
            case NUMBER, MAYBE_NUMBER, MAYBE_BOOL -> "tableNumber";
            case BOOL -> "tableBool";
            default -> "tableText";
        };
        return "ops." + method + "(\"" + entry.table().name() + "\", \"" + entry.field() + "\", "
                + argument(entry.key()) + ")";
    }

    private String maybe(MaybeTerm term) {
        RuleType type = term.type();
        if (term instanceof MaybeTerm.OrElse orElse) {
            String method = type == RuleType.BOOL ? "boolOr" : type == RuleType.NUMBER ? "amountOr" : "textOr";
            int value = add(emit(orElse.value()));
            return "ops." + method + "(" + value + ", " + add(emit(orElse.otherwise())) + ")";
        }
        String value = argument(term.value());
        if (term instanceof MaybeTerm.Present) {
            return "ops.given(" + value + ")";
        }
        return (type == RuleType.BOOL ? "ops.knownBool(" : "ops.knownNumber(") + value + ")";
    }

    private String let(Term.Let let) {
        int value = add(emit(let.value()));
        elements.add(let.local());
        int body = add(emit(let.body()));
        elements.remove(elements.size() - 1);
        String method =
                let.type() == RuleType.BOOL ? "letBool" : let.type() == RuleType.NUMBER ? "letNumber" : "letString";
        return "ops." + method + "(" + value + ", " + body + ")";
    }

    private String fold(Term.Fold fold) {
        String list = emit(fold.list());
        elements.add(fold.element());
        int index = add(emit(fold.body()), Cost.ofElement(fold));
        elements.remove(elements.size() - 1);
        return "ops." + fold.operation().method() + "(" + index + ", " + list + ")";
    }

    private int add(String text) {
        return add(text, 0);
    }

    private int add(String text, long charge) {
        parts.add(new Part(text, List.copyOf(elements), charge));
        return parts.size() - 1;
    }

    /** The text of an argument of a call. */
    private String argument(Term term) {
        return part(term.type(), emit(term));
    }

    /** The text itself, or the call of a separate part with it. */
    private String part(RuleType type, String text) {
        if (depth(text) < MAX_DEPTH) {
            return text;
        }
        boolean number = type == RuleType.NUMBER || type.isMaybeNumber();
        String method = type == RuleType.BOOL ? "boolPart" : number ? "numberPart" : "stringPart";
        return "ops." + method + "(" + add(text) + ")";
    }

    /** The nesting depth of parentheses in a text. */
    private static int depth(String text) {
        int depth = 0;
        int deepest = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted) {
                i += c == '\\' ? 1 : 0;
                quoted = c != '"';
            } else if (c == '"') {
                quoted = true;
            } else if (c == '(') {
                depth++;
                deepest = Math.max(deepest, depth);
            } else if (c == ')') {
                depth--;
            }
        }
        return deepest;
    }

    private static String equal(boolean texts, String left, String right) {
        return "ops." + (texts ? "equalTexts" : "equal") + "(" + left + ", " + right + ")";
    }

    private String access(Term.Access access) {
        List<String> arguments = access.arguments().stream().map(this::argument).toList();
        String call = emit(access.receiver()) + "." + access.member().name() + "(" + String.join(", ", arguments) + ")";
        return Sizes.varies(access) ? "ops.walking(" + add(call) + ")" : call;
    }

    /** Checks only the root of an arithmetic term: a value that is not finite stays so through + - * and as a dividend. */
    private String arithmetic(Term.Arithmetic term) {
        char operator = term.operator();
        boolean division = operator == '/' || operator == '%';
        String right = division ? "ops.divisor(" + operand(term.right()) + ")" : operand(term.right());
        return "(" + operand(term.left()) + " " + operator + " " + right + ")";
    }

    private String operand(Term term) {
        return part(RuleType.NUMBER, term instanceof Term.Arithmetic arithmetic ? arithmetic(arithmetic) : emit(term));
    }

    private static String constant(Constant constant) {
        if (constant.value() instanceof Double number) {
            return number(number);
        }
        if (constant.value() instanceof String text) {
            return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        }
        return String.valueOf(constant.value());
    }

    /** Plain digits with the suffix of a double: without it MVEL parses long ones as big decimals, and 0d as octal. */
    private static String number(double value) {
        String digits = BigDecimal.valueOf(Math.abs(value)).toPlainString();
        String literal = (digits.indexOf('.') < 0 ? digits + ".0" : digits) + "d";
        return value < 0 ? "(0.0d - " + literal + ")" : literal;
    }
}
