package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** Prints terms in the rule language, with all parentheses. Compiling the text again returns an equal term. */
public final class TermText {
    private static final String TABLES = "tables";

    private TermText() {}

    public static String of(Term term) {
        if (term instanceof Constant constant) {
            return of(constant.value());
        }
        if (term instanceof Term.Variable variable) {
            return variable.name();
        }
        if (term instanceof Term.Access access) {
            if (access.receiver().type().isMap() && access.member().name().equals("get")) {
                return of(access.receiver()) + "[" + list(access.arguments()) + "]";
            }
            String arguments = access.member().property() ? "" : "(" + list(access.arguments()) + ")";
            return of(access.receiver()) + "." + access.member().name() + arguments;
        }
        if (term instanceof Term.Not not) {
            return "!" + of(not.operand());
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            return binary(arithmetic.left(), String.valueOf(arithmetic.operator()), arithmetic.right());
        }
        if (term instanceof Term.Comparison comparison) {
            return binary(comparison.left(), comparison.operator(), comparison.right());
        }
        if (term instanceof Term.Equality equality) {
            return binary(equality.left(), equality.equal() ? "==" : "!=", equality.right());
        }
        if (term instanceof Term.Logic logic) {
            return binary(logic.left(), logic.and() ? "&&" : "||", logic.right());
        }
        if (term instanceof Term.Let let) {
            return let.local().name() + " = " + of(let.value()) + "; " + of(let.body());
        }
        if (term instanceof Term.Choice choice && (hasLocals(choice.yes()) || hasLocals(choice.no()))) {
            return "if (" + of(choice.condition()) + ") { " + of(choice.yes()) + " } else { " + of(choice.no()) + " }";
        }
        if (term instanceof Term.Choice choice) {
            return "(" + of(choice.condition()) + " ? " + of(choice.yes()) + " : " + of(choice.no()) + ")";
        }
        if (term instanceof Term.In in) {
            return "(" + of(in.value()) + " in [" + list(in.items()) + "])";
        }
        return function(term);
    }

    private static String function(Term term) {
        if (term instanceof Term.StringCheck check) {
            return of(check.left()) + "." + check.test().method() + "(" + of(check.right()) + ")";
        }
        if (term instanceof Term.Matches matches) {
            return of(matches.value()) + ".matches(" + of(matches.pattern().source()) + ")";
        }
        if (term instanceof Term.ToNumber toNumber) {
            return "number(" + of(toNumber.text()) + ", " + of(toNumber.otherwise()) + ")";
        }
        if (term instanceof Term.Size size) {
            return of(size.list()) + ".size";
        }
        if (term instanceof Term.Calculation calculation) {
            return "Math." + calculation.function().word() + "(" + list(calculation.arguments()) + ")";
        }
        if (term instanceof Term.Contains contains) {
            return "(" + of(contains.list()) + " contains " + of(contains.value()) + ")";
        }
        if (term instanceof TextTerm text) {
            return text(text);
        }
        if (term instanceof TableTerm table) {
            return table(table);
        }
        if (term instanceof MaybeTerm maybe) {
            return maybe(maybe);
        }
        Term.Fold fold = (Term.Fold) term;
        return of(fold.list()) + "." + fold.operation().method() + "("
                + fold.element().name() + ", " + of(fold.body()) + ")";
    }

    private static String text(TextTerm term) {
        String text = of(term.text());
        if (term instanceof TextTerm.Present) {
            return "(" + text + " != null)";
        }
        if (term instanceof TextTerm.Blank) {
            return "(" + text + " == empty)";
        }
        if (term instanceof TextTerm.OrElse orElse) {
            return "(" + text + " or " + of(orElse.otherwise()) + ")";
        }
        if (term instanceof TextTerm.Converted converted) {
            return text + "." + converted.function().method() + "()";
        }
        return term instanceof TextTerm.Length ? text + ".length()" : text;
    }

    private static String table(TableTerm term) {
        TableSchema schema = TableTerm.tableOf(term);
        String name = schema == null ? TABLES : TABLES + "." + schema.name();
        if (term instanceof TableTerm.Row row) {
            return name + "[" + of(row.key()) + "]";
        }
        if (term instanceof TableTerm.Entry entry) {
            return name + "[" + of(entry.key()) + "]" + (entry.field().isEmpty() ? "" : "." + entry.field());
        }
        if (term instanceof TableTerm.Has has) {
            return name + ".containsKey(" + of(has.key()) + ")";
        }
        return term instanceof TableTerm.Count ? name + ".size()" : name;
    }

    private static String maybe(MaybeTerm term) {
        String value = of(term.value());
        if (term instanceof MaybeTerm.Present) {
            return "(" + value + " != null)";
        }
        if (!(term instanceof MaybeTerm.OrElse orElse)) {
            return value;
        }
        // For strings, 'or' also replaces blank values.
        return orElse.type() == RuleType.STRING && orElse.value() instanceof TableTerm.Entry entry
                ? TABLES + "." + entry.table().name() + ".getOrDefault(" + of(entry.key()) + ", "
                        + of(orElse.otherwise()) + ")"
                : "(" + value + " or " + of(orElse.otherwise()) + ")";
    }

    /** Locals are statements, which require blocks. */
    private static boolean hasLocals(Term term) {
        return term instanceof Term.Let
                || (term instanceof Term.Choice choice && (hasLocals(choice.yes()) || hasLocals(choice.no())));
    }

    private static String binary(Term left, String operator, Term right) {
        return "(" + of(left) + " " + operator + " " + of(right) + ")";
    }

    private static String list(List<Term> terms) {
        return terms.stream().map(TermText::of).collect(Collectors.joining(", "));
    }

    /** A scalar as a literal. */
    public static String of(Object value) {
        if (value instanceof Double number) {
            String text = BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
            return text;
        }
        if (value instanceof String text) {
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
        }
        return String.valueOf(value);
    }
}
