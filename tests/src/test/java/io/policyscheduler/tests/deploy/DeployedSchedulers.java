package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Program;
import io.policyscheduler.tests.packaging.HelmChart;
import io.policyscheduler.tests.packaging.Kustomizations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The overlays that schedule, the chart, and the single manifest. */
abstract class DeployedSchedulers extends Deployment {
    private static final String NAME = "policy-scheduler";
    private static final String USER = ACCOUNT + NAME;
    private static final String KUBE_SCHEDULER = "system:kube-scheduler";
    private static final String LEADS = "successfully acquired lease kube-system/";
    private static final Duration A_WHILE = Duration.ofMillis(700);

    /** Rights for extenders that receive whole nodes; the shipped policy has none. */
    /** Rights for extenders, and for servers without events.k8s.io/v1. */
    private static final Set<String> NOT_USED_HERE = Set.of(
            "ClusterRole policy-scheduler: get /nodes",
            "ClusterRole policy-scheduler: patch /events",
            // Claims are written only if a policy names DynamicResources, or by a profile.
            "ClusterRole policy-scheduler: get resource.k8s.io/resourceclaims",
            "ClusterRole policy-scheduler: update resource.k8s.io/resourceclaims",
            "ClusterRole policy-scheduler: create resource.k8s.io/resourceclaims",
            "ClusterRole policy-scheduler: delete resource.k8s.io/resourceclaims",
            "ClusterRole policy-scheduler: update resource.k8s.io/resourceclaims/status",
            "ClusterRole policy-scheduler: update resource.k8s.io/resourceclaims/binding",
            "ClusterRole policy-scheduler: patch resource.k8s.io/resourceclaims/binding",
            "ClusterRole policy-scheduler: update /pods/finalizers");

    DeployedSchedulers(Path folder, RoleServer server) {
        super(folder, server);
    }

    private RoleRights rights(String kind, String name) {
        return new RoleRights(admin(), kind, name);
    }

    private void applyChart() throws IOException {
        Path rendered = Files.writeString(folder().resolve("chart.yaml"), HelmChart.render(Map.of()));
        admin().kubectl("apply", "-n", "kube-system", "-f", rendered.toString());
    }

    private void apply(String source) throws IOException {
        switch (source) {
            case "chart" -> applyChart();
            case "manifest" ->
                admin().kubectl(
                                "apply",
                                "-f",
                                RepositoryFiles.root()
                                        .resolve("policy-files/manifests/policy-scheduler.yaml")
                                        .toString());
            default -> applyOverlay(source);
        }
    }

    static Stream<String> sources() {
        return some(
                List.of(
                        "chart",
                        "second-scheduler-secure",
                        "second-scheduler",
                        "second-scheduler-monitored",
                        "manifest"),
                1);
    }

    /** All rights with {@code -Drights=all}. */
    private static <T> Stream<T> some(List<T> all, int few) {
        return all.stream().limit(System.getProperty("rights", "").equals("all") ? all.size() : few);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void usesWhatItIsGrantedAndNothingElse(String source) throws IOException {
        server().serveMonitoring();
        apply(source);
        Workload workload = workload(NAME);
        workload.prepare();
        Program program = start(DEPLOYMENTS + NAME, POD_TEMPLATE);
        program.awaitOutput(LEADS + NAME);
        workload.schedulesEverything();
        awaitAllUsed(USER, rights("ClusterRole", NAME), NOT_USED_HERE);
        awaitAllUsed(USER, rights("Role", NAME), Set.of());
        assertAllAllowed(USER);
    }

    @Test
    void theStaticPodNeedsNoMoreThanItBrings() throws IOException {
        applyOverlay("static-pod");
        // The rights that a cluster grants to kube-scheduler itself would hide a missing one.
        admin().kubectl(
                        "delete",
                        "--ignore-not-found",
                        "clusterrolebinding",
                        "system:kube-scheduler",
                        "system:volume-scheduler");
        admin().kubectl(
                        "delete",
                        "--ignore-not-found",
                        "-n",
                        "kube-system",
                        "rolebinding",
                        "system::leader-locking-kube-scheduler",
                        "system::extension-apiserver-authentication-reader");
        JsonNode pod = Kustomizations.documents(
                        Kustomizations.folder().resolve("overlays/static-pod/kube-scheduler.yaml"))
                .get(0);
        Path policies = Files.createDirectory(folder().resolve("policy"));
        JsonNode shipped = Kustomizations.one(Kustomizations.overlay("second-scheduler"), "ConfigMap");
        Files.writeString(
                policies.resolve("policy.cfg"), shipped.at("/data/policy.cfg").asText());
        Workload workload = workload("default-scheduler");
        workload.prepare();
        Program program = start(DeployedPod.ofNode(
                admin(),
                folder(),
                pod.path("spec"),
                KUBE_SCHEDULER,
                "/etc/kubernetes/scheduler.conf",
                Map.of("/etc/kubernetes/policy", policies)));
        program.awaitOutput(LEADS + "kube-scheduler");
        workload.schedulesEverything();
        awaitAllUsed(KUBE_SCHEDULER, rights("ClusterRole", NAME), NOT_USED_HERE);
        awaitAllUsed(KUBE_SCHEDULER, rights("Role", "policy-scheduler-as-kube-scheduler"), Set.of());
        assertAllAllowed(KUBE_SCHEDULER);
    }

    static Stream<Arguments> rights() {
        List<Arguments> rights = List.of(
                Arguments.of("ClusterRole", "create /pods/binding", "plain"),
                Arguments.of("ClusterRole", "patch /persistentvolumeclaims", "with-fast"),
                Arguments.of("Role", "create coordination.k8s.io/leases", "plain"),
                Arguments.of("ClusterRole", "delete /pods", "urgent"),
                Arguments.of("ClusterRole", "patch /persistentvolumes", "with-local"),
                Arguments.of("ClusterRole", "list /nodes", "plain"),
                Arguments.of("ClusterRole", "list /pods", "plain"),
                Arguments.of("ClusterRole", "list storage.k8s.io/csinodes", "plain"),
                Arguments.of("Role", "get /configmaps", "plain"));
        return some(rights, 1);
    }

    /**
     * Runs without one right.
     *
     * @param pod that is not scheduled then
     */
    @ParameterizedTest(name = "{1}")
    @MethodSource("rights")
    void withoutARightAPodWaitsAndTheRefusalIsTold(String kind, String right, String pod) {
        Program program = startWithout(kind, right);
        Workload workload = workload(NAME);
        addAll(workload);
        if (pod.equals("urgent")) {
            workload.awaitBound("plain");
            workload.add(workload.urgent("3"));
        }
        awaitRefusal(program, right);
        Await.always(
                A_WHILE, "pod " + pod + " waits", () -> workload.nodeOf(pod).isEmpty(), program::output);
    }

    @Test
    @Tag("long")
    void withoutTheRightToWriteEventsPodsAreBoundUntold() {
        applyOverlay("second-scheduler");
        RoleRights rights = rights("ClusterRole", NAME);
        rights.revoke("create /events");
        rights.revoke("create events.k8s.io/events");
        workload(NAME).prepare();
        Program program = start(DEPLOYMENTS + NAME, POD_TEMPLATE);
        Workload workload = workload(NAME);
        addAll(workload);
        workload.awaitBound("plain");
        program.awaitOutput("User \"" + USER + "\" cannot create resource \"events\" in API group \"\"");
        assertEquals(Set.of("create /events", "create events.k8s.io/events"), refused(USER));
        assertTrue(workload.event("plain", "Scheduled").isMissingNode());
    }

    @Test
    @Tag("long")
    void withTheRightsOfAnEarlierReleaseEventsAreThoseOfTheCoreGroup() {
        Program program = startWithout("ClusterRole", "create events.k8s.io/events");
        Workload workload = workload(NAME);
        addAll(workload);
        awaitRefusal(program, "create events.k8s.io/events");
        workload.await("its event", () -> !workload.event("plain", "Scheduled").isMissingNode());
        assertTrue(workload.event("plain", "Scheduled").path("action").isMissingNode());
    }

    @Test
    @Tag("long")
    void withoutTheRightToMarkPodsOneThatFitsNowhereIsNotMarked() {
        Program program = startWithout("ClusterRole", "patch /pods/status");
        Workload workload = workload(NAME);
        addAll(workload);
        workload.await(
                "its event", () -> !workload.event("huge", "FailedScheduling").isMissingNode());
        awaitRefusal(program, "patch /pods/status");
        assertFalse(workload.isUnschedulable("huge"));
    }

    private Program startWithout(String kind, String right) {
        applyOverlay("second-scheduler");
        rights(kind, NAME).revoke(right);
        workload(NAME).prepare();
        return start(DEPLOYMENTS + NAME, POD_TEMPLATE);
    }

    private static void addAll(Workload workload) {
        workload.add(workload.pod("plain", "3"));
        workload.add(workload.podWith("local"));
        workload.add(workload.podWith("fast"));
        workload.add(workload.pod("huge", "64"));
    }

    /** The server rejected the request, and the program prints the server's message. */
    private void awaitRefusal(Program program, String right) {
        String verb = right.substring(0, right.indexOf(' '));
        String resource = right.substring(right.indexOf('/') + 1);
        program.awaitOutput("User \"" + USER + "\" cannot " + verb + " resource \"" + resource + "\"");
        assertEquals(Set.of(right), refused(USER));
    }
}
