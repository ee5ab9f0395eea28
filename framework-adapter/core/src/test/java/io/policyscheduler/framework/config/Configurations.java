package io.policyscheduler.framework.config;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reads configurations of tests. */
final class Configurations {
    private Configurations() {}

    static String head(ConfigVersion version) {
        return "apiVersion: " + version.apiVersion() + "\nkind: KubeSchedulerConfiguration\n";
    }

    static SchedulerConfiguration read(ConfigVersion version, String body) throws ConfigurationException {
        return new ConfigurationReader(Release.V1_34).read(head(version) + body, "c.yaml");
    }

    /** Reads, validates and expands the first profile. */
    static EffectivePlugins expand(ConfigVersion version, PluginIndex index, String body)
            throws ConfigurationException {
        SchedulerConfiguration configuration = read(version, body);
        new ConfigurationValidator().check(configuration);
        return new PluginExpansion(index)
                .expand(configuration, configuration.profiles().get(0));
    }

    /** Returns the extension points that have plugins, with score weights as {@code Name=weight}. */
    static Map<ExtensionPoint, List<String>> used(EffectivePlugins plugins) {
        Map<ExtensionPoint, List<String>> used = new EnumMap<>(ExtensionPoint.class);
        plugins.points().forEach((point, names) -> {
            if (!names.isEmpty()) {
                used.put(
                        point,
                        point != ExtensionPoint.SCORE
                                ? names
                                : names.stream()
                                        .map(name -> name + "="
                                                + plugins.scoreWeights().get(name))
                                        .toList());
            }
        });
        return used;
    }

    static List<String> lines(ConfigurationException e) {
        return e.problems().stream().map(Problem::line).toList();
    }
}
