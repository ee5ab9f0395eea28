package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.LoadScenario;
import io.policyscheduler.framework.insight.lab.NodeGroups;
import io.policyscheduler.framework.insight.lab.RunSettings.Hazard;
import io.policyscheduler.framework.insight.lab.RunSettings.Outage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Scenarios: a load, outages, and node groups that the trace does not have. They are the same for all schedulers, and random ones depend
 * on the seed.
 */
final class ScenarioOptions {
    private static final Pattern RATE = Pattern.compile("(.+)=([0-9]{1,6}(?:\\.[0-9]{1,9})?)/h");

    private static final Pattern MEAN_TIMES = Pattern.compile("(.*)@mtbf=(.*),mttr=(.*)");

    /** A load that differs more from the requested one is reported. */
    private static final double LOAD_TOLERANCE = 0.05;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--scale-load",
            paramLabel = "FACTOR",
            converter = FactorConverter.class,
            description =
                    "Omit (below 1) or clone (above 1) whole workloads, until the pods and their requests are about"
                            + " FACTOR times those of the trace, such as 1.3. --seed selects the workloads.")
    private double scaleLoad = 1;

    @Option(
            names = "--jitter",
            paramLabel = "TIME",
            converter = LabOptions.DaysConverter.class,
            description = "Shift the arrival and the end of each pod by up to TIME in both directions, by --seed.")
    private Duration jitter = Duration.ZERO;

    /** Ends of pods that do not end in the trace. */
    enum Extension {
        KEEP,
        KM;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--extend",
            paramLabel = "HOW",
            defaultValue = "keep",
            converter = ExtensionConverter.class,
            description =
                    "Pods that run at the end of the trace, for an --until after it: keep lets them run, km ends each at"
                            + " a random time, by the Kaplan-Meier curve of pods like it (default: ${DEFAULT-VALUE}).")
    private Extension extension = Extension.KEEP;

    @Option(
            names = "--fail",
            paramLabel = "NODES@WHEN",
            description =
                    "Let nodes and their pods fail. WHEN is TIME[+TIME], the time after the start and the time until"
                            + " the nodes return, or mtbf=TIME,mttr=TIME for random failures, the mean times until"
                            + " a node fails and until it returns, such as mtbf=90d,mttr=20m. NODES is a name, a"
                            + " label KEY=VALUE, or * for all nodes. Repeatable.")
    private List<String> failures = List.of();

    @Option(
            names = "--drain",
            paramLabel = "NODES@TIME[+TIME]",
            description =
                    "Cordon nodes at TIME after the start, and evict their pods. With +TIME, uncordon the nodes after"
                            + " this time. Repeatable.")
    private List<String> drains = List.of();

    @Option(
            names = "--spot",
            paramLabel = "NODES=RATE/h",
            description =
                    "Reclaim each of these nodes at random, at RATE per hour, such as 0.05/h for once in 20 hours on"
                            + " average. NODES is a group of --groups, or as in --fail. Repeatable.")
    private List<String> spots = List.of();

    @Option(
            names = "--groups",
            paramLabel = "FILE",
            description =
                    "Groups of nodes that grow and shrink by a model of Cluster Autoscaler or of Karpenter (YAML or"
                            + " JSON, see docs/lab.md).")
    private @Nullable Path groups;

    /** Returns an option that is set and changes what happens in the trace; empty if there is none. */
    Optional<String> set() {
        Map<String, Boolean> options = new LinkedHashMap<>();
        options.put("--scale-load", scaleLoad != 1);
        options.put("--jitter", !jitter.isZero());
        options.put("--extend km", extension == Extension.KM);
        options.put("--fail", !failures.isEmpty());
        options.put("--drain", !drains.isEmpty());
        options.put("--spot", !spots.isEmpty());
        options.put("--groups", groups != null);
        return options.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** @param observed the time from the start for which the trace was observed */
    LoadScenario load(Duration observed) {
        return new LoadScenario(scaleLoad, jitter, extension == Extension.KM ? observed : null);
    }

    /** Warns of loads that differ from the requested one. */
    void warn(LoadScenario.Load load, Warnings warnings) {
        load.ratios().forEach((name, ratio) -> {
            if (Math.abs(ratio - scaleLoad) > LOAD_TOLERANCE * scaleLoad) {
                warnings.accept("--scale-load " + scaleLoad + " gives " + LabReport.text(ratio) + " times the "
                        + (name.equals("pods") ? "pods" : "requests of " + name)
                        + ", because workloads are not divided");
            }
        });
    }

    /** Returns the file of node groups; null for none. */
    @Nullable
    Path groupsFile() {
        return groups;
    }

    /** Returns the node groups; null for none. */
    @Nullable
    NodeGroups groups(SchedulerFactory factory, FeatureGates gates, Warnings warnings, long seed) {
        return groups == null ? null : GroupsFile.read(groups, factory.parse("modern"), gates, warnings, seed);
    }

    /** Adds the scenarios, except for the node groups, to the settings of a result. */
    void describe(ObjectNode settings) {
        ArrayNode outages = settings.putArray("outages");
        failures.forEach(text -> outages.add("fail " + text));
        drains.forEach(text -> outages.add("drain " + text));
        spots.forEach(text -> outages.add("spot " + text));
        if (scaleLoad != 1) {
            settings.put("scaleLoad", scaleLoad);
        }
        if (!jitter.isZero()) {
            settings.put("jitter", jitter.toString());
        }
        if (extension != Extension.KEEP) {
            settings.put("extend", extension.toString());
        }
    }

    /**
     * Returns the outages at given times.
     *
     * @param end of the run, nanoseconds since the start
     */
    List<Outage> outages(List<Node> nodes, long end) {
        List<Outage> outages = new ArrayList<>();
        failures.stream()
                .filter(text -> !isRandom(text))
                .forEach(text -> outages.addAll(outages("--fail", text, nodes, end, false)));
        drains.forEach(text -> outages.addAll(outages("--drain", text, nodes, end, true)));
        return outages;
    }

    private List<Outage> outages(String option, String text, List<Node> nodes, long end, boolean drains) {
        int at = text.lastIndexOf('@');
        int plus = text.indexOf('+', at + 1);
        String which = at < 0 ? text : text.substring(0, at);
        Duration begin;
        Duration length;
        try {
            LabOptions.BlockConverter times = new LabOptions.BlockConverter();
            begin = times.convert(text.substring(at + 1, plus < 0 ? text.length() : plus));
            length = plus < 0 ? null : times.convert(text.substring(plus + 1));
        } catch (TypeConversionException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + ": \"" + text + "\" is not NODES@TIME[+TIME]"
                            + (drains ? "" : " or NODES@mtbf=TIME,mttr=TIME")
                            + ", such as node-a1@2h+30m or zone=b@1d+4h",
                    e);
        }
        List<Outage> outages = nodes.stream()
                .filter(nodes(which))
                .map(node -> new Outage(
                        node.name(), begin.toNanos(), length == null ? ClusterTrace.NONE : length.toNanos(), drains))
                .toList();
        if (outages.isEmpty()) {
            throw new InputException(option + ": no node of the snapshot is \"" + which + "\"");
        }
        if (begin.toNanos() >= end) {
            throw new InputException(option + ": \"" + text + "\" begins after the end of the run, which lasts "
                    + LabOptions.text(Duration.ofNanos(end)) + "; set an earlier time, or a later --until");
        }
        return outages;
    }

    /** Returns whether a node has a name or a label; all have {@code *}. */
    private static Predicate<Node> nodes(String which) {
        int equals = which.indexOf('=');
        if (which.equals("*")) {
            return node -> true;
        }
        return equals < 0
                ? node -> node.name().equals(which)
                : node -> node.labels().has(which.substring(0, equals), which.substring(equals + 1));
    }

    private static boolean isRandom(String failure) {
        return failure.startsWith("mtbf=", failure.lastIndexOf('@') + 1);
    }

    /** Returns the random outages of nodes of the snapshot and of groups. */
    List<Hazard> hazards(List<Node> nodes, @Nullable NodeGroups scaled) {
        List<Node> known = new ArrayList<>(nodes);
        if (scaled != null) {
            known.addAll(scaled.examples());
        }
        List<Hazard> hazards = new ArrayList<>();
        for (String text : failures) {
            if (isRandom(text)) {
                hazards.add(hazard(text, known));
            }
        }
        spots.forEach(text -> hazards.add(reclaim(text, known, scaled)));
        return hazards;
    }

    private Hazard reclaim(String text, List<Node> known, @Nullable NodeGroups scaled) {
        Matcher matcher = RATE.matcher(text);
        double rate = matcher.matches() ? Double.parseDouble(matcher.group(2)) : 0;
        if (rate == 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--spot: \"" + text + "\" is not NODES=RATE/h with a rate above 0, such as zone=b=0.05/h");
        }
        String name = matcher.group(1);
        boolean isGroup = scaled != null
                && scaled.groups().stream().anyMatch(group -> group.name().equals(name));
        Predicate<Node> which = isGroup && scaled != null ? nodes(scaled.label() + "=" + name) : nodes(name);
        if (known.stream().noneMatch(which)) {
            throw new InputException("--spot: no node of the snapshot or of a group is \"" + name + "\"");
        }
        return new Hazard(
                name, which, Duration.ofNanos((long) (Duration.ofHours(1).toNanos() / rate)), null);
    }

    private Hazard hazard(String text, List<Node> known) {
        Matcher matcher = MEAN_TIMES.matcher(text);
        try {
            if (matcher.matches()) {
                LabOptions.BlockConverter times = new LabOptions.BlockConverter();
                Duration between = times.convert(matcher.group(2));
                Duration repair = times.convert(matcher.group(3));
                Predicate<Node> which = nodes(matcher.group(1));
                if (known.stream().noneMatch(which)) {
                    throw new InputException(
                            "--fail: no node of the snapshot or of a group is \"" + matcher.group(1) + "\"");
                }
                return new Hazard(matcher.group(1), which, between, repair);
            }
        } catch (TypeConversionException e) {
            // Reported below.
        }
        throw new ParameterException(
                spec.commandLine(),
                "--fail: \"" + text + "\" is not NODES@mtbf=TIME,mttr=TIME, such as zone=b@mtbf=90d,mttr=20m");
    }

    /** {@code keep} or {@code km}. */
    static final class ExtensionConverter implements ITypeConverter<Extension> {
        @Override
        public Extension convert(String value) {
            return Stream.of(Extension.values())
                    .filter(one -> one.toString().equals(value))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + value + "' is neither keep nor km"));
        }
    }

    /** Factors of the load. */
    static final class FactorConverter implements ITypeConverter<Double> {
        private static final double MOST = 1000;

        @Override
        public Double convert(String value) {
            if (value.matches("[0-9]{1,4}(\\.[0-9]{1,9})?")) {
                double factor = Double.parseDouble(value);
                if (factor > 0 && factor <= MOST) {
                    return factor;
                }
            }
            throw new TypeConversionException("'" + value + "' is not a factor above 0, at most 1000 (such as 1.3)");
        }
    }
}
