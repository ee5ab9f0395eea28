package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import com.google.common.primitives.Ints;
import io.policyscheduler.cmd.http.StatusContent.Page;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /debug/decisions}: with {@code pod=NAMESPACE/NAME} the details of the last decisions about that pod, otherwise a list of
 * the last decisions; at most {@code limit}, by default {@value #STANDARD_LIMIT}. For an unknown pod, the response lists up to
 * {@value #SIMILAR} pods whose names start with the given one. Responds with 404 if the history is off.
 */
public final class DecisionPage implements Page {
    private static final int STANDARD_LIMIT = 50;
    private static final int MOST = 1000;
    private static final int SIMILAR = 6;

    private final DecisionHistory history;
    private final String tieBreak;

    /** @param tieBreak how the scheduler chooses among equally good nodes, such as {@code round-robin} */
    public DecisionPage(DecisionHistory history, String tieBreak) {
        this.history = history;
        this.tieBreak = tieBreak;
    }

    @Override
    public Answer answer(Function<String, Set<String>> parameters) {
        if (history.capacity() == 0) {
            return Answer.NOT_FOUND;
        }
        String limitText = last(parameters.apply("limit"));
        Integer limit = limitText == null ? Integer.valueOf(STANDARD_LIMIT) : Ints.tryParse(limitText);
        if (limit == null || limit < 1 || limit > MOST) {
            return Answer.text(400, "limit: \"" + limitText + "\" is not a number from 1 to " + MOST + "\n");
        }
        String pod = last(parameters.apply("pod"));
        if (pod != null && !pod.matches("[^/]+/[^/]+")) {
            return Answer.text(400, "pod: \"" + pod + "\" is not NAMESPACE/NAME\n");
        }
        return new Answer(200, "application/json", json(pod, limit) + "\n");
    }

    /**
     * Returns the first {@value #SIMILAR} pods whose names start with the given one: of its namespace, else of all.
     *
     * @param pods namespace/name
     */
    static List<String> similar(Set<String> pods, String pod) {
        String name = pod.substring(pod.indexOf('/'));
        List<String> all = pods.stream()
                .filter(each -> each.startsWith(name, each.indexOf('/')))
                .sorted()
                .toList();
        List<String> here = all.stream().filter(each -> each.startsWith(pod)).toList();
        return (here.isEmpty() ? all : here).stream().limit(SIMILAR).toList();
    }

    private static @Nullable String last(Set<String> values) {
        return Iterables.getLast(values, null);
    }

    private ObjectNode json(@Nullable String pod, int limit) {
        List<DecisionRecord> all = history.find(kept -> true);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("capacity", history.capacity()).put("kept", all.size()).put("decided", history.decided());
        json.put(
                "since",
                all.isEmpty() ? null : all.get(all.size() - 1).info().time().toString());
        List<DecisionRecord> wanted = pod == null
                ? all
                : all.stream().filter(kept -> kept.info().pod().equals(pod)).toList();
        json.put("found", wanted.size());
        if (pod != null && wanted.isEmpty()) {
            Set<String> pods = all.stream().map(found -> found.info().pod()).collect(Collectors.toSet());
            similar(pods, pod).forEach(json.putArray("similar")::add);
        }
        ArrayNode decisions = json.putArray("decisions");
        wanted.stream()
                .limit(limit)
                .map(kept -> pod == null ? DecisionJson.brief(kept) : DecisionJson.full(kept, tieBreak))
                .forEach(decisions::add);
        return json;
    }
}
