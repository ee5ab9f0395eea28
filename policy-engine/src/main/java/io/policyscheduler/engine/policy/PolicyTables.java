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

/** Gives the tables of a policy their first values. */
public final class PolicyTables {
    private PolicyTables() {}

    /**
     * The tables of a policy, with those of libraries that it does not declare itself.
     *
     * @param problems gets those of tables that are left out
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
        throw refusal(
                definition,
                definition.origin().text() + " is not read here",
                "give its values: --table " + definition.name() + "=FILE");
    }

    /**
     * Tables with other values.
     *
     * @param tables whose types and defaults stay
     * @param values an object with keys and values for each table, of which those that are not known are added
     * @param file where that stands
     * @param problems gets those of tables that stay as they are
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
     * Tables that are made of texts alone.
     *
     * @param texts by the name of the table
     * @param problems gets those of tables that are left out
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

    /** Where types are not declared, the first values tell what the defaults of fields must be. */
    private static void requireDefaults(TableDefinition definition, TableText.Read read) throws TableException {
        for (Map.Entry<String, Object> value : definition.defaults().entrySet()) {
            RuleType type = read.types().get(value.getKey());
            if (type != TableCells.typeOf(value.getValue())) {
                throw refusal(
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

    private static TableException refusal(TableDefinition definition, String message, String hint) {
        TableDefinition.Place place = definition.place();
        return new TableException(
                definition.name(), message, hint, place.file(), new SourcePosition(place.line(), place.column()));
    }

    /** Where the texts of tables come from when a policy is read. */
    @FunctionalInterface
    public interface TableInput {
        /** For where there are none but those that policies have themselves. */
        TableInput NONE = definition -> null;

        /**
         * A text.
         *
         * @param name of the file or key; its end tells the form
         * @param where it was found, for messages
         * @param ages when its values were true; null for values that have no age
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
         * @return null when the table's own values count, which only one that is written in the policy has, or when it is measured
         * @throws TableException when it cannot be had
         */
        @Nullable
        Text text(TableDefinition definition) throws TableException;

        /** The tables that a user has given values of, whatever the policy says. */
        default SortedSet<String> given() {
            return ImmutableSortedSet.of();
        }

        /** True when a table whose values are measured may start without any: they come later, or do not matter. */
        default boolean isMeasured(TableDefinition definition) {
            return false;
        }
    }

    /**
     * The ages of the recorded values of a table: each value has the age that it had when it was recorded,
     * however long ago that is.
     *
     * @param times when the value of a key was true, by key; one that is not there was true when it was taken
     * @param taken when the values were asked for
     */
    public record TableAges(ImmutableMap<String, Instant> times, Instant taken) {
        /** The table with those of these values that were not too old when they were taken. */
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

    /** A table that is refused: its declaration, or the text with its values. */
    public static final class TableException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        /**
         * The refusal.
         *
         * @param hint the way out
         * @param suggestion what was probably meant, null for nothing
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

        /** The refusal of a source that cannot be had. */
        public TableException(String table, String message, String hint, String file, SourcePosition position) {
            this(table, message, hint, file, position, null);
        }

        /** What is wrong, and where. */
        public Problem problem() {
            return problem;
        }
    }
}
