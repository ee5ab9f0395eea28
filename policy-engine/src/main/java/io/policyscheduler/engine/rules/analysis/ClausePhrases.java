package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.analysis.MemberPhrases.Phrase;
import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.util.ArrayList;
import java.util.List;

/** Sentences for boolean terms, positive or negated. */
final class ClausePhrases {
    private ClausePhrases() {}

    /** @param yes whether the sentence is positive or negated */
    static String of(Term term, boolean yes) {
        if (term instanceof Constant constant) {
            return constant.value().equals(yes) ? "always" : "never";
        }
        if (term instanceof Term.Not not) {
            return of(not.operand(), !yes);
        }
        if (term instanceof Term.Logic logic) {
            String word = logic.and() == yes ? " and " : " or ";
            List<String> sides = new ArrayList<>();
            sides(logic, logic.and()).forEach(side -> sides.add(inner(side, yes)));
            return String.join(word, sides);
        }
        if (term instanceof Term.Comparison comparison) {
            return Comparisons.of(comparison, yes);
        }
        if (term instanceof Term.Equality equality) {
            return equality(equality, equality.equal() == yes);
        }
        if (term instanceof Term.Access access) {
            return NounPhrases.clause(access, yes);
        }
        if (term instanceof Term.Fold fold) {
            return fold(fold, yes);
        }
        if (term instanceof Term.Choice choice) {
            return "if " + inner(choice.condition(), true) + ", then " + inner(choice.yes(), yes) + ", otherwise "
                    + inner(choice.no(), yes);
        }
        if (term instanceof Term.Let let) {
            return of(let.body(), yes) + ", where " + let.local().name() + " is " + value(let.value());
        }
        if (term instanceof Term.Variable local) {
            return local.name() + (yes ? " is true" : " is false");
        }
        return aboutTexts(term, yes);
    }

    private static String aboutTexts(Term term, boolean yes) {
        if (term instanceof TableTerm table) {
            return TableWords.clause(table, yes);
        }
        if (term instanceof MaybeTerm maybe) {
            return TableWords.clause(maybe, yes);
        }
        if (term instanceof TextTerm.Present present) {
            return present(present.text(), yes);
        }
        if (term instanceof TextTerm.Blank blank) {
            return NounPhrases.of(blank.text()) + (yes ? " is missing or blank" : " is present and not blank");
        }
        if (term instanceof Term.In in) {
            List<String> items = in.items().stream().map(NounPhrases::of).toList();
            return NounPhrases.of(in.value()) + (yes ? " is one of " : " is none of ") + String.join(", ", items);
        }
        if (term instanceof Term.Contains contains) {
            return NounPhrases.of(contains.value())
                    + (yes ? " is among " : " is not among ")
                    + NounPhrases.of(contains.list());
        }
        if (term instanceof Term.Matches matches) {
            return NounPhrases.of(matches.value())
                    + (yes ? " matches the pattern " : " does not match the pattern ")
                    + matches.pattern().source();
        }
        Term.StringCheck check = (Term.StringCheck) term;
        String word = switch (check.test()) {
            case CONTAINS -> yes ? " contains " : " does not contain ";
            case STARTS_WITH -> yes ? " starts with " : " does not start with ";
            case ENDS_WITH -> yes ? " ends with " : " does not end with ";
        };
        return NounPhrases.of(check.left()) + word + NounPhrases.of(check.right());
    }

    /** A sentence within another one: in parentheses if it would be ambiguous. */
    static String inner(Term term, boolean yes) {
        Term plain = term instanceof Term.Not not ? not.operand() : term;
        boolean runsOn = plain instanceof Term.Logic || plain instanceof Term.Choice || plain instanceof Term.Let;
        String text = of(term, yes);
        return runsOn ? "(" + text + ")" : text;
    }

    /** The phrase of a local variable. */
    static String value(Term term) {
        return term.type() == RuleType.BOOL ? "whether " + inner(term, true) : NounPhrases.of(term);
    }

    /** The operands of a chain of the same operator. */
    static List<Term> sides(Term term, boolean and) {
        if (term instanceof Term.Logic logic && logic.and() == and) {
            List<Term> sides = new ArrayList<>(sides(logic.left(), and));
            sides.addAll(sides(logic.right(), and));
            return sides;
        }
        return List.of(term);
    }

    private static String present(Term text, boolean yes) {
        if (text instanceof Term.Access entry && entry.receiver() instanceof Term.Access map) {
            return NounPhrases.has(map, entry.arguments(), yes);
        }
        return NounPhrases.of(text) + (yes ? " is present" : " is missing");
    }

    private static String equality(Term.Equality equality, boolean yes) {
        Term left = equality.left();
        Term right = equality.right();
        if (left.type() == RuleType.BOOL) {
            return (yes ? "these are both true or both false: " : "exactly one of these is true: ") + inner(left, true)
                    + "; " + inner(right, true);
        }
        if (left.type() == RuleType.NUMBER) {
            return Comparisons.of(left, yes ? "==" : "!=", right);
        }
        boolean turned = left instanceof Constant && !(right instanceof Constant);
        Term value = turned ? right : left;
        Term other = turned ? left : right;
        if (other instanceof Constant constant && constant.value().equals("")) {
            return NounPhrases.of(value) + (yes ? " is empty" : " is not empty");
        }
        if (value instanceof Term.Access entry
                && entry.member().receiver() == RuleType.LABELS
                && entry.receiver() instanceof Term.Access map
                && other instanceof Constant
                && isEntry(entry.member())) {
            return NounPhrases.has(map, List.of(entry.arguments().get(0), other), yes);
        }
        return NounPhrases.of(value) + (yes ? " is " : " is not ") + NounPhrases.of(other);
    }

    private static boolean isEntry(Member member) {
        return member.name().equals("get");
    }

    private static String fold(Term.Fold fold, boolean yes) {
        String list = NounPhrases.of(fold.list());
        boolean all = fold.operation() == ListOperation.ALL;
        // "Not all" becomes "some do not"; "not any" becomes "none".
        if (all) {
            return (yes ? "for each of " + list + ": " : "for at least one of " + list + ": ")
                    + inner(fold.body(), yes);
        }
        return (yes ? "for at least one of " : "for none of ") + list + ": " + inner(fold.body(), true);
    }

    /** Sentences for comparisons of numbers. */
    static final class Comparisons {
        private Comparisons() {}

        static String of(Term.Comparison comparison, boolean yes) {
            String operator = comparison.operator();
            return of(comparison.left(), yes ? operator : opposite(operator), comparison.right());
        }

        private static String opposite(String operator) {
            return switch (operator) {
                case "<" -> ">=";
                case "<=" -> ">";
                case ">" -> "<=";
                default -> "<";
            };
        }

        private static String turned(String operator) {
            return switch (operator) {
                case "<" -> ">";
                case "<=" -> ">=";
                case ">" -> "<";
                case ">=" -> "<=";
                default -> operator;
            };
        }

        static String of(Term left, String operator, Term right) {
            boolean turn =
                    (left instanceof Constant && !(right instanceof Constant)) || (!counts(left) && counts(right));
            if (turn) {
                return of(right, turned(operator), left);
            }
            if (counts(left)) {
                return counted(left, operator, right);
            }
            String word = switch (operator) {
                case "<" -> " is less than ";
                case "<=" -> " is at most ";
                case ">" -> " is more than ";
                case ">=" -> " is at least ";
                case "==" -> " is ";
                default -> " is not ";
            };
            return NounPhrases.of(left) + word + NounPhrases.amount(right, left);
        }

        private static boolean counts(Term term) {
            if (term instanceof Term.Fold fold) {
                return fold.operation() == ListOperation.COUNT;
            }
            return term instanceof Term.Access access
                    && MemberPhrases.of(access.member()).form() == Phrase.Form.COUNT;
        }

        private static String counted(Term count, String operator, Term limit) {
            boolean none = isLimit(limit, operator, "==", 0)
                    || isLimit(limit, operator, "<=", 0)
                    || isLimit(limit, operator, "<", 1);
            boolean some = isLimit(limit, operator, "!=", 0)
                    || isLimit(limit, operator, ">", 0)
                    || isLimit(limit, operator, ">=", 1);
            String many = switch (operator) {
                case "<" -> "fewer than " + NounPhrases.of(limit);
                case "<=" -> "at most " + NounPhrases.of(limit);
                case ">" -> "more than " + NounPhrases.of(limit);
                case ">=" -> "at least " + NounPhrases.of(limit);
                case "==" -> "exactly " + NounPhrases.of(limit);
                default -> "any number except " + NounPhrases.of(limit);
            };
            if (count instanceof Term.Fold fold) {
                String amount = none ? "none" : some ? "at least one" : many;
                return "for " + amount + " of " + NounPhrases.of(fold.list()) + ": "
                        + ClausePhrases.inner(fold.body(), true);
            }
            Term.Access access = (Term.Access) count;
            String what = NounPhrases.filled(MemberPhrases.of(access.member()).yes(), access);
            if (none) {
                return NounPhrases.of(access.receiver()) + " has no " + what;
            }
            if (some) {
                return NounPhrases.of(access.receiver()) + " has " + what;
            }
            return limit instanceof Constant
                    ? NounPhrases.of(access.receiver()) + " has " + many + " " + what
                    : NounPhrases.of(access) + " is " + many.replace("fewer", "less");
        }

        private static boolean isLimit(Term limit, String operator, String unit, double number) {
            return operator.equals(unit)
                    && limit instanceof Constant constant
                    && constant.value().equals(number);
        }
    }

    /** Phrases for tables and optional values. */
    static final class TableWords {
        private TableWords() {}

        /** The phrase of an entry: "table price's value for the name of the node". */
        static String noun(TableTerm term) {
            if (term instanceof TableTerm.Entry entry) {
                String what = entry.field().equals(TableSchema.VALUE) ? "value" : entry.field();
                return name(term) + "'s " + what + " for " + NounPhrases.of(entry.key());
            }
            if (term instanceof TableTerm.Row row) {
                return name(term) + "'s entry for " + NounPhrases.of(row.key());
            }
            if (term instanceof TableTerm.Has) {
                return "whether " + clause(term, true);
            }
            return term instanceof TableTerm.Count ? "the number of entries of " + name(term) : name(term);
        }

        /** The same for an optional value. */
        static String noun(MaybeTerm term) {
            String value = NounPhrases.of(term.value());
            return term instanceof MaybeTerm.OrElse orElse
                    ? value + " (" + NounPhrases.of(orElse.otherwise()) + " if it is missing)"
                    : value;
        }

        /** A boolean as a sentence. */
        static String clause(TableTerm term, boolean yes) {
            return term instanceof TableTerm.Has has
                    ? name(term) + (yes ? " has an entry for " : " has no entry for ") + NounPhrases.of(has.key())
                    : noun(term) + (yes ? " is true" : " is false");
        }

        /** The same for an optional value. */
        static String clause(MaybeTerm term, boolean yes) {
            if (term instanceof MaybeTerm.Present) {
                return noun(term) + (yes ? " is present" : " is missing");
            }
            return noun(term) + (yes ? " is true" : " is false");
        }

        private static String name(Term term) {
            TableSchema table = TableTerm.tableOf((TableTerm) term);
            return table == null ? "the tables" : "table " + table.name();
        }
    }
}
