package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.net.InetAddresses;
import com.google.common.primitives.Ints;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A KubeSchedulerConfiguration of any version, defaults filled in; not yet validated.
 *
 * @param file name of the file, for messages
 * @param document the content of the file without unknown keys, with the defaults of the plugin arguments that it contains
 * @param release the release whose semantics apply, by default the newest
 * @param profiles at least one; {@code v1alpha1} has exactly one
 * @param algorithmSource {@code v1alpha1} only, else null
 * @param percentageOfNodesToScore 0 to 100; null if not set, which means 0, adaptive
 * @param healthzBindAddress host and port; null from {@code v1beta3} on
 * @param metricsBindAddress host and port; null from {@code v1beta3} on
 * @param given the values of {@link Settings} that the file sets, by field path and in the syntax of flags
 * @param positions the position of each field in the file
 * @param warnings accepted content that is probably a mistake
 */
public record SchedulerConfiguration(
        String file,
        ObjectNode document,
        ConfigVersion version,
        Release release,
        List<ProfileConfiguration> profiles,
        @Nullable AlgorithmSource algorithmSource,
        @Nullable Integer percentageOfNodesToScore,
        LeaderElectionSettings leaderElection,
        List<ExtenderConfig> extenders,
        @Nullable String healthzBindAddress,
        @Nullable String metricsBindAddress,
        Map<String, String> given,
        FieldPositions positions,
        List<Warning> warnings) {

    public SchedulerConfiguration {
        document = document.deepCopy();
        profiles = ImmutableList.copyOf(profiles);
        extenders = ImmutableList.copyOf(extenders);
        given = ImmutableMap.copyOf(given);
        warnings = ImmutableList.copyOf(warnings);
    }

    /** The value of a setting in the file, or the default of its version; missing if there is neither. */
    public JsonNode value(Setting setting) {
        return setting.value(document, version);
    }

    /** The percentage for a profile: its own, else the global one, else 0. */
    public int percentageOfNodesToScore(ProfileConfiguration profile) {
        if (profile.percentageOfNodesToScore() != null) {
            return profile.percentageOfNodesToScore();
        }
        return percentageOfNodesToScore == null ? 0 : percentageOfNodesToScore;
    }

    /**
     * The arguments that a plugin of a profile is created with. From {@code v1alpha2} on, the resources that extenders declare as
     * ignored replace those of NodeResourcesFit.
     */
    public Optional<PluginArguments> argumentsOf(ProfileConfiguration profile, String plugin) {
        Optional<PluginArguments> arguments = profile.argumentsOf(plugin);
        ArrayNode ignored = JsonNodeFactory.instance.arrayNode();
        ignoredByScheduler().forEach(ignored::add);
        boolean replace = version.atLeast(ConfigVersion.V1ALPHA2)
                && plugin.equals(PluginNames.NODE_RESOURCES_FIT)
                && !ignored.isEmpty();
        return replace ? arguments.map(given -> given.with("ignoredResources", ignored)) : arguments;
    }

    /** Names of the resources that only extenders check. */
    List<String> ignoredByScheduler() {
        return extenders.stream()
                .flatMap(extender -> extender.managedResources().stream())
                .filter(ManagedResource::ignoredByScheduler)
                .map(ManagedResource::name)
                .toList();
    }

    /** Where a {@code v1alpha1} configuration takes predicates and priorities from. Mirrors {@code SchedulerAlgorithmSource}. */
    public sealed interface AlgorithmSource {
        /** A registered set such as {@code DefaultProvider}. */
        record Provider(String name) implements AlgorithmSource {}

        /**
         * A Policy file.
         *
         * @param path as in the configuration; empty if not set
         */
        record PolicyFile(String path) implements AlgorithmSource {}

        /** A Policy under the key {@code policy.cfg} of a ConfigMap. */
        record PolicyConfigMap(String namespace, String name) implements AlgorithmSource {}

        /** {@code policy: {}}, which v1.17 treats as a Policy without any entry. */
        record EmptyPolicy() implements AlgorithmSource {}
    }

    /**
     * Leader election between replicas.
     *
     * @param leaderElect whether leader election is enabled
     * @param leaseDuration how long other replicas wait before they acquire a lease that is not renewed
     * @param renewDeadline how long the leader retries to renew before it stops leading
     * @param retryPeriod wait between two attempts
     * @param resourceLock {@code leases}; old versions also {@code endpoints}, {@code configmaps}, {@code endpointsleases} and
     *     {@code configmapsleases}
     */
    public record LeaderElectionSettings(
            boolean leaderElect,
            Duration leaseDuration,
            Duration renewDeadline,
            Duration retryPeriod,
            String resourceLock,
            String resourceNamespace,
            String resourceName) {}

    /**
     * Arguments of a plugin.
     *
     * @param name the plugin
     * @param position in the file, unknown for a default
     */
    public record PluginArguments(String name, JsonNode args, SourcePosition position) {
        public PluginArguments {
            args = args.deepCopy();
        }

        /** The arguments with the defaults of their version filled in, a copy; null if the file gives null. */
        @Override
        public JsonNode args() {
            return args.deepCopy();
        }

        /** Whether the file sets them. */
        public boolean given() {
            return position.known();
        }

        PluginArguments with(String field, JsonNode value) {
            JsonNode changed = args();
            if (changed instanceof ObjectNode object) {
                object.set(field, value);
            }
            return new PluginArguments(name, changed, position);
        }
    }

    /**
     * One profile: a way of scheduling that pods choose by name.
     *
     * @param schedulerName pods with this {@code spec.schedulerName}; empty if not set, which is invalid
     * @param percentageOfNodesToScore 0 to 100, 0 adapts to the cluster; null to use the global value
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

        /** The arguments of a plugin; the last of several entries, as in v1.17. */
        public Optional<PluginArguments> argumentsOf(String plugin) {
            return arguments.stream()
                    .filter(entry -> entry.name().equals(plugin))
                    .reduce((first, second) -> second);
        }
    }

    /** Addresses to serve on, with the defaults and error texts of the versions that had them. */
    public static final class BindAddress {
        /** The port for plain HTTP of kube-scheduler. */
        public static final int DEFAULT_PORT = 10_251;

        public static final String DEFAULT = "0.0.0.0:" + DEFAULT_PORT;
        private static final int MAX_PORT = 65535;

        private BindAddress() {}

        /** Host and port of a text, null if it is not of the form {@code host:port}. */
        private record HostPort(String host, String port) {
            static @Nullable HostPort split(String text) {
                int colon = text.lastIndexOf(':');
                if (colon < 0) {
                    return null;
                }
                String host = text.substring(0, colon);
                boolean bracketed = host.startsWith("[") && host.endsWith("]");
                String inner = bracketed ? host.substring(1, host.length() - 1) : host;
                if (inner.contains("[") || inner.contains("]") || (!bracketed && inner.contains(":"))) {
                    return null;
                }
                return new HostPort(inner, text.substring(colon + 1));
            }
        }

        /**
         * Completes an address: a port alone listens on all addresses, and an IP address alone gets the default port. Null if the text
         * is neither.
         */
        public static @Nullable String complete(String text) {
            HostPort address = HostPort.split(text);
            if (address != null) {
                return join(address.host().isEmpty() ? "0.0.0.0" : address.host(), address.port());
            }
            return InetAddresses.isInetAddress(text) ? join(text, String.valueOf(DEFAULT_PORT)) : null;
        }

        private static String join(String host, String port) {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }

        /** The problems of an address, empty if it is valid. */
        public static List<String> problems(String text) {
            HostPort address = HostPort.split(text);
            if (address == null) {
                return List.of("must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)");
            }
            List<String> problems = new ArrayList<>();
            Integer port = Ints.tryParse(address.port());
            if (port == null || port < 1 || port > MAX_PORT) {
                problems.add("must be between 1 and 65535, inclusive");
            }
            if (!InetAddresses.isInetAddress(address.host())) {
                problems.add("must be a valid IP address, (e.g. 10.9.8.7)");
            }
            return problems;
        }
    }
}
