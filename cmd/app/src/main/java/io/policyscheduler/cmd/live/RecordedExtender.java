package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.cycle.Extender;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An extender whose responses are recorded. Scheduling attempts wait for all of them except those to binds, which are changes of the
 * cluster.
 */
final class RecordedExtender implements Extender {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ERROR = "error";
    private static final String REFUSED = "refused";

    private final Extender extender;
    private final String id;
    private final InputRecording recording;

    /** @param id identifies the extender among those of all profiles */
    RecordedExtender(Extender extender, String id, InputRecording recording) {
        this.extender = extender;
        this.id = id;
        this.recording = recording;
    }

    /** A call, whose result is written to an object. */
    private interface Call {
        void run(ObjectNode result) throws ExtenderException;
    }

    private JsonNode response(String verb, Call call) throws ExtenderException {
        String text = recording.response(id + " " + verb, () -> {
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            try {
                call.run(result);
            } catch (ExtenderException e) {
                result.removeAll().put(ERROR, e.text()).put(REFUSED, e.isRejected());
            }
            return result.toString();
        });
        if (text.isEmpty()) {
            throw ExtenderException.broken("the recording contains no response");
        }
        JsonNode result;
        try {
            result = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw ExtenderException.broken("the recorded response is not JSON: " + e.getOriginalMessage());
        }
        if (result.has(ERROR)) {
            String error = result.path(ERROR).asText();
            throw result.path(REFUSED).asBoolean()
                    ? ExtenderException.rejected(error)
                    : ExtenderException.broken(error);
        }
        return result;
    }

    @Override
    public FilterResponse filter(PodInfo pod, List<String> nodes) throws ExtenderException {
        JsonNode result = response("filter", into -> {
            FilterResponse answer = extender.filter(pod, nodes);
            // The usual response is one of all nodes.
            if (!answer.nodes().equals(nodes)) {
                answer.nodes().forEach(into.putArray("nodes")::add);
            }
            answer.failed().forEach(into.putObject("failed")::put);
            answer.unresolvable().forEach(into.putObject("unresolvable")::put);
        });
        return new FilterResponse(
                result.has("nodes") ? texts(result.path("nodes")) : nodes,
                reasons(result.path("failed")),
                reasons(result.path("unresolvable")));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static SortedMap<String, String> reasons(JsonNode object) {
        SortedMap<String, String> reasons = new TreeMap<>();
        object.properties()
                .forEach(entry -> reasons.put(entry.getKey(), entry.getValue().asText()));
        return reasons;
    }

    @Override
    public List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException {
        JsonNode result = response("prioritize", into -> {
            ArrayNode scores = into.putArray("scores");
            extender.prioritize(pod, nodes)
                    .forEach(score -> scores.addArray().add(score.host()).add(score.score()));
        });
        List<HostScore> scores = new ArrayList<>();
        result.path("scores")
                .forEach(score -> scores.add(
                        new HostScore(score.path(0).asText(), score.path(1).asLong())));
        return scores;
    }

    @Override
    public Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException {
        JsonNode result = response(
                "preempt",
                into -> extender.preempt(pod, candidates, rules).forEach((node, victims) -> {
                    ObjectNode one = into.withObject("/candidates").putObject(node);
                    victims.uids().forEach(one.putArray("uids")::add);
                    one.put("violations", victims.budgetViolations());
                }));
        SortedMap<String, MetaVictims> victims = new TreeMap<>();
        result.path("candidates")
                .properties()
                .forEach(entry -> victims.put(
                        entry.getKey(),
                        new MetaVictims(
                                texts(entry.getValue().path("uids")),
                                entry.getValue().path("violations").asInt())));
        return victims;
    }

    @Override
    public String name() {
        return extender.name();
    }

    @Override
    public boolean isIgnorable() {
        return extender.isIgnorable();
    }

    @Override
    public boolean isInterested(PodInfo pod) {
        return extender.isInterested(pod);
    }

    @Override
    public boolean supportsFilter() {
        return extender.supportsFilter();
    }

    @Override
    public boolean sendsWholeNodes() {
        return extender.sendsWholeNodes();
    }

    @Override
    public boolean supportsPrioritize() {
        return extender.supportsPrioritize();
    }

    @Override
    public long weight() {
        return extender.weight();
    }

    @Override
    public boolean supportsPreemption() {
        return extender.supportsPreemption();
    }

    @Override
    public boolean isBinder() {
        return extender.isBinder();
    }

    @Override
    public void bind(PodInfo pod, String node) throws ExtenderException {
        extender.bind(pod, node);
    }
}
