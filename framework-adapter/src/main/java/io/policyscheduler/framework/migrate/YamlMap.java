package io.policyscheduler.framework.migrate;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of a YAML document in the order of its keys, built up in place. */
final class YamlMap implements YamlNode {
    /** A value and where it comes from; the remark is empty for none. */
    record Entry(YamlNode value, String remark) {}

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final boolean flow;

    private YamlMap(boolean flow) {
        this.flow = flow;
    }

    /** A map with a line for each key. */
    static YamlMap block() {
        return new YamlMap(false);
    }

    /** A map in one line, of scalars. */
    static YamlMap flow() {
        return new YamlMap(true);
    }

    YamlMap put(String key, YamlNode value) {
        return put(key, value, "");
    }

    YamlMap put(String key, YamlNode value, String remark) {
        entries.put(key, new Entry(value, remark));
        return this;
    }

    YamlMap put(String key, Object scalar) {
        return put(key, new YamlScalar(scalar), "");
    }

    YamlMap put(String key, Object scalar, String remark) {
        return put(key, new YamlScalar(scalar), remark);
    }

    Map<String, Entry> entries() {
        return entries;
    }

    boolean isFlow() {
        return flow;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }
}
