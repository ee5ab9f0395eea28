package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.selector.Labels;
import org.jspecify.annotations.Nullable;

/**
 * What a rule may ask about labels, annotations and node selectors. Moved like the view that it belongs to. Public only because
 * MVEL calls it.
 */
public final class LabelsView {
    private Labels labels = Labels.EMPTY;

    LabelsView() {}

    LabelsView move(Labels to) {
        labels = to;
        return this;
    }

    public @Nullable String get(String key) {
        return labels.get(key);
    }

    public String getOrDefault(String key, String otherwise) {
        String value = labels.get(key);
        return value == null ? otherwise : value;
    }

    public boolean containsKey(String key) {
        return labels.has(key);
    }

    public double size() {
        return labels.size();
    }

    public boolean isEmpty() {
        return labels.isEmpty();
    }
}
