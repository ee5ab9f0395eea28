package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extender.FilterResponse;
import io.policyscheduler.framework.cycle.Extender.HostScore;
import io.policyscheduler.framework.cycle.Extender.MetaVictims;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An extender with preset responses that records its calls. */
final class FakeExtender implements Extender {
    private final String name;
    private final List<String> calls;
    private boolean ignorable;
    private boolean interested = true;
    private boolean binder;
    private boolean wholeNodes;
    private long weight = 1;
    private @Nullable FilterResponse filter;
    private @Nullable List<HostScore> scores;
    private @Nullable Map<String, MetaVictims> victims;
    private @Nullable String filterError;
    private @Nullable String scoreError;
    private @Nullable String preemptError;

    FakeExtender(String name, List<String> calls) {
        this.name = name;
        this.calls = calls;
    }

    FakeExtender keeps(String... nodes) {
        return filter(Map.of(), nodes);
    }

    FakeExtender filter(Map<String, String> failed, String... nodes) {
        filter = new FilterResponse(List.of(nodes), new TreeMap<>(failed), Collections.emptySortedMap());
        return this;
    }

    /** Rejects all nodes; preemption would not help on these. */
    FakeExtender rulesOut(Map<String, String> failed) {
        filter = new FilterResponse(List.of(), new TreeMap<>(Map.of("n1", "full")), new TreeMap<>(failed));
        return this;
    }

    FakeExtender scores(long factor, HostScore... values) {
        weight = factor;
        scores = List.of(values);
        return this;
    }

    FakeExtender victims(Map<String, List<String>> values) {
        return victims(values, 0);
    }

    FakeExtender victims(Map<String, List<String>> values, int budgetViolations) {
        Map<String, MetaVictims> named = new TreeMap<>();
        values.forEach((node, uids) -> named.put(node, new MetaVictims(uids, budgetViolations)));
        victims = named;
        return this;
    }

    FakeExtender filterFails(String error) {
        filterError = error;
        return this;
    }

    FakeExtender scoringFails(String error) {
        scoreError = error;
        return this;
    }

    FakeExtender preemptFails(String error) {
        preemptError = error;
        return this;
    }

    FakeExtender ignorable() {
        ignorable = true;
        return this;
    }

    FakeExtender notInterested() {
        interested = false;
        return this;
    }

    FakeExtender wholeNodes() {
        wholeNodes = true;
        return this;
    }

    FakeExtender binder() {
        binder = true;
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isIgnorable() {
        return ignorable;
    }

    @Override
    public boolean isInterested(PodInfo pod) {
        return interested;
    }

    @Override
    public boolean supportsFilter() {
        return filter != null || filterError != null;
    }

    @Override
    public boolean sendsWholeNodes() {
        return wholeNodes;
    }

    @Override
    public FilterResponse filter(PodInfo pod, List<String> nodes) throws ExtenderException {
        calls.add(name + " filter " + nodes);
        return answer(filter, filterError);
    }

    @Override
    public boolean supportsPrioritize() {
        return scores != null || scoreError != null;
    }

    @Override
    public long weight() {
        return weight;
    }

    @Override
    public List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException {
        calls.add(name + " prioritize " + nodes);
        return answer(scores, scoreError);
    }

    @Override
    public boolean supportsPreemption() {
        return victims != null || preemptError != null;
    }

    @Override
    public Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException {
        calls.add(name + " preempt " + candidates.keySet());
        return answer(victims, preemptError);
    }

    private static <T> T answer(@Nullable T answer, @Nullable String error) throws ExtenderException {
        if (error != null || answer == null) {
            throw ExtenderException.broken(String.valueOf(error));
        }
        return answer;
    }

    @Override
    public boolean isBinder() {
        return binder;
    }

    @Override
    public void bind(PodInfo pod, String node) {
        calls.add(name + " bind " + pod.name() + " " + node);
    }
}
