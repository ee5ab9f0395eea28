package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.sources.ConfigMapEntries;
import io.policyscheduler.cmd.sources.ConfigMapName;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.TableRecorder;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Tables as objects of a dump: what is measured as it is now, and of ConfigMaps the entries that tables name and no others. */
final class DumpedTables {
    private final TableRecorder recorder;
    private final ConfigMapEntries entries;
    private final Consumer<String> warnings;
    private final List<ObjectNode> recorded = new ArrayList<>();
    private final Map<String, ObjectNode> configMaps = new TreeMap<>();
    private boolean complete = true;

    /**
     * @param clock by which measured values age
     * @param warnings is told of tables that cannot be had
     */
    DumpedTables(KubeConnection connection, InstantSource clock, Consumer<String> warnings) {
        this.recorder = new TableRecorder(connection, clock);
        this.entries = ConfigMapEntries.of(connection);
        this.warnings = warnings;
    }

    /** Takes those that are neither in the policy itself nor in a file beside it. */
    void take(Collection<TableDefinition> tables) {
        for (TableDefinition table : tables) {
            try {
                if (table.origin().isMeasured()) {
                    recorded.add(recorder.record(table).object());
                } else if (table.origin() instanceof TableOrigin.ConfigMap map) {
                    ConfigMapName name = new ConfigMapName(map.namespace(), map.name());
                    String text = entries.entry(name, map.key());
                    configMap(name).withObject("/data").put(map.key(), text);
                }
            } catch (MeasureException | IOException e) {
                complete = false;
                warnings.accept("W156 table " + table.name() + " not dumped: no values from "
                        + table.origin().text() + ": " + e.getMessage());
            }
        }
    }

    private ObjectNode configMap(ConfigMapName name) {
        return configMaps.computeIfAbsent(name.toString(), key -> {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            object.put("apiVersion", "v1").put("kind", "ConfigMap");
            object.putObject("metadata").put("namespace", name.namespace()).put("name", name.name());
            return object;
        });
    }

    /** Whether all that was wanted could be had. */
    boolean isComplete() {
        return complete;
    }

    /** All that was had. */
    List<ObjectNode> objects() {
        List<ObjectNode> objects = new ArrayList<>(recorded);
        objects.addAll(configMaps.values());
        return objects;
    }
}
