package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.ReleaseProfile;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.LeaseSettings;
import io.policyscheduler.cmd.run.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.run.LiveScheduler;
import io.policyscheduler.cmd.run.ProfileSettings;
import io.policyscheduler.cmd.run.SchedulerSettings;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.scheduler.SchedulerOptions;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Journal;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.PlacementAudit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A cluster, a proxy before it, schedulers behind the proxy; users and kubelets go straight to the server. */
final class FaultWorld implements AutoCloseable {
    /** No wait takes that long unless something is wrong, also on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

    private final EmbeddedCluster cluster;
    private final PlacementAudit audit;
    private final FaultProxy proxy;
    private final Journal journal = new Journal();
    private final List<LiveScheduler> schedulers = new ArrayList<>();

    FaultWorld() {
        try {
            cluster = EmbeddedCluster.builder()
                    .release(ReleaseProfile.MODERN)
                    .nodeAdmission(new GeneralPredicatesAdmission(ReleaseProfile.MODERN.release()))
                    .longestGrace(Duration.ofMinutes(1))
                    .bookmarkInterval(Duration.ofMillis(100))
                    .watchHistory(1_000_000)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        audit = new PlacementAudit(cluster);
        proxy = new FaultProxy(
                cluster.url(),
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    }

    static Predicate<Call> binds() {
        return call -> call.method().equals("POST") && call.path().endsWith("/binding");
    }

    static Predicate<Call> podReads() {
        return call -> call.method().equals("GET") && call.path().matches("/api/v1/namespaces/[^/]+/pods/[^/]+");
    }

    static Predicate<Call> watches(String resource) {
        return call -> call.isWatch() && call.path().endsWith("/" + resource);
    }

    static Predicate<Call> statusPatches() {
        return call -> call.method().equals("PATCH") && call.path().endsWith("/status");
    }

    static Predicate<Call> deletes() {
        return call -> call.method().equals("DELETE") && call.path().contains("/pods/");
    }

    EmbeddedCluster cluster() {
        return cluster;
    }

    FaultProxy proxy() {
        return proxy;
    }

    PlacementAudit audit() {
        return audit;
    }

    Journal journal() {
        return journal;
    }

    /** The DefaultProvider of v1.17. */
    static ProfileSettings legacy() {
        try {
            return ProfileSettings.ofPolicy(Manifest.SCHEDULER, resolver().resolveProvider("DefaultProvider"), 0);
        } catch (PolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    static ProfileSettings policy(String json) {
        try {
            return ProfileSettings.ofPolicy(
                    Manifest.SCHEDULER,
                    resolver().resolve(new PolicyReader().read(json.replace('\'', '"'), "faults")),
                    0);
        } catch (PolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PolicyResolver resolver() {
        return new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.catalog(Algorithms.registry()));
    }

    /** The plugins of current releases. */
    static ProfileSettings modern() {
        return new ProfileSettings(
                Manifest.SCHEDULER,
                "modern",
                "modern",
                List.of(),
                ModernProfile::defaults,
                List.of(),
                false,
                FeatureGates.defaults(),
                true,
                0,
                null);
    }

    LiveScheduler start(ProfileSettings profile) {
        return start(profile, SchedulerOptions.defaults(), null);
    }

    /** Starts a scheduler behind the proxy and waits until it has its lists. */
    LiveScheduler start(ProfileSettings profile, SchedulerOptions options, @Nullable LeaseSettings election) {
        int before = journal.synced();
        SchedulerSettings settings = new SchedulerSettings(
                List.of(profile),
                TieBreak.roundRobin(),
                false,
                SchedulerSettings.DEFAULT_VOLUME_TIMEOUT,
                options,
                journal,
                election);
        LiveScheduler scheduler;
        try {
            scheduler = new LiveScheduler(
                    settings, KubeConnection.fromUrl(proxy.url(), CALL_TIMEOUT), "faults", Clock.systemUTC());
        } catch (ApiIoException e) {
            throw new UncheckedIOException(e);
        }
        schedulers.add(scheduler);
        await("the scheduler has its lists", () -> journal.synced() > before);
        return scheduler;
    }

    void stop(LiveScheduler scheduler) {
        schedulers.remove(scheduler);
        scheduler.close();
    }

    void addNodes(int count, String cpu) {
        for (int i = 0; i < count; i++) {
            cluster.load(Manifest.node("n" + i, cpu));
        }
    }

    /** Ends a pod without grace. */
    void deleteNow(String pod) {
        cluster.call(
                "DELETE",
                "/api/v1/namespaces/default/pods/" + pod,
                "application/json",
                "{\"gracePeriodSeconds\":0}".getBytes(StandardCharsets.UTF_8));
    }

    /** Changes what is stored, as another writer would. */
    void update(String resource, String namespace, String name, Consumer<ObjectNode> change) {
        ObjectNode object = cluster.get(resource, namespace, name)
                .map(found -> (ObjectNode) found.deepCopy())
                .orElseThrow();
        change.accept(object);
        cluster.call(
                "PUT",
                (namespace.isEmpty() ? "/api/v1/" : "/api/v1/namespaces/" + namespace + "/") + resource + "/" + name,
                "application/json",
                object.toString().getBytes(StandardCharsets.UTF_8));
    }

    void addPods(String prefix, int count, String cpu) {
        for (int i = 0; i < count; i++) {
            cluster.load(Manifest.pod(prefix + i, cpu));
        }
    }

    void await(String what, BooleanSupplier condition) {
        Await.until(PATIENCE, what, condition, this::state);
    }

    void awaitBound(String pod) {
        await("pod " + pod + " is bound", () -> !nodeOf(pod).isEmpty());
    }

    /** Waits until so many pods are there, all of them bound. */
    void awaitAllBound(int count) {
        await(
                "all " + count + " pods are bound",
                () -> pods().size() == count
                        && pods().stream().noneMatch(pod -> node(pod).isEmpty()));
    }

    String nodeOf(String pod) {
        return cluster.get("pods", "default", pod).map(FaultWorld::node).orElse("");
    }

    private static String node(JsonNode pod) {
        return pod.path("spec").path("nodeName").asText("");
    }

    private List<ObjectNode> pods() {
        return cluster.list("pods");
    }

    /** A condition of a pod; a missing node when there is none. */
    JsonNode condition(String pod, String type) {
        return cluster.get("pods", "default", pod)
                .map(found -> condition(found, type))
                .orElse(MissingNode.getInstance());
    }

    private static JsonNode condition(JsonNode pod, String type) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    void awaitUnschedulable(String pod, String message) {
        await(
                pod + " is told " + message,
                () -> condition(pod, "PodScheduled").path("message").asText("").startsWith(message));
    }

    List<ObjectNode> events(String pod, String reason) {
        return cluster.list("events").stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(pod))
                .filter(event -> event.path("reason").asText().equals(reason))
                .toList();
    }

    /** Nothing overcommitted, moved, refused by a kubelet or bound twice. */
    void assertSound() {
        assertEquals(List.of(), audit.violations(), this::state);
        Map<String, Integer> announced = new TreeMap<>();
        for (ObjectNode event : cluster.list("events")) {
            if (event.path("reason").asText().equals("Scheduled")) {
                announced.merge(
                        event.path("involvedObject").path("uid").asText(),
                        event.path("count").asInt(1),
                        Integer::sum);
            }
        }
        announced.values().removeIf(count -> count == 1);
        assertEquals(Map.of(), announced, "pods announced as scheduled more than once");
    }

    String state() {
        StringBuilder text = new StringBuilder();
        for (ObjectNode pod : pods()) {
            if (node(pod).isEmpty()) {
                text.append(pod.path("metadata").path("name").asText())
                        .append(' ')
                        .append(condition(pod, "PodScheduled").path("message").asText("(nothing)"))
                        .append("; ");
            }
        }
        for (LiveScheduler scheduler : schedulers) {
            text.append(scheduler.counts(Duration.ofSeconds(1))).append("; ");
        }
        return text + "violations " + audit.violations() + ", journal:\n  " + journal;
    }

    @Override
    public void close() {
        proxy.comeUp();
        proxy.heal();
        List.copyOf(schedulers).forEach(this::stop);
        proxy.close();
        cluster.close();
    }
}
