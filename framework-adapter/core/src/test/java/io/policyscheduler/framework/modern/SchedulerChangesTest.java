package io.policyscheduler.framework.modern;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.modern.NodeResourcesFit.NodeResourcesAllocation;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.profile.ReleaseRules.Waking;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.QueueingHintMap;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of a plugin: a snapshot for which the release with the change and the one before it give different results. */
class SchedulerChangesTest {
    private static final String SKEWED = "node(s) didn't match pod topology spread constraints";
    private static final String BOUND_CLAIM =
            "{metadata: {namespace: default, name: 'c', annotations: {'pv.kubernetes.io/bind-completed': 'yes'}},"
                    + " spec: {volumeName: 'v'}}";
    private static final String FREE_VOLUME =
            "{metadata: {name: 'v'}, spec: {storageClassName: 's', capacity: {storage: '1Gi'},"
                    + " volumeAttributesClassName: 'gold'}, status: {phase: 'Available'}}";
    private static final String SMALL = "{cpu: '1', memory: '1Gi'}";

    /** The result of a plugin in a release. */
    private record Row(SchedulerChange change, String before, String since, Function<PluginFixture, Object> answer) {}

    static List<Row> changes() {
        return List.of(
                new Row(
                        SchedulerChange.CURRENT_ZONE_LABELS,
                        "[ok]",
                        "[UU node(s) had no available volume zone]",
                        fixture -> zoned(fixture, "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "y")),
                new Row(
                        SchedulerChange.TRANSLATED_ZONE_LABELS,
                        "[UU node(s) had no available volume zone]",
                        "[ok]",
                        fixture -> zoned(
                                fixture, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", "x")),
                new Row(
                        SchedulerChange.ZONE_ERRORS_REJECT,
                        "[ERROR persistentvolume \"v\" not found]",
                        "[UU persistentvolume \"v\" not found]",
                        fixture -> fixture.node("a", "{'topology.kubernetes.io/zone': 'x'}")
                                .add("PersistentVolumeClaim", BOUND_CLAIM)
                                .filter(fixture.plugin(VolumeZone::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.FIRST_PODS_NEED_KEYS,
                        "[ok, ok]",
                        "[ok, UU node(s) didn't match pod affinity/anti-affinity, node(s) didn't match pod affinity rules]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .node("b", "{}")
                                .filter(
                                        fixture.plugin(InterPodAffinity::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{app: 'w'}",
                                                "{containers: [{}], affinity: {podAffinity:"
                                                        + " {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'zone',"
                                                        + " labelSelector: {matchLabels: {app: 'w'}}}]}}}"))),
                new Row(
                        SchedulerChange.MISSING_KEY_TEXT,
                        "[ok, U " + SKEWED + "]",
                        "[ok, UU " + SKEWED + " (missing required label)]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .node("b", "{}")
                                .filter(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        spread(fixture, hard("zone", 1, "{matchLabels: {app: 'w'}}")))),
                new Row(
                        SchedulerChange.WEIGHTED_SPREADING,
                        "[33, 66, 100]",
                        "[40, 80, 100]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .node("b", "{zone: 'y'}")
                                .node("c", "{zone: 'z'}")
                                .placed("one", "{app: 'w'}", "a", "{}")
                                .placed("two", "{app: 'w'}", "a", "{}")
                                .placed("three", "{app: 'w'}", "b", "{}")
                                .scores(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        spread(
                                                fixture,
                                                hard("zone", 3, "{matchLabels: {app: 'w'}}")
                                                        .replace("DoNotSchedule", "ScheduleAnyway")))),
                new Row(
                        SchedulerChange.WHOLE_DOMAINS,
                        "[ok, U " + SKEWED + ", ok]",
                        "[U " + SKEWED + ", U " + SKEWED + ", ok]",
                        SchedulerChangesTest::halfOfADomain),
                new Row(
                        SchedulerChange.MISSING_DOMAINS_REJECT,
                        "[ok]",
                        "[UU " + SKEWED + " (missing required label)]",
                        fixture -> fixture.node("a", "{}")
                                .filter(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        spread(fixture, hard("zone", 1, "{matchLabels: {app: 'w'}}")))),
                new Row(
                        SchedulerChange.MISSING_VOLUMES_REJECT,
                        "could not find v1.PersistentVolume \"v\"",
                        "[UU pvc(s) bound to non-existent pv(s)]",
                        fixture -> {
                            fixture.node("a", "{}").add("PersistentVolumeClaim", BOUND_CLAIM);
                            try {
                                return fixture.filter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture));
                            } catch (PluginException e) {
                                return String.valueOf(e.getMessage());
                            }
                        }),
                new Row(
                        SchedulerChange.PREFERRED_MATCH_FIELDS,
                        "[0, 0]",
                        "[100, 0]",
                        fixture -> fixture.node("a", "{}")
                                .node("b", "{}")
                                .scores(
                                        fixture.plugin(NodeAffinity::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{}], affinity: {nodeAffinity:"
                                                        + " {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference:"
                                                        + " {matchFields: [{key: 'metadata.name', operator: 'In', values: ['a']}]}}]}}}"))),
                new Row(
                        SchedulerChange.NODE_NAME_TEXT,
                        "[UU node(s) didn't match the requested hostname]",
                        "[UU node(s) didn't match the requested node name]",
                        fixture -> {
                            fixture.node("a", "{}").newCycle();
                            return fixture.filterOnly(
                                    fixture.plugin(NodeName::new, "{}"),
                                    fixture.pod("p", "{}", "{nodeName: 'b', containers: [{}]}"));
                        }),
                new Row(
                        SchedulerChange.LOST_CLAIMS,
                        "[UU pvc(s) bound to non-existent pv(s)]",
                        "[UU persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\"]",
                        fixture -> fixture.node("a", "{}")
                                .add(
                                        "PersistentVolumeClaim",
                                        BOUND_CLAIM.substring(0, BOUND_CLAIM.length() - 1)
                                                + ", status: {phase: 'Lost'}}")
                                .filter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.LIMITS_NEED_CLAIMS,
                        "[ok]",
                        "[ERROR looking up PVC default/c: persistentvolumeclaim \"c\" not found]",
                        fixture -> fixture.node("a", "{}")
                                .add("CSINode", "{metadata: {name: 'a'}}")
                                .filter(fixture.plugin(NodeVolumeLimits::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.LIMITS_REJECT_WITHOUT_CLAIMS,
                        "[ERROR looking up PVC default/c: persistentvolumeclaim \"c\" not found]",
                        "[UU looking up PVC default/c: persistentvolumeclaim \"c\" not found]",
                        fixture -> fixture.node("a", "{}")
                                .add("CSINode", "{metadata: {name: 'a'}}")
                                .filter(fixture.plugin(NodeVolumeLimits::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.INLINE_VOLUMES_COUNT,
                        "[ok]",
                        "[U node(s) exceed max volume count]",
                        fixture -> migrated(fixture, "awsElasticBlockStore: {volumeID: 'v'}")),
                new Row(
                        SchedulerChange.ATTACHED_VOLUMES_COUNT,
                        "[ok]",
                        "[U node(s) exceed max volume count]",
                        fixture -> fixture.node("a", "{}")
                                .add(
                                        "CSINode",
                                        "{metadata: {name: 'a'}, spec: {drivers: [{name: 'd', allocatable: {count: 1}}]}}")
                                .add(
                                        "PersistentVolume",
                                        "{metadata: {name: 'w'}, spec: {csi: {driver: 'd', volumeHandle: 'w'}}}")
                                .add(
                                        "VolumeAttachment",
                                        "{metadata: {name: 'x'}, spec: {attacher: 'd', nodeName: 'a', source:"
                                                + " {persistentVolumeName: 'w'}}}")
                                .add(
                                        "PersistentVolume",
                                        "{metadata: {name: 'v'}, spec: {csi: {driver: 'd', volumeHandle: 'v'}}}")
                                .add("PersistentVolumeClaim", BOUND_CLAIM)
                                .filter(fixture.plugin(NodeVolumeLimits::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.ZERO_EXTENDED_RESOURCES,
                        "[U Insufficient example.com/gpu]",
                        "[ok]",
                        fixture -> fixture.node("a", "{}", "{'example.com/gpu': '1'}", "{}")
                                .placed(
                                        "big",
                                        "{}",
                                        "a",
                                        "{containers: [{resources: {requests: {'example.com/gpu': '2'}}}]}")
                                .filter(
                                        fixture.plugin(NodeResourcesFit::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{resources: {requests: {'example.com/gpu': '0'}}}]}"))),
                new Row(
                        SchedulerChange.CONFLICTS_OF_ALL_TERMS,
                        "UU pod affinity terms conflict",
                        "ok [a]",
                        fixture -> fixture.preFilter(
                                fixture.plugin(NodeAffinity::new, "{}"),
                                fixture.pod(
                                        "p",
                                        "{}",
                                        "{containers: [{}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                                                + " {nodeSelectorTerms: [{matchFields: [{key: 'metadata.name', operator: 'In',"
                                                + " values: ['a']}]}, {matchFields: [{key: 'metadata.name', operator: 'In', values:"
                                                + " ['a']}, {key: 'metadata.name', operator: 'In', values: ['b']}]}]}}}}"))),
                new Row(SchedulerChange.LOCAL_VOLUMES_SELECT_NODES, "ok", "ok [a]", SchedulerChangesTest::localVolume),
                new Row(
                        SchedulerChange.LOCAL_VOLUMES_DO_NOT_SELECT_NODES,
                        "ok [a]",
                        "ok",
                        SchedulerChangesTest::localVolume),
                new Row(
                        SchedulerChange.READ_WRITE_ONCE_POD_TEXT,
                        "[U node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode]",
                        "[U node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
                                + " another pod]",
                        fixture -> fixture.node("a", "{}")
                                .add(
                                        "PersistentVolumeClaim",
                                        "{metadata: {namespace: default, name: 'c'}, spec: {accessModes: ['ReadWriteOncePod']}}")
                                .placed(
                                        "one",
                                        "{}",
                                        "a",
                                        "{containers: [{}], volumes: [{persistentVolumeClaim: {claimName: 'c'}}]}")
                                .filter(fixture.plugin(VolumeRestrictions::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.NODE_AFFINITY_TEXT,
                        "[UU node(s) didn't match node selector]",
                        "[UU node(s) didn't match Pod's node affinity]",
                        SchedulerChangesTest::selector),
                new Row(
                        SchedulerChange.AFFINITY_AND_SELECTOR_TEXT,
                        "[UU node(s) didn't match Pod's node affinity]",
                        "[UU node(s) didn't match Pod's node affinity/selector]",
                        SchedulerChangesTest::selector),
                new Row(
                        SchedulerChange.AFFINITY_SCORE_RANGE,
                        "[50, 100]",
                        "[0, 100]",
                        SchedulerChangesTest::normalizedAffinity),
                new Row(
                        SchedulerChange.CLAIMS_BEFORE_NODES,
                        "[ERROR pod has unbound immediate PersistentVolumeClaims]",
                        "[UU pod has unbound immediate PersistentVolumeClaims]",
                        fixture -> fixture.node("a", "{}")
                                .add("PersistentVolumeClaim", "{metadata: {namespace: default, name: 'c'}, spec: {}}")
                                .filter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.OVERCOMMITTED_SCORES_FULL,
                        "[25]",
                        "[75]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .scores(
                                        allocation(fixture, "NodeResourcesMostAllocated"),
                                        asking(fixture, "2', memory: '512Mi"))),
                new Row(
                        SchedulerChange.ONLY_REQUESTED_RESOURCES,
                        "[25]",
                        "[50]",
                        fixture -> fixture.node("a", "{}", "{cpu: '1'}", "{}")
                                .scores(allocation(fixture, "NodeResourcesLeastAllocated"), asking(fixture, "500m"))),
                new Row(
                        SchedulerChange.BALANCED_FORMULA,
                        "[69]",
                        "[75]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .scores(
                                        fixture.plugin(NodeResourcesBalancedAllocation::new, "{}"),
                                        asking(fixture, "500m"))),
                new Row(
                        SchedulerChange.ONE_AFFINITY_REASON,
                        "[UU node(s) didn't match pod affinity/anti-affinity rules, node(s) didn't match pod affinity rules]",
                        "[UU node(s) didn't match pod affinity rules]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .filter(
                                        fixture.plugin(InterPodAffinity::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{}], affinity: {podAffinity:"
                                                        + " {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'zone',"
                                                        + " labelSelector: {matchLabels: {app: 'w'}}}]}}}"))),
                new Row(
                        SchedulerChange.SPREADING_BY_OWNER,
                        "[75, 100]",
                        "skip",
                        fixture -> fixture.add(
                                        "ReplicaSet",
                                        "{metadata: {namespace: default, name: 'r'}, spec: {selector: {matchLabels: {app: 'w'}}}}")
                                .node("a", "{'kubernetes.io/hostname': 'a', 'topology.kubernetes.io/zone': 'x'}")
                                .node("b", "{'kubernetes.io/hostname': 'b', 'topology.kubernetes.io/zone': 'y'}")
                                .placed("one", "{app: 'w'}", "a", "{}")
                                .scores(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        fixture.pod("p", "{app: 'w'}", "{containers: [{}]}"))),
                new Row(
                        SchedulerChange.VOLUMES_ARE_MIGRATED,
                        "[ok]",
                        "[U node(s) exceed max volume count]",
                        fixture -> migrated(
                                fixture.add("PersistentVolumeClaim", BOUND_CLAIM)
                                        .add(
                                                "PersistentVolume",
                                                "{metadata: {name: 'v'}, spec: {awsElasticBlockStore: {volumeID: 'v'}}}"),
                                "persistentVolumeClaim: {claimName: 'c'}")),
                new Row(
                        SchedulerChange.MISSING_VOLUME_TEXT,
                        "[UU pvc(s) bound to non-existent pv(s)]",
                        "[UU node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)]",
                        fixture -> fixture.node("a", "{}")
                                .add("PersistentVolumeClaim", BOUND_CLAIM)
                                .filter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.ELIGIBLE_NODES_ONLY,
                        "[U " + SKEWED + ", U " + SKEWED + ", ok]",
                        "[ok, UU " + SKEWED + " (missing required label), ok]",
                        SchedulerChangesTest::halfOfADomain),
                new Row(
                        SchedulerChange.NAMED_NODES_ONLY,
                        "ok",
                        "ok [a]",
                        fixture -> fixture.preFilter(
                                fixture.plugin(NodeAffinity::new, "{}"),
                                fixture.pod(
                                        "p",
                                        "{}",
                                        "{containers: [{}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                                                + " {nodeSelectorTerms: [{matchFields: [{key: 'metadata.name', operator: 'In',"
                                                + " values: ['a']}]}]}}}}"))),
                new Row(
                        SchedulerChange.OVERHEAD_IS_SCORED,
                        "[50]",
                        "[37]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .scores(
                                        fixture.plugin(NodeResourcesFit::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{resources: {requests: {cpu: '500m', memory: '512Mi'}}}],"
                                                        + " overhead: {memory: '256Mi'}}"))),
                new Row(
                        SchedulerChange.LABEL_UPDATES_REQUEUE,
                        "[true, false, true, true, false]",
                        "[true, false, false, true, false]",
                        SchedulerChangesTest::helpedByUpdates),
                new Row(
                        SchedulerChange.EMPTY_SELECTORS_COUNT_NOTHING,
                        "[U " + SKEWED + ", ok]",
                        "[ok, ok]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .node("b", "{zone: 'y'}")
                                .placed("one", "{app: 'w'}", "a", "{}")
                                .filter(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        spread(fixture, hard("zone", 1, "{}")))),
                new Row(
                        SchedulerChange.EXACT_REQUEST_SUMS,
                        "[U Insufficient memory]",
                        "[ok]",
                        fixture -> fixture.node("a", "{}", "{cpu: '1', memory: '1'}", "{}")
                                .filter(
                                        fixture.plugin(NodeResourcesFit::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{resources: {requests: {memory: '500m'}}},"
                                                        + " {resources: {requests: {memory: '500m'}}}]}"))),
                new Row(
                        SchedulerChange.AFFINITY_OF_NOMINATED_PODS,
                        "ok",
                        "skip",
                        fixture -> fixture.preFilter(fixture.plugin(InterPodAffinity::new, "{}"), plain(fixture))),
                new Row(
                        SchedulerChange.READ_WRITE_ONCE_POD,
                        "skip",
                        "UU persistentvolumeclaim \"c\" not found",
                        fixture -> fixture.preFilter(fixture.plugin(VolumeRestrictions::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.ZONES_BEFORE_NODES,
                        "ok",
                        "UU persistentvolumeclaim \"c\" not found",
                        fixture -> fixture.preFilter(fixture.plugin(VolumeZone::new, "{}"), claiming(fixture))),
                new Row(
                        SchedulerChange.SEPARATE_CONSTRAINTS,
                        "[100, 50]",
                        "[100, 33]",
                        fixture -> fixture.node("a", "{zone: 'x'}")
                                .node("b", "{zone: 'y'}")
                                .placed("one", "{app: 'w'}", "a", "{}")
                                .placed("two", "{app: 'd'}", "b", "{}")
                                .placed("three", "{app: 'd'}", "b", "{}")
                                .scores(
                                        fixture.plugin(PodTopologySpread::new, "{}"),
                                        spread(
                                                fixture,
                                                hard("zone", 1, "{matchLabels: {app: 'w'}}")
                                                        .replace("DoNotSchedule", "ScheduleAnyway"),
                                                hard("zone", 1, "{matchLabels: {app: 'd'}}")
                                                        .replace("DoNotSchedule", "ScheduleAnyway")))),
                new Row(
                        SchedulerChange.SELECTORS_WITHOUT_LABELS,
                        "[ok]",
                        "[U node(s) didn't match pod anti-affinity rules]",
                        fixture -> fixture.node("a", "{host: 'a'}")
                                .add("Namespace", "{metadata: {name: 'default', labels: {team: 'a'}}}")
                                .placed("one", "{app: 'w'}", "a", "{}")
                                .filter(
                                        fixture.plugin(InterPodAffinity::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{}], affinity: {podAntiAffinity:"
                                                        + " {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'host',"
                                                        + " labelSelector: {matchLabels: {app: 'w'}}, namespaceSelector:"
                                                        + " {matchExpressions: [{key: 'team', operator: 'NotIn', values: ['a']}]}}]}}}"))),
                new Row(
                        SchedulerChange.UNTOLERATED_TAINT,
                        "[UU node(s) had taint {k: v}, that the pod didn't tolerate]",
                        "[UU node(s) had untolerated taint {k: v}]",
                        SchedulerChangesTest::taint),
                new Row(SchedulerChange.ROUNDED_SPREADING, "2", "3", SchedulerChangesTest::spread),
                new Row(
                        SchedulerChange.UNREQUESTED_RESOURCES,
                        "[U Insufficient memory]",
                        "[ok]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .placed("big", "{}", "a", "{containers: [{resources: {requests: {memory: '2Gi'}}}]}")
                                .filter(fixture.plugin(NodeResourcesFit::new, "{}"), asking(fixture, "100m"))),
                new Row(
                        SchedulerChange.IMAGES_OF_INIT_CONTAINERS,
                        "[0]",
                        "[50]",
                        fixture -> fixture.add(
                                        "Node",
                                        "{metadata: {name: 'a'}, status: {images: [{names: ['init:1'], sizeBytes: 1073741824}]}}")
                                .scores(
                                        fixture.plugin(ImageLocality::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{image: 'main:1'}], initContainers: [{image: 'init:1'}]}"))),
                new Row(
                        SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED,
                        "[100]",
                        "skip",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .scores(
                                        fixture.plugin(
                                                NodeResourcesBalancedAllocation::new,
                                                "{resources: [{name: 'cpu', weight: 1}, {name: 'memory', weight: 1}]}"),
                                        plain(fixture))),
                new Row(
                        SchedulerChange.STORAGE_CAPACITIES,
                        "[ok]",
                        "[UU node(s) did not have enough free storage]",
                        fixture -> delayed(fixture, "")),
                new Row(
                        SchedulerChange.ATTRIBUTES_CLASSES_ARE_REJECTED,
                        "[ok]",
                        "[ERROR unsupported volumeAttributesClassName is set on claim default/c when the feature-gate"
                                + " VolumeAttributesClass is disabled]",
                        fixture -> delayed(fixture.add("PersistentVolume", FREE_VOLUME), "gold")),
                new Row(
                        SchedulerChange.ATTRIBUTES_CLASSES_ARE_REJECTED,
                        "[ok]",
                        "[UU node(s) did not have enough free storage]",
                        fixture -> delayed(fixture.add("PersistentVolume", FREE_VOLUME), "")),
                new Row(
                        SchedulerChange.ATTRIBUTES_CLASSES,
                        "[ERROR unsupported volumeAttributesClassName is set on claim default/c when the feature-gate"
                                + " VolumeAttributesClass is disabled]",
                        "[ok]",
                        fixture -> delayed(fixture.add("PersistentVolume", FREE_VOLUME), "gold")),
                new Row(
                        SchedulerChange.VOLUME_AFFINITY_TEXT,
                        "[UU node(s) had volume node affinity conflict]",
                        "[UU node(s) didn't match PersistentVolume's node affinity]",
                        SchedulerChangesTest::volume),
                new Row(
                        SchedulerChange.TOO_SMALL_IS_UNRESOLVABLE,
                        "[U Insufficient cpu]",
                        "[UU Insufficient cpu]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .filter(fixture.plugin(NodeResourcesFit::new, "{}"), asking(fixture, "2"))),
                new Row(
                        SchedulerChange.TAINT_TEXT_WITHOUT_KEY,
                        "[UU node(s) had untolerated taint {k: v}]",
                        "[UU node(s) had untolerated taint(s)]",
                        SchedulerChangesTest::taint),
                new Row(
                        SchedulerChange.COMPLETE_POOLS,
                        "[ok]",
                        "[UU cannot allocate all claims]",
                        fixture -> devices(fixture, "{name: 'd'}", 2)),
                new Row(
                        SchedulerChange.BALANCE_IS_IMPROVED,
                        "[75]",
                        "[62]",
                        fixture -> fixture.node("a", "{}", SMALL, "{}")
                                .scores(
                                        fixture.plugin(
                                                NodeResourcesBalancedAllocation::new,
                                                "{resources: [{name: 'cpu', weight: 1}, {name: 'memory', weight: 1}]}"),
                                        asking(fixture, "500m"))),
                new Row(
                        SchedulerChange.IMAGE_VOLUMES,
                        "[0]",
                        "[100]",
                        fixture -> fixture.add(
                                        "Node",
                                        "{metadata: {name: 'a'}, status: {images: [{names: ['data:1'], sizeBytes: 1073741824}]}}")
                                .scores(
                                        fixture.plugin(ImageLocality::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{image: 'main:1'}], volumes: [{name: 'v', image: {reference:"
                                                        + " 'data:1'}}]}"))),
                new Row(
                        SchedulerChange.PORTWORX_IS_MIGRATED,
                        "[ok]",
                        "[U node(s) exceed max volume count]",
                        fixture -> fixture.node("a", "{}")
                                .add(
                                        "CSINode",
                                        "{metadata: {name: 'a'}, spec: {drivers: [{name: 'pxd.portworx.com', nodeID: 'a',"
                                                + " allocatable: {count: 0}}]}}")
                                .filter(
                                        fixture.plugin(NodeVolumeLimits::new, "{}"),
                                        fixture.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{}], volumes: [{name: 'v', portworxVolume: {volumeID: 'x'}}]}"))),
                new Row(
                        SchedulerChange.DEVICE_FEATURES,
                        "[ok]",
                        "[UU cannot allocate all claims]",
                        fixture -> devices(
                                fixture, "{name: 'd', taints: [{key: 'k', value: 'v', effect: 'NoSchedule'}]}", 1)));
    }

    /** Two nodes of a domain have a pod each; the second one lacks a key. */
    private static List<String> halfOfADomain(PluginFixture fixture) {
        return fixture.node("a", "{zone: 'x', rack: 'a'}")
                .node("b", "{zone: 'x'}")
                .node("c", "{zone: 'y', rack: 'c'}")
                .placed("one", "{app: 'w'}", "a", "{}")
                .placed("two", "{app: 'w'}", "b", "{}")
                .filter(
                        fixture.plugin(PodTopologySpread::new, "{}"),
                        spread(
                                fixture,
                                hard("zone", 2, "{matchLabels: {app: 'w'}}"),
                                hard("rack", 5, "{matchLabels: {app: 'w'}}")));
    }

    /** A pod whose volume is in zone x, on a node of a zone. */
    private static List<String> zoned(PluginFixture fixture, String label, String labelOfNode, String zone) {
        return fixture.node("a", "{'" + labelOfNode + "': '" + zone + "'}")
                .add("PersistentVolumeClaim", BOUND_CLAIM)
                .add("PersistentVolume", "{metadata: {name: 'v', labels: {'" + label + "': 'x'}}, spec: {}}")
                .filter(fixture.plugin(VolumeZone::new, "{}"), claiming(fixture));
    }

    /** A pod with an unbound claim, whose driver publishes that it has no capacity. */
    private static List<String> delayed(PluginFixture fixture, String attributesClass) {
        fixture.node("a", "{}")
                .add(
                        "StorageClass",
                        "{metadata: {name: 's'}, provisioner: 'd', volumeBindingMode: 'WaitForFirstConsumer'}")
                .add("CSIDriver", "{metadata: {name: 'd'}, spec: {storageCapacity: true}}")
                .add(
                        "PersistentVolumeClaim",
                        "{metadata: {namespace: default, name: 'c'}, spec: {storageClassName: 's', resources: {requests:"
                                + " {storage: '1Gi'}}, volumeAttributesClassName: '" + attributesClass + "'}}");
        try {
            return fixture.filter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture));
        } catch (PluginException e) {
            return List.of("ERROR " + e.getMessage());
        }
    }

    /** A pod with a volume on a node that has migrated EBS and can attach no volume. */
    private static List<String> migrated(PluginFixture fixture, String volume) {
        return fixture.node("a", "{}")
                .add(
                        "CSINode",
                        "{metadata: {name: 'a', annotations: {'storage.alpha.kubernetes.io/migrated-plugins':"
                                + " 'kubernetes.io/aws-ebs'}}, spec: {drivers: [{name: 'ebs.csi.aws.com',"
                                + " allocatable: {count: 0}}]}}")
                .filter(
                        fixture.plugin(NodeVolumeLimits::new, "{}"),
                        fixture.pod("p", "{}", "{containers: [{}], volumes: [{" + volume + "}]}"));
    }

    private static String localVolume(PluginFixture fixture) {
        fixture.node("a", "{}")
                .add("PersistentVolumeClaim", BOUND_CLAIM)
                .add(
                        "PersistentVolume",
                        "{metadata: {name: 'v'}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions:"
                                + " [{key: 'kubernetes.io/hostname', operator: 'In', values: ['a']}]}]}}}}");
        return fixture.preFilter(fixture.plugin(VolumeBinding::new, "{}"), claiming(fixture));
    }

    /** A pod that claims one device, on a node with a slice of a pool. */
    private static List<String> devices(PluginFixture fixture, String device, int slicesOfPool) {
        fixture.node("a", "{}")
                .add("DeviceClass", "{metadata: {name: 'any'}, spec: {}}")
                .add(
                        "ResourceSlice",
                        "{metadata: {name: 's'}, spec: {driver: 'x', nodeName: 'a', pool: {name: 'a', generation: 1,"
                                + " resourceSliceCount: " + slicesOfPool + "}, devices: [" + device + "]}}")
                .add(
                        "ResourceClaim",
                        "{metadata: {namespace: default, name: 'c', uid: 'c-uid', resourceVersion: '1'}, spec: {devices: {requests:"
                                + " [{name: 'r', exactly: {deviceClassName: 'any', allocationMode: 'ExactCount', count: 1}}]}}}");
        return fixture.filter(
                fixture.plugin(DynamicResources::create, "{}"),
                fixture.pod("p", "{}", "{containers: [{}], resourceClaims: [{name: 'k', resourceClaimName: 'c'}]}"));
    }

    private static PodInfo plain(PluginFixture fixture) {
        return fixture.pod("p", "{}", "{containers: [{}]}");
    }

    private static PodInfo asking(PluginFixture fixture, String cpu) {
        return fixture.pod("p", "{}", "{containers: [{resources: {requests: {cpu: '" + cpu + "'}}}]}");
    }

    private static List<String> selector(PluginFixture fixture) {
        fixture.node("a", "{}");
        return fixture.filter(
                fixture.plugin(NodeAffinity::new, "{}"),
                fixture.pod("p", "{}", "{containers: [{}], nodeSelector: {disk: 'ssd'}}"));
    }

    /**
     * Whether these updates help a pod with affinity: it gets an annotation, its status changes, a pod that it wants terminates or
     * gets another label, another pod terminates.
     */
    private static List<Boolean> helpedByUpdates(PluginFixture fixture) {
        String affinity =
                "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'zone',"
                        + " labelSelector: {matchLabels: {app: 'w'}}}]}}}";
        PodInfo pod = fixture.pod("p", "{}", affinity);
        PodBuilder matching = PodBuilder.pod("matching").label("app", "w").onNode("a");
        PodBuilder other = PodBuilder.pod("other").onNode("a");
        List<ObjectEvent> updates = List.of(
                update(EventResource.UNSCHEDULED_POD, pod, fixture.pod("p", "{a: 'b'}", affinity)),
                update(EventResource.UNSCHEDULED_POD, pod, fixture.pod("p", "{}", affinity)),
                update(
                        EventResource.ASSIGNED_POD,
                        matching.build(),
                        matching.terminating().build()),
                ObjectEvent.updated(
                        EventResource.ASSIGNED_POD,
                        EventAction.UPDATE_POD_LABEL,
                        matching.build(),
                        matching.label("app", "x").build()),
                update(
                        EventResource.ASSIGNED_POD,
                        other.build(),
                        other.terminating().build()));
        List<List<Boolean>> helped = Stream.<Plugin>of(
                        fixture.plugin(InterPodAffinity::new, "{}"), fixture.plugin(PodTopologySpread::new, "{}"))
                .map(plugin -> {
                    Waking waking = Profile.builder("test", Family.MODERN, new StateKeys())
                            .release(fixture.release())
                            .build()
                            .rules()
                            .waking();
                    QueueingHintMap hints = QueueingHintMap.of(List.of(plugin), false, waking);
                    return updates.stream()
                            .map(event -> hints.mayHelp(pod, Set.of(plugin.name()), event))
                            .toList();
                })
                .distinct()
                .toList();
        assertEquals(1, helped.size(), helped::toString);
        return helped.get(0);
    }

    private static ObjectEvent update(EventResource resource, PodInfo old, PodInfo now) {
        return ObjectEvent.updated(resource, EventAction.UPDATE, old, now);
    }

    private static String normalizedAffinity(PluginFixture fixture) {
        fixture.node("a", "{}").node("b", "{}");
        ScorePlugin plugin = fixture.plugin(InterPodAffinity::new, "{}");
        long[] scores = {5, 10};
        plugin.normalizeScores(fixture.state, plain(fixture), fixture.nodes(), scores);
        return Arrays.toString(scores);
    }

    private static ScorePlugin allocation(PluginFixture fixture, String name) {
        return fixture.plugin(handle -> new NodeResourcesAllocation(name, handle), "{}");
    }

    private static PodInfo claiming(PluginFixture fixture) {
        return fixture.pod("p", "{}", "{containers: [{}], volumes: [{persistentVolumeClaim: {claimName: 'c'}}]}");
    }

    private static String hard(String key, int maxSkew, String selector) {
        return "{maxSkew: " + maxSkew + ", topologyKey: '" + key
                + "', whenUnsatisfiable: 'DoNotSchedule', labelSelector: " + selector + "}";
    }

    private static PodInfo spread(PluginFixture fixture, String... constraints) {
        return fixture.pod(
                "p",
                "{app: 'w'}",
                "{containers: [{}], topologySpreadConstraints: [" + String.join(", ", constraints) + "]}");
    }

    private static List<String> taint(PluginFixture fixture) {
        fixture.node("a", "{}", "{}", "{taints: [{key: 'k', value: 'v', effect: 'NoSchedule'}]}");
        TaintToleration plugin = fixture.plugin(TaintToleration::new, "{}");
        fixture.newCycle();
        return fixture.filterOnly(plugin, plain(fixture));
    }

    /** ln 4 for each of two pods in one of two zones: 2.77; with a skew of 1 nothing is added. */
    private static Object spread(PluginFixture fixture) {
        fixture.node("a", "{zone: 'x'}")
                .node("b", "{zone: 'y'}")
                .placed("one", "{app: 'w'}", "a", "{}")
                .placed("two", "{app: 'w'}", "a", "{}");
        PodInfo pod = fixture.pod(
                "p",
                "{app: 'w'}",
                "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway',"
                        + " labelSelector: {matchLabels: {app: 'w'}}}]}");
        PodTopologySpread plugin = fixture.plugin(PodTopologySpread::new, "{}");
        fixture.newCycle();
        plugin.preScore(fixture.state, PodContext.of(pod, fixture.cluster), fixture.nodes());
        return plugin.score(fixture.state, pod, fixture.nodes().get(0));
    }

    private static List<String> volume(PluginFixture fixture) {
        fixture.node("a", "{zone: 'x'}")
                .add("PersistentVolumeClaim", BOUND_CLAIM)
                .add(
                        "PersistentVolume",
                        "{metadata: {name: 'v'}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                                + " 'zone', operator: 'In', values: ['y']}]}]}}}}");
        PodInfo pod =
                fixture.pod("p", "{}", "{containers: [{}], volumes: [{persistentVolumeClaim: {claimName: 'c'}}]}");
        return fixture.filter(fixture.plugin(VolumeBinding::new, "{}"), pod);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void differsFromTheReleaseBefore(Row row) {
        Release since = row.change().since();
        assertEquals(
                List.of(row.before(), row.since()),
                List.of(
                        row.answer()
                                .apply(new PluginFixture().at(new Release(since.minor() - 1)))
                                .toString(),
                        row.answer().apply(new PluginFixture().at(since)).toString()));
    }

    @Test
    void everyChangeOfAPluginHasARow() {
        Set<SchedulerChange> expected = EnumSet.allOf(SchedulerChange.class);
        expected.removeIf(change -> change.part() != SchedulerChange.Part.PLUGIN);
        assertEquals(
                expected,
                changes().stream().map(Row::change).collect(toCollection(() -> EnumSet.noneOf(SchedulerChange.class))));
    }
}
