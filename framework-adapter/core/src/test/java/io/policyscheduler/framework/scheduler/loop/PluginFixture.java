package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A scheduler driven by hand whose profiles are made of plugins, which decide themselves. */
public abstract class PluginFixture extends SchedulerFixture {
    /** What plugins were asked, in order. */
    public final List<String> calls = new ArrayList<>();
    /** Plugin calls that wait for {@link #runHeld}, once {@link #holdPluginCalls} was called. */
    public final Deque<Runnable> held = new ArrayDeque<>();

    SchedulerOptions options =
            SchedulerOptions.defaults().withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES));
    public Executor executor = Runnable::run;
    WaitingPods waitingPods = WaitingPods.NONE;
    private long generation = 1;

    ScriptedPlugin plugin(String name) {
        return new ScriptedPlugin(name, calls);
    }

    /** From now on plugins that may block run when the test says so. */
    void holdPluginCalls() {
        executor = held::add;
    }

    /** Runs the plugin call that was made first. */
    void runHeld() {
        held.remove().run();
        run();
    }

    /** In 1.34, which does not nominate pods that are being bound. */
    static Profile profile(Family version, Consumer<Profile.Builder> plugins) {
        Profile.Builder builder =
                Profile.builder("test", version, new StateKeys()).release(Release.V1_34);
        plugins.accept(builder);
        return builder.build();
    }

    ProfileRuntime runtime(String schedulerName, Profile profile) {
        return ProfileRuntime.of(
                schedulerName,
                profile,
                SchedulingCycle.of(profile, state),
                (pod, nominated) -> {
                    preempted.add(pod.name());
                    return Status.SUCCESS;
                },
                writer,
                (pod, node) -> volumes.assume(pod, node));
    }

    /** Starts anew with one profile of these plugins. */
    void start(Family version, Consumer<Profile.Builder> plugins) {
        start(runtime(TestProfiles.NAME, profile(version, plugins)));
    }

    void start(ProfileRuntime... runtimes) {
        Scheduler.Builder builder = Scheduler.builder(state, writer, clock);
        waitingPods = builder.waitingPods();
        scheduler = builder.profiles(Profiles.of(1, List.of(runtimes)))
                .options(options)
                .listener(new Recorder())
                .pluginCalls(call -> executor.execute(call))
                .build();
        sync();
    }

    /** Lets other profiles decide. */
    void replace(ProfileRuntime... runtimes) {
        generation++;
        post(new ClusterChange.ProfilesReplaced(Profiles.of(generation, List.of(runtimes))));
    }

    /** Answers the read of a failed pod; one that waits for events is not read. */
    @Override
    void answerRead(PodRead read) {
        if (writer.isAskedToRead()) {
            super.answerRead(read);
        }
    }

    /** Returns the writes since the last call, without reads, which depend on the kind of requeuing. */
    List<String> takeWrites() {
        return writer.takeCalls().stream()
                .filter(call -> !call.startsWith("read "))
                .toList();
    }

    /** Returns the calls since the last call of this method. */
    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    /** Returns the calls of reserve and unreserve since the last call of this method. */
    List<String> takeReserves() {
        return takeCalls().stream().filter(call -> call.contains("reserve")).toList();
    }
}
