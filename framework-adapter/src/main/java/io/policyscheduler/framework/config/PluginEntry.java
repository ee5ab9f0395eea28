package io.policyscheduler.framework.config;

import io.policyscheduler.engine.document.SourcePosition;

/**
 * A plugin in an {@code enabled} list.
 *
 * @param weight factor of its score, 0 if the entry does not say it
 * @param position where in the file, unknown for a default
 */
public record PluginEntry(String name, int weight, SourcePosition position) {
    /** A default without weight. */
    static PluginEntry of(String name) {
        return of(name, 0);
    }

    /** A default. */
    static PluginEntry of(String name, int weight) {
        return new PluginEntry(name, weight, SourcePosition.UNKNOWN);
    }
}
