package io.policyscheduler.tests.simulation;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.devices.PodResourceClaims;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No schedulable pod stays unschedulable unless it does so in kube-scheduler 1.34, too. After each of many random changes, every waiting pod is
 * evaluated on every node. {@code -DoracleSeeds=N} runs N clusters, {@code -DoracleSeed=N} runs one.
 */
class WaitingOracleTest {
    private static final int SEEDS = 60;
    private static final String POLICY = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\""
            + SeedRunner.predicates("EvenPodsSpread", "DynamicResources") + ",\"priorities\":[]}";

    private static final int STEPS = 60;
    private static final Duration BACKED_OFF = Duration.ofSeconds(11);
    private static final List<String> APPS = List.of("a", "b", "c");
    private static final List<String> NAMESPACES = List.of("default", "away");
    private static final List<String> TEAMS = List.of("x", "y");

    private static final class SimulationRun implements ClusterWriter {
        final SplittableRandom random;
        final TestClock clock = new TestClock();
        final ClusterState state = new ClusterState(clock);
        final Scheduler scheduler;
        final Map<String, Node> nodes = new TreeMap<>();
        final Map<String, PodInfo> pods = new TreeMap<>();
        final Map<String, Consumer<PodBuilder>> recipes = new HashMap<>();
        final List<String> trace = new ArrayList<>();
        final Profile plain;
        final Subject subject;
        final ClusterState seen = new ClusterState(clock);
        final OracleObjects objects;
        int number;
        int version = 1;
        int placed;
        int excused;

        SimulationRun(long seed, Subject subject) {
            this.subject = subject;
            random = new SplittableRandom(seed);
            objects = new OracleObjects(random, state, seen, this::post, trace::add, this::usesVolume);
            Profile profile = subject.factory.create(state, WaitingPods.NONE, clock, objects, ApiConnection.NONE);
            plain = subject.factory.create(seen, WaitingPods.NONE, clock);
            SchedulingCycle cycle = SchedulingCycle.of(profile, state);
            scheduler = Scheduler.builder(state, this, clock)
                    .profiles(Profiles.of(
                            1,
                            List.of(ProfileRuntime.of(
                                    "default-scheduler", profile, cycle, Preemptor.NONE, this, VolumeAssumer.NONE))))
                    .options(SchedulerOptions.defaults()
                            .withRequeueHints(subject.hints)
                            .withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES)))
                    .build();
            scheduler.post(new ClusterChange.NodesReplaced(List.of()));
            scheduler.post(new ClusterChange.PodsReplaced(List.of()));
            objects.start();
            NAMESPACES.forEach(this::putNamespace);
        }

        private boolean usesVolume(String claim) {
            return pods.values().stream()
                    .anyMatch(pod -> !pod.nodeName().isEmpty()
                            && pod.volumes().stream().anyMatch(volume -> claim.equals(volume.claimName(pod))));
        }

        private void post(ClusterChange change) {
            scheduler.post(change);
        }

        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            if (!pods.containsKey(pod.name())) {
                done.accept(BindOutcome.deleted("gone"));
                return;
            }
            done.accept(BindOutcome.BOUND);
            placed++;
            trace.add("bound " + pod.name() + " to " + node);
            objects.volumesWritten(pod);
            show(the(pod.name()).withNodeName(node));
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
            if (condition != null) {
                trace.add(pod.name() + ": " + condition.message());
            }
        }

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {}

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {
            PodInfo now = pods.get(pod.name());
            done.accept(now == null ? new PodRead.NotFound() : new PodRead.Found(now));
        }

        PodInfo the(String pod) {
            return Objects.requireNonNull(pods.get(pod));
        }

        void show(PodInfo pod) {
            PodInfo shown =
                    pod.toBuilder().resourceVersion(String.valueOf(++version)).build();
            pods.put(pod.name(), shown);
            scheduler.post(new ClusterChange.PodUpserted(shown));
        }

        void run() {
            for (int i = 0; scheduler.runOnce(); i++) {
                assertTrue(i < 10_000, "the scheduler does not come to rest");
            }
        }

        boolean percent(int chance) {
            return random.nextInt(100) < chance;
        }

        <T> T one(List<T> list) {
            return list.get(random.nextInt(list.size()));
        }

        void putNode(String name) {
            NodeBuilder builder = node(name).pods(1 + random.nextInt(4)).cpu(1 + random.nextInt(4) + "");
            if (percent(90)) {
                builder.label("host", name);
            }
            if (percent(80)) {
                builder.label(Node.ZONE, one(List.of("x", "y")));
            }
            if (percent(40)) {
                builder.label("disk", one(List.of("ssd", "hdd")));
            }
            if (percent(20)) {
                builder.taint("k", "v", one(List.of("NoSchedule", "NoExecute", "PreferNoSchedule")));
            }
            if (percent(15)) {
                builder.unschedulable();
            }
            putNode(builder.build());
        }

        private void putNode(Node now) {
            boolean isNew = nodes.put(now.name(), now) == null;
            trace.add((isNew ? "node " : "node now ") + now);
            scheduler.post(new ClusterChange.NodeUpserted(now));
        }

        /** Changes one field of a node: a taint, or whether it is cordoned. */
        void retaint(String name) {
            Node node = Objects.requireNonNull(nodes.get(name));
            boolean isCordoning = percent(50);
            List<Taint> other = node.taints().isEmpty() ? List.of(new Taint("k", "v", "NoSchedule")) : List.of();
            putNode(new Node(
                    name,
                    node.uid(),
                    node.resourceVersion(),
                    node.labels(),
                    node.annotations(),
                    isCordoning != node.unschedulable(),
                    isCordoning ? node.taints() : other,
                    node.allocatable(),
                    node.images(),
                    node.conditions(),
                    node.zoneKey(),
                    node.kubeletVersion(),
                    node.createdMillis(),
                    node.conditionsSince(),
                    Set.of()));
        }

        void deleteNode(String name) {
            trace.add("node " + name + " gone");
            nodes.remove(name);
            scheduler.post(new ClusterChange.NodeDeleted(name));
        }

        PodAffinityTerm term() {
            int choice = random.nextInt(100);
            return new PodAffinityTerm(
                    LabelSelector.of(Labels.of("app", one(APPS)), List.of()),
                    choice < 20 ? List.of(one(NAMESPACES)) : List.of(),
                    one(List.of("host", Node.ZONE)),
                    choice < 60 ? null : choice < 70 ? LabelSelector.EVERYTHING : ofTeam(choice < 85 ? "In" : "NotIn"));
        }

        private LabelSelector ofTeam(String operator) {
            return LabelSelector.of(
                    Labels.EMPTY, List.of(LabelRequirement.ofLabelSelector("team", operator, List.of(one(TEAMS)))));
        }

        private void putNamespace(String name) {
            Labels labels = percent(30) ? Labels.EMPTY : Labels.of("team", one(TEAMS));
            trace.add("namespace " + name + " " + labels);
            objects.put(new NamespaceInfo(name, labels));
        }

        Consumer<PodBuilder> recipe() {
            List<Consumer<PodBuilder>> parts = new ArrayList<>();
            String app = one(APPS);
            parts.add(pod -> pod.label("app", app));
            if (percent(60)) {
                String cpu = 200 + random.nextInt(2800) + "m";
                parts.add(pod -> pod.cpu(cpu));
            }
            if (percent(15)) {
                parts.add(pod -> pod.hostPort("", "TCP", 80));
            }
            boolean selects = percent(20);
            if (selects) {
                parts.add(pod -> pod.nodeSelector("disk", "ssd"));
            }
            if (percent(20)) {
                parts.add(pod -> pod.toleration("k", "Exists", "", ""));
            }
            if (percent(20)) {
                PodAffinityTerm term = term();
                parts.add(pod -> pod.podAffinity(term));
            }
            if (percent(25)) {
                PodAffinityTerm term = term();
                parts.add(pod -> pod.podAntiAffinity(term));
            }
            if (percent(35)) {
                TopologySpreadConstraint constraint = new TopologySpreadConstraint(
                        1,
                        one(List.of("host", Node.ZONE)),
                        "DoNotSchedule",
                        LabelSelector.of(Labels.of("app", app), List.of()),
                        null,
                        "",
                        one(List.of("", "Honor")),
                        List.of());
                parts.add(pod -> pod.spread(constraint));
            }
            String namespace = one(NAMESPACES);
            String volume = objects.volumeOfPod();
            if (volume == null && percent(50)) {
                parts.add(pod -> pod.namespace(namespace));
                // Volumes and claims are in one namespace.
                int priority = random.nextInt(3);
                parts.add(pod -> pod.priority(priority));
                return pod -> parts.forEach(part -> part.accept(pod));
            }
            if (volume != null) {
                parts.add(pod -> pod.claim(volume));
            }
            String claim = objects.claimOfPod();
            if (!claim.isEmpty()) {
                parts.add(pod -> pod.resourceClaim(OracleObjects.entry(claim)));
            }
            int priority = random.nextInt(3);
            parts.add(pod -> pod.priority(priority));
            return pod -> parts.forEach(part -> part.accept(pod));
        }

        void cook(String name, Consumer<PodBuilder> recipe) {
            recipes.put(name, recipe);
            PodInfo known = pods.get(name);
            PodBuilder builder = pod(name).uid(name);
            recipe.accept(builder);
            if (known != null && !known.nodeName().isEmpty()) {
                builder.onNode(known.nodeName());
            }
            PodInfo plain = builder.build();
            boolean isMade = known == null ? percent(70) : !known.madeClaims().isEmpty();
            String nominated = known == null
                    ? percent(10) && !nodes.isEmpty() ? one(new ArrayList<>(nodes.keySet())) : ""
                    : known.nominatedNodeName();
            PodInfo now = plain.toBuilder()
                    .nominatedNodeName(nominated)
                    .terminating(known != null && known.terminating())
                    .madeClaims(isMade ? objects.make(plain) : List.of())
                    .build();
            trace.add((known == null ? "pod " : "pod now ") + name + " " + now.labels() + " " + now.spec());
            show(now);
        }

        void deletePod(String name) {
            trace.add("pod " + name + " gone");
            PodInfo gone = the(name);
            pods.remove(name);
            recipes.remove(name);
            scheduler.post(new ClusterChange.PodDeleted(gone.namespace(), name, gone.uid()));
            objects.podGone(gone);
        }

        void act() {
            int choice = random.nextInt(125);
            List<String> names = new ArrayList<>(pods.keySet());
            if (choice >= 120) {
                putNamespace(one(NAMESPACES));
            } else if (choice >= 100) {
                if (choice < 115 || names.isEmpty()) {
                    objects.act();
                } else {
                    promise(one(names));
                }
            } else if (choice < 30 || names.isEmpty()) {
                Consumer<PodBuilder> recipe = recipe();
                boolean isGated = percent(15) && subject.hasGates;
                boolean isGatedTwice = isGated && percent(40);
                Consumer<PodBuilder> first = isGated ? recipe.andThen(pod -> pod.gate("g")) : recipe;
                cook("p" + number++, isGatedTwice ? first.andThen(pod -> pod.gate("h")) : first);
            } else if (choice < 48) {
                deletePod(one(names));
            } else if (choice < 51) {
                terminate(one(names));
            } else if (choice < 62) {
                String name = one(names);
                change(name, Set.copyOf(the(name).spec().schedulingGates()).isEmpty());
            } else if (choice < 68 && !nodes.isEmpty()) {
                retaint(one(new ArrayList<>(nodes.keySet())));
            } else if (choice < 90) {
                putNode("n" + random.nextInt(5));
            } else if (!nodes.isEmpty()) {
                deleteNode(one(new ArrayList<>(nodes.keySet())));
            }
        }

        /** The deletion of a pod begins. */
        void terminate(String name) {
            trace.add("pod " + name + " terminates");
            show(the(name).toBuilder().terminating(true).build());
        }

        /** Creates the claim of a pod, or changes or clears its nomination. */
        void promise(String name) {
            PodInfo pod = the(name);
            if (!pod.spec().resourceClaims().isEmpty() && pod.madeClaims().isEmpty()) {
                show(pod.toBuilder().madeClaims(objects.make(pod)).build());
            } else if (pod.nodeName().isEmpty()) {
                String node = percent(50) || nodes.isEmpty() ? "" : one(new ArrayList<>(nodes.keySet()));
                trace.add("pod " + name + " is nominated to \"" + node + "\"");
                show(pod.toBuilder().nominatedNodeName(node).build());
            }
        }

        /** Changes what can change in a pod: its labels, more tolerations, less CPU, and fewer gates. */
        void change(String name, boolean isFree) {
            Consumer<PodBuilder> recipe = Objects.requireNonNull(recipes.get(name));
            if (!isFree) {
                boolean staysGated = the(name).spec().schedulingGates().size() > 1;
                // The priority of a pod never changes.
                int priority = the(name).priority();
                boolean isAway = !the(name).namespace().equals("default");
                Consumer<PodBuilder> free = isAway ? recipe : recipe().andThen(pod -> pod.priority(priority));
                cook(name, staysGated ? free.andThen(pod -> pod.gate("g")) : free);
            } else if (percent(40)) {
                String app = one(APPS);
                cook(name, recipe.andThen(pod -> pod.label("app", app)));
            } else if (percent(50)) {
                cook(name, recipe.andThen(pod -> pod.toleration("k", "Equal", "v", "")));
            } else if (the(name).resources().request().milliCpu() > 0) {
                cook(name, recipe.andThen(pod -> pod.cpu("100m")));
            }
        }

        /** Evaluates every waiting pod on every node. */
        @Nullable
        String wrong() {
            List<QueuedPod> waiting = new ArrayList<>(scheduler.queue().entries(Part.UNSCHEDULABLE));
            if (!subject.policy) {
                // Profiles retry these pods as soon as no other pod is active.
                waiting.addAll(scheduler.queue().entries(Part.BACKOFF));
            }
            if (scheduler.counts().active() > 0) {
                return "pods are left in the active queue";
            }
            SchedulingCycle cycle = SchedulingCycle.of(plain, seen());
            Nominator nominated = new Nominator();
            pods.values().stream().filter(pod -> pod.nodeName().isEmpty()).forEach(pod -> nominated.nominate(pod, ""));
            for (QueuedPod entry : scheduler.queue().entries(Part.GATED)) {
                boolean mayGo = !entry.pod().terminating()
                        && entry.pod().spec().schedulingGates().isEmpty()
                        && PodResourceClaims.of(entry.pod(), seen.assumedClaims())
                                .problem()
                                .isEmpty();
                if (mayGo) {
                    return entry.pod().name() + " is held back, but all its claims are there";
                }
            }
            for (QueuedPod entry : waiting) {
                Evaluation evaluation = cycle.evaluate(entry.pod(), nominated);
                if (!evaluation.feasible().isEmpty() && !entry.pod().terminating() && !isExcused(entry)) {
                    return entry.pod().name() + " waits, rejected by " + entry.rejectedBy() + ", but fits on "
                            + evaluation.feasible()
                            + "; nominated are " + nominations(scheduler.queue().nominated()) + ", shown "
                            + nominations(nominated);
                }
            }
            return null;
        }

        private Map<String, List<String>> nominations(Nominator of) {
            Map<String, List<String>> all = new TreeMap<>();
            of.nodes()
                    .forEach(node -> all.put(
                            node, of.on(node).stream().map(PodInfo::name).toList()));
            return all;
        }

        /** The true cluster, independent of the scheduler's cache. */
        private ClusterState seen() {
            List<NodeHolder> before = new ArrayList<>();
            seen.forEachNode(info -> {
                List<PodInfo> there = new ArrayList<>();
                for (int i = 0; i < info.podCount(); i++) {
                    there.add(info.pod(i));
                }
                before.add(new NodeHolder(info.name(), there));
            });
            before.forEach(holder -> holder.pods().forEach(seen::removePod));
            before.forEach(holder -> seen.removeNode(holder.name()));
            nodes.values().forEach(seen::putNode);
            pods.values().stream()
                    .filter(pod -> nodes.containsKey(pod.nodeName()))
                    .forEach(seen::addPod);
            return seen;
        }

        private record NodeHolder(String name, List<PodInfo> pods) {}

        /** A pod for which something failed waits for the end of its backoff. */
        private boolean isExcused(QueuedPod entry) {
            boolean isExcused = entry.rejectedBy().isEmpty()
                    && !clock.instant().isAfter(entry.timestamp().plus(BACKED_OFF));
            excused += isExcused ? 1 : 0;
            return isExcused;
        }
    }

    private record Result(int placed, int excused) {}

    private static Result check(Subject subject, long seed) {
        SimulationRun simulation = new SimulationRun(seed, subject);
        for (int step = 0; step < STEPS; step++) {
            simulation.act();
            if (simulation.percent(30)) {
                simulation.act();
            }
            simulation.run();
            String wrong = simulation.wrong();
            if (wrong == null && simulation.percent(30)) {
                simulation.clock.advanceMillis(simulation.random.nextInt(simulation.percent(5) ? 400_000 : 20_000));
                // Timers fire in their own time, one period after the other.
                simulation.run();
                wrong = simulation.wrong();
            }
            simulation.trace.add("-- step " + step + " at " + simulation.clock.instant());
            assertNull(
                    wrong,
                    () -> "seed " + seed + ", repeat with -DoracleSeed=" + seed + "\n"
                            + String.join("\n", simulation.trace));
        }
        return new Result(simulation.placed, simulation.excused);
    }

    /**
     * The way in which pods are decided and requeued.
     *
     * @param policy whether pods wait for any change, as in 1.17
     * @param hints whether plugins filter these changes
     * @param hasGates whether pods can have scheduling gates
     */
    private record Subject(
            String name, ProfileSettings.Source.Factory factory, boolean policy, boolean hints, boolean hasGates) {
        static Subject modern(String release) {
            Release parsed = Release.parse(release);
            PluginRegistry plugins = PluginRegistry.empty()
                    .with(ModernPlugins.over(new InTreePlugins(
                                    Algorithms.registry(),
                                    FeatureGates.defaults().at(parsed),
                                    name -> "")
                            .factories()));
            return new Subject(
                    "modern@" + release,
                    (cluster, waiting, clock, claims, api) -> ModernProfile.of(cluster)
                            .release(parsed)
                            .plugins(plugins)
                            .waitingPods(waiting)
                            .clock(clock)
                            .claimWriter(claims)
                            .build(),
                    false,
                    false,
                    parsed.atLeast(26));
        }

        static Subject policy(String release, boolean hints) {
            try {
                ProfileSettings settings = ProfileSettings.ofPolicy(
                        "default-scheduler",
                        new PolicyResolver(
                                        FeatureGates.defaults().at(Release.parse(release)),
                                        1,
                                        false,
                                        Algorithms.registry())
                                .resolve(new PolicyReader().read(POLICY, "oracle")),
                        0);
                return new Subject(
                        "policy" + (hints ? " with hints" : "") + "@" + release,
                        settings.source().factory(),
                        true,
                        hints,
                        Release.parse(release).atLeast(26));
            } catch (PolicyException e) {
                throw new IllegalStateException(e);
            }
        }

        static Subject of(String name) {
            return name.startsWith("modern@")
                    ? modern(name.substring(7))
                    : policy(name.substring(name.indexOf('@') + 1), name.startsWith("hints"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "policy@1.17",
                "policy@1.36",
                "hints@1.36",
                "modern@1.18",
                "modern@1.20",
                "modern@1.22",
                "modern@1.25",
                "modern@1.28",
                "modern@1.31",
                "modern@1.32",
                "modern@1.34",
                "modern@1.36"
            })
    void noPodThatFitsWaits(String name) {
        if (!name.matches(System.getProperty("oracleSubject", ".*"))) {
            return;
        }
        Subject subject = Subject.of(name);
        Long only = Long.getLong("oracleSeed");
        if (only != null) {
            check(subject, only);
            return;
        }
        int seeds = Integer.getInteger("oracleSeeds", SEEDS);
        int placed = 0;
        int excused = 0;
        for (long seed = 0; seed < seeds; seed++) {
            Result result = check(subject, seed);
            placed += result.placed();
            excused += result.excused();
        }
        assertTrue(placed > seeds * 5, "only " + placed + " pods were placed");
        assertTrue(excused < placed, excused + " times a pod that fits was left waiting");
    }

    /**
     * A change that makes a pod schedulable.
     *
     * @param since the first release in which the pod waits for it
     */
    private record Change(
            String name,
            int since,
            Consumer<SimulationRun> before,
            Consumer<PodBuilder> pod,
            Consumer<SimulationRun> made) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static void volume(SimulationRun simulation) {
        simulation.objects.put(
                "PersistentVolumeClaim",
                "c3",
                "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: now,"
                        + " volumeName: v3}");
        simulation.objects.put(
                "PersistentVolume",
                "v3",
                "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: now, csi: {driver:"
                        + " csi.d, volumeHandle: h3}}, status: {phase: Bound}");
    }

    private static void limit(SimulationRun simulation, int volumes) {
        simulation.objects.put(
                "CSINode", "n0", "spec: {drivers: [{name: csi.d, nodeID: n0, allocatable: {count: " + volumes + "}}]}");
    }

    private static void made(SimulationRun simulation) {
        simulation.objects.put(
                "PersistentVolumeClaim",
                "c5",
                "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: made}");
    }

    private static void madeClass(SimulationRun simulation, String host) {
        simulation.objects.put(
                "StorageClass",
                "made",
                "provisioner: other.d, volumeBindingMode: WaitForFirstConsumer, allowedTopologies:"
                        + " [{matchLabelExpressions: [{key: host, values: [" + host + "]}]}]");
    }

    private static void slice(SimulationRun simulation, String name, int generation, int slices, String kind) {
        simulation.objects.put(
                "ResourceSlice",
                name,
                "spec: {driver: d, nodeName: n0, pool: {name: n0, generation: " + generation
                        + ", resourceSliceCount: " + slices + "}, devices: [{name: d-" + name
                        + ", attributes: {kind: {string: " + kind + "}}}]}");
    }

    private static void claim(SimulationRun simulation) {
        simulation.objects.put(
                "ResourceClaim",
                "s0",
                "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: a, allocationMode: ExactCount, count:"
                        + " 1}}]}}");
    }

    private static void delete(SimulationRun simulation, String kindAndKey) {
        simulation.objects.delete(Objects.requireNonNull(simulation.objects.find(kindAndKey)));
    }

    private static void nominee(SimulationRun simulation, Consumer<PodBuilder> more) {
        PodBuilder builder = pod("nominee").uid("nominee").priority(2).nodeSelector("disk", "tape");
        more.accept(builder);
        simulation.show(builder.build().toBuilder().nominatedNodeName("n0").build());
    }

    private static List<Change> changes() {
        return List.of(
                new Change(
                        "a CSINode is deleted",
                        17,
                        simulation -> {
                            volume(simulation);
                            limit(simulation, 0);
                        },
                        pod -> pod.claim("c3"),
                        simulation -> delete(simulation, "CSI_NODES n0")),
                new Change(
                        "a CSINode has a larger limit",
                        17,
                        simulation -> {
                            volume(simulation);
                            limit(simulation, 0);
                        },
                        pod -> pod.claim("c3"),
                        simulation -> limit(simulation, 1)),
                new Change(
                        "a CSIDriver ignores capacity",
                        21,
                        WaitingOracleTest::made,
                        pod -> pod.claim("c5"),
                        simulation -> simulation.objects.put("CSIDriver", "csi.d", "spec: {storageCapacity: false}")),
                new Change(
                        "a CSIDriver is deleted",
                        21,
                        WaitingOracleTest::made,
                        pod -> pod.claim("c5"),
                        simulation -> delete(simulation, "CSI_DRIVERS csi.d")),
                new Change(
                        "a capacity is added",
                        21,
                        WaitingOracleTest::made,
                        pod -> pod.claim("c5"),
                        simulation -> simulation.objects.put(
                                "CSIStorageCapacity",
                                "of-n0",
                                "storageClassName: made, capacity: 5Gi, nodeTopology: {matchLabels: {host: n0}}")),
                new Change(
                        "a StorageClass allows the node",
                        17,
                        simulation -> {
                            madeClass(simulation, "n1");
                            made(simulation);
                        },
                        pod -> pod.claim("c5"),
                        simulation -> madeClass(simulation, "n0")),
                new Change(
                        "a volume is detached",
                        35,
                        simulation -> {
                            volume(simulation);
                            limit(simulation, 1);
                            simulation.objects.put(
                                    "VolumeAttachment",
                                    "a4",
                                    "spec: {attacher: csi.d, nodeName: n0, source: {persistentVolumeName: v4}}, status:"
                                            + " {attached: true}");
                        },
                        pod -> pod.claim("c3"),
                        simulation -> delete(simulation, "VOLUME_ATTACHMENTS a4")),
                new Change(
                        "an incomplete newer slice is deleted",
                        35,
                        simulation -> {
                            claim(simulation);
                            slice(simulation, "older", 1, 1, "a");
                            slice(simulation, "newer", 2, 2, "a");
                        },
                        pod -> pod.resourceClaim(OracleObjects.entry("s0")),
                        simulation -> delete(simulation, "RESOURCE_SLICES newer")),
                new Change(
                        "a slice is complete",
                        35,
                        simulation -> {
                            claim(simulation);
                            slice(simulation, "one", 1, 2, "a");
                        },
                        pod -> pod.resourceClaim(OracleObjects.entry("s0")),
                        simulation -> slice(simulation, "two", 1, 2, "b")),
                new Change(
                        "a device class selects other devices",
                        34,
                        simulation -> {
                            claim(simulation);
                            slice(simulation, "one", 1, 1, "b");
                        },
                        pod -> pod.resourceClaim(OracleObjects.entry("s0")),
                        simulation -> simulation.objects.putClass("a", "b")),
                new Change(
                        "a nominated pod requests less",
                        34,
                        simulation -> nominee(simulation, pod -> pod.cpu("2")),
                        pod -> pod.cpu("1"),
                        simulation -> nominee(simulation, pod -> pod.cpu("1"))),
                new Change(
                        "the labels of a nominated pod change",
                        18,
                        simulation -> nominee(simulation, pod -> pod.label("app", "a")),
                        pod -> pod.podAntiAffinity(new PodAffinityTerm(
                                LabelSelector.of(Labels.of("app", "a"), List.of()), List.of(), "host", null)),
                        simulation -> nominee(simulation, pod -> pod.label("app", "b"))),
                new Change(
                        "the labels of the pod change",
                        17,
                        simulation -> {},
                        pod -> pod.podAffinity(new PodAffinityTerm(
                                LabelSelector.of(Labels.of("app", "self"), List.of()), List.of(), "host", null)),
                        simulation -> simulation.show(pod("p").uid("p")
                                .label("app", "self")
                                .podAffinity(new PodAffinityTerm(
                                        LabelSelector.of(Labels.of("app", "self"), List.of()), List.of(), "host", null))
                                .build())));
    }

    static List<Arguments> changesForSubjects() {
        List<Arguments> rows = new ArrayList<>();
        for (String subject : List.of(
                "policy@1.17",
                "policy@1.36",
                "hints@1.36",
                "modern@1.25",
                "modern@1.28",
                "modern@1.31",
                "modern@1.34",
                "modern@1.35",
                "modern@1.36")) {
            changes().stream()
                    .filter(change -> change.since() <= Integer.parseInt(subject.substring(subject.indexOf('.') + 1)))
                    .forEach(change -> rows.add(Arguments.of(subject, change)));
        }
        return rows;
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("changesForSubjects")
    void aChangeRequeuesThePod(String subject, Change change) {
        SimulationRun simulation = new SimulationRun(0, Subject.of(subject));
        simulation.putNode(node("n0").pods(5).cpu("2").label("host", "n0").build());
        change.before().accept(simulation);
        simulation.run();
        PodBuilder builder = pod("p").uid("p");
        change.pod().accept(builder);
        simulation.show(builder.build());
        simulation.run();
        assertEquals("", simulation.the("p").nodeName(), "schedulable before");
        simulation.clock.advanceMillis(BACKED_OFF.toMillis());
        simulation.run();
        assertEquals("", simulation.the("p").nodeName(), "schedulable before");
        assertEquals(1, simulation.scheduler.queue().size(Part.UNSCHEDULABLE) - (simulation.pods.size() - 1), "parts");
        change.made().accept(simulation);
        simulation.run();
        simulation.clock.advanceMillis(1_000);
        simulation.run();
        assertEquals("n0", simulation.the("p").nodeName(), () -> String.join("\n", simulation.trace));
    }
}
