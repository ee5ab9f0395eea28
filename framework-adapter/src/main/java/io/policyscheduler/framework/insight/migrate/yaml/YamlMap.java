package io.policyscheduler.framework.insight.migrate.yaml;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of a YAML document in the order of its keys, built up in place. */
public final class YamlMap implements YamlNode {
    /** A value and where it comes from; the remark is empty for none. */
    public record Entry(YamlNode value, String remark) {}

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final boolean flow;

    private YamlMap(boolean flow) {
        this.flow = flow;
    }

    /** A map with a line for each key. */
    public static YamlMap block() {
        return new YamlMap(false);
    }

    /** A map in one line, of scalars. */
    public static YamlMap flow() {
        return new YamlMap(true);
    }

    public YamlMap put(String key, YamlNode value) {
        return put(key, value, "");
    }

    public YamlMap put(String key, YamlNode value, String remark) {
        entries.put(key, new Entry(value, remark));
        return this;
    }

    public YamlMap put(String key, Object scalar) {
        return put(key, new YamlScalar(scalar), "");
    }

    public YamlMap put(String key, Object scalar, String remark) {
        return put(key, new YamlScalar(scalar), remark);
    }

    public Map<String, Entry> entries() {
        return entries;
    }

    boolean isFlow() {
        return flow;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }
}
