package io.policyscheduler.tests.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** An embedded cluster with good nodes, into which objects can be stored without validation, and a scheduler. */
final class HostileCluster implements AutoCloseable {
    /** Longer than anything takes on a busy machine. */
    static final Duration WATCHDOG = Duration.ofSeconds(120);

    private static final int GOOD_NODES = 10;

    private final EmbeddedControlPlane cluster;
    private final Work work = new Work();
    private final EffectivePolicy policy;
    private final boolean ignoreUnreadablePods;
    private @Nullable LiveScheduler scheduler;

    /** Counts the scheduler's attempts. */
    private static final class Work implements SchedulerListener {
        private final Map<String, Integer> decisions = new ConcurrentHashMap<>();
        private volatile boolean synced;

        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            decisions.merge(pod.key(), 1, Integer::sum);
        }

        @Override
        public void onSynced() {
            synced = true;
        }
    }

    HostileCluster() {
        this(provider(), false);
    }

    HostileCluster(EffectivePolicy policy, boolean ignoreUnreadablePods) {
        this.policy = policy;
        this.ignoreUnreadablePods = ignoreUnreadablePods;
        try {
            cluster = EmbeddedControlPlane.builder()
                    .release(Release.V1_34)
                    .watchHistory(1_000_000)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cluster.load(HostileObject.json("{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'hostile'}}"));
        for (int i = 0; i < GOOD_NODES; i++) {
            cluster.load(Manifest.node("n" + i, "64"));
        }
    }

    static EffectivePolicy provider() {
        try {
            return resolver().resolveProvider("DefaultProvider");
        } catch (PolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    static PolicyResolver resolver() {
        return new PolicyResolver(FeatureGates.defaults().at(Release.NEWEST), 1, false, Algorithms.registry());
    }

    EmbeddedControlPlane cluster() {
        return cluster;
    }

    /** Returns the scheduler, which must have been started. */
    LiveScheduler scheduler() {
        return Objects.requireNonNull(scheduler);
    }

    /** Starts a scheduler, or another one after the first was stopped, and waits until it has its lists. */
    void startScheduler() {
        stopScheduler();
        work.synced = false;
        SchedulerSettings settings = new SchedulerSettings(
                List.of(ProfileSettings.ofPolicy(Manifest.SCHEDULER, policy, 100)),
                TieBreak.roundRobin(),
                false,
                SchedulerSettings.DEFAULT_VOLUME_TIMEOUT,
                SchedulerOptions.defaults(),
                work,
                null,
                ignoreUnreadablePods,
                0);
        try {
            scheduler = LiveScheduler.start(
                    settings,
                    KubeConnection.fromUrl(cluster.url(), Duration.ofSeconds(10)),
                    "hostile",
                    Clock.systemUTC());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("the scheduler has its lists", () -> work.synced);
    }

    void stopScheduler() {
        LiveScheduler old = scheduler;
        scheduler = null;
        if (old != null) {
            old.close();
        }
    }

    /** Stores an object without validation. */
    void store(HostileObject hostile) {
        cluster.store().create(cluster.catalog().named(hostile.resource()), hostile.object(), false);
    }

    void addNormalPods(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            cluster.load(Manifest.pod(prefix + i, "100m"));
        }
    }

    /** Waits until all of them are on good nodes. */
    void awaitNormalPods(String prefix, int count) {
        await(count + " normal pods " + prefix + " are placed", () -> {
            for (int i = 0; i < count; i++) {
                if (nodeOf(prefix + i).isEmpty()) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Returns the number of attempts for all normal pods. */
    int decisionsAboutNormalPods() {
        return work.decisions.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("default/"))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    String nodeOf(String pod) {
        return cluster.get("pods", "default", pod)
                .map(object -> object.path("spec").path("nodeName").asText(""))
                .orElse("");
    }

    /** Returns the number of pods in the namespace default, by node. */
    Map<String, Integer> normalPodsByNode() {
        Map<String, Integer> byNode = new HashMap<>();
        for (ObjectNode pod : cluster.list("pods")) {
            if (pod.path("metadata").path("namespace").asText().equals("default")) {
                byNode.merge(pod.path("spec").path("nodeName").asText(""), 1, Integer::sum);
            }
        }
        return byNode;
    }

    List<String> events(String pod) {
        return cluster.list("events").stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(pod))
                .map(event -> event.path("message").asText())
                .toList();
    }

    void await(String what, BooleanSupplier condition) {
        Await.until(WATCHDOG, what, condition, this::state);
    }

    private String state() {
        StringBuilder waiting = new StringBuilder();
        for (ObjectNode pod : cluster.list("pods")) {
            boolean isNormal = pod.path("metadata").path("namespace").asText().equals("default");
            if (isNormal && pod.path("spec").path("nodeName").asText("").isEmpty() && waiting.length() < 2000) {
                JsonNode conditions = pod.path("status").path("conditions");
                waiting.append(pod.path("metadata").path("name").asText())
                        .append(' ')
                        .append(conditions)
                        .append("; ");
            }
        }
        LiveScheduler live = scheduler;
        String counts =
                live == null ? "no scheduler" : live.counts(Duration.ofSeconds(1)) + ", running: " + live.isRunning();
        return "waiting: " + waiting + counts;
    }

    @Override
    public void close() {
        stopScheduler();
        cluster.close();
    }
}
