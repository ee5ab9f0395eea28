package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Loads the initial values of a policy's tables. */
public final class PolicyTables {
    private PolicyTables() {}

    /**
     * The tables of a policy, with those of libraries that it does not declare.
     *
     * @param problems receives the errors of omitted tables
     */
    public static RuleTables of(
            Map<String, TableDefinition> own,
            Map<String, TableDefinition> libraries,
            TableInput input,
            List<Problem> problems) {
        SortedMap<String, TableDefinition> definitions = new TreeMap<>(libraries);
        definitions.putAll(own);
        SortedMap<String, TableState> states = new TreeMap<>();
        for (TableDefinition definition : List.copyOf(definitions.values())) {
            try {
                states.put(definition.name(), first(definition, input));
            } catch (TableException e) {
                problems.add(e.problem());
                definitions.remove(definition.name());
            }
        }
        return new RuleTables(definitions, states);
    }

    private static TableState first(TableDefinition definition, TableInput input) throws TableException {
        TableInput.Text text = input.text(definition);
        if (text != null) {
            TableText.Read read = TableText.read(definition, text.text(), text.name(), text.where());
            requireDefaults(definition, read);
            TableSchema schema = definition.schema(read.types());
            return text.ages() == null
                    ? TableState.first(schema, read.values().withDefaults(definition.defaults()))
                    : text.ages().state(definition, schema, read.values());
        }
        if (definition.origin() instanceof TableOrigin.Inline) {
            return TableState.first(definition.schema(definition.fields()), definition.inline());
        }
        if (definition.origin().isMeasured() && input.isMeasured(definition)) {
            return TableState.none(definition.schema(definition.fields()), definition.defaults());
        }
        throw error(
                definition,
                definition.origin().text() + " is not read here",
                "give its values: --table " + definition.name() + "=FILE");
    }

    /**
     * Replaces the values of tables.
     *
     * @param tables whose types and defaults are preserved
     * @param values an object with keys and values for each table; unknown tables are added
     * @param file the file of the values
     * @param problems receives the errors of tables that stay unchanged
     */
    public static RuleTables replace(RuleTables tables, SourceNode values, String file, List<Problem> problems) {
        SortedMap<String, TableDefinition> definitions = new TreeMap<>(tables.definitions());
        SortedMap<String, TableState> states = new TreeMap<>(tables.get().states());
        for (SourceNode.Member member : values.members()) {
            TableState known = states.get(member.key());
            SortedMap<String, RuleType> types =
                    known == null ? new TreeMap<>() : known.schema().fields();
            try {
                TableDefinition definition = definitions.get(member.key());
                if (definition == null) {
                    definition = TableDeclarations.inline(member, file);
                    definitions.put(member.key(), definition);
                    states.put(
                            member.key(),
                            TableState.first(definition.schema(definition.fields()), definition.inline()));
                    continue;
                }
                TableCells cells = new TableCells(member.key(), file, types);
                TableText.object(member.value(), cells);
                TableSchema schema = definition.schema(types);
                states.put(member.key(), TableState.first(schema, cells.values().withDefaults(definition.defaults())));
            } catch (TableException e) {
                problems.add(e.problem());
            }
        }
        return new RuleTables(definitions, states);
    }

    /**
     * Creates tables from texts.
     *
     * @param texts by the name of the table
     * @param problems receives the errors of omitted tables
     */
    public static RuleTables ofTexts(Map<String, TableInput.Text> texts, List<Problem> problems) {
        SortedMap<String, TableDefinition> definitions = new TreeMap<>();
        for (Map.Entry<String, TableInput.Text> text : texts.entrySet()) {
            try {
                TableDeclarations.requireName(text.getKey(), text.getValue().where());
            } catch (TableException e) {
                problems.add(e.problem());
                continue;
            }
            definitions.put(
                    text.getKey(),
                    new TableDefinition(
                            text.getKey(),
                            new TableOrigin.File(text.getValue().where()),
                            new TreeMap<>(),
                            Map.of(),
                            TableValues.EMPTY,
                            Measuring.NONE,
                            new TableDefinition.Place(text.getValue().where(), 0, 0)));
        }
        return of(definitions, Map.of(), definition -> texts.get(definition.name()), problems);
    }

    /**
     * Returns a warning for each table that has values on the command line and that nothing declares.
     *
     * @param given names of the tables with values on the command line
     * @param owner the owner of the tables, such as {@code the policy}
     * @param known names of the tables that the owner declares
     */
    public static List<String> unknownTables(Set<String> given, String owner, Set<String> known) {
        List<String> lines = new ArrayList<>();
        for (String name : new TreeSet<>(given)) {
            if (!known.contains(name)) {
                String nearest = Suggestions.nearest(name, List.copyOf(known));
                String all = known.isEmpty() ? "it has no tables" : "it has " + String.join(", ", known);
                lines.add("--table " + name + ": " + owner
                        + " has no table of this name; the values are ignored ("
                        + (nearest == null ? all : "did you mean \"" + nearest + "\"?") + ")");
            }
        }
        return lines;
    }

    /** If types are not declared, the initial values determine the types of default fields. */
    private static void requireDefaults(TableDefinition definition, TableText.Read read) throws TableException {
        for (Map.Entry<String, Object> value : definition.defaults().entrySet()) {
            RuleType type = read.types().get(value.getKey());
            if (type != TableCells.typeOf(value.getValue())) {
                throw error(
                        definition,
                        "the default of field \"" + value.getKey() + "\" is a "
                                + TableCells.typeOf(value.getValue()).label() + ", "
                                + (type == null
                                        ? "the values have no such field"
                                        : "the values are " + type.label() + "s"),
                        "declare the fields: fields: {...}");
            }
        }
    }

    private static TableException error(TableDefinition definition, String message, String hint) {
        TableDefinition.Place place = definition.place();
        return new TableException(
                definition.name(), message, hint, place.file(), new SourcePosition(place.line(), place.column()));
    }

    /** Provides the texts of tables when a policy is read. */
    @FunctionalInterface
    public interface TableInput {
        /** No texts, for policies with inline tables only. */
        TableInput NONE = definition -> null;

        /**
         * A text.
         *
         * @param name of the file or key; its extension determines the format
         * @param where its location, for messages
         * @param ages the timestamps of its values; null for values without an age
         */
        record Text(
                String text,
                String name,
                String where,
                @Nullable TableAges ages) {
            /** A text whose values have no age. */
            public Text(String text, String name, String where) {
                this(text, name, where, null);
            }
        }

        /**
         * The text of a table.
         *
         * @return null if the table is inline, or is measured
         * @throws TableException if it is not available
         */
        @Nullable
        Text text(TableDefinition definition) throws TableException;

        /** The tables whose values the user has set, independent of the policy. */
        default SortedSet<String> given() {
            return ImmutableSortedSet.of();
        }

        /** Whether a table of measurements may be empty at the start, because values arrive later or do not matter. */
        default boolean isMeasured(TableDefinition definition) {
            return false;
        }
    }

    /**
     * The ages of the recorded values of a table: each value keeps the age that it had when it was recorded.
     *
     * @param times the timestamps of values by key; missing ones were measured at {@code taken}
     * @param taken when the values were requested
     */
    public record TableAges(ImmutableMap<String, Instant> times, Instant taken) {
        /** The table with the values that were not too old at {@link #taken}. */
        TableState state(TableDefinition definition, TableSchema schema, TableValues values) {
            Duration staleAfter = definition.measuring().staleAfter();
            ImmutableMap.Builder<String, ImmutableMap<String, Object>> rows = ImmutableMap.builder();
            ImmutableMap.Builder<String, Instant> known = ImmutableMap.builder();
            Instant newest = null;
            for (Map.Entry<String, ImmutableMap<String, Object>> row :
                    values.rows().entrySet()) {
                Instant time = times.getOrDefault(row.getKey(), taken);
                newest = newest == null || time.isAfter(newest) ? time : newest;
                if (staleAfter == null || taken.isBefore(time.plus(staleAfter))) {
                    rows.put(row);
                    known.put(row.getKey(), time);
                }
            }
            TableValues fresh = new TableValues(
                    rows.buildOrThrow(), ImmutableMap.copyOf(definition.defaults()), known.buildOrThrow());
            return new TableState(schema, fresh, 1, newest, values.size() - fresh.size(), null);
        }
    }

    /** The error of a table: in its declaration, or in the text with its values. */
    public static final class TableException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        /**
         * The error.
         *
         * @param hint the fix
         * @param suggestion the probably intended name, null for none
         */
        TableException(
                String table,
                String message,
                String hint,
                String file,
                SourcePosition position,
                @Nullable String suggestion) {
            super(message);
            this.problem = Problem.at(
                            RuleCode.TABLE.code(),
                            RuleCode.TABLE.code() + ": table " + table + ": " + message + "; " + hint,
                            file,
                            position,
                            table)
                    .suggesting(suggestion);
        }

        /** The error of an unavailable source. */
        public TableException(String table, String message, String hint, String file, SourcePosition position) {
            this(table, message, hint, file, position, null);
        }

        /** The error and its position. */
        public Problem problem() {
            return problem;
        }
    }
}
