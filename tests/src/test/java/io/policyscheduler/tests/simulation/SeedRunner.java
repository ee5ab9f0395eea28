package io.policyscheduler.tests.simulation;

import io.policyscheduler.cmd.extender.client.HttpExtender.HttpExtenders;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.PluginList;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** Runs seeds one after the other in one thread. Expensive objects without state are created once. */
final class SeedRunner implements AutoCloseable {
    private static final MediaType JSON = MediaType.get("application/json");

    /** The predicates of DefaultProvider. */
    private static final List<String> PREDICATES = List.of(
            "NoVolumeZoneConflict",
            "MaxEBSVolumeCount",
            "MaxGCEPDVolumeCount",
            "MaxAzureDiskVolumeCount",
            "MaxCSIVolumeCountPred",
            "MatchInterPodAffinity",
            "NoDiskConflict",
            "GeneralPredicates",
            "PodToleratesNodeTaints",
            "CheckVolumeBinding",
            "CheckNodeUnschedulable");

    /** The provider's algorithms for a policy without lists, and devices. */
    private static final String WITH_DEVICES = predicates("DynamicResources");

    private final KubeConnection connection = KubeConnection.inProcess(this::toApi, this::wait);
    private final OkHttpClient extenderClient =
            new OkHttpClient.Builder().addInterceptor(this::toExtender).build();
    private final AlgorithmRegistry registry = Algorithms.registry();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    private final Map<String, EffectivePolicy> policies = new HashMap<>();
    private @Nullable SimulationRun simulation;

    /**
     * The result of a seed.
     *
     * @param violations empty if there are none
     * @param trace all steps, or the last ones
     */
    record Result(long seed, List<String> violations, List<String> trace, long steps, long virtualMillis) {}

    /** Returns a field of a policy: the predicates of DefaultProvider, and further ones. */
    static String predicates(String... further) {
        return Stream.concat(PREDICATES.stream(), Stream.of(further))
                .map(name -> "{\"name\":\"" + name + "\"}")
                .collect(Collectors.joining(",", ",\"predicates\":[", "]"));
    }

    Result run(long seed, boolean keepsTrace) {
        return run(seed, keepsTrace, null);
    }

    /** Returns the scenario of a seed. */
    static Scenario scenario(long seed) {
        return Scenario.of(new RandomChoices(seed).split());
    }

    /** @param recordings of the processes; null for none */
    Result run(long seed, boolean keepsTrace, @Nullable Recordings recordings) {
        try (SimulationRun current = new SimulationRun(seed, keepsTrace, this, recordings)) {
            List<String> violations;
            try {
                violations = current.run();
            } catch (RuntimeException e) {
                violations = List.of(
                        "exception " + e + " at " + List.of(e.getStackTrace()).subList(0, 8));
            }
            Trace trace = current.trace();
            return new Result(
                    seed,
                    List.copyOf(violations),
                    keepsTrace ? trace.lines() : trace.last(60),
                    trace.steps(),
                    current.time().now());
        }
    }

    /** Directs all calls to this simulation. */
    void enter(SimulationRun current) {
        simulation = current;
    }

    KubeConnection connection() {
        return connection;
    }

    ObjectReader reader() {
        return reader;
    }

    private EffectivePolicy policy(Scenario scenario) {
        Release release = scenario.newer() ? Release.NEWEST : Release.V1_17;
        return policies.computeIfAbsent(release + text(scenario), unused -> resolve(text(scenario), release));
    }

    private static String text(Scenario scenario) {
        String start = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"" + (scenario.devices() ? WITH_DEVICES : "");
        if (!scenario.extender()) {
            return start + "}";
        }
        return start + ",\"extenders\":[{\"urlPrefix\":\"" + SimulatedExtender.URL
                + "\",\"filterVerb\":\"filter\",\"prioritizeVerb\":\"prioritize\",\"preemptVerb\":\"preempt\","
                + "\"weight\":1,\"nodeCacheCapable\":" + scenario.nodeCacheCapable()
                + (scenario.extenderBinds() ? ",\"bindVerb\":\"bind\"" : "") + "}]}";
    }

    private EffectivePolicy resolve(String text, Release release) {
        try {
            return new PolicyResolver(FeatureGates.defaults().at(release), 1, false, registry)
                    .resolve(new PolicyReader().read(text, "simulation"));
        } catch (PolicyException e) {
            throw new IllegalStateException(e);
        }
    }

    List<ProfileSettings> profiles(Scenario scenario) {
        ProfileSettings ofPolicy = ProfileSettings.ofPolicy(Manifests.OURS, policy(scenario), 0);
        return List.of(
                scenario.modern()
                        ? ofPolicy.withPlugins(
                                (cluster, waitingPods, clock, claims, api) -> ModernProfile.of(cluster)
                                        .waitingPods(waitingPods)
                                        .clock(clock)
                                        .claimWriter(claims)
                                        .build(),
                                PluginList.EMPTY)
                        : ofPolicy);
    }

    OkHttpClient extenderClient() {
        return extenderClient;
    }

    /** Returns new profiles for a new process. */
    KubeRawObjects rawObjects() {
        return new KubeRawObjects(connection, new SplittableRandom(1), Clock.systemUTC());
    }

    /** Returns a second scheduler with a state of its own, for comparisons. */
    SchedulingCycle cycle(Scenario scenario, ClusterState state) {
        Profile profile =
                profiles(scenario).get(0).source().factory().create(state, WaitingPods.NONE, Clock.systemUTC());
        return SchedulingCycle.builder(profile, state)
                .extenders(extenders(scenario))
                .build();
    }

    private Extenders extenders(Scenario scenario) {
        try {
            return HttpExtenders.of(
                    policy(scenario).extenders(),
                    false,
                    rawObjects(),
                    (config, strict) -> extenderClient,
                    Runnable::run,
                    name -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void wait(Duration time) {
        current().pause(time.toMillis());
    }

    private SimulationRun current() {
        SimulationRun current = simulation;
        if (current == null) {
            throw new IllegalStateException("no simulation");
        }
        return current;
    }

    private Response toApi(Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        String query = request.url().encodedQuery();
        String path = request.url().encodedPath() + (query == null ? "" : "?" + query);
        RequestBody body = request.body();
        MediaType type = body == null ? null : body.contentType();
        SimulatedApi.Answer answer =
                current().api().call(request.method(), path, type == null ? "" : plain(type), bytes(body));
        return response(request, answer);
    }

    private static String plain(MediaType type) {
        return type.type() + "/" + type.subtype();
    }

    private Response toExtender(Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        return response(request, current().extender().call(request.url().encodedPath(), bytes(request.body())));
    }

    private static byte[] bytes(@Nullable RequestBody body) throws IOException {
        if (body == null) {
            return new byte[0];
        }
        try (Buffer buffer = new Buffer()) {
            body.writeTo(buffer);
            return buffer.readByteArray();
        }
    }

    private static Response response(Request request, SimulatedApi.Answer answer) {
        Response.Builder response = new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(answer.code())
                .message("")
                .body(ResponseBody.create(answer.body(), JSON));
        if (answer.retryAfter() > 0) {
            response.header("Retry-After", Integer.toString(answer.retryAfter()));
        }
        return response.build();
    }

    @Override
    public void close() {
        connection.close();
    }
}
