package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One profile: a way of scheduling that pods choose by name.
 *
 * @param schedulerName pods with this {@code spec.schedulerName}; empty if the file does not say it, which is invalid
 * @param percentageOfNodesToScore 0 to 100, 0 adapts to the cluster; null if only the global value counts
 * @param plugins the file's plugins merged with the defaults of its version; in {@code v1alpha1} the file's alone
 * @param arguments the file's entries in order, then the defaults of the enabled plugins that have none
 */
public record ProfileConfiguration(
        String schedulerName,
        @Nullable Integer percentageOfNodesToScore,
        ProfilePlugins plugins,
        List<PluginArguments> arguments) {

    public ProfileConfiguration {
        arguments = ImmutableList.copyOf(arguments);
    }

    /** The arguments of a plugin; of several entries the last, as v1.17 takes them. */
    public Optional<PluginArguments> argumentsOf(String plugin) {
        return arguments.stream().filter(entry -> entry.name().equals(plugin)).reduce((first, second) -> second);
    }
}
