package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Implements every extension point, records its calls in a shared list, and returns preset statuses; success by default. */
public final class ScriptedPlugin
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                ReservePlugin,
                PermitPlugin,
                PreBindPlugin,
                BindPlugin,
                PostBindPlugin {
    private final String name;
    private final List<String> calls;
    private final Map<ExtensionPoint, Supplier<Status>> answers = new EnumMap<>(ExtensionPoint.class);
    private final List<String> rejectedNodes = new ArrayList<>();
    private @Nullable Set<String> nodes;
    private Duration timeout = Duration.ofSeconds(10);
    private ToLongFunction<NodeInfo> rate = node -> 0;

    public ScriptedPlugin(String name, List<String> calls) {
        this.name = name;
        this.calls = calls;
    }

    /** Sets the status. */
    public ScriptedPlugin answer(ExtensionPoint point, Status status) {
        return answer(point, () -> status);
    }

    /** Sets a supplier of the status, which may throw. */
    public ScriptedPlugin answer(ExtensionPoint point, Supplier<Status> answer) {
        answers.put(point, answer);
        return this;
    }

    /** Narrows the search to these nodes. */
    public ScriptedPlugin only(String... names) {
        nodes = Set.of(names);
        return this;
    }

    /** Rejects these nodes, with the reason {@code NAME says no}. */
    public ScriptedPlugin reject(String... names) {
        rejectedNodes.addAll(List.of(names));
        return this;
    }

    /** Makes pods wait in Permit. */
    public ScriptedPlugin waitFor(Duration value) {
        timeout = value;
        return answer(ExtensionPoint.PERMIT, Status.WAIT);
    }

    /** Sets the scores of nodes. */
    public ScriptedPlugin rate(ToLongFunction<NodeInfo> value) {
        rate = value;
        return this;
    }

    private Status call(ExtensionPoint point, String detail) {
        calls.add(name + " " + point.key() + (detail.isEmpty() ? "" : " " + detail));
        Supplier<Status> answer = answers.get(point);
        return answer == null ? Status.SUCCESS : answer.get();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void close() {
        calls.add(name + " close");
    }

    @Override
    public Status preEnqueue(PodInfo pod) {
        return call(ExtensionPoint.PRE_ENQUEUE, pod.name());
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        return new PreFilterResult(call(ExtensionPoint.PRE_FILTER, context.pod().name()), nodes);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Status status = call(ExtensionPoint.FILTER, pod.name() + " " + node.name());
        return rejectedNodes.contains(node.name()) ? Status.unschedulable(name + " says no") : status;
    }

    @Override
    public Status postFilter(CycleState state, PodInfo pod, Map<String, NodeFailure> failures, Services services) {
        return call(ExtensionPoint.POST_FILTER, pod.name() + " " + failures.keySet());
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        return call(
                ExtensionPoint.PRE_SCORE,
                context.pod().name() + " "
                        + feasible.stream().map(NodeInfo::name).toList());
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        Status status = call(ExtensionPoint.SCORE, pod.name() + " " + node.name());
        if (!status.isSuccess()) {
            throw new PluginException(status.message());
        }
        return rate.applyAsLong(node);
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        return call(ExtensionPoint.RESERVE, pod.name() + " " + node);
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        calls.add(name + " unreserve " + pod.name() + " " + node);
    }

    @Override
    public Answer permit(CycleState state, PodInfo pod, String node) {
        Status status = call(ExtensionPoint.PERMIT, pod.name() + " " + node);
        return status.code() == Status.Code.WAIT ? Answer.waitFor(timeout) : Answer.of(status);
    }

    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        return call(ExtensionPoint.PRE_BIND, pod.name() + " " + node);
    }

    @Override
    public Status bind(CycleState state, PodInfo pod, String node) {
        return call(ExtensionPoint.BIND, pod.name() + " " + node);
    }

    @Override
    public void postBind(CycleState state, PodInfo pod, String node) {
        call(ExtensionPoint.POST_BIND, pod.name() + " " + node);
    }
}
