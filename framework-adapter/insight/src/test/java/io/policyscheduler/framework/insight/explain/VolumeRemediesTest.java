package io.policyscheduler.framework.insight.explain;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer.RequiredLabels;
import io.policyscheduler.framework.modern.ModernProfile;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VolumeRemediesTest {
    private static final SchedulerSpec MODERN =
            ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
    private static final Volume DISK = new Volume(Volume.Kind.ISCSI, "iqn.1:disk", "", false, List.of());

    private static ClaimInfo claim(String name, String volume, String mode) {
        return new ClaimInfo(
                "default",
                name,
                "uid-" + name,
                "",
                volume.isEmpty() ? Labels.EMPTY : Labels.of(ClaimInfo.BIND_COMPLETED, "yes"),
                false,
                volume,
                volume.isEmpty() ? "" : "csi",
                List.of(mode),
                null,
                "",
                10L << 30,
                volume.isEmpty() ? "Pending" : "Bound",
                "",
                "");
    }

    private static PersistentVolumeInfo volume(String name, String claim) {
        return new PersistentVolumeInfo(
                name,
                name,
                "",
                Labels.EMPTY,
                Labels.EMPTY,
                false,
                "csi",
                null,
                new PersistentVolumeInfo.ClaimRef("default", claim, "uid-" + claim),
                List.of("ReadWriteOnce"),
                "",
                10L << 30,
                new Volume(Volume.Kind.CSI, "handle-" + name, "csi.example.com", false, List.of()),
                "Bound",
                "");
    }

    private static ClaimInfo claimOnMissingNode(String name) {
        return new ClaimInfo(
                "default",
                name,
                "uid-" + name,
                "",
                Labels.of(ClaimInfo.SELECTED_NODE, "gone"),
                false,
                "",
                "csi",
                List.of("ReadWriteOnce"),
                null,
                "",
                10L << 30,
                "Pending",
                "",
                "");
    }

    static Stream<Arguments> whatIsInTheWay() {
        ClusterObject limits =
                new CsiNodeInfo("n", Labels.EMPTY, List.of(new CsiNodeInfo.Driver("csi.example.com", 1)));
        return Stream.of(
                Arguments.of(
                        List.of(),
                        List.of(pod("other").volume(DISK)),
                        pod("p").volume(DISK),
                        "remove the pod default/other (it uses disk iqn.1:disk)"),
                Arguments.of(
                        List.of(claim("data", "pv", "ReadWriteOncePod"), volume("pv", "data")),
                        List.of(pod("other").claim("data")),
                        pod("p").claim("data"),
                        "remove the pod default/other (it uses the claim default/data)"),
                Arguments.of(
                        List.of(
                                claim("a", "pva", "ReadWriteOnce"),
                                volume("pva", "a"),
                                claim("b", "pvb", "ReadWriteOnce"),
                                volume("pvb", "b"),
                                limits),
                        List.of(pod("other").claim("a")),
                        pod("p").claim("b"),
                        "room to attach 1 more volume"),
                Arguments.of(
                        List.of(claim("data", "", "ReadWriteOnce")),
                        List.of(),
                        pod("p").claim("data"),
                        "create a volume of 10Gi for the claim default/data"),
                Arguments.of(
                        List.of(
                                claimOnMissingNode("data"),
                                new StorageClassInfo("csi", "csi.example.com", "WaitForFirstConsumer", List.of())),
                        List.of(),
                        pod("p").claim("data"),
                        "remove the annotation volume.kubernetes.io/selected-node from the claim default/data, which"
                                + " names a node that does not exist: gone"),
                Arguments.of(
                        List.of(),
                        List.of(),
                        pod("p").claim("data"),
                        "create the claim default/data and a volume for it"));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsInTheWay(List<ClusterObject> objects, List<PodBuilder> running, PodBuilder builder, String expected) {
        PodInfo pod = builder.build();
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(node("n").cpu("1").memory("1Gi").pods(5).build()),
                objects,
                running.stream().map(other -> other.onNode("n").build()).toList(),
                List.of(pod));
        Explanation explanation =
                new Explainer(MODERN, RequiredLabels.NONE, new Preemption(true, true)).explain(snapshot, pod, null, 5);
        assertEquals(
                List.of(List.of(expected)),
                List.copyOf(Objects.requireNonNull(explanation.nearest(), () -> "it fits: " + explanation)
                        .groups()
                        .keySet()),
                () -> String.valueOf(explanation));
    }
}
