package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.snapshot.RecordedTable;
import io.policyscheduler.cmd.sources.DumpFiles.DumpObjects;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The texts of tables: from the files of {@code --table}, else from the source of the policy, or as recorded in a dump. */
public final class TableInputs implements TableInput {
    private final Map<String, Path> given;
    private final ConfigMapEntries configMaps;
    private final RecordedTables recorded;
    private final boolean measured;

    /** @param given files that override the policy, by the name of the table */
    public TableInputs(Map<String, Path> given, ConfigMapEntries configMaps) {
        this(given, configMaps, false);
    }

    /**
     * Inputs that accept missing measured values.
     *
     * @param measured whether missing measured values are accepted, because they arrive later or only the policy is checked
     */
    public TableInputs(Map<String, Path> given, ConfigMapEntries configMaps, boolean measured) {
        this(given, configMaps, RecordedTables.NONE, measured);
    }

    /** @param recorded measured values in a dump */
    TableInputs(Map<String, Path> given, ConfigMapEntries configMaps, RecordedTables recorded, boolean measured) {
        this.given = Map.copyOf(given);
        this.configMaps = configMaps;
        this.recorded = recorded;
        this.measured = measured;
    }

    @Override
    public SortedSet<String> given() {
        return ImmutableSortedSet.copyOf(given.keySet());
    }

    @Override
    public boolean isMeasured(TableDefinition definition) {
        return measured;
    }

    @Override
    public @Nullable Text text(TableDefinition definition) throws TableException {
        Path file = given.get(definition.name());
        if (file != null) {
            return of(file, definition);
        }
        TableOrigin origin = definition.origin();
        if (origin instanceof TableOrigin.File beside) {
            return of(path(definition, beside), definition);
        }
        if (origin instanceof TableOrigin.ConfigMap map) {
            try {
                String text = configMaps.entry(new ConfigMapName(map.namespace(), map.name()), map.key());
                return new Text(text, map.key(), origin.text());
            } catch (IOException e) {
                throw refusal(definition, origin.text() + " cannot be read: " + e.getMessage());
            }
        }
        return origin.isMeasured() ? recorded(definition) : null;
    }

    private @Nullable Text recorded(TableDefinition definition) throws TableException {
        RecordedTable table;
        try {
            table = recorded.table(definition.name());
        } catch (IOException e) {
            throw refusal(definition, String.valueOf(e.getMessage()));
        }
        if (table == null) {
            return null;
        }
        String question = RecordedTable.question(definition.origin());
        if (!table.question().equals(question)) {
            throw refusal(
                    definition,
                    "the dump has the result of \"" + VisibleText.line(table.question())
                            + "\", but the query of the table is \"" + VisibleText.line(question) + "\"",
                    "take the dump with this policy, or pass the values: --table " + definition.name() + "=FILE");
        }
        String where = "the dump's " + RecordedTable.KIND + " " + table.name();
        return new Text(table.values().toString(), table.name() + ".json", where, table.ages());
    }

    private static Text of(Path file, TableDefinition definition) throws TableException {
        try {
            return new Text(InputFiles.text(file), file.toString(), file.toString());
        } catch (InputException e) {
            throw refusal(definition, String.valueOf(e.getMessage()));
        }
    }

    /** The text of a table for self-contained policies. */
    static @Nullable Text refuse(TableDefinition definition) throws TableException {
        if (definition.origin() instanceof TableOrigin.Inline) {
            return null;
        }
        throw refusal(definition, definition.origin().text() + " is not read here", "write its values into the policy");
    }

    private static TableException refusal(TableDefinition definition, String message) {
        return refusal(definition, message, "or give its values: --table " + definition.name() + "=FILE");
    }

    private static TableException refusal(TableDefinition definition, String message, String hint) {
        TableDefinition.Place place = definition.place();
        return new TableException(
                definition.name(), message, hint, place.file(), new SourcePosition(place.line(), place.column()));
    }

    /** The path of a file: relative to the file that has the table. */
    public static Path path(TableDefinition definition, TableOrigin.File file) {
        return Path.of(definition.place().file()).resolveSibling(file.path());
    }

    /** Recorded tables of a dump. */
    @FunctionalInterface
    public interface RecordedTables {
        /** Without a dump. */
        RecordedTables NONE = name -> null;

        /**
         * The first table of a name; null if there is none.
         *
         * @throws IOException if it is invalid; the message is for users
         */
        @Nullable
        RecordedTable table(String name) throws IOException;

        /** The recorded tables of the files of a dump, which are read on demand. */
        static RecordedTables ofDump(List<Path> files) {
            Supplier<List<JsonNode>> objects = DumpObjects.ofKind(files, RecordedTable.KIND);
            return name -> {
                for (JsonNode object : objects.get()) {
                    if (object.path("metadata").path("name").asText().equals(name)) {
                        try {
                            return RecordedTable.of(object);
                        } catch (IOException e) {
                            throw new IOException(
                                    "the dump's " + RecordedTable.KIND + " " + name + " " + e.getMessage(), e);
                        }
                    }
                }
                return null;
            };
        }
    }
}
