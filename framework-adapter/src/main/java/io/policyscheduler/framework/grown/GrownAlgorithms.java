package io.policyscheduler.framework.grown;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.PluginFactory;
import java.util.Map;
import java.util.function.Function;

/**
 * What became of the algorithms of v1.17, release by release, and the predicates that came later. A policy that lists an
 * algorithm gets the form that belongs to its cluster, so that it decides about everything that a pod of that cluster can say.
 */
public final class GrownAlgorithms {
    /** Topology spreading, pod overhead and a free choice of volumes by name came then. */
    private static final Release FIRST = new Release(18);
    /** From here on the volumes of the big clouds count as volumes of their CSI drivers. */
    private static final Release CSI_ONLY = new Release(25);

    private static final Map<String, PluginFactory> PLUGINS = ModernPlugins.factories();

    private GrownAlgorithms() {}

    /** Adds them all to a registry that has the algorithms of v1.17. */
    public static void register(AlgorithmRegistry.Builder registry) {
        // Devices do not satisfy extended resources here: only profiles of plugins create the claims for them.
        registry.grownPredicate(
                "PodFitsResources",
                FIRST,
                (first, config) -> new GrownPredicate(
                        "PodFitsResources",
                        Scope.NODE,
                        new GrownPlugin(plugin("NodeResourcesFit"), ignoredResources(config), Release.V1_34)));
        grow(registry, "PodFitsHostPorts", Scope.NODE, "NodePorts");
        grow(registry, "PodFitsPorts", Scope.NODE, "NodePorts");
        grow(registry, "MatchNodeSelector", Scope.NODE, "NodeAffinity");
        grow(registry, "NoDiskConflict", Scope.CLUSTER, "VolumeRestrictions");
        grow(registry, "CheckVolumeBinding", Scope.CLUSTER, "VolumeBinding");
        grow(registry, "NoVolumeZoneConflict", Scope.CLUSTER, "VolumeZone");
        grow(
                registry,
                KnownAlgorithms.EVEN_PODS_SPREAD,
                Scope.CLUSTER,
                "PodTopologySpread",
                config -> ownConstraints());
        limits(registry, "MaxCSIVolumeCountPred", ModernPlugins.volumeLimits());
        limits(registry, "MaxEBSVolumeCount", ModernPlugins.volumeLimits("ebs.csi.aws.com"));
        limits(registry, "MaxGCEPDVolumeCount", ModernPlugins.volumeLimits("pd.csi.storage.gke.io"));
        limits(registry, "MaxAzureDiskVolumeCount", ModernPlugins.volumeLimits("disk.csi.azure.com"));
        limits(registry, "MaxCinderVolumeCount", ModernPlugins.volumeLimits("cinder.csi.openstack.org"));
        registry.predicate(
                KnownAlgorithms.DYNAMIC_RESOURCES,
                config -> new GrownPredicate(
                        KnownAlgorithms.DYNAMIC_RESOURCES,
                        Scope.CLUSTER,
                        new GrownPlugin(
                                plugin(KnownAlgorithms.DYNAMIC_RESOURCES),
                                noArguments(),
                                config.gates().release())));
        registry.predicate(
                KnownAlgorithms.NODE_DECLARED_FEATURES,
                config -> new GrownPredicate(
                        KnownAlgorithms.NODE_DECLARED_FEATURES,
                        Scope.NODE,
                        new GrownPlugin(
                                plugin(KnownAlgorithms.NODE_DECLARED_FEATURES),
                                noArguments(),
                                config.gates().release())));
        registry.predicate(
                KnownAlgorithms.NO_RESOURCE_CLAIMS,
                config -> new GrownPredicate(
                        KnownAlgorithms.DYNAMIC_RESOURCES,
                        Scope.CLUSTER,
                        new GrownPlugin(handle -> new NoResourceClaims(), noArguments())));
        registry.grownPriority(
                        KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, FIRST, (first, config) -> spread(first.name()))
                .grownPriority("SelectorSpreadPriority", FIRST, GrownAlgorithms::alsoByConstraints)
                .grownPriority(KnownAlgorithms.SERVICE_SPREADING_PRIORITY, FIRST, GrownAlgorithms::alsoByConstraints);
    }

    private static void grow(AlgorithmRegistry.Builder registry, String name, Scope scope, String plugin) {
        grow(registry, name, scope, plugin, config -> noArguments());
    }

    private static void grow(
            AlgorithmRegistry.Builder registry,
            String name,
            Scope scope,
            String plugin,
            Function<AlgorithmConfig, JsonNode> args) {
        registry.grownPredicate(
                name,
                FIRST,
                (first, config) ->
                        new GrownPredicate(name, scope, new GrownPlugin(plugin(plugin), args.apply(config))));
    }

    private static void limits(AlgorithmRegistry.Builder registry, String name, PluginFactory factory) {
        registry.grownPredicate(
                name,
                CSI_ONLY,
                (first, config) -> new GrownPredicate(name, Scope.CLUSTER, new GrownPlugin(factory, noArguments())));
    }

    private static PluginFactory plugin(String name) {
        PluginFactory factory = PLUGINS.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no plugin named " + name);
        }
        return factory;
    }

    /** Where the policy has a priority for constraints, that one looks at them, and this one stays as it is. */
    private static Priority alsoByConstraints(Priority first, AlgorithmConfig config) {
        return config.companions().contains(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY)
                ? first
                : new GrownSpread(first, spread(first.name()));
    }

    private static Priority spread(String name) {
        return new GrownScore(name, new GrownPlugin(plugin("PodTopologySpread"), ownConstraints()));
    }

    private static JsonNode noArguments() {
        return JsonNodeFactory.instance.missingNode();
    }

    /** Without the constraints that today's defaults give to pods that have none: that is another priority's business. */
    private static JsonNode ownConstraints() {
        ObjectNode args = JsonNodeFactory.instance.objectNode();
        args.put("defaultingType", "List");
        return args;
    }

    private static JsonNode ignoredResources(AlgorithmConfig config) {
        ObjectNode args = JsonNodeFactory.instance.objectNode();
        config.ignoredResources().stream().sorted().forEach(args.putArray("ignoredResources")::add);
        return args;
    }
}
