package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A scheduler that a test drives step by step: two nodes, preset decisions, and a writer that only records. */
public abstract class SchedulerFixture {
    static final Decision ON_N1 = new Decision(Decision.Kind.PLACED, "n1", 10, "", 2, 2);
    static final String TOO_MANY = "0/1 nodes are available: 1 Too many pods.";
    static final Decision NO_FIT = new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, TOO_MANY, 0, 1);

    public final TestClock clock = new TestClock();
    public final FakeWriter writer = new FakeWriter();
    final ClusterState state = new ClusterState();
    public final List<String> reports = new ArrayList<>();
    final List<String> boundByOthers = new ArrayList<>();
    public final List<String> preempted = new ArrayList<>();
    public KubeletRejections places = new KubeletRejections();
    Decision decision = ON_N1;
    VolumeAssumer volumes = VolumeAssumer.NONE;
    public Scheduler scheduler = newScheduler();

    public final PodInfo a = pod("a").uid("ua").build();

    /** Pods of other schedulers. */
    final List<String> left = new ArrayList<>();

    final class Recorder implements SchedulerListener {
        @Override
        public void onLeft(PodInfo pod) {
            left.add(pod.name());
        }

        @Override
        public void onBound(QueuedPod entry, String node, long nanos) {
            reports.add("bound " + entry.pod().uid() + " " + node + " after " + entry.attempts());
        }

        @Override
        public void onBindFailed(QueuedPod entry, String node, String message) {
            reports.add("bind failed " + entry.pod().uid() + " " + message);
        }

        @Override
        public void onRequeued(PodInfo pod, Part part) {
            reports.add("requeued " + pod.uid() + " " + part.label());
        }

        @Override
        public void onBoundByAnother(PodInfo pod) {
            boundByOthers.add(pod.uid());
        }

        @Override
        public void onPodGone(PodInfo pod) {
            reports.add("gone " + pod.uid());
        }

        @Override
        public void onRefused(PodInfo pod, String reason) {
            reports.add("refused " + pod.uid() + " " + reason);
        }

        @Override
        public void onExpired(PodInfo pod) {
            reports.add("expired " + pod.uid());
        }
    }

    Scheduler newScheduler() {
        ScheduleAlgorithm algorithm = (pod, nominated, cycleState) -> {
            state.startCycle();
            return decide(pod);
        };
        Preemptor preemptor = (pod, nominated) -> {
            preempted.add(pod.name());
            return Status.SUCCESS;
        };
        Scheduler.Builder builder = Scheduler.builder(state, writer, clock);
        places = builder.kubeletRejections();
        return builder.profiles(TestProfiles.of(algorithm, writer, preemptor, volumes))
                .options(SchedulerOptions.defaults().withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES)))
                .listener(new Recorder())
                .build();
    }

    /** Returns the decision about a pod: the one that the test has set, unless the test computes it. */
    Decision decide(PodInfo pod) {
        return decision;
    }

    @BeforeEach
    void sync() {
        scheduler.post(new ClusterChange.NodesReplaced(
                List.of(node("n1").build(), node("n2").build())));
        scheduler.post(new ClusterChange.PodsReplaced(List.of()));
        run();
    }

    @AfterEach
    void audit() {
        assertEquals(List.of(), SchedulerAudit.violations(scheduler));
    }

    void run() {
        while (scheduler.runOnce()) {
            assertEquals(List.of(), SchedulerAudit.violations(scheduler));
        }
    }

    void post(ClusterChange change) {
        scheduler.post(change);
        run();
    }

    void show(PodInfo pod) {
        post(new ClusterChange.PodUpserted(pod));
    }

    void delete(PodInfo pod) {
        post(new ClusterChange.PodDeleted(pod.namespace(), pod.name(), pod.uid()));
    }

    void answerBind(BindOutcome outcome) {
        writer.answerBind(outcome);
        run();
    }

    void answerRead(PodRead read) {
        writer.answerRead(read);
        run();
    }

    void pass(Duration time) {
        clock.advance(time);
        run();
    }

    @Nullable
    Part partOf(PodInfo pod) {
        return scheduler.queue().partOf(pod.key());
    }

    static PodInfo version(PodInfo pod, int version) {
        return condition(pod, version, null);
    }

    static PodInfo condition(PodInfo pod, int version, PodInfo.@Nullable ScheduledCondition condition) {
        return pod.toBuilder()
                .resourceVersion(String.valueOf(version))
                .scheduled(condition)
                .build();
    }

    /** Fails {@code a}, which remains unschedulable. */
    void makeUnschedulable() {
        decision = NO_FIT;
        show(a);
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        writer.takeCalls();
        reports.clear();
    }

    static PodInfo known(@Nullable PodInfo pod) {
        assertNotNull(pod);
        return pod;
    }

    List<String> podsOn(String node) {
        NodeInfo info = state.node(node);
        assertNotNull(info);
        return info.pods().stream().map(PodInfo::uid).toList();
    }
}
