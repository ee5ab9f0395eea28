package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A scheduler, an API server with a few nodes and pods, and a watch between them that can break; one thread, one seed. */
final class Simulation implements ClusterWriter {
    private static final int PODS_PER_NODE = 4;
    private static final int MAX_PODS = 14;
    private static final List<String> NAMES = List.of(TestProfiles.NAME, "other-scheduler");

    private final Random random;
    private final TestClock clock = new TestClock();
    private final Scheduler scheduler;
    private final Map<String, PodInfo> pods = new TreeMap<>();
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, String> boundOnce = new TreeMap<>();
    /** Events that the watch has not delivered yet, in order. */
    private final Deque<ClusterChange> watch = new ArrayDeque<>();
    /** Requests that have not reached the server yet. */
    private final List<Runnable> requests = new ArrayList<>();

    private final List<String> history = new ArrayList<>();
    private final List<String> mistakes = new ArrayList<>();
    private final SimulatedPlugin.Books books;
    private final ClusterState state = new ClusterState();
    private final WaitingPods waitingPods;
    private long version = 10;
    private int uids;
    private int generation;
    private boolean gap;
    private boolean calm;

    Simulation(long seed) {
        random = new Random(seed);
        books = new SimulatedPlugin.Books(random, mistakes);
        Scheduler.Builder builder = Scheduler.builder(state, this, clock);
        waitingPods = builder.waitingPods();
        scheduler = builder.profiles(profiles(NAMES))
                .options(SchedulerOptions.defaults()
                        .withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES))
                        .withRequeueHints(seed % 2 == 0))
                .pluginCalls(requests::add)
                .build();
        for (int i = 0; i < 3; i++) {
            putNode("n" + i);
        }
        relist();
    }

    private Profiles profiles(List<String> names) {
        generation++;
        List<ProfileRuntime> runtimes = new ArrayList<>();
        for (String name : names) {
            SimulatedPlugin plugin = new SimulatedPlugin(books, generation);
            Profile.Builder profile = Profile.builder(
                            name, random.nextBoolean() ? Family.MODERN : Family.LEGACY, new StateKeys())
                    .preEnqueue(plugin)
                    .reserve(plugin)
                    .permit(plugin);
            if (random.nextBoolean()) {
                profile.preBind(plugin).postBind(plugin);
            }
            runtimes.add(ProfileRuntime.of(
                    name,
                    profile.build(),
                    (pod, nominated, cycleState) -> decide(state),
                    Preemptor.NONE,
                    this,
                    VolumeAssumer.NONE));
        }
        return Profiles.of(generation, runtimes);
    }

    private static Decision decide(ClusterState state) {
        state.startCycle();
        for (NodeInfo info : state.nodes()) {
            if (info.podCount() < PODS_PER_NODE && !info.node().unschedulable()) {
                return new Decision(Decision.Kind.PLACED, info.name(), 0, "", 1, 1);
            }
        }
        int count = state.nodes().size();
        String message = "0/" + count + " nodes are available: " + count + " Too many pods.";
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, count);
    }

    /** Performs one random action, and runs the scheduler or not. */
    void step() {
        int choice = random.nextInt(100);
        if (choice < 14) {
            createPod();
        } else if (choice < 22) {
            deletePod();
        } else if (choice < 26) {
            changePod();
        } else if (choice < 29) {
            changeNodes();
        } else if (choice < 33) {
            bindByOther();
        } else if (choice < 50) {
            serveRequest();
        } else if (choice < 70) {
            deliver(1 + random.nextInt(3));
        } else if (choice < 72) {
            gap = true;
        } else if (choice < 76) {
            relist();
        } else if (choice < 86) {
            clock.advanceMillis(random.nextInt(1500));
        } else if (choice < 87) {
            clock.advanceMillis(35_000);
        } else if (choice < 89) {
            replaceProfiles();
        } else if (choice < 92) {
            answerWaitingPod();
        } else if (choice < 93) {
            books.turnGate();
        }
        if (random.nextInt(3) > 0) {
            scheduler.runOnce();
        }
    }

    /** Ends all faults, adds room, and lets time pass. */
    void settle() {
        calm = true;
        books.calm();
        scheduler.post(new ClusterChange.ProfilesReplaced(profiles(NAMES)));
        for (int i = 0; i < 8; i++) {
            putNode("n" + i);
        }
        pods.values().stream().filter(PodInfo::terminating).toList().forEach(this::remove);
        relist();
        for (int round = 0; round < 400; round++) {
            while (!requests.isEmpty()) {
                serveRequest();
            }
            deliver(watch.size());
            while (scheduler.runOnce()) {
                mistakes.addAll(SchedulerAudit.violations(scheduler));
            }
            clock.advanceMillis(500);
        }
    }

    List<String> unboundPods() {
        return pods.values().stream()
                .filter(pod -> pod.nodeName().isEmpty())
                .map(pod -> pod.key() + " " + pod.uid())
                .toList();
    }

    List<String> violations() {
        List<String> all = new ArrayList<>(mistakes);
        all.addAll(SchedulerAudit.violations(scheduler));
        checkReserved(all);
        return all;
    }

    List<String> history() {
        return history;
    }

    /** Both profiles, in either order, or one. */
    private void replaceProfiles() {
        List<String> names = new ArrayList<>(NAMES);
        if (random.nextBoolean()) {
            Collections.reverse(names);
        }
        scheduler.post(
                new ClusterChange.ProfilesReplaced(profiles(random.nextInt(3) == 0 ? names.subList(0, 1) : names)));
    }

    private void answerWaitingPod() {
        List<WaitingPods.WaitingPod> waiting = waitingPods.all();
        if (!waiting.isEmpty()) {
            WaitingPods.WaitingPod pod = waiting.get(random.nextInt(waiting.size()));
            if (random.nextInt(3) == 0) {
                pod.reject("sent away");
            } else {
                pod.allow("Simulated");
            }
        }
    }

    /** Every reservation belongs to a pod that is being bound or is bound; others should have been undone. */
    private void checkReserved(List<String> violations) {
        PodsInFlight inFlight = scheduler.inFlight();
        books.reserved().forEach((uid, node) -> {
            if (!inFlight.mayBeBound(uid) && !node.equals(boundOnce.get(uid))) {
                violations.add(uid + " is still reserved on " + node + " but bound to " + boundOnce.get(uid));
            }
        });
    }

    private void createPod() {
        String name = "p" + random.nextInt(MAX_PODS);
        if (pods.size() < MAX_PODS && !pods.containsKey(name)) {
            store(newPod(name));
        }
    }

    private PodInfo newPod(String name) {
        return pod(name)
                .uid("u" + uids++)
                .priority(random.nextInt(3))
                .schedulerName(NAMES.get(random.nextInt(4) == 0 ? 1 : 0))
                .build();
    }

    private void deletePod() {
        PodInfo pod = anyPod();
        if (pod == null) {
            return;
        }
        int how = random.nextInt(4);
        if (how == 0) {
            store(copy(pod, true, pod.phase(), pod.nodeName(), pod.scheduled()));
        } else if (how == 1) {
            // A finished pod stays on the server for a while and is then deleted.
            store(copy(pod, pod.terminating(), "Failed", pod.nodeName(), pod.scheduled()));
            remove(pod);
        } else {
            remove(pod);
            if (random.nextBoolean()) {
                store(newPod(pod.name()));
            }
        }
    }

    private void remove(PodInfo pod) {
        pods.remove(pod.name());
        send(new ClusterChange.PodDeleted(pod.namespace(), pod.name(), pod.uid()));
    }

    private void changePod() {
        PodInfo pod = anyPod();
        if (pod != null) {
            store(pod.withNominatedNodeName(random.nextBoolean() ? "n0" : ""));
        }
    }

    private void changeNodes() {
        String name = "n" + random.nextInt(4);
        if (nodes.containsKey(name) && random.nextInt(3) == 0) {
            nodes.remove(name);
            send(new ClusterChange.NodeDeleted(name));
        } else {
            putNode(name);
        }
    }

    private void putNode(String name) {
        Node built = calm || random.nextInt(4) > 0
                ? node(name).build()
                : node(name).unschedulable().build();
        Node versioned = new Node(
                built.name(),
                built.uid(),
                String.valueOf(version++),
                built.labels(),
                built.annotations(),
                built.unschedulable(),
                built.taints(),
                built.allocatable(),
                built.images(),
                built.conditions(),
                built.zoneKey(),
                "",
                PodInfo.NO_TIME,
                Map.of(),
                Set.of());
        nodes.put(name, versioned);
        send(new ClusterChange.NodeUpserted(versioned));
    }

    private void bindByOther() {
        PodInfo pod = anyPod();
        if (pod != null && pod.nodeName().isEmpty() && !nodes.isEmpty()) {
            bindAtServer(pod, nodes.keySet().iterator().next());
        }
    }

    private void bindAtServer(PodInfo pod, String node) {
        String before = boundOnce.put(pod.uid(), node);
        if (before != null) {
            mistakes.add(pod.uid() + " bound to " + before + " and to " + node);
        }
        history.add(clock.instant() + " " + pod.key() + "/" + pod.uid() + " -> " + node);
        store(copy(pod, pod.terminating(), pod.phase(), node, pod.scheduled()));
    }

    private void store(PodInfo pod) {
        PodInfo versioned =
                pod.toBuilder().resourceVersion(String.valueOf(version++)).build();
        pods.put(pod.name(), versioned);
        send(new ClusterChange.PodUpserted(versioned));
    }

    private static PodInfo copy(
            PodInfo pod,
            boolean terminating,
            String phase,
            String node,
            PodInfo.@Nullable ScheduledCondition condition) {
        return pod.toBuilder()
                .terminating(terminating)
                .phase(phase)
                .nodeName(node)
                .scheduled(condition)
                .build();
    }

    private @Nullable PodInfo anyPod() {
        List<PodInfo> all = List.copyOf(pods.values());
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    /** During a gap, the watch loses all events until the next list. */
    private void send(ClusterChange change) {
        if (!gap) {
            watch.add(change);
            if (!calm && random.nextInt(10) == 0) {
                watch.add(change);
            }
        }
    }

    private void deliver(int count) {
        for (int i = 0; i < count && !watch.isEmpty(); i++) {
            scheduler.post(watch.poll());
        }
    }

    private void relist() {
        watch.clear();
        gap = false;
        scheduler.post(new ClusterChange.NodesReplaced(List.copyOf(nodes.values())));
        scheduler.post(new ClusterChange.PodsReplaced(List.copyOf(pods.values())));
    }

    private void serveRequest() {
        if (!requests.isEmpty()) {
            requests.remove(random.nextInt(requests.size())).run();
        }
    }

    @Override
    public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
        requests.add(() -> {
            int percent = calm ? 99 : random.nextInt(100);
            if (percent < 10) {
                done.accept(BindOutcome.failed("etcdserver: request timed out"));
                return;
            }
            PodInfo current = pods.get(pod.name());
            if (percent < 15) {
                done.accept(BindOutcome.unknown("connection reset"));
            } else if (current == null || !current.isSame(pod)) {
                done.accept(BindOutcome.deleted("pods \"" + pod.name() + "\" not found"));
            } else if (!current.nodeName().isEmpty() || current.terminating()) {
                done.accept(BindOutcome.conflict("pod " + pod.name() + " is already assigned or being deleted"));
            } else {
                bindAtServer(current, node);
                done.accept(percent < 25 ? BindOutcome.unknown("connection reset") : BindOutcome.BOUND);
            }
        });
    }

    @Override
    public void updateStatus(
            PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
        if (condition == null) {
            return;
        }
        requests.add(() -> {
            PodInfo current = pods.get(pod.name());
            if (current != null
                    && current.isSame(pod)
                    && current.resourceVersion().equals(pod.resourceVersion())) {
                store(copy(current, current.terminating(), current.phase(), current.nodeName(), condition));
            }
        });
    }

    @Override
    public void event(PodInfo pod, String type, String reason, String message, long generation) {
        history.add(clock.instant() + " " + reason + " " + message);
    }

    @Override
    public void readPod(PodInfo pod, Consumer<PodRead> done) {
        requests.add(() -> {
            PodInfo current = pods.get(pod.name());
            if (!calm && random.nextInt(5) == 0) {
                done.accept(new PodRead.Failed("connection refused"));
            } else {
                done.accept(current == null ? new PodRead.NotFound() : new PodRead.Found(current));
            }
        });
    }
}
