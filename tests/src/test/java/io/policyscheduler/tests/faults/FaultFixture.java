package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.PluginList;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Connecting;
import io.policyscheduler.tests.e2e.Journal;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A cluster, a proxy in front of it, and schedulers behind the proxy; users and kubelets do not use the proxy. */
final class FaultFixture implements AutoCloseable {
    /** Longer than any wait on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

    private final FaultServer server = FaultServer.choose();
    private final FaultProxy proxy = new FaultProxy(server);
    private final Journal journal = new Journal();
    private final List<LiveScheduler> schedulers = new ArrayList<>();

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

    FaultServer server() {
        return server;
    }

    FaultProxy proxy() {
        return proxy;
    }

    Journal journal() {
        return journal;
    }

    /** The DefaultProvider of v1.17. */
    static ProfileSettings legacy() {
        return legacy(Manifest.SCHEDULER);
    }

    static ProfileSettings legacy(String schedulerName) {
        try {
            return ProfileSettings.ofPolicy(schedulerName, resolver().resolveProvider("DefaultProvider"), 0);
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
        return new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry());
    }

    /** The plugins of current releases. */
    static ProfileSettings modern() {
        return modern(Release.V1_34, List.of());
    }

    static ProfileSettings modern(String schedulerName) {
        return modern(Release.V1_34, schedulerName, List.of());
    }

    /** The plugins of a release with extenders. */
    static ProfileSettings modern(Release release, List<ExtenderConfig> extenders) {
        return modern(release, Manifest.SCHEDULER, extenders);
    }

    private static ProfileSettings modern(Release release, String schedulerName, List<ExtenderConfig> extenders) {
        return new ProfileSettings(
                schedulerName,
                "modern",
                "modern",
                List.of(),
                ProfileSettings.Source.of((cluster, waitingPods, clock, claims, api) -> ModernProfile.of(cluster)
                        .release(release)
                        .waitingPods(waitingPods)
                        .clock(clock)
                        .claimWriter(claims)
                        .build()),
                extenders,
                false,
                FeatureGates.defaults(),
                true,
                0,
                null);
    }

    /** The plugins of current releases with a plugin of the test. */
    static ProfileSettings modernWith(String name, PluginFactory factory) {
        return modern().withPlugins(
                        (cluster, waitingPods, clock, claims, api) -> {
                            PluginRegistry registry = PluginRegistry.empty()
                                    .with(new InTreePlugins(Algorithms.registry(), FeatureGates.defaults(), zone -> "")
                                            .factories())
                                    .with(Map.of(name, factory));
                            try {
                                SchedulerConfiguration configuration = new ConfigurationReader()
                                        .read(
                                                ("{'apiVersion':'kubescheduler.config.k8s.io/v1','kind':'KubeSchedulerConfiguration','profiles':["
                                                                + "{'schedulerName':'" + Manifest.SCHEDULER
                                                                + "','plugins':{'multiPoint':{'enabled':[{'name':'"
                                                                + name
                                                                + "'}],'disabled':[{'name':'DynamicResources'},{'name':'NodeDeclaredFeatures'}]}}}]}")
                                                        .replace('\'', '"'),
                                                "faults");
                                return new ProfileBuilder(registry, cluster, waitingPods, clock)
                                        .build(
                                                configuration,
                                                configuration.profiles().get(0));
                            } catch (ConfigurationException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        PluginList.EMPTY);
    }

    LiveScheduler start(ProfileSettings profile) {
        return start(profile, SchedulerOptions.defaults(), null);
    }

    LiveScheduler start(List<ProfileSettings> profiles) {
        return start(profiles, SchedulerOptions.defaults(), null);
    }

    /** Starts a scheduler behind the proxy and waits until it has its lists. */
    LiveScheduler start(ProfileSettings profile, SchedulerOptions options, @Nullable LeaderElectionConfig election) {
        return start(List.of(profile), options, election);
    }

    private LiveScheduler start(
            List<ProfileSettings> profiles, SchedulerOptions options, @Nullable LeaderElectionConfig election) {
        int before = journal.synced();
        SchedulerSettings settings = new SchedulerSettings(
                profiles,
                TieBreak.roundRobin(),
                false,
                SchedulerSettings.DEFAULT_VOLUME_TIMEOUT,
                options,
                journal,
                election);
        LiveScheduler scheduler =
                Connecting.start(settings, KubeConnection.fromUrl(proxy.url(), CALL_TIMEOUT), "faults", PATIENCE);
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
            server.load(Manifest.node("n" + i, cpu));
        }
    }

    /** Deletes a pod without a grace period. */
    void deleteNow(String pod) {
        server.call(
                "DELETE", "/api/v1/namespaces/default/pods/" + pod, "application/json", "{\"gracePeriodSeconds\":0}");
    }

    /** Changes an object, as another client would. */
    void update(String resource, String namespace, String name, Consumer<ObjectNode> change) {
        ObjectNode object = server.get(resource, namespace, name)
                .map(found -> (ObjectNode) found.deepCopy())
                .orElseThrow();
        change.accept(object);
        server.call(
                "PUT",
                (namespace.isEmpty() ? "/api/v1/" : "/api/v1/namespaces/" + namespace + "/") + resource + "/" + name,
                "application/json",
                object.toString());
    }

    /** Sends a JSON request without the proxy and ignores the response. */
    void call(String method, String path, String body) {
        server.call(method, path, "application/json", body);
    }

    void addPods(String prefix, int count, String cpu) {
        addPods(prefix, count, cpu, Manifest.SCHEDULER);
    }

    void addPods(String prefix, int count, String cpu, String schedulerName) {
        for (int i = 0; i < count; i++) {
            ObjectNode pod = Manifest.pod(prefix + i, cpu);
            pod.withObject("/spec").put("schedulerName", schedulerName);
            server.load(pod);
        }
    }

    void await(String what, BooleanSupplier condition) {
        await(PATIENCE, what, condition);
    }

    void await(Duration limit, String what, BooleanSupplier condition) {
        Await.until(limit, what, condition, this::state);
    }

    void awaitBound(String pod) {
        await("pod " + pod + " is bound", () -> !nodeOf(pod).isEmpty());
    }

    /** Waits until that many pods exist and all of them are bound. */
    void awaitAllBound(int count) {
        await(
                "all " + count + " pods are bound",
                () -> pods().size() == count
                        && pods().stream().noneMatch(pod -> node(pod).isEmpty()));
    }

    String nodeOf(String pod) {
        return server.get("pods", "default", pod).map(FaultFixture::node).orElse("");
    }

    private static String node(JsonNode pod) {
        return pod.path("spec").path("nodeName").asText("");
    }

    private List<ObjectNode> pods() {
        return server.list("pods");
    }

    /** Returns a condition of a pod; a missing node if there is none. */
    JsonNode condition(String pod, String type) {
        return server.get("pods", "default", pod)
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
                pod + " has the event " + message,
                () -> condition(pod, "PodScheduled").path("message").asText("").startsWith(message));
    }

    List<ObjectNode> events(String pod, String reason) {
        return server.list("events").stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(pod))
                .filter(event -> event.path("reason").asText().equals(reason))
                .toList();
    }

    /** Fails if a node was overcommitted, or a pod was moved, rejected by a kubelet, or bound twice. */
    void assertSound() {
        assertEquals(List.of(), server.violations(), this::state);
        Map<String, Integer> announced = new TreeMap<>();
        for (ObjectNode event : server.list("events")) {
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
        return text + "violations " + server.violations() + ", journal:\n  " + journal;
    }

    @Override
    public void close() {
        proxy.comeUp();
        proxy.heal();
        List.copyOf(schedulers).forEach(this::stop);
        proxy.close();
        server.close();
    }
}
