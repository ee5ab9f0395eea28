package io.policyscheduler.cmd.page;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Waiting pods by what keeps them waiting. */
final class PendingGroups {
    /** Most groups that are shown. */
    static final int MOST_GROUPS = 40;
    /** Most pods of a group that are named. */
    static final int MOST_PODS = 50;

    private static final int MOST_MESSAGES = 10_000;
    private static final int MOST_CHARACTERS = 300;
    private static final Pattern UNFIT = Pattern.compile("^\\d+/\\d+ nodes are available: (.*)$", Pattern.DOTALL);
    private static final Pattern COUNT = Pattern.compile("^\\d+ ");

    /** Messages are few, pods are many. */
    private final Map<String, String> reasons = new HashMap<>();

    /**
     * Pods that wait for the same reason.
     *
     * @param count how many there are
     * @param pods the first of them
     */
    record Group(String reason, int count, List<Waiting> pods) {
        Group {
            pods = ImmutableList.copyOf(pods);
        }
    }

    /** One that waits. */
    record Waiting(QueuePart part, QueuedPod entry) {}

    /** The groups, the largest first, then by reason. */
    List<Group> of(Map<QueuePart, List<QueuedPod>> waiting) {
        Map<String, List<Waiting>> byReason = new HashMap<>();
        for (QueuePart part : QueuePart.values()) {
            for (QueuedPod entry : waiting.getOrDefault(part, List.of())) {
                byReason.computeIfAbsent(reason(part, entry.pod()), unused -> new ArrayList<>())
                        .add(new Waiting(part, entry));
            }
        }
        if (reasons.size() > MOST_MESSAGES) {
            reasons.clear();
        }
        return byReason.entrySet().stream()
                .map(group -> new Group(
                        group.getKey(),
                        group.getValue().size(),
                        group.getValue().stream().limit(MOST_PODS).toList()))
                .sorted(Comparator.comparingInt(Group::count).reversed().thenComparing(Group::reason))
                .limit(MOST_GROUPS)
                .toList();
    }

    private String reason(QueuePart part, PodInfo pod) {
        if (part == QueuePart.GATED && !pod.spec().schedulingGates().isEmpty()) {
            return "scheduling gates: " + String.join(", ", pod.spec().schedulingGates());
        }
        PodInfo.ScheduledCondition condition = pod.scheduled();
        if (condition == null
                || !condition.status().equals("False")
                || condition.message().isEmpty()) {
            return part == QueuePart.ACTIVE ? "not tried yet" : "no reason known";
        }
        return reasons.computeIfAbsent(condition.message(), PendingGroups::withoutNumbers);
    }

    /**
     * What is the same for pods that fail alike: {@code 0/13 nodes are available: 1 node(s) were unschedulable, 12 Insufficient
     * cpu.} becomes {@code Insufficient cpu; node(s) were unschedulable}. Other messages stay.
     */
    static String withoutNumbers(String message) {
        Matcher unfit = UNFIT.matcher(message);
        if (!unfit.matches()) {
            return message.length() <= MOST_CHARACTERS ? message : message.substring(0, MOST_CHARACTERS) + "...";
        }
        String list = unfit.group(1);
        int preemption = list.indexOf(" preemption: ");
        list = preemption < 0 ? list : list.substring(0, preemption);
        list = list.endsWith(".") ? list.substring(0, list.length() - 1) : list;
        TreeSet<String> parts = new TreeSet<>();
        for (String part : Splitter.on(", ").split(list)) {
            parts.add(COUNT.matcher(part).replaceFirst(""));
        }
        String joined = String.join("; ", parts);
        return joined.length() <= MOST_CHARACTERS ? joined : joined.substring(0, MOST_CHARACTERS) + "...";
    }
}
