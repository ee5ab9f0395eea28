package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cluster.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * An embedded cluster whose kubelets check GeneralPredicates, schedulers that use it over HTTP, and an audit of every placement. A test ends with
 * {@link #assertSound}.
 */
final class LiveCluster implements AutoCloseable {
    /** Longer than any wait on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Short, because {@link #awaitSeen} waits for bookmarks of resources that do not change. */
    private static final Duration BOOKMARK_INTERVAL = Duration.ofMillis(100);

    /** Shorter than in production, so that a late response is soon abandoned. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

    private final Release release;
    private final EmbeddedControlPlane cluster;
    private final ApiCalls api;
    private final PlacementAudit audit;
    private final Journal journal = new Journal();
    private final List<LiveScheduler> schedulers = new ArrayList<>();

    LiveCluster() {
        this(Release.V1_34);
    }

    LiveCluster(Release release) {
        this(release, 0, false);
    }

    /** Starts a current cluster with running controllers. */
    static LiveCluster withControllers() {
        LiveCluster made = new LiveCluster(Release.V1_34, 0, true);
        made.cluster.startControllers();
        return made;
    }

    private LiveCluster(Release release, int port, boolean controllers) {
        this.release = release;
        try {
            cluster = EmbeddedControlPlane.builder()
                    .port(port)
                    .release(release)
                    .controllers(controllers)
                    .nodeAdmission(new GeneralPredicatesAdmission(release))
                    .longestGrace(Duration.ofMillis(300))
                    .bookmarkInterval(BOOKMARK_INTERVAL)
                    .watchHistory(1_000_000)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        api = new ApiCalls(cluster.url());
        audit = new PlacementAudit(cluster);
    }

    /** Replaces this cluster, which is closed, by an empty one with the same address. The schedulers keep running and are closed with it. */
    LiveCluster replaceServer() {
        cluster.close();
        return new LiveCluster(Release.V1_34, cluster.port(), false);
    }

    EmbeddedControlPlane cluster() {
        return cluster;
    }

    ApiCalls api() {
        return api;
    }

    PlacementAudit audit() {
        return audit;
    }

    /** Returns what the schedulers reported. */
    Journal journal() {
        return journal;
    }

    /** Starts a scheduler with the DefaultProvider of v1.17 and waits until it is ready. */
    LiveScheduler startScheduler() {
        return startScheduler(KubeConnection.fromUrl(cluster.url(), CALL_TIMEOUT));
    }

    LiveScheduler startScheduler(KubeConnection connection) {
        return startScheduler(
                connection,
                new SchedulerSettings(Manifest.SCHEDULER, policy(release), TieBreak.roundRobin(), 0, false, journal));
    }

    /** Starts a scheduler with these profiles and waits until it is ready. */
    LiveScheduler startScheduler(List<ProfileSettings> profiles) {
        return startScheduler(
                KubeConnection.fromUrl(cluster.url(), CALL_TIMEOUT),
                new SchedulerSettings(
                        profiles,
                        TieBreak.roundRobin(),
                        false,
                        SchedulerSettings.DEFAULT_VOLUME_TIMEOUT,
                        SchedulerOptions.defaults(),
                        journal,
                        null));
    }

    private LiveScheduler startScheduler(KubeConnection connection, SchedulerSettings settings) {
        int before = journal.synced();
        LiveScheduler scheduler = connect(connection, settings);
        Await.until(PATIENCE, "the scheduler has its lists", () -> journal.synced() > before, this::state);
        return scheduler;
    }

    /** Starts a scheduler with leader election, and waits until it has its lists. */
    LiveScheduler startCandidate(LeaderElectionConfig election, SchedulerListener listener) {
        int before = journal.synced();
        LiveScheduler scheduler = connect(
                KubeConnection.fromUrl(cluster.url(), CALL_TIMEOUT),
                settings(SchedulerListener.all(journal, listener)).withElection(election));
        Await.until(PATIENCE, "the candidate has its lists", () -> journal.synced() > before, this::state);
        return scheduler;
    }

    static SchedulerSettings settings(SchedulerListener listener) {
        return new SchedulerSettings(
                Manifest.SCHEDULER, policy(Release.NEWEST), TieBreak.roundRobin(), 0, false, listener);
    }

    private LiveScheduler connect(KubeConnection connection, SchedulerSettings settings) {
        LiveScheduler scheduler = Connecting.start(settings, connection, "e2e", PATIENCE);
        schedulers.add(scheduler);
        return scheduler;
    }

    private static EffectivePolicy policy(Release release) {
        try {
            return new PolicyResolver(FeatureGates.defaults().at(release), 1, false, Algorithms.registry())
                    .resolveProvider("DefaultProvider");
        } catch (PolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds the nodes n0, n1, ..., and waits until every scheduler has seen them. */
    void addNodes(int count, String cpu) {
        for (int i = 0; i < count; i++) {
            cluster.load(Manifest.node("n" + i, cpu));
        }
        awaitSeen();
    }

    /**
     * Waits until every scheduler of this process has seen the current state. Without it, a pod that is created next may be decided on an earlier
     * state: each resource has a watch of its own.
     */
    void awaitSeen() {
        long now = version();
        for (LiveScheduler scheduler : schedulers) {
            Await.until(
                    PATIENCE,
                    "everything up to version " + now + " has been seen",
                    () -> scheduler.watchedVersions().values().stream()
                            .allMatch(seen -> !seen.isEmpty() && Long.parseLong(seen) >= now),
                    () -> scheduler.watchedVersions() + ", " + state());
        }
    }

    /** Returns the resourceVersion of the last change. */
    long version() {
        return cluster.store().resourceVersion();
    }

    /** Stores the pods {@code prefix}0, {@code prefix}1, ..., whether the server is running or not. */
    void addPods(String prefix, int count, String cpu) {
        for (int i = 0; i < count; i++) {
            cluster.load(Manifest.pod(prefix + i, cpu));
        }
    }

    /** Returns the pod's node; empty if it has none or does not exist. */
    String nodeOf(String pod) {
        return cluster.get("pods", "default", pod)
                .map(object -> object.path("spec").path("nodeName").asText(""))
                .orElse("");
    }

    boolean isBound(String pod) {
        return !nodeOf(pod).isEmpty();
    }

    /** Waits until the pod is bound. Returns how long that took. */
    Duration awaitBound(String pod) {
        return Await.until(PATIENCE, "pod " + pod + " is bound", () -> isBound(pod), this::state);
    }

    /** Waits until there are that many pods of the scheduler under test and all are bound. */
    void awaitAllBound(int pods) {
        Await.until(PATIENCE, "all " + pods + " pods are bound", () -> ours() == pods && unbound() == 0, this::state);
    }

    /** Waits until at least that many pods were bound since the cluster started. */
    void awaitBindings(int bindings) {
        Await.until(PATIENCE, bindings + " pods have been bound", () -> audit.bound() >= bindings, this::state);
    }

    /** Waits until the pod's PodScheduled condition is False, and returns it. */
    JsonNode awaitUnschedulable(String pod) {
        Await.until(
                PATIENCE,
                "pod " + pod + " is found unschedulable",
                () -> condition(pod).path("status").asText().equals("False"),
                this::state);
        return condition(pod);
    }

    /** Returns the pod's PodScheduled condition; a missing node if there is none. */
    JsonNode condition(String pod) {
        return cluster.get("pods", "default", pod).map(LiveCluster::condition).orElse(MissingNode.getInstance());
    }

    private static JsonNode condition(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    /** Returns the messages of the events about a pod with that reason. */
    List<String> events(String pod, String reason) {
        return cluster.list("events").stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(pod))
                .filter(event -> event.path("reason").asText().equals(reason))
                .map(event -> event.path("message").asText())
                .toList();
    }

    List<String> awaitEvents(String pod, String reason) {
        Await.until(
                PATIENCE,
                "there is an event " + reason + " about pod " + pod,
                () -> !events(pod, reason).isEmpty(),
                this::state);
        return events(pod, reason);
    }

    private long ours() {
        return pods().size();
    }

    private long unbound() {
        return pods().stream()
                .filter(pod -> pod.path("spec").path("nodeName").asText("").isEmpty())
                .count();
    }

    private List<ObjectNode> pods() {
        return cluster.list("pods").stream()
                .filter(pod -> pod.path("spec").path("schedulerName").asText().equals(Manifest.SCHEDULER))
                .toList();
    }

    /** Stops a scheduler gracefully. */
    void stop(LiveScheduler scheduler) {
        schedulers.remove(scheduler);
        scheduler.close();
    }

    /** Checks the {@link PlacementAudit}, and that no pod was reported as scheduled twice. */
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

    /** Returns the state for failure messages. */
    String state() {
        List<ObjectNode> pods = pods();
        String waiting = pods.stream()
                .filter(pod -> pod.path("spec").path("nodeName").asText("").isEmpty())
                .limit(5)
                .map(pod -> pod.path("metadata").path("name").asText() + " "
                        + condition(pod).path("message").asText("no condition"))
                .collect(Collectors.joining("; "));
        String counts = schedulers.stream()
                .map(scheduler -> scheduler.scheduler().counts().toString())
                .collect(Collectors.joining(" "));
        return pods.size() + " pods, " + unbound() + " unbound (" + waiting + "), " + counts + ", violations "
                + audit.violations() + ", journal: " + journal;
    }

    @Override
    public void close() {
        List.copyOf(schedulers).forEach(this::stop);
        cluster.close();
    }
}
