package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ExtenderConfig.ManagedResource;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.extender.Extender;
import io.policyscheduler.framework.extender.ExtenderException;
import io.policyscheduler.framework.extender.FilterAnswer;
import io.policyscheduler.framework.extender.HostScore;
import io.policyscheduler.framework.extender.MetaVictims;
import io.policyscheduler.framework.extender.PreemptRules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;

/** An extender of a policy, called over HTTP. Thread-safe. Mirrors {@code pkg/scheduler/core/extender.go}. */
public final class HttpExtender implements Extender {
    private final ExtenderConfig config;
    private final Set<String> managed;
    private final ExtenderRequest requests;
    private final ExtenderEndpoint endpoint;
    private final boolean errorsAreFormats;

    /**
     * An extender.
     *
     * @param http a client with the extender's timeout and TLS, see {@link ExtenderClients}
     * @param errorsAreFormats show an extender's {@code Error} as v1.17 did, which took it for a printf format
     */
    public HttpExtender(ExtenderConfig config, RawObjects objects, OkHttpClient http, boolean errorsAreFormats) {
        this.config = config;
        this.managed =
                config.managedResources().stream().map(ManagedResource::name).collect(Collectors.toUnmodifiableSet());
        this.requests = new ExtenderRequest(objects, config.nodeCacheCapable());
        this.endpoint = new ExtenderEndpoint(http, config.urlPrefix());
        this.errorsAreFormats = errorsAreFormats;
    }

    @Override
    public String name() {
        return VisibleText.withoutPasswords(config.urlPrefix());
    }

    @Override
    public boolean isIgnorable() {
        return config.ignorable();
    }

    @Override
    public boolean isInterested(PodInfo pod) {
        return managed.isEmpty() || pod.resources().named().stream().anyMatch(managed::contains);
    }

    @Override
    public boolean supportsFilter() {
        return !config.filterVerb().isEmpty();
    }

    @Override
    public FilterAnswer filter(PodInfo pod, List<String> nodes) throws ExtenderException {
        ExtenderAnswer answer = new ExtenderAnswer(
                endpoint.ask(config.filterVerb(), requests.nodes(pod, nodes)), "v1.ExtenderFilterResult");
        refuse(answer);
        List<String> kept = config.nodeCacheCapable() ? answer.nodeNames() : null;
        if (kept == null) {
            kept = answer.nodes();
        }
        return new FilterAnswer(
                kept == null ? List.of() : kept,
                answer.failedNodes("FailedNodes"),
                answer.failedNodes("FailedAndUnresolvableNodes"));
    }

    @Override
    public boolean sendsWholeNodes() {
        return !config.nodeCacheCapable();
    }

    @Override
    public boolean supportsPrioritize() {
        return !config.prioritizeVerb().isEmpty();
    }

    @Override
    public long weight() {
        return config.weight();
    }

    @Override
    public List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException {
        return ExtenderAnswer.scores(endpoint.ask(config.prioritizeVerb(), requests.nodes(pod, nodes)));
    }

    @Override
    public boolean supportsPreemption() {
        return !config.preemptVerb().isEmpty();
    }

    @Override
    public Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException {
        return new ExtenderAnswer(
                        endpoint.ask(config.preemptVerb(), requests.victims(pod, candidates, rules)),
                        "v1.ExtenderPreemptionResult")
                .victims();
    }

    @Override
    public boolean isBinder() {
        return !config.bindVerb().isEmpty();
    }

    @Override
    public void bind(PodInfo pod, String node) throws ExtenderException {
        refuse(new ExtenderAnswer(
                endpoint.order(config.bindVerb(), requests.binding(pod, node)), "v1.ExtenderBindingResult"));
    }

    private void refuse(ExtenderAnswer answer) throws ExtenderException {
        String error = answer.error();
        if (!error.isEmpty()) {
            throw ExtenderException.refused(errorsAreFormats ? GoFormat.withoutArguments(error) : error);
        }
    }
}
