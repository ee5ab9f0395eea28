package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.analysis.ClausePhrases.TableWords;
import io.policyscheduler.engine.rules.analysis.MemberPhrases.Phrase;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

/** Noun phrases for the values of terms. */
final class NounPhrases {
    private static final List<String> BINARY_UNITS = List.of("Ki", "Mi", "Gi", "Ti");

    private NounPhrases() {}

    static String of(Term term) {
        if (term instanceof Constant constant) {
            return constant(constant.value());
        }
        if (term instanceof Term.Variable variable) {
            return variable(variable);
        }
        if (term instanceof Term.Access access) {
            return access(access);
        }
        if (term.type() == RuleType.BOOL) {
            return "whether " + ClausePhrases.inner(term, true);
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            return arithmetic(arithmetic);
        }
        if (term instanceof Term.Calculation calculation) {
            return calculation(calculation);
        }
        if (term instanceof Term.Choice choice) {
            return "(" + of(choice.yes()) + " if " + ClausePhrases.inner(choice.condition(), true) + ", otherwise "
                    + of(choice.no()) + ")";
        }
        if (term instanceof Term.Let let) {
            return of(let.body()) + ", where " + let.local().name() + " is " + ClausePhrases.value(let.value());
        }
        if (term instanceof Term.Size size) {
            return "the number of " + withoutArticle(of(size.list()));
        }
        if (term instanceof Term.ToNumber number) {
            return of(number.text()) + " as a number (" + of(number.otherwise()) + " if it is not a number)";
        }
        if (term instanceof TableTerm table) {
            return TableWords.noun(table);
        }
        if (term instanceof MaybeTerm maybe) {
            return TableWords.noun(maybe);
        }
        return term instanceof Term.Fold fold ? fold(fold) : text((TextTerm) term);
    }

    private static String text(TextTerm term) {
        String text = of(term.text());
        if (term instanceof TextTerm.OrElse orElse) {
            return text + " (" + of(orElse.otherwise()) + " if it is missing or blank)";
        }
        if (term instanceof TextTerm.Converted converted) {
            return text + " " + converted.function().text();
        }
        return term instanceof TextTerm.Length ? "the length of " + text : text;
    }

    /** Texts are unquoted if they are unambiguous. */
    private static String constant(Object value) {
        if (value instanceof String text) {
            return text.matches("[A-Za-z0-9._/:-]+") ? text : "'" + text + "'";
        }
        if (value instanceof List<?> list) {
            return String.join(", ", list.stream().map(NounPhrases::constant).toList());
        }
        return TermText.of(value);
    }

    /** A number in the unit of the term that it is compared with: bytes in larger units. */
    static String amount(Term term, Term other) {
        boolean bytes =
                other instanceof Term.Access access && access.member().unit().equals("bytes");
        boolean cores =
                other instanceof Term.Access access && access.member().unit().equals("cores");
        if (!(term instanceof Constant constant) || !(constant.value() instanceof Double number)) {
            return of(term);
        }
        if (cores) {
            return of(term) + (number == 1 ? " core" : " cores");
        }
        String text = of(term);
        double left = number;
        for (String unit : BINARY_UNITS) {
            left /= 1024;
            if (bytes && left >= 1 && left == Math.rint(left)) {
                text = TermText.of(left) + unit;
            }
        }
        return text;
    }

    private static String variable(Term.Variable variable) {
        if (!variable.isLoop()) {
            return "the " + variable.name();
        }
        return variable.type().isScalar()
                        || variable.type().isText()
                        || variable.type().element() != null
                ? variable.name()
                : "that " + variable.type().label();
    }

    private static String access(Term.Access access) {
        Phrase phrase = MemberPhrases.of(access.member());
        if (access.receiver() instanceof Term.Access map
                && access.receiver().type().isMap()) {
            return entry(map, access);
        }
        String text = filled(phrase.yes(), access);
        return switch (phrase.form()) {
            case CLAUSE -> "whether " + text;
            case COUNT -> "the number of " + text + at(access.receiver());
            case NOUN -> text;
        };
    }

    private static String at(Term receiver) {
        return switch (receiver.type()) {
                    case NODE -> " on ";
                    case CLUSTER -> " in ";
                    default -> " of ";
                }
                + of(receiver);
    }

    /** The phrase of a map entry: "label app of the pod". */
    private static String entry(Term.Access map, Term.Access access) {
        String owner = of(map.receiver());
        if (access.arguments().isEmpty()) {
            return filled(MemberPhrases.of(access.member()).yes(), access);
        }
        String key = of(access.arguments().get(0));
        String otherwise =
                access.arguments().size() > 1 ? " (" + of(access.arguments().get(1)) + " without it)" : "";
        String what = switch (map.member().name()) {
            case "labels" -> "label " + key + " of " + owner;
            case "annotations" -> "annotation " + key + " of " + owner;
            case "nodeSelector" -> "entry " + key + " of the node selector of " + owner;
            case "requests" -> "the amount of " + key + " that " + owner + " requests";
            case "requested" -> "the amount of " + key + " that the pods on " + owner + " request";
            case "allocatable" -> "the allocatable amount of " + key + " of " + owner;
            case "free" -> "the free amount of " + key + " of " + owner;
            default -> key + " among " + of(map);
        };
        return what + otherwise;
    }

    /** Whether a map has an entry, with a value if a second argument is given: "the pod has label app=web". */
    static String has(Term.Access map, List<Term> arguments, boolean yes) {
        String kind = switch (map.member().name()) {
            case "labels" -> "label ";
            case "annotations" -> "annotation ";
            case "nodeSelector" -> "the node selector ";
            default -> "an entry ";
        };
        return of(map.receiver()) + (yes ? " has " : " does not have ") + kind + pair(arguments);
    }

    private static String pair(List<Term> arguments) {
        String key = of(arguments.get(0));
        if (arguments.size() == 1) {
            return key;
        }
        Term value = arguments.get(1);
        return value instanceof Constant ? key + "=" + of(value) : key + " equal to " + of(value);
    }

    /** A boolean member, as a sentence. */
    static String clause(Term.Access access, boolean yes) {
        boolean testsKey = access.member().name().equals("containsKey");
        if (testsKey && access.receiver() instanceof Term.Access map) {
            return has(map, access.arguments(), yes);
        }
        Phrase phrase = MemberPhrases.of(access.member());
        return filled(yes ? phrase.yes() : phrase.no(), access);
    }

    /** The text of a {@link Phrase} with its placeholders filled. */
    static String filled(String text, Term.Access access) {
        List<Term> arguments = access.arguments();
        String filled = text.replace("{r}", of(access.receiver()));
        if (text.contains("{label}")) {
            List<Term> label = arguments.size() == 3 ? arguments.subList(1, 3) : arguments;
            filled = filled.replace("{label}", "label " + pair(label));
        }
        for (int i = 0; i < arguments.size(); i++) {
            filled = filled.replace("{" + (char) ('a' + i) + "}", of(arguments.get(i)));
        }
        return filled;
    }

    private static String arithmetic(Term.Arithmetic term) {
        boolean negative = term.operator() == '-' && term.left().equals(Constant.of(0));
        return negative
                ? "minus " + operand(term.right())
                : operand(term.left()) + " " + term.operator() + " " + operand(term.right());
    }

    private static String operand(Term term) {
        return term instanceof Term.Arithmetic ? "(" + of(term) + ")" : of(term);
    }

    private static String calculation(Term.Calculation term) {
        String first = of(term.arguments().get(0));
        return switch (term.function()) {
            case MIN ->
                "the smaller of " + first + " and " + of(term.arguments().get(1));
            case MAX -> "the larger of " + first + " and " + of(term.arguments().get(1));
            case ABS -> first + "";
            case FLOOR -> first + " rounded down";
            case CEIL -> first + " rounded up";
            case ROUND -> first + " rounded";
            case SQRT -> "the square root of " + first;
            case LOG -> "the natural logarithm of " + first;
        };
    }

    private static String fold(Term.Fold fold) {
        String list = of(fold.list());
        String plain = withoutArticle(list);
        return switch (fold.operation()) {
            case COUNT -> "the number of " + plain + " for which " + ClausePhrases.inner(fold.body(), true);
            case FILTER -> list + " for which " + ClausePhrases.inner(fold.body(), true);
            case SUM -> "the sum for " + list + " of " + of(fold.body());
            case MAX -> "the maximum for " + list + " of " + of(fold.body());
            case MAP -> of(fold.body()) + " for each of " + list;
            case ANY, ALL -> "whether " + ClausePhrases.of(fold, true);
        };
    }

    private static String withoutArticle(String noun) {
        return noun.startsWith("the ") ? noun.substring(4) : noun;
    }
}
