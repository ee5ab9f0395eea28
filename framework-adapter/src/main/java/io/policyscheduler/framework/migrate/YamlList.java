package io.policyscheduler.framework.migrate;

import java.util.ArrayList;
import java.util.List;

/** A list of a YAML document, built up in place. */
final class YamlList implements YamlNode {
    /** An element and where it comes from; the remark is empty for none, and not written for maps of several lines. */
    record Item(YamlNode value, String remark) {}

    private final List<Item> items = new ArrayList<>();

    YamlList add(YamlNode value) {
        return add(value, "");
    }

    YamlList add(YamlNode value, String remark) {
        items.add(new Item(value, remark));
        return this;
    }

    YamlList add(Object scalar, String remark) {
        return add(new YamlScalar(scalar), remark);
    }

    List<Item> items() {
        return items;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }
}
