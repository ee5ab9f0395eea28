package io.policyscheduler.cmd.report;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The main reason why a pod is unschedulable: the one that rejects most nodes.
 *
 * @param text the message of the filter, as in {@code 0/13 nodes are available: 12 Insufficient cpu, 1 node(s) were unschedulable.}; the
 *     whole message of the pod if it does not have this form
 * @param nodes the number of nodes that it rejects; 0 if the message does not say so
 */
public record UnschedulableReason(String text, int nodes) {
    private static final Pattern MESSAGE = Pattern.compile("0/\\d+ nodes are available: (.*?)\\.?"
            + "(?: (?:preemption:|no new claims to deallocate|still not schedulable).*)?");
    private static final Pattern PART = Pattern.compile("(?:^|, )(\\d+) (.+?)(?=, \\d+ |$)");

    /** What to do, by a part of the message. The messages are those of kube-scheduler of all releases. */
    private static final Map<String, String> ADVICE = ImmutableMap.<String, String>builder()
            .put("no nodes available", "add nodes")
            .put("Too many pods", "add nodes, or remove pods")
            .put("Insufficient pods", "add nodes, or remove pods")
            .put("Insufficient ", "lower the request, or add nodes with enough room")
            .put("match node selector", "label a node, or change the node selector")
            .put("node affinity/selector", "label a node, or change the node affinity")
            .put("volume node affinity", "add nodes where the volume is")
            .put("requested labels", "change the labels of the nodes")
            .put("taint", "add a toleration, or remove the taint")
            .put("were unschedulable", "uncordon the nodes")
            .put("topology spread", "add nodes, or raise maxSkew")
            .put("anti-affinity", "add nodes, or relax the anti-affinity")
            .put("pod affinity", "start the pods that it needs, or relax the affinity")
            .put("requested hostname", "change spec.nodeName, or add the node")
            .put("free ports", "add nodes, or use another host port")
            .put("max volume count", "add nodes, or use fewer volumes")
            .put("volume zone", "add nodes in the zone of the volume")
            .put("volume", "create a volume that matches the claim")
            .put("persistentvolumeclaim", "create the claim")
            .put("available disk", "remove the pod that uses the disk")
            .build();

    /** Returns the main reason in the message of a pod. */
    public static UnschedulableReason of(String message) {
        Matcher matcher = MESSAGE.matcher(message);
        if (!matcher.matches()) {
            return new UnschedulableReason(message, 0);
        }
        return PART.matcher(matcher.group(1))
                .results()
                .map(UnschedulableReason::part)
                .reduce((first, second) -> second.nodes() > first.nodes() ? second : first)
                .orElse(new UnschedulableReason(message, 0));
    }

    private static UnschedulableReason part(MatchResult part) {
        String digits = part.group(1);
        return new UnschedulableReason(
                part.group(2), digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits));
    }

    /** Returns what to do about it, in a few words. */
    public String advice() {
        return ADVICE.entrySet().stream()
                .filter(advice -> text.contains(advice.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("see explain POD");
    }
}
