package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods.WaitingPod;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Pods that wait for permission, on a clock that the test moves. */
class PermitTest extends PluginFixture {
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final List<String> RESERVED = List.of("A reserve a n1", "B reserve a n1");
    private static final List<String> UNRESERVED = List.of("B unreserve a n1", "A unreserve a n1");

    private final ScriptedPlugin first = plugin("A");
    private final ScriptedPlugin second = plugin("B");

    private void start(Family version) {
        // A score, so that the walk over the nodes does not end at the first that fits.
        start(
                version,
                profile -> profile.score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .reserve(first)
                        .reserve(second)
                        .permit(first)
                        .permit(second));
    }

    private WaitingPod waiting(String uid) {
        WaitingPod waiting = waitingPods.get(uid);
        assertNotNull(waiting);
        return waiting;
    }

    private void waits(Duration timeout) {
        first.waitFor(timeout);
        start(Family.MODERN);
        show(a);
        assertEquals(RESERVED, takeReserves());
        assertEquals(List.of(), writer.takeCalls());
    }

    private String lastEvent() {
        return writer.takeCalls().stream()
                .filter(call -> call.startsWith("Warning"))
                .reduce((before, after) -> after)
                .orElse("no event");
    }

    @Test
    void aPodThatNobodyHoldsBackIsBoundAtOnce() {
        start(Family.MODERN);
        show(a);
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertEquals(List.of(), waitingPods.all());
        answerBind(BindOutcome.BOUND);
        assertEquals(RESERVED, takeReserves());
    }

    @Test
    void aPodWaitsUntilItIsAllowed() {
        waits(TEN);
        assertTrue(scheduler.cache().isAssumed("ua"));
        WaitingPod waiting = waiting("ua");
        assertEquals(a.withNodeName("n1").withScheduledAt(clock.millis()), waiting.pod());
        assertEquals("n1", waiting.node());
        assertEquals(Set.of("A"), waiting.pendingPlugins());
        assertNull(waitingPods.get("other"));

        waiting.allow("A");
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertEquals(List.of(), waitingPods.all());
        answerBind(BindOutcome.BOUND);
        pass(TEN);
        assertEquals(List.of("bound ua n1 after 1"), reports);
        assertEquals(List.of(), takeReserves());
    }

    /** What keeps a pod from being bound immediately, and what is written about it; the last writes are those of its failure. */
    @ParameterizedTest
    @CsvSource({
        "34, wait, ''",
        "35, wait, nomination ua n1",
        "35, work, nomination ua n1",
        "35, no work, ''",
        "35, nothing, ''",
    })
    void aPodThatIsNotBoundImmediatelyIsNominated(int minor, String obstacle, String nomination) {
        if (obstacle.equals("wait")) {
            first.waitFor(TEN);
        }
        List<String> prepared = new ArrayList<>();
        PreBindPlugin preBind = new PreBindPlugin() {
            @Override
            public String name() {
                return "PreBind";
            }

            @Override
            public Status preBindPreFlight(CycleState state, PodInfo pod, String node) {
                return obstacle.equals("work") ? Status.SUCCESS : Status.SKIP;
            }

            @Override
            public Status preBind(CycleState state, PodInfo pod, String node) {
                prepared.addAll(writer.takeCalls());
                return Status.unschedulable("no");
            }
        };
        start(
                Family.MODERN,
                profile -> profile.release(new Release(minor))
                        .score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .permit(first)
                        .preBind(preBind));
        show(a);
        if (obstacle.equals("wait")) {
            assertEquals(nomination, String.join(", ", writer.takeCalls()));
            waiting("ua").allow("A");
            run();
            if (minor >= 35) {
                answerBind(BindOutcome.failed("no"));
            }
        } else {
            assertEquals(nomination, String.join(", ", prepared));
        }
        // The failure ends the nomination, also before the watch shows it.
        assertEquals(
                nomination.isEmpty() ? List.of() : List.of("nomination ua "),
                writer.takeCalls().stream()
                        .filter(call -> call.startsWith("nomination"))
                        .toList());
    }

    /** Since 1.35, PreBind is only called if its PreFlight returns success. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "34 | SKIP | [Warning FailedScheduling: running PreBind plugin \"PreBind\": broken]",
                "35 | SKIP | [bind ua n1]",
                "35 | SUCCESS | [Warning FailedScheduling: running PreBind plugin \"PreBind\": broken]",
                "35 | ERROR | [Warning FailedScheduling: running PreBindPreFlight \"PreBind\": early]",
                "35 | UNSCHEDULABLE_AND_UNRESOLVABLE | [Warning FailedScheduling: PreBindPreFlight PreBind returned"
                        + " \"UnschedulableAndUnresolvable\", which is unsupported. It is supposed to return Success, Skip, or"
                        + " Error status]",
            })
    void aPluginWithoutWorkDoesNotRun(int minor, Status.Code code, String expected) {
        showWithPreFlight(minor, new Status(code, List.of("early")));
        assertEquals(expected, bindsAndWarnings());
    }

    /** An error of PreFlight ends the attempt of a pod that would wait at Permit. */
    @ParameterizedTest
    @CsvSource({"34, 1, []", "35, 0, '[Warning FailedScheduling: running PreBindPreFlight \"PreBind\": early]'"})
    void preFlightsRunBeforeThePodWaits(int minor, int waiting, String expected) {
        first.waitFor(TEN);
        showWithPreFlight(minor, Status.error("early"));
        assertEquals(waiting, waitingPods.all().size());
        assertEquals(waiting == 1, scheduler.cache().isAssumed("ua"));
        assertEquals(expected, bindsAndWarnings());
    }

    private String bindsAndWarnings() {
        return writer.takeCalls().stream()
                .filter(call -> call.startsWith("bind") || call.startsWith("Warning"))
                .toList()
                .toString();
    }

    /** Shows a pod to a profile with a PreBind plugin that fails if it is called. */
    private void showWithPreFlight(int minor, Status preFlight) {
        PreBindPlugin preBind = new PreBindPlugin() {
            @Override
            public String name() {
                return "PreBind";
            }

            @Override
            public Status preBindPreFlight(CycleState state, PodInfo pod, String node) {
                return preFlight;
            }

            @Override
            public Status preBind(CycleState state, PodInfo pod, String node) {
                return Status.error("broken");
            }
        };
        start(
                Family.MODERN,
                profile -> profile.release(new Release(minor))
                        .score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .permit(first)
                        .preBind(preBind));
        show(a);
    }

    /** The API server does not bind a pod whose deletion has begun, such as one with a finalizer. */
    @ParameterizedTest
    @CsvSource({"34, false", "35, true", "35, false"})
    void aPodThatIsDeletedWhileItIsBoundReleasesItsNode(int minor, boolean waits) {
        if (waits) {
            first.waitFor(TEN);
        }
        start(
                Family.MODERN,
                profile -> profile.release(new Release(minor))
                        .filter(new FullAtOne())
                        .score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .permit(first));
        PodInfo b = pod("b").uid("ub").build();
        PodInfo c = pod("c").uid("uc").build();
        List.of(a, b, c).forEach(this::show);
        if (!waits) {
            answerBind(BindOutcome.BOUND);
        }
        answerRead(new PodRead.Found(c));
        assertEquals(Part.UNSCHEDULABLE, partOf(c));
        writer.takeCalls();
        PodInfo deleted = waits ? a : b;
        show(version(pod(deleted.name()).uid(deleted.uid()).terminating().build(), 2));
        assertEquals(minor >= 35, scheduler.cache().isAssumed("uc"));
        assertEquals(minor < 35, scheduler.cache().isAssumed(deleted.uid()));
        assertEquals(
                waits
                        ? List.of(
                                "Warning FailedScheduling: 0/1 nodes are available: 1 removed.",
                                "Warning FailedScheduling: skip schedule deleting pod: default/a")
                        : List.of(),
                writer.takeCalls().stream()
                        .filter(call -> call.startsWith("Warning"))
                        .toList());
        if (!waits) {
            answerBind(BindOutcome.failed("pod b is being deleted, cannot be assigned to a host"));
            assertFalse(scheduler.cache().isAssumed("ub"));
        }
    }

    /** PreBind plugins run on another thread; once they are finished, the binding can no longer be cancelled. */
    @ParameterizedTest
    @CsvSource({"before PreBind, true", "in PreBind, true", "after PreBind, false"})
    void aBindingCanBeCancelledUntilPreBindIsFinished(String when, boolean isCancelled) {
        List<Boolean> cancelled = new ArrayList<>();
        PreBindPlugin preBind = new PreBindPlugin() {
            @Override
            public String name() {
                return "PreBind";
            }

            @Override
            public Status preBind(CycleState state, PodInfo pod, String node) {
                if (when.equals("in PreBind")) {
                    cancelled.add(waitingPods.cancelBinding("ua", "preempted"));
                }
                return Status.SUCCESS;
            }
        };
        start(
                Family.MODERN,
                profile -> profile.score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .reserve(first)
                        .reserve(second)
                        .preBind(preBind));
        assertFalse(waitingPods.cancelBinding("ua", "preempted"));
        holdPluginCalls();
        show(a);
        if (when.equals("before PreBind")) {
            cancelled.add(waitingPods.cancelBinding("ua", "preempted"));
            cancelled.add(waitingPods.cancelBinding("ua", "preempted"));
        }
        runHeld();
        if (when.equals("after PreBind")) {
            cancelled.add(waitingPods.cancelBinding("ua", "preempted"));
        }
        run();
        assertEquals(Set.of(isCancelled), Set.copyOf(cancelled));
        if (isCancelled) {
            assertEquals(
                    List.of("Warning FailedScheduling: preempted", "condition ua SchedulerError: preempted"),
                    takeWrites());
            assertEquals(
                    List.of("A reserve a n1", "B reserve a n1", "B unreserve a n1", "A unreserve a n1"),
                    takeReserves());
            assertEquals(0, scheduler.cache().podCount());
            answerRead(new PodRead.Found(a));
            assertEquals(Part.BACKOFF, partOf(a));
        } else {
            assertEquals(List.of("bind ua n1"), writer.takeCalls());
        }
        assertFalse(waitingPods.cancelBinding("ua", "preempted"));
    }

    @Test
    void aPreemptedPodIsRetriedAfterItsBackoff() {
        waits(TEN);
        waiting("ua").preempt("DefaultPreemption", "preempted");
        run();
        String message = "waiting on permit for pod: preempted";
        assertEquals(
                List.of("Warning FailedScheduling: " + message, "condition ua SchedulerError: " + message),
                takeWrites());
        assertEquals(UNRESERVED, takeReserves());
        assertEquals(List.of(), waitingPods.all());
        answerRead(new PodRead.Found(a));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    /** The bind request may have been executed. */
    @Test
    void aPodThatWasAllowedCannotBePreempted() {
        waits(TEN);
        WaitingPod waiting = waiting("ua");
        waiting.allow("A");
        waiting.preempt("DefaultPreemption", "preempted");
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertTrue(scheduler.cache().isAssumed("ua"));
    }

    /** The same while volumes are bound. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aBindingCanBeCancelledUntilItsVolumesAreBound(boolean isCancelled) {
        List<Consumer<String>> callbacks = new ArrayList<>();
        List<String> undone = new ArrayList<>();
        volumes = (pod, node) -> new VolumeAssumer.Assumed() {
            @Override
            public String error() {
                return "";
            }

            @Override
            public void bind(Consumer<String> done) {
                callbacks.add(done);
            }

            @Override
            public void undo() {
                undone.add(pod.name());
            }
        };
        start(Family.MODERN);
        show(a);
        if (isCancelled) {
            assertTrue(waitingPods.cancelBinding("ua", "preempted"));
            callbacks.get(0).accept("");
        } else {
            callbacks.get(0).accept("");
            assertFalse(waitingPods.cancelBinding("ua", "preempted"));
        }
        run();
        assertEquals(
                isCancelled
                        ? List.of("Warning FailedScheduling: preempted", "condition ua SchedulerError: preempted")
                        : List.of("bind ua n1"),
                takeWrites());
        assertEquals(isCancelled ? List.of("a") : List.of(), undone);
    }

    /** Two calls of PreBind for one pod would write the same claims and volumes. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "true, true"})
    void thePreBindOfACancelledBindingEndsBeforeTheNextOneOfThePod(boolean withVolumes, boolean isCancelledAgain) {
        List<Consumer<String>> callbacks = new ArrayList<>();
        if (withVolumes) {
            volumes = (pod, node) -> new VolumeAssumer.Assumed() {
                @Override
                public void bind(Consumer<String> done) {
                    callbacks.add(done);
                }
            };
        }
        start(
                Family.MODERN,
                profile -> profile.score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .preBind(second));
        holdPluginCalls();
        show(a);
        assertTrue(waitingPods.cancelBinding("ua", "preempted"));
        run();
        retry();
        if (isCancelledAgain) {
            assertTrue(waitingPods.cancelBinding("ua", "preempted"));
            run();
            retry();
        }
        assertEquals(1, callbacks.size() + held.size());
        assertTrue(scheduler.cache().isAssumed("ua"));
        if (withVolumes) {
            callbacks.get(0).accept("timed out");
            run();
            assertEquals(2, callbacks.size());
            callbacks.get(1).accept("");
            run();
        } else {
            runHeld();
            run();
        }
        writer.takeCalls();
        assertEquals(1, held.size());
        runHeld();
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    private void retry() {
        answerRead(new PodRead.Found(a));
        assertEquals(Part.BACKOFF, partOf(a));
        pass(TEN);
        run();
    }

    /** Since 1.36, claims are written while volumes are bound; the other plugins run when both are finished. */
    @ParameterizedTest
    @CsvSource({
        "35, volumes first, bind ua n1",
        "36, volumes first, bind ua n1",
        "36, plugins first, bind ua n1",
        "36, volumes fail, Warning FailedScheduling: binding volumes: no",
        "36, plugins fail, Warning FailedScheduling: running PreBind plugin \"DynamicResources\": no",
    })
    void claimsAreWrittenWhileVolumesAreBound(int minor, String order, String expected) {
        List<Consumer<String>> callbacks = new ArrayList<>();
        List<String> undone = new ArrayList<>();
        volumes = (pod, node) -> new VolumeAssumer.Assumed() {
            @Override
            public void bind(Consumer<String> done) {
                callbacks.add(done);
            }

            @Override
            public void undo() {
                undone.add(pod.name());
            }
        };
        ScriptedPlugin claims = plugin("DynamicResources");
        if (order.equals("plugins fail")) {
            claims.answer(ExtensionPoint.PRE_BIND, Status.error("no"));
        }
        start(
                Family.MODERN,
                profile -> profile.release(new Release(minor))
                        .score(plugin("S").rate(node -> node.name().equals("n1") ? 1 : 0), 1)
                        .preBind(plugin("VolumeBinding"))
                        .preBind(claims)
                        .preBind(first));
        holdPluginCalls();
        show(a);
        takeCalls();
        boolean isParallel = minor >= 36;
        assertEquals(isParallel ? 1 : 0, held.size());
        writer.takeCalls();
        if (order.startsWith("plugins")) {
            runHeld();
            run();
            assertEquals(List.of("VolumeBinding preBind a n1", "DynamicResources preBind a n1"), takeCalls());
        }
        if (!order.equals("plugins fail")) {
            assertEquals(List.of(), writer.takeCalls());
            callbacks.get(0).accept(order.equals("volumes fail") ? "binding volumes: no" : "");
            run();
        }
        if (isParallel && order.equals("volumes first")) {
            assertEquals(1, held.size());
            runHeld();
            run();
            assertEquals(List.of("VolumeBinding preBind a n1", "DynamicResources preBind a n1"), takeCalls());
        }
        if (expected.startsWith("bind")) {
            runHeld();
            run();
            assertEquals(
                    isParallel
                            ? List.of("A preBind a n1")
                            : List.of("VolumeBinding preBind a n1", "DynamicResources preBind a n1", "A preBind a n1"),
                    takeCalls());
        } else {
            assertEquals(List.of("a"), undone);
        }
        assertEquals(
                List.of(expected),
                writer.takeCalls().stream()
                        .filter(call -> call.startsWith("bind") || call.startsWith("Warning"))
                        .toList());
    }

    @Test
    void whoDoesNotWaitCannotAllow() {
        waits(TEN);
        waiting("ua").allow("B");
        waiting("ua").allow("");
        run();
        assertEquals(Set.of("A"), waiting("ua").pendingPlugins());
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void allPluginsThatWaitMustAllow() {
        second.waitFor(Duration.ofMinutes(1));
        waits(TEN);
        WaitingPod waiting = waiting("ua");
        assertEquals(List.of("A", "B"), List.copyOf(waiting.pendingPlugins()));
        waiting.allow("A");
        run();
        assertEquals(Set.of("B"), waiting.pendingPlugins());
        // The wait of one that has allowed no longer ends.
        pass(Duration.ofSeconds(30));
        assertEquals(List.of(), writer.takeCalls());
        waiting.allow("A");
        waiting.allow("B");
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LEGACY   | pod \"a\" rejected while waiting at permit: rejected due to timeout after waiting 10s at"
                        + " plugin A",
                "MODERN | 0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin A."
            })
    void aWaitThatIsTooLongIsARejection(Family version, String message) {
        first.waitFor(TEN);
        start(version);
        show(a);
        pass(TEN.minusNanos(1));
        assertEquals(List.of(), writer.takeCalls());
        takeCalls();
        pass(Duration.ofNanos(1));
        assertEquals(
                List.of("Warning FailedScheduling: " + message, "condition ua Unschedulable: " + message),
                takeWrites());
        assertEquals(UNRESERVED, takeReserves());
        assertEquals(0, scheduler.cache().podCount());
        assertEquals(List.of(), waitingPods.all());
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));

        first.answer(ExtensionPoint.PERMIT, Status.SUCCESS);
        post(new ClusterChange.NodeUpserted(
                io.policyscheduler.engine.testing.NodeBuilder.node("n3").build()));
        pass(Duration.ofSeconds(100));
        answerBind(BindOutcome.BOUND);
        assertEquals("bound ua n1 after 2", reports.get(reports.size() - 1));
        assertEquals(RESERVED, takeReserves());
    }

    @ParameterizedTest
    @CsvSource({
        "10000, 20000, 10s at plugin A, 10000",
        "20000, 10000, 10s at plugin B, 10000",
        "10000, 10000, 10s at plugin A, 10000",
        "90000, 60000, 1m0s at plugin B, 60000",
        "100, 100000, 100ms at plugin A, 100",
        "0, 10000, 0s at plugin A, 0",
        "3600000, 1200000, 15m0s at plugin A, 900000",
        "3600000, 900000, 15m0s at plugin A, 900000",
        "3600000, 899999, 14m59.999s at plugin B, 899999",
    })
    void theShortestWaitCounts(long firstMillis, long secondMillis, String text, long overAfter) {
        second.waitFor(Duration.ofMillis(secondMillis));
        first.waitFor(Duration.ofMillis(firstMillis));
        start(Family.MODERN);
        show(a);
        if (overAfter > 0) {
            assertEquals(overAfter >= 1000 ? 1_000_000_000L : overAfter * 1_000_000, timerNanos(overAfter));
            pass(Duration.ofMillis(overAfter).minusNanos(1));
            assertEquals(List.of(), writer.takeCalls());
            pass(Duration.ofNanos(1));
        }
        assertEquals(
                "Warning FailedScheduling: 0/1 nodes are available: 1 rejected due to timeout after waiting " + text
                        + ".",
                lastEvent());
    }

    /** The next timer is that of the wait unless the periodic one is earlier. */
    private long timerNanos(long overAfter) {
        long nanos = scheduler.nanosUntilNextTimer();
        return overAfter >= 1000 ? Math.min(nanos, 1_000_000_000L) : nanos;
    }

    @Test
    void ofSeveralWaitsThatAreOverTheFirstToEndIsTold() {
        second.waitFor(Duration.ofSeconds(5));
        waits(TEN);
        pass(Duration.ofSeconds(60));
        assertEquals(
                "Warning FailedScheduling: 0/1 nodes are available: 1 rejected due to timeout after waiting 5s at"
                        + " plugin B.",
                lastEvent());
        assertEquals(UNRESERVED, takeReserves());
    }

    @Test
    void aRejectionGoesBeforeAWait() {
        second.answer(ExtensionPoint.PERMIT, Status.unschedulable("no"));
        first.waitFor(TEN);
        start(Family.MODERN);
        show(a);
        assertEquals("Warning FailedScheduling: 0/1 nodes are available: 1 no.", lastEvent());
        assertEquals(List.of(), waitingPods.all());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LEGACY   | pod \"a\" rejected while waiting at permit: the gang is gone",
                "MODERN | 0/1 nodes are available: 1 the gang is gone."
            })
    void aWaitingPodCanBeRejected(Family version, String message) {
        first.waitFor(TEN);
        start(version);
        show(a);
        takeCalls();
        WaitingPod waiting = waiting("ua");
        waiting.reject("the gang is gone");
        waiting.reject("again");
        waiting.allow("A");
        run();
        assertEquals("Warning FailedScheduling: " + message, lastEvent());
        assertEquals(UNRESERVED, takeReserves());
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
    }

    @Test
    void anAnswerOfAnEarlierWaitChangesNothing() {
        waits(TEN);
        WaitingPod earlier = waiting("ua");
        earlier.reject("x");
        run();
        answerRead(new PodRead.Found(a));
        post(new ClusterChange.NodeUpserted(
                io.policyscheduler.engine.testing.NodeBuilder.node("n3").build()));
        assertEquals(1, waitingPods.all().size());
        writer.takeCalls();
        earlier.allow("A");
        earlier.reject("y");
        run();
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(1, waitingPods.all().size());
    }

    @Test
    void aWaitingPodThatIsDeletedIsTakenBackOnce() {
        waits(TEN);
        delete(a);
        assertEquals(UNRESERVED, takeReserves());
        assertEquals(List.of(), waitingPods.all());
        assertEquals(0, scheduler.cache().podCount());
        pass(TEN);
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of(), takeReserves());
        assertEquals(List.of("gone ua"), reports);
    }

    @Test
    void aWaitingPodThatOthersBindIsTakenBackOnce() {
        waits(TEN);
        show(version(a.withNodeName("n2"), 2));
        assertEquals(UNRESERVED, takeReserves());
        assertEquals(List.of(), waitingPods.all());
        assertEquals(List.of("ua"), podsOn("n2"));
        assertEquals(List.of(), podsOn("n1"));
        pass(TEN);
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void anUpdateDoesNotEndTheWait() {
        waits(TEN);
        show(version(pod("a").uid("ua").label("x", "y").build(), 2));
        assertEquals(1, waitingPods.all().size());
        waiting("ua").allow("A");
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void noPodWaitsForASchedulerThatStops() {
        waits(TEN);
        post(new ClusterChange.SchedulingEnabled(false));
        assertEquals("Warning FailedScheduling: 0/1 nodes are available: 1 scheduling stops.", lastEvent());
        assertEquals(UNRESERVED, takeReserves());
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
    }

    @Test
    void theRoomOfARejectedPodHelpsOthersButNotItself() {
        ScriptedPlugin room = new ScriptedPlugin("Room", new ArrayList<>());
        first.waitFor(TEN);
        start(
                Family.MODERN,
                profile -> profile.filter(new FullAtOne()).filter(room).permit(first));
        PodInfo b = pod("b").uid("ub").build();
        PodInfo c = pod("c").uid("uc").build();
        show(a);
        show(b);
        show(c);
        answerRead(new PodRead.Found(c));
        assertEquals(Part.UNSCHEDULABLE, partOf(c));
        waiting("ua").reject("x");
        run();
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        // It backs off, but nobody else is to be tried.
        assertNull(partOf(c));
        assertEquals(
                List.of("ub", "uc"),
                waitingPods.all().stream().map(pod -> pod.pod().uid()).toList());
    }

    @Test
    void otherThreadsSeeAndAllowWaitingPods() throws Exception {
        second.waitFor(TEN);
        waits(TEN);
        PodInfo b = pod("b").uid("ub").build();
        show(b);
        CompletableFuture<List<String>> seen = CompletableFuture.supplyAsync(() -> {
            List<String> lines = new ArrayList<>();
            for (WaitingPod waiting : waitingPods.all()) {
                lines.add(waiting.pod().name() + " " + waiting.node() + " " + waiting.pendingPlugins());
                waiting.allow("A");
                waiting.allow("B");
            }
            return lines;
        });
        assertEquals(List.of("a n1 [A, B]", "b n1 [A, B]"), seen.get(20, TimeUnit.SECONDS));
        assertFalse(waitingPods.all().isEmpty());
        run();
        assertEquals(List.of("bind ua n1", "bind ub n1"), writer.takeCalls());
        assertEquals(List.of(), waitingPods.all());
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void theListOfWaitingPodsDoesNotChangeUnderItsReader(Family version) {
        first.waitFor(TEN);
        start(version);
        show(a);
        List<WaitingPod> before = waitingPods.all();
        show(pod("b").uid("ub").build());
        assertEquals(1, before.size());
        assertEquals(2, waitingPods.all().size());
    }
}
