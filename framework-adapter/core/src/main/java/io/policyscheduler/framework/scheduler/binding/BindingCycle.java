package io.policyscheduler.framework.scheduler.binding;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.PluginsRan.Outcome;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.backend.Cache.Result;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.binding.PodReports.FailureRecorder;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps from a selected node to the bind: assume, reserve, permit, bind volumes, PreBind, bind. Mirrors the binding part of
 * {@code pkg/scheduler/schedule_one.go}.
 */
public final class BindingCycle {
    private static final Logger log = LoggerFactory.getLogger(BindingCycle.class);

    private final SchedulerState state;
    private final SchedulerContext context;
    private final CurrentProfiles profiles;
    private final FailureRecorder failures;
    private final PodReports reports;
    private final WaitingPodsMap waits;
    private final BindResults results;

    public BindingCycle(
            SchedulerState state,
            SchedulerContext context,
            CurrentProfiles profiles,
            FailureRecorder failures,
            PodReports reports,
            WaitingPodsMap waits,
            BindResults results) {
        this.state = state;
        this.context = context;
        this.profiles = profiles;
        this.failures = failures;
        this.reports = reports;
        this.waits = waits;
        this.results = results;
    }

    /** Assumes the pod on the selected node and starts its binding. */
    public void start(QueuedPod entry, Placement placement) {
        PodInfo pod = entry.pod();
        VolumeAssumer.Assumed volumes = placement.runtime().volumes().assume(pod, placement.node());
        if (!volumes.error().isEmpty()) {
            notAssumed(entry, volumes.error(), "AssumePodVolumes");
            return;
        }
        // With the start time that the API server will set: metrics measured before do not include the pod.
        PodInfo assumed = pod.withNodeName(placement.node())
                .withScheduledAt(context.wallClock().millis());
        Result result = state.cache().assume(assumed);
        if (!result.isApplied()) {
            volumes.undo();
            notAssumed(entry, result.message(), "AssumePod");
            return;
        }
        state.queue().placed(pod, placement.node());
        Binding binding = new Binding(
                state.inFlight().nextToken(),
                entry,
                assumed,
                placement,
                volumes,
                context.clock().instant());
        state.inFlight().bindings().put(binding.id(), binding);
        binding.reserved = true;
        ReserveAndPermit.Objection objection = binding.approval.reserve();
        if (objection != null) {
            results.giveUp(binding, objection);
            return;
        }
        runPermit(binding);
    }

    private void notAssumed(QueuedPod entry, String error, String step) {
        failures.record(entry, FailureRecorder.SCHEDULER_ERROR, error, step + " failed: " + error, null);
    }

    private void runPermit(Binding binding) {
        Instant now = context.clock().instant();
        ReserveAndPermit.Permission permission = binding.approval.permit(now);
        ReserveAndPermit.Objection objection = permission.objection();
        if (objection != null) {
            results.giveUp(binding, objection);
            return;
        }
        String error = runPreFlights(binding);
        if (!error.isEmpty()) {
            results.giveUp(binding, FailureRecorder.SCHEDULER_ERROR, error);
        } else if (permission.waits().isEmpty()) {
            bindVolumes(binding);
        } else {
            nominate(binding);
            waits.add(binding.id(), binding.token, binding.assumed, binding.node(), permission.waits());
        }
    }

    /** Since 1.35: writes the node into the status of a pod that is not bound immediately. */
    private void nominate(Binding binding) {
        if (binding.rules().nominatesBindingPods()) {
            reports.binding(binding.entry.pod(), binding.node());
        }
    }

    /** A permit plugin allows a pod. */
    public void permitted(String podId, long token, String plugin) {
        Binding binding = results.find(podId, token);
        if (binding != null && waits.allow(podId, token, plugin)) {
            waited(binding, "Success");
            bindVolumes(binding);
        }
    }

    /** A pod that waits at Permit is rejected. */
    public void rejected(String podId, long token, String plugin, String why) {
        Binding binding = results.find(podId, token);
        if (binding == null) {
            return;
        }
        Set<String> by = plugin.isEmpty() ? waits.pendingPlugins(podId) : Set.of(plugin);
        if (waits.remove(podId)) {
            waited(binding, "Unschedulable");
            BindResults.rejectedBy(binding, by);
            String message = binding.rules().rejectedWaiting(binding.entry.pod().name(), why);
            results.giveUp(binding, FailureRecorder.UNSCHEDULABLE, message);
        }
    }

    private void waited(Binding binding, String result) {
        long nanos = binding.nanosUntil(context.clock().instant());
        context.listener().onPermitWait(binding.entry.pod(), result, nanos);
    }

    /**
     * Rejects the pods that wait at Permit or for their volumes, because scheduling stops. Provisioning a volume can take minutes,
     * and the next leader must not wait for it; the claim has the selected node.
     */
    public void rejectWaiting(String message) {
        waits.all().forEach(pod -> pod.reject(message));
        state.inFlight().bindings().values().stream()
                .filter(binding -> binding.waitsForVolumes)
                .toList()
                .forEach(binding ->
                        results.giveUp(binding, FailureRecorder.VOLUME_BINDING_FAILED, "binding volumes: " + message));
    }

    private void bindVolumes(Binding binding) {
        // From here on, failures are not rejections by plugins, so no event helps.
        state.queue().done(binding.assumed);
        if (state.inFlight().ending().containsKey(binding.id())) {
            // Two calls of PreBind for one pod would write the same claims and volumes.
            binding.waitsForEarlier = true;
            beginPreBind(binding);
            return;
        }
        if (binding.volumes == VolumeAssumer.Assumed.NOTHING) {
            runPlugins(binding);
            return;
        }
        binding.waitsForVolumes = true;
        nominate(binding);
        WaitingPodsMap.PreBind preBind = beginPreBind(binding);
        runPluginsWithVolumes(binding);
        binding.running++;
        try {
            binding.volumes.bind(error -> volumesBound(binding, preBind, error));
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", binding.assumed.key()).setCause(e).log("binding volumes failed");
            volumesBound(binding, preBind, e.toString());
        }
    }

    /**
     * Finds the PreBind plugins that have work to do, before the pod waits at Permit. Mirrors {@code RunPreBindPreFlights}.
     *
     * @return the error, which ends the binding; empty for none
     */
    private static String runPreFlights(Binding binding) {
        List<PreBindPlugin> plugins = binding.placement.runtime().profile().preBinds();
        if (!binding.rules().nominatesBindingPods()) {
            binding.preBinds = plugins;
            return "";
        }
        List<PreBindPlugin> working = new ArrayList<>(plugins.size());
        for (PreBindPlugin plugin : plugins) {
            Status status = PluginFailures.call(
                    plugin, () -> plugin.preBindPreFlight(binding.placement.state(), binding.assumed, binding.node()));
            if (status.isSuccess()) {
                working.add(plugin);
            } else if (status.code() == Status.Code.ERROR) {
                return "running PreBindPreFlight \"" + plugin.name() + "\": " + status.message();
            } else if (status.code() != Status.Code.SKIP) {
                String code = CaseFormat.UPPER_UNDERSCORE.to(
                        CaseFormat.UPPER_CAMEL, status.code().name());
                return "PreBindPreFlight " + plugin.name() + " returned \"" + code
                        + "\", which is unsupported. It is supposed to return Success, Skip, or Error status";
            }
        }
        binding.preBinds = working;
        return "";
    }

    /** Since 1.36, the claims of a pod are written while its volumes are bound. The first failure ends both. */
    private void runPluginsWithVolumes(Binding binding) {
        Placement placement = binding.placement;
        Profile profile = placement.runtime().profile();
        List<PreBindPlugin> plugins = PluginBinding.withVolumes(profile).stream()
                .filter(binding.preBinds::contains)
                .toList();
        if (plugins.isEmpty()) {
            return;
        }
        binding.withVolumes = plugins;
        binding.waitsForPlugins = true;
        binding.running++;
        profiles.call(placement.runtime(), () -> {
            PluginBinding.Result failure =
                    PluginBinding.prepare(profile.rules(), plugins, placement.state(), binding.assumed, binding.node());
            context.inbox()
                    .post(new ClusterChange.PluginsRan(
                            binding.id(),
                            binding.token,
                            failure == null ? Outcome.PREPARED_BESIDE_VOLUMES : failure.outcome(),
                            failure == null ? "" : failure.message()));
        });
    }

    private WaitingPodsMap.PreBind beginPreBind(Binding binding) {
        WaitingPodsMap.PreBind preBind = binding.preBind;
        if (preBind == null) {
            preBind = waits.beginPreBind(binding.id(), binding.token);
            binding.preBind = preBind;
        }
        return preBind;
    }

    /**
     * Cancels a pod at Permit or in PreBind. Its volumes and plugins may still be running; their results are ignored, and the next
     * PreBind of the pod waits for them.
     */
    public void cancelled(ClusterChange.BindingCancelled change) {
        Binding binding = results.find(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        if (change.atPermit()) {
            if (!waits.remove(binding.id())) {
                // It may be bound by now.
                return;
            }
            waited(binding, "Error");
        }
        results.giveUp(binding, FailureRecorder.SCHEDULER_ERROR, change.message());
    }

    private void volumesBound(Binding binding, WaitingPodsMap.PreBind preBind, String error) {
        if (error.isEmpty()
                && !PluginBinding.isNeeded(binding.placement.runtime().profile(), binding.preBinds)) {
            preBind.finish();
        }
        context.inbox().post(new ClusterChange.VolumesAnswered(binding.id(), binding.token, error));
    }

    /** Handles the result of binding the volumes of a pod. */
    public void completed(ClusterChange.VolumesAnswered change) {
        Binding binding = running(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        binding.waitsForVolumes = false;
        if (!change.error().isEmpty()) {
            results.giveUp(binding, FailureRecorder.VOLUME_BINDING_FAILED, change.error());
        } else if (!binding.waitsForPlugins) {
            runPlugins(binding);
        }
    }

    /** Returns the binding of a result of PreBind; null if it was cancelled. Its last result starts the next PreBind of the pod. */
    private @Nullable Binding running(String podId, long token) {
        Binding binding = results.find(podId, token);
        Binding ending = state.inFlight().ending().get(podId);
        if (binding != null) {
            binding.running--;
        } else if (ending != null && ending.token == token && --ending.running == 0) {
            state.inFlight().ending().remove(podId);
            Binding next = state.inFlight().bindings().get(podId);
            if (next != null && next.waitsForEarlier) {
                next.waitsForEarlier = false;
                bindVolumes(next);
            }
        }
        return binding;
    }

    private void runPlugins(Binding binding) {
        Placement placement = binding.placement;
        Profile profile = placement.runtime().profile();
        if (!PluginBinding.isNeeded(profile, binding.preBinds)) {
            if (binding.preBind == null || binding.preBind.finish()) {
                bind(binding);
            }
            return;
        }
        List<PreBindPlugin> preBinds = binding.preBinds.stream()
                .filter(plugin -> !binding.withVolumes.contains(plugin))
                .toList();
        if (!preBinds.isEmpty()) {
            nominate(binding);
        }
        WaitingPodsMap.PreBind preBind = beginPreBind(binding);
        binding.running++;
        profiles.call(placement.runtime(), () -> {
            PluginBinding.Result result = PluginBinding.run(
                    profile, preBinds, placement.state(), binding.assumed, binding.node(), preBind::finish);
            context.inbox()
                    .post(new ClusterChange.PluginsRan(
                            binding.id(), binding.token, result.outcome(), result.message()));
        });
    }

    /** Handles the result of the plugins of a binding. */
    public void completed(ClusterChange.PluginsRan change) {
        Binding binding = running(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        String message = change.message();
        switch (change.outcome()) {
            case PREPARED -> bind(binding);
            case PREPARED_BESIDE_VOLUMES -> {
                binding.waitsForPlugins = false;
                if (!binding.waitsForVolumes) {
                    runPlugins(binding);
                }
            }
            case BOUND -> results.finished(binding, BindOutcome.BOUND);
            case NOT_PREPARED -> results.giveUp(binding, FailureRecorder.SCHEDULER_ERROR, message);
            case REJECTED -> results.giveUp(binding, FailureRecorder.UNSCHEDULABLE, message);
            case NOT_BOUND -> results.finished(binding, BindOutcome.failed(message));
        }
    }

    private void bind(Binding binding) {
        binding.sent++;
        PodInfo pod = binding.entry.pod();
        try {
            binding.placement.runtime().binder().bind(pod, binding.node(), outcome -> bindCompleted(binding, outcome));
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("binding failed");
            bindCompleted(binding, BindOutcome.unknown(e.toString()));
        }
    }

    private void bindCompleted(Binding binding, BindOutcome outcome) {
        context.inbox().post(new ClusterChange.BindAnswered(binding.id(), binding.token, outcome));
    }

    /** Handles the result of a bind; an obsolete one is ignored. */
    public void completed(ClusterChange.BindAnswered change) {
        Binding binding = results.find(change.podId(), change.token());
        if (binding != null) {
            results.finished(binding, change.outcome());
        }
    }

    /**
     * Repeats a bind without a response, with the same node, so that it does not matter which request is executed.
     *
     * @return false after too many requests, or if the node is deleted
     */
    boolean again(Requeue requeue, Binding binding) {
        if (!binding.mayRepeat(context.clock().instant())
                || !state.store().nodes().containsKey(binding.node())) {
            return false;
        }
        state.inFlight().requeues().remove(binding.id());
        // Users see each request as an attempt.
        binding.entry = requeue.entry.attemptedAgain();
        state.inFlight().bindings().put(binding.id(), binding);
        bind(binding);
        return true;
    }

    /** The steps of plugins that may block; run on a binding thread. */
    static final class PluginBinding {
        private static final ImmutableSet<String> IN_PARALLEL =
                ImmutableSet.of(PluginNames.VOLUME_BINDING, PluginNames.DYNAMIC_RESOURCES);

        private PluginBinding() {}

        /**
         * What came of it.
         *
         * @param outcome how far it went
         * @param message the error; empty when there is none
         */
        public record Result(Outcome outcome, String message) {}

        static boolean isNeeded(Profile profile, List<PreBindPlugin> preBinds) {
            return !preBinds.isEmpty() || !profile.binds().isEmpty() || !profile.bindsByDefault();
        }

        /** The PreBind plugins that run while volumes are bound: VolumeBinding and its neighbor, if no other plugin is before them. */
        static List<PreBindPlugin> withVolumes(Profile profile) {
            List<PreBindPlugin> first =
                    profile.preBinds().stream().limit(IN_PARALLEL.size()).toList();
            boolean areParallel = profile.rules().runsPreBindInParallel()
                    && first.stream()
                            .map(PreBindPlugin::name)
                            .collect(Collectors.toSet())
                            .equals(IN_PARALLEL);
            return areParallel ? first : List.of();
        }

        /**
         * Runs PreBind and Bind.
         *
         * @param preBinds the PreBind plugins that have not run
         * @param preBound called after PreBind; false if the binding was cancelled, and the result is ignored
         */
        static Result run(
                Profile profile,
                List<PreBindPlugin> preBinds,
                CycleState state,
                PodInfo pod,
                String node,
                BooleanSupplier preBound) {
            ReleaseRules rules = profile.rules();
            Result failure = prepare(rules, preBinds, state, pod, node);
            if (failure != null) {
                return failure;
            }
            if (!preBound.getAsBoolean()) {
                return new Result(Outcome.NOT_PREPARED, "cancelled");
            }
            for (BindPlugin plugin : profile.binds()) {
                Status status = PluginFailures.call(plugin, () -> plugin.bind(state, pod, node));
                if (status.isSuccess()) {
                    return new Result(Outcome.BOUND, "");
                }
                if (rules.isRejection(status)) {
                    return new Result(Outcome.REJECTED, status.message());
                }
                if (status.code() != Status.Code.SKIP) {
                    return new Result(Outcome.NOT_BOUND, rules.bind(plugin.name(), pod.key(), status));
                }
            }
            return profile.bindsByDefault()
                    ? new Result(Outcome.PREPARED, "")
                    : new Result(Outcome.NOT_BOUND, rules.nobodyBinds(pod.key()));
        }

        /** Runs PreBind plugins; null if they succeed. */
        static @Nullable Result prepare(
                ReleaseRules rules, List<PreBindPlugin> plugins, CycleState state, PodInfo pod, String node) {
            for (PreBindPlugin plugin : plugins) {
                Status status = PluginFailures.call(plugin, () -> plugin.preBind(state, pod, node));
                if (!status.isSuccess() && status.code() != Status.Code.SKIP) {
                    return new Result(
                            rules.isRejection(status) ? Outcome.REJECTED : Outcome.NOT_PREPARED,
                            rules.preBind(plugin.name(), pod.name(), status));
                }
            }
            return null;
        }

        static void runPostBind(Profile profile, CycleState state, PodInfo pod, String node) {
            for (PostBindPlugin plugin : profile.postBinds()) {
                try {
                    plugin.postBind(state, pod, node);
                } catch (RuntimeException | LinkageError e) {
                    PluginFailures.status(plugin, e);
                }
            }
        }
    }

    /**
     * A decision to bind.
     *
     * @param node the selected node
     * @param runtime the profile of the decision
     * @param state the state of its plugins
     * @param generation of the profiles
     */
    public record Placement(String node, ProfileRuntime runtime, CycleState state, long generation) {}

    /** Runs the Reserve and Permit plugins of a profile for one pod on the scheduling thread. */
    static final class ReserveAndPermit {
        private final Profile profile;
        private final CycleState state;
        private final PodInfo pod;
        private final String node;
        private final ReleaseRules rules;

        ReserveAndPermit(Profile profile, CycleState state, PodInfo pod, String node) {
            this.profile = profile;
            this.state = state;
            this.pod = pod;
            this.node = node;
            this.rules = profile.rules();
        }

        /**
         * The failure of a plugin.
         *
         * @param reason of the condition
         * @param message for users
         * @param plugin that rejects the pod; empty if it failed with an error
         * @param pending whether it returned the code {@code PENDING}
         */
        record Objection(String reason, String message, String plugin, boolean pending) {
            static Objection of(boolean rejects, String message, String plugin, Status status) {
                return rejects
                        ? new Objection(
                                FailureRecorder.UNSCHEDULABLE, message, plugin, status.code() == Status.Code.PENDING)
                        : new Objection(FailureRecorder.SCHEDULER_ERROR, message, "", false);
            }

            Set<String> rejectedBy() {
                return plugin.isEmpty() ? Set.of() : Set.of(plugin);
            }

            Set<String> pendingOn() {
                return pending ? Set.of(plugin) : Set.of();
            }
        }

        /**
         * The result of Permit plugins.
         *
         * @param objection null if none rejects
         * @param waits timeouts of the pod by plugin; empty to continue immediately
         */
        record Permission(@Nullable Objection objection, Map<String, WaitingPodsMap.Wait> waits) {
            Permission {
                waits = ImmutableMap.copyOf(waits);
            }
        }

        /** Null, or the failure of the first plugin that rejects or fails. */
        @Nullable
        Objection reserve() {
            for (ReservePlugin plugin : profile.reserves()) {
                Status status = PluginFailures.call(plugin, () -> plugin.reserve(state, pod, node));
                if (!status.isSuccess()) {
                    return Objection.of(
                            rules.isRejection(status),
                            rules.reserve(plugin.name(), pod.name(), status),
                            plugin.name(),
                            status);
                }
            }
            return null;
        }

        void unreserve() {
            for (ReservePlugin plugin : Lists.reverse(profile.reserves())) {
                try {
                    plugin.unreserve(state, pod, node);
                } catch (RuntimeException | LinkageError e) {
                    PluginFailures.status(plugin, e);
                }
            }
        }

        Permission permit(Instant now) {
            Map<String, WaitingPodsMap.Wait> waits = new LinkedHashMap<>();
            for (PermitPlugin plugin : profile.permits()) {
                PermitPlugin.Answer result;
                try {
                    result = Objects.requireNonNull(plugin.permit(state, pod, node), "no answer");
                } catch (RuntimeException | LinkageError e) {
                    result = PermitPlugin.Answer.of(PluginFailures.status(plugin, e));
                }
                Status status = result.status();
                if (status.code() == Status.Code.WAIT) {
                    Duration timeout = result.timeout().compareTo(PermitPlugin.MAX_WAIT) > 0
                            ? PermitPlugin.MAX_WAIT
                            : result.timeout();
                    waits.put(plugin.name(), new WaitingPodsMap.Wait(timeout, now.plus(timeout)));
                } else if (!status.isSuccess()) {
                    String message = rules.permit(plugin.name(), pod.name(), status);
                    return new Permission(Objection.of(status.isRejected(), message, plugin.name(), status), Map.of());
                }
            }
            return new Permission(null, waits);
        }
    }
}
