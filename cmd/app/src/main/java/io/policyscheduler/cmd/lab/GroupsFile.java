package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.NodeGroups;
import io.policyscheduler.framework.insight.lab.NodeGroups.Consolidation;
import io.policyscheduler.framework.insight.lab.NodeGroups.Expander;
import io.policyscheduler.framework.insight.lab.NodeGroups.Group;
import io.policyscheduler.framework.insight.lab.NodeGroups.Removal;
import io.policyscheduler.framework.insight.lab.NodeGroups.ScaleDown;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.TypeConversionException;

/** Reads the file of {@code --groups}. */
final class GroupsFile {
    private static final Set<String> COMMON = Set.of("model", "label", "expander", "scanInterval", "fits", "groups");
    private static final Set<String> SCALE_DOWN =
            Set.of("scaleDownUtilizationThreshold", "scaleDownUnneededTime", "scaleDownDelayAfterAdd");
    private static final Set<String> CONSOLIDATION = Set.of("consolidationPolicy", "consolidateAfter", "budget");
    private static final Set<String> GROUP =
            Set.of("name", "min", "max", "price", "priority", "startDelay", "template");

    private final Path file;

    private GroupsFile(Path file) {
        this.file = file;
    }

    /**
     * Reads node groups.
     *
     * @param fits the default plugins
     * @param seed of the random expander
     * @throws InputException if the file cannot be used
     */
    static NodeGroups read(Path file, SchedulerSpec fits, FeatureGates gates, Warnings warnings, long seed) {
        return new GroupsFile(file).groups(fits, gates, warnings, seed);
    }

    private NodeGroups groups(SchedulerSpec fits, FeatureGates gates, Warnings warnings, long seed) {
        Set<String> all = new TreeSet<>(COMMON);
        all.addAll(SCALE_DOWN);
        all.addAll(CONSOLIDATION);
        JsonNode json = LabOptions.readObject(file, "groups", all, String.join(", ", all));
        String model = text(json, "model", "cluster-autoscaler");
        if (!model.equals("cluster-autoscaler") && !model.equals("karpenter")) {
            throw problem("model \"" + model + "\" is neither cluster-autoscaler nor karpenter");
        }
        boolean isKarpenter = model.equals("karpenter");
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            if ((isKarpenter ? SCALE_DOWN : CONSOLIDATION).contains(field.getKey())) {
                throw problem(field.getKey() + " is not a field of the model " + model);
            }
        }
        List<Group> groups = new ArrayList<>();
        Set<String> names = new HashSet<>();
        if (json.has("groups") && !json.path("groups").isArray()) {
            throw problem("groups is not a list");
        }
        for (JsonNode group : json.path("groups")) {
            groups.add(group(group, gates, warnings));
            if (!names.add(groups.get(groups.size() - 1).name())) {
                throw problem("groups: two groups are named \""
                        + groups.get(groups.size() - 1).name() + "\"");
            }
        }
        if (groups.isEmpty()) {
            throw problem("groups is missing; it lists at least one group");
        }
        String expander = text(json, "expander", isKarpenter ? "price" : "least-waste");
        Duration scan = duration("", json, "scanInterval", "10s");
        if (scan.isZero()) {
            throw problem("scanInterval 0 is not positive; the default is 10s");
        }
        String fit = text(json, "fits", "default-plugins");
        if (!fit.equals("default-plugins") && !fit.equals("scheduler")) {
            throw problem("fits \"" + fit + "\" is neither default-plugins nor scheduler");
        }
        return new NodeGroups(
                text(json, "label", "node-group"),
                groups,
                Arrays.stream(Expander.values())
                        .filter(one -> one.toString().equals(expander))
                        .findFirst()
                        .orElseThrow(() -> problem("expander \"" + expander
                                + "\" is none of least-waste, price, priority, random, and most-pods")),
                seed,
                scan,
                isKarpenter ? consolidation(json) : scaleDown(json),
                fit.equals("scheduler") ? null : fits);
    }

    private Removal scaleDown(JsonNode json) {
        double threshold = number("", json, "scaleDownUtilizationThreshold", 0.5);
        if (threshold > 1) {
            throw problem("scaleDownUtilizationThreshold " + threshold + " is above 1; 0.5 means half of a node");
        }
        return new ScaleDown(
                threshold,
                duration("", json, "scaleDownUnneededTime", "10m"),
                duration("", json, "scaleDownDelayAfterAdd", "10m"));
    }

    private Removal consolidation(JsonNode json) {
        String policy = text(json, "consolidationPolicy", "WhenEmptyOrUnderutilized");
        if (!policy.equals("WhenEmpty") && !policy.equals("WhenEmptyOrUnderutilized")) {
            throw problem("consolidationPolicy \"" + policy + "\" is neither WhenEmpty nor WhenEmptyOrUnderutilized");
        }
        String budget = text(json, "budget", "10%");
        if (!budget.matches("[0-9]{1,6}%?")) {
            throw problem("budget \"" + budget + "\" is neither a number nor a percentage");
        }
        boolean percent = budget.endsWith("%");
        return new Consolidation(
                policy.equals("WhenEmpty"),
                duration("", json, "consolidateAfter", "0s"),
                Integer.parseInt(percent ? budget.substring(0, budget.length() - 1) : budget),
                percent);
    }

    private Group group(JsonNode json, FeatureGates gates, Warnings warnings) {
        if (!json.isObject()) {
            throw problem("groups: " + json + " is not a group; a group has the fields "
                    + String.join(", ", new TreeSet<>(GROUP)));
        }
        String name = text(json, "name", "");
        String place = "groups: " + (name.isEmpty() ? "a group without a name" : name) + ": ";
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            if (!GROUP.contains(field.getKey())) {
                throw problem(place + "unknown field \"" + field.getKey() + "\"; the fields are "
                        + String.join(", ", new TreeSet<>(GROUP)));
            }
        }
        int min = integer(place, json, "min", 0);
        int max = integer(place, json, "max", -1);
        if (name.isEmpty() || min < 0 || max < min) {
            throw problem(place + "name and max are required, and 0 <= min <= max");
        }
        return new Group(
                name,
                min,
                max,
                number(place, json, "price", 0),
                integer(place, json, "priority", 0),
                duration(place, json, "startDelay", "2m"),
                template(place, json.path("template"), gates, warnings));
    }

    private Node template(String place, JsonNode json, FeatureGates gates, Warnings warnings) {
        if (json instanceof ObjectNode given) {
            ObjectNode tree = given.deepCopy();
            tree.withObject("/metadata").put("name", "template");
            try {
                if (new ObjectReader(gates, false, warnings).readTree("Node", tree) instanceof Node node) {
                    return node;
                }
            } catch (IOException e) {
                throw new InputException(file + ": " + place + "template: " + e.getMessage(), e);
            }
        }
        throw problem(place + "template is missing; it is a Node, of which metadata, spec, and status are used");
    }

    private Duration duration(String place, JsonNode json, String field, String absent) {
        try {
            return new LabOptions.DaysConverter().convert(text(json, field, absent));
        } catch (TypeConversionException e) {
            throw new InputException(file + ": " + place + field + ": " + e.getMessage(), e);
        }
    }

    private String text(JsonNode json, String field, String absent) {
        JsonNode value = json.path(field);
        if (value.isContainerNode()) {
            throw problem(field + " " + value + " is not a text");
        }
        return value.asText(absent);
    }

    private int integer(String place, JsonNode json, String field, int absent) {
        JsonNode value = json.path(field);
        if (value.isMissingNode()) {
            return absent;
        }
        if (!value.isInt()) {
            throw problem(place + field + " " + value + " is not a whole number");
        }
        return value.intValue();
    }

    private double number(String place, JsonNode json, String field, double absent) {
        JsonNode value = json.path(field);
        if (value.isMissingNode()) {
            return absent;
        }
        if (!value.isNumber() || value.doubleValue() < 0 || !Double.isFinite(value.doubleValue())) {
            throw problem(place + field + " " + value + " is not a number of 0 or more");
        }
        return value.doubleValue();
    }

    private InputException problem(String text) {
        return new InputException(file + ": " + text);
    }
}
