package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.world.RecordedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tables as they were measured when a dump was taken. */
@FunctionalInterface
public interface RecordedTables {
    /** Where there is no dump. */
    RecordedTables NONE = name -> null;

    /**
     * The first one of a name; null when there is none.
     *
     * @throws IOException when it cannot be understood; the message says why, for users
     */
    @Nullable
    RecordedTable table(String name) throws IOException;

    /** Those of the files of a dump, which are looked at when one is asked for. */
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
