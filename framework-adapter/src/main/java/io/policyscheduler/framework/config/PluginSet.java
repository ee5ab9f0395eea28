package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The plugins that a profile turns on and off at one extension point, or at all of them (multiPoint).
 *
 * @param enabled in the order in which they run
 * @param disabled names, or {@code *} for all
 */
public record PluginSet(List<PluginEntry> enabled, List<String> disabled) {
    /** Nothing on, nothing off. */
    public static final PluginSet EMPTY = new PluginSet(List.of(), List.of());

    /** Stands for every plugin in a {@code disabled} list. */
    public static final String ALL = "*";

    public PluginSet {
        enabled = ImmutableList.copyOf(enabled);
        disabled = ImmutableList.copyOf(disabled);
    }

    static PluginSet of(String... names) {
        return new PluginSet(List.of(names).stream().map(PluginEntry::of).toList(), List.of());
    }

    /** Whether everything is turned off that is not in {@link #enabled}. */
    public boolean disablesAll() {
        return disabled.contains(ALL);
    }

    /** Whether a plugin of this name is turned on here. */
    public boolean enables(String name) {
        return enabled.stream().anyMatch(entry -> entry.name().equals(name));
    }

    /** Names turned on, in order. */
    public List<String> names() {
        return enabled.stream().map(PluginEntry::name).toList();
    }
}
