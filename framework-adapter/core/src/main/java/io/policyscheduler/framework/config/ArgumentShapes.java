package io.policyscheduler.framework.config;

import static io.policyscheduler.engine.document.ShapeDecoder.Shape.field;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.list;
import static io.policyscheduler.engine.document.ShapeDecoder.Shape.object;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The typed plugin arguments of each version. {@code v1alpha1} has none: there, each plugin parses its own arguments. */
final class ArgumentShapes {
    private final ConfigVersion version;
    private final Map<String, Shape> shapes;

    private ArgumentShapes(ConfigVersion version, Map<String, Shape> shapes) {
        this.version = version;
        this.shapes = ImmutableMap.copyOf(shapes);
    }

    static ArgumentShapes of(ConfigVersion version, Release release) {
        ImmutableMap.Builder<String, Shape> shapes = ImmutableMap.builder();
        if (version.atLeast(ConfigVersion.V1ALPHA2)) {
            common(version, shapes);
            if (!version.atLeast(ConfigVersion.V1BETA2)) {
                removedLater(shapes);
            }
        }
        if (version.atLeast(ConfigVersion.V1BETA1)) {
            sinceV1beta1(shapes);
        }
        if (version.atLeast(ConfigVersion.V1) && SchedulerChange.DEVICE_ARGUMENTS.in(release)) {
            List<Shape.Field> devices = new ArrayList<>();
            devices.add(field("filterTimeout", Shape.DURATION));
            if (SchedulerChange.BINDING_TIMEOUT.in(release)) {
                devices.add(field("bindingTimeout", Shape.DURATION));
            }
            shapes.put(
                    PluginNames.DYNAMIC_RESOURCES, args("DynamicResourcesArgs", devices.toArray(Shape.Field[]::new)));
        }
        return new ArgumentShapes(version, shapes.buildOrThrow());
    }

    /** The shape of a plugin's arguments, null if the plugin has none or is not in-tree. */
    @Nullable
    Shape of(String plugin) {
        return shapes.get(plugin);
    }

    /** Whether a plugin has typed arguments. */
    boolean has(String plugin) {
        return shapes.containsKey(plugin);
    }

    String apiVersion() {
        return version.apiVersion();
    }

    private static void common(ConfigVersion version, ImmutableMap.Builder<String, Shape> shapes) {
        List<Shape.Field> fit = new ArrayList<>();
        fit.add(field("ignoredResources", list(Shape.STRING)));
        List<Shape.Field> affinity = new ArrayList<>();
        affinity.add(field("hardPodAffinityWeight", Shape.INT32));
        List<Shape.Field> spread = new ArrayList<>();
        spread.add(field("defaultConstraints", list(spreadConstraint())));
        List<Shape.Field> volumes = new ArrayList<>();
        volumes.add(field("bindTimeoutSeconds", Shape.INT64));
        if (version.atLeast(ConfigVersion.V1BETA1)) {
            fit.add(field("ignoredResourceGroups", list(Shape.STRING)));
            fit.add(field("scoringStrategy", scoringStrategy()));
            spread.add(field("defaultingType", Shape.STRING));
        }
        if (version.atLeast(ConfigVersion.V1BETA2)) {
            affinity.add(field("ignorePreferredTermsOfExistingPods", Shape.BOOL));
            volumes.add(field("shape", list(shapePoint())));
        }
        shapes.put(PluginNames.NODE_RESOURCES_FIT, args("NodeResourcesFitArgs", fit));
        shapes.put(PluginNames.INTER_POD_AFFINITY, args("InterPodAffinityArgs", affinity));
        shapes.put(PluginNames.POD_TOPOLOGY_SPREAD, args("PodTopologySpreadArgs", spread));
        shapes.put(PluginNames.VOLUME_BINDING, args("VolumeBindingArgs", volumes));
    }

    private static void removedLater(ImmutableMap.Builder<String, Shape> shapes) {
        Shape strings = list(Shape.STRING);
        shapes.put(
                PluginNames.NODE_LABEL,
                args(
                        "NodeLabelArgs",
                        field("presentLabels", strings),
                        field("absentLabels", strings),
                        field("presentLabelsPreference", strings),
                        field("absentLabelsPreference", strings)));
        shapes.put(
                PluginNames.SERVICE_AFFINITY,
                args(
                        "ServiceAffinityArgs",
                        field("affinityLabels", strings),
                        field("antiAffinityLabelsPreference", strings)));
        shapes.put(
                PluginNames.REQUESTED_TO_CAPACITY_RATIO,
                args(
                        "RequestedToCapacityRatioArgs",
                        field("shape", list(shapePoint())),
                        field("resources", list(resource()))));
        shapes.put(
                PluginNames.NODE_RESOURCES_LEAST,
                args("NodeResourcesLeastAllocatedArgs", field("resources", list(resource()))));
        shapes.put(
                PluginNames.NODE_RESOURCES_MOST,
                args("NodeResourcesMostAllocatedArgs", field("resources", list(resource()))));
    }

    private static void sinceV1beta1(ImmutableMap.Builder<String, Shape> shapes) {
        shapes.put(
                PluginNames.DEFAULT_PREEMPTION,
                args(
                        "DefaultPreemptionArgs",
                        field("minCandidateNodesPercentage", Shape.INT32),
                        field("minCandidateNodesAbsolute", Shape.INT32)));
        shapes.put(PluginNames.NODE_AFFINITY, args("NodeAffinityArgs", field("addedAffinity", nodeAffinity())));
        shapes.put(
                PluginNames.NODE_RESOURCES_BALANCED,
                args("NodeResourcesBalancedAllocationArgs", field("resources", list(resource()))));
    }

    private static Shape args(String goType, Shape.Field... fields) {
        return args(goType, List.of(fields));
    }

    private static Shape args(String goType, List<Shape.Field> fields) {
        List<Shape.Field> all = new ArrayList<>();
        all.add(field("kind", Shape.STRING));
        all.add(field("apiVersion", Shape.STRING));
        all.addAll(fields);
        return object(goType, all);
    }

    private static Shape resource() {
        return object("ResourceSpec", field("name", Shape.STRING), field("weight", Shape.INT64));
    }

    private static Shape shapePoint() {
        return object("UtilizationShapePoint", field("utilization", Shape.INT32), field("score", Shape.INT32));
    }

    private static Shape scoringStrategy() {
        Shape ratio = object("RequestedToCapacityRatioParam", field("shape", list(shapePoint())));
        return object(
                "ScoringStrategy",
                field("type", Shape.STRING),
                field("resources", list(resource())),
                field("requestedToCapacityRatio", ratio));
    }

    private static Shape spreadConstraint() {
        return object(
                "TopologySpreadConstraint",
                field("maxSkew", Shape.INT32),
                field("topologyKey", Shape.STRING),
                field("whenUnsatisfiable", Shape.STRING),
                field("labelSelector", Shape.ANY),
                field("minDomains", Shape.INT32),
                field("nodeAffinityPolicy", Shape.STRING),
                field("nodeTaintsPolicy", Shape.STRING),
                field("matchLabelKeys", list(Shape.STRING)));
    }

    private static Shape nodeAffinity() {
        Shape requirement = object(
                "NodeSelectorRequirement",
                field("key", Shape.STRING),
                field("operator", Shape.STRING),
                field("values", list(Shape.STRING)));
        Shape term = object(
                "NodeSelectorTerm",
                field("matchExpressions", list(requirement)),
                field("matchFields", list(requirement)));
        Shape selector = object("NodeSelector", field("nodeSelectorTerms", list(term)));
        Shape preferred = object("PreferredSchedulingTerm", field("weight", Shape.INT32), field("preference", term));
        return object(
                "NodeAffinity",
                field("requiredDuringSchedulingIgnoredDuringExecution", selector),
                field("preferredDuringSchedulingIgnoredDuringExecution", list(preferred)));
    }
}
