package io.policyscheduler.framework.insight.migrate.yaml;

import java.util.ArrayList;
import java.util.List;

/** A list of a YAML document, built up in place. */
public final class YamlList implements YamlNode {
    /** An element and where it comes from; the remark is empty for none, and not written for maps of several lines. */
    record Item(YamlNode value, String remark) {}

    private final List<Item> items = new ArrayList<>();

    public YamlList add(YamlNode value) {
        return add(value, "");
    }

    public YamlList add(YamlNode value, String remark) {
        items.add(new Item(value, remark));
        return this;
    }

    public YamlList add(Object scalar, String remark) {
        return add(new YamlScalar(scalar), remark);
    }

    List<Item> items() {
        return items;
    }

    public boolean isEmpty() {
        return items.isEmpty();
    }
}
