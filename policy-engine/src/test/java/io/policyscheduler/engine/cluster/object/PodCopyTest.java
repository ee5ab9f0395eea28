package io.policyscheduler.engine.cluster.object;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A copy differs from the original only in what was changed. */
class PodCopyTest {
    private static final PodSpec SPEC = new PodSpec(
            "mine",
            7,
            "Never",
            Labels.of("disk", "ssd"),
            Affinity.NONE,
            List.of(new Toleration("a", "Exists", "", "")),
            List.of(new TopologySpreadConstraint(1, "zone", "DoNotSchedule", null, null, "", "", List.of())),
            List.of(volume("v")),
            pod("p").image("i").build().spec().containers(),
            pod("p").requests("1", "1Gi").build().spec().resources(),
            List.of("gate"),
            List.of(new PodClaim("gpu", "c", null)),
            List.of(new PodVolume("v", "emptyDir", "")),
            "robot",
            "Burstable",
            List.of("image"),
            List.of("feature"),
            false);

    private static final PodInfo POD = new PodInfo(
            "ns",
            "p",
            "u",
            "42",
            Labels.of("app", "web"),
            Labels.of("note", "x"),
            pod("p").controller("ReplicaSet", "rs", "rs-uid").build().controller(),
            true,
            "n1",
            SPEC,
            "Failed",
            "OutOfcpu",
            1000,
            "n2",
            new PodInfo.ScheduledCondition("True", "", "", 5),
            true,
            3,
            List.of(new PodClaim.Made("k", "p-k")),
            7);

    private static Volume volume(String id) {
        return new Volume(Volume.Kind.CLAIM, id, "", false, List.of());
    }

    private static final PodInfo.ScheduledCondition UNSCHEDULABLE =
            new PodInfo.ScheduledCondition("False", "Unschedulable", "full", 9);

    static Stream<Arguments> pods() {
        return Stream.of(
                pods("namespace", "other", b -> b.namespace("other")),
                pods("name", "q", b -> b.name("q")),
                pods("uid", "u2", b -> b.uid("u2")),
                pods("terminating", false, b -> b.terminating(false)),
                pods("nodeName", "", b -> b.nodeName("")),
                pods(
                        "spec",
                        pod("p").build().spec(),
                        b -> b.spec(pod("p").build().spec())),
                pods("phase", "Pending", b -> b.phase("Pending")),
                pods("failure", "", b -> b.failure("")),
                pods("startTimeMillis", PodInfo.NO_TIME, b -> b.startTimeMillis(PodInfo.NO_TIME)),
                pods("nominatedNodeName", "n3", b -> b.nominatedNodeName("n3")),
                pods("scheduled", UNSCHEDULABLE, b -> b.scheduled(UNSCHEDULABLE)),
                pods("preempted", false, b -> b.preempted(false)),
                pods("createdMillis", 7L, b -> b.createdMillis(7L)));
    }

    private static Arguments pods(String field, Object value, Function<PodInfo.Builder, PodInfo.Builder> change) {
        return arguments(field, value, change);
    }

    @ParameterizedTest
    @MethodSource("pods")
    void aPodWithOneChange(String field, Object value, Function<PodInfo.Builder, PodInfo.Builder> change)
            throws ReflectiveOperationException {
        PodInfo copy = change.apply(POD.toBuilder()).build();
        assertEquals(List.of(field + "=" + value), differences(POD, copy));
    }

    static Stream<Arguments> specs() {
        Affinity affinity = pod("p").podAffinity(new PodAffinityTerm[0]).build().affinity();
        return Stream.of(
                specs("nodeSelector", Labels.EMPTY, b -> b.nodeSelector(Labels.EMPTY)),
                specs("affinity", affinity, b -> b.affinity(affinity)),
                specs("tolerations", List.of(), b -> b.tolerations(List.of())),
                specs("spreadConstraints", List.of(), b -> b.spreadConstraints(List.of())),
                specs("volumes", List.of(volume("w")), b -> b.volumes(List.of(volume("w")))));
    }

    private static Arguments specs(String field, Object value, Function<PodSpec.Builder, PodSpec.Builder> change) {
        return arguments(field, value, change);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void aSpecWithOneChange(String field, Object value, Function<PodSpec.Builder, PodSpec.Builder> change)
            throws ReflectiveOperationException {
        PodSpec copy = change.apply(SPEC.toBuilder()).build();
        assertEquals(List.of(field + "=" + value), differences(SPEC, copy));
    }

    @Test
    void shortForms() throws ReflectiveOperationException {
        assertEquals(List.of("nodeName=n9"), differences(POD, POD.withNodeName("n9")));
        assertEquals(List.of("nominatedNodeName="), differences(POD, POD.withNominatedNodeName("")));
        assertEquals(List.of("namespace=b"), differences(POD, POD.withNamespace("b")));
        PodSpec other = SPEC.toBuilder().volumes(List.of()).build();
        assertEquals(List.of("spec=" + other), differences(POD, POD.withSpec(other)));
        assertEquals(POD, POD.toBuilder().build());
        assertEquals(SPEC, SPEC.toBuilder().build());
    }

    /** Returns every component that differs, with the value of the copy. */
    private static List<String> differences(Record original, Record copy) throws ReflectiveOperationException {
        List<String> differences = new ArrayList<>();
        for (RecordComponent component : original.getClass().getRecordComponents()) {
            @Nullable Object before = component.getAccessor().invoke(original);
            @Nullable Object after = component.getAccessor().invoke(copy);
            if (!Objects.equals(before, after)) {
                differences.add(component.getName() + "=" + after);
            }
        }
        return differences;
    }
}
