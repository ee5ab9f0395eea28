package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.AccessChecker.MemberProblems;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The checker of table accesses. */
final class TableChecker {
    /** The prefix of table names. */
    static final String TABLES = "tables";

    private static final Set<String> METHODS = Set.of("containsKey", "get", "getOrDefault", "isEmpty", "size");

    private final Checker checker;
    private final ProblemFactory problemFactory;
    private final MemberProblems problems;
    private final Map<String, TableSchema> tables;

    TableChecker(Checker checker, ProblemFactory problemFactory, Map<String, TableSchema> tables) {
        this.checker = checker;
        this.problemFactory = problemFactory;
        this.problems = new MemberProblems(problemFactory);
        this.tables = tables;
    }

    /** True if there are tables. */
    boolean any() {
        return !tables.isEmpty();
    }

    /** The prefix {@code tables}. */
    Term all(int at) throws RuleException {
        if (tables.isEmpty()) {
            throw problemFactory.at(
                    RuleCode.UNKNOWN_NAME, at, "there are no tables", "declare them next to the rules: tables: {...}");
        }
        return new TableTerm.All();
    }

    /** {@code tables.name}, or {@code tables.name[key].field}. */
    Term select(TableTerm target, String name, int at) throws RuleException {
        if (target instanceof TableTerm.All) {
            return named(name, at);
        }
        if (target instanceof TableTerm.Row row) {
            return field(row, name, at);
        }
        if (METHODS.contains(name)) {
            throw problemFactory.at(
                    RuleCode.ARGUMENTS, at, "'" + name + "' is called with parentheses", "write ." + form(name));
        }
        throw MemberProblems.REFLECTION.contains(name)
                ? problems.unknownMember(RuleType.TABLE, name, at)
                : problemFactory.at(
                        RuleCode.UNKNOWN_MEMBER,
                        at,
                        "a table has no member '" + PrintableText.text(name) + "'",
                        "write an entry as ['" + PrintableText.text(name) + "']");
    }

    private Term named(String name, int at) throws RuleException {
        TableSchema table = tables.get(name);
        if (table != null) {
            return new TableTerm.Named(table);
        }
        throw MemberProblems.isForeign(name)
                ? problems.unknownMember(RuleType.TABLES, name, at)
                : problemFactory.at(
                        RuleCode.UNKNOWN_MEMBER,
                        at,
                        "there is no table '" + PrintableText.text(name) + "'",
                        MemberProblems.meant(name, tables.keySet()));
    }

    private Term field(TableTerm.Row row, String name, int at) throws RuleException {
        TableSchema table = row.table();
        if (table.fields().containsKey(name)) {
            return entry(table, name, row.key());
        }
        throw MemberProblems.REFLECTION.contains(name)
                ? problems.unknownMember(RuleType.RECORD, name, at)
                : problemFactory.at(
                        RuleCode.UNKNOWN_MEMBER,
                        at,
                        "table " + table.name() + " has no field '" + PrintableText.text(name) + "'",
                        MemberProblems.meant(name, table.fields().keySet()));
    }

    private Term entry(TableSchema table, String field, Term key) {
        return checker.known(new TableTerm.Entry(table, field, key));
    }

    /** {@code tables.name[key]}, and {@code tables['name']}. */
    Term index(TableTerm target, Syntax.Index index) throws RuleException {
        Term key = key(index.key());
        if (target instanceof TableTerm.Named named) {
            return at(named.table(), key);
        }
        if (target instanceof TableTerm.All && key instanceof Constant constant) {
            return named(String.valueOf(constant.value()), index.key().at());
        }
        boolean row = target instanceof TableTerm.Row;
        throw problemFactory.at(
                RuleCode.TYPE,
                index.at(),
                "[...] on " + (row ? "a record" : "the set of tables"),
                row ? "write a field with a dot" : "name the table: tables.x");
    }

    private static Term plain(TableSchema table, Term key) {
        return table.isRecord() ? new TableTerm.Row(table, key) : new TableTerm.Entry(table, TableSchema.VALUE, key);
    }

    private Term at(TableSchema table, Term key) {
        return checker.known(plain(table, key));
    }

    /** A missing text is not a key of any table, so no null check is required. */
    private Term key(Syntax syntax) throws RuleException {
        Term key = checker.term(syntax);
        return key.type() == RuleType.MAYBE ? key : checker.string(key, syntax.at(), "the key of a table");
    }

    /** A method of a table. */
    Term method(TableTerm target, Syntax.MethodCall call) throws RuleException {
        boolean ofTable = target instanceof TableTerm.Named && METHODS.contains(call.name());
        if (!(target instanceof TableTerm.Named named) || !ofTable) {
            throw problems.wrongCall(call, target.type());
        }
        TableSchema table = named.table();
        List<Syntax> arguments = call.arguments();
        if (arguments.size() != parameters(call.name())) {
            throw problems.arguments(call, "." + form(call.name()));
        }
        return switch (call.name()) {
            case "size" -> new TableTerm.Count(table);
            case "isEmpty" -> new Term.Equality(true, new TableTerm.Count(table), Constant.of(0));
            case "containsKey" -> has(table, arguments.get(0));
            case "get" -> at(table, key(arguments.get(0)));
            default -> orDefault(table, call);
        };
    }

    /** {@code tables.name contains key}, {@code tables.name.containsKey(key)}. */
    Term has(TableSchema table, Syntax key) throws RuleException {
        return new TableTerm.Has(table, key(key));
    }

    private Term orDefault(TableSchema table, Syntax.MethodCall call) throws RuleException {
        if (table.isRecord()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    call.at(),
                    "table " + table.name() + " has records, which have no default of their own",
                    "set one for the field: (tables." + table.name() + "[...]."
                            + table.fields().firstKey() + " or ...)");
        }
        TableTerm.Entry entry = new TableTerm.Entry(
                table, TableSchema.VALUE, key(call.arguments().get(0)));
        Syntax second = call.arguments().get(1);
        if (!entry.type().isMaybe()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    call.at(),
                    "table " + table.name() + " has a default, so this default is never used",
                    "write tables." + table.name() + "[...]");
        }
        return new MaybeTerm.OrElse(entry, checker.valueOf(entry.type().certain(), second, "'getOrDefault'"));
    }

    private static int parameters(String method) {
        return switch (method) {
            case "size", "isEmpty" -> 0;
            case "getOrDefault" -> 2;
            default -> 1;
        };
    }

    private static String form(String method) {
        return method
                + switch (parameters(method)) {
                    case 0 -> "()";
                    case 1 -> "(key)";
                    default -> "(key, otherwise)";
                };
    }

    /** Whether a record exists. */
    static Term has(TableTerm.Row row) {
        return new TableTerm.Has(row.table(), row.key());
    }
}
