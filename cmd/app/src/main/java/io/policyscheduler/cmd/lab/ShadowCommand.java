package io.policyscheduler.cmd.lab;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions.SchedulerRelease;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Counter;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Placement;
import io.policyscheduler.framework.insight.compare.ShadowComparison.View;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab shadow}: compares the binds of a record with the decisions of a scheduler. */
@Command(
        name = "shadow",
        modelTransformer = WithoutFormat.class,
        description = "Compares each recorded bind with the decision of a scheduler on the recorded cluster.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab shadow SCHEDULER --trace=DIR [OPTION...]",
        footer = {
            "",
            "SCHEDULER is as in shadow: modern is the default profile in the release of the recorded cluster.",
            "A bind agrees if its node has the highest score with SCHEDULER, or is the nominated node of the pod",
            "and feasible. A scheduler does not consider changes that arrive between its decision and its bind.",
            "If they disagree, lab shadow also compares on earlier states of the last two seconds. It also compares",
            "with up to three of the eight binds before and after, or any of those after, in another order. For each node,",
            "kube-scheduler counts the nodes with an image at a change of this node, and not later. A record does",
            "not contain all of these changes, so that a bind also agrees with any count between the last recorded",
            "event of a node and the bind.",
            "",
            "The last line contains the number of binds and of those that agree, on each kind of state. Exit code",
            "1: there are differences."
        })
final class ShadowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SCHEDULER", description = "Scheduler to compare with.")
    private String name = "";

    @Option(
            names = "--trace",
            paramLabel = "DIR",
            required = true,
            description = "Directory that lab record has written.")
    private Path folder = Path.of("");

    @Mixin
    private PodSelection selection = new PodSelection();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final Counter counter = new Counter();
    private final Map<View, Integer> views = new EnumMap<>(View.class);
    private int withOtherImages;

    @Override
    public Integer call() {
        common.requireNoFormat("its last line contains the result");
        PrintWriter out = common.out();
        try (Progress progress = common.progress(SteadyClock.system())) {
            Warnings warnings = new Warnings(progress);
            RecordedTrace record = RecordedTrace.open(folder);
            Release release = Release.ofVersion(record.serverVersion()).orElse(Release.NEWEST);
            FeatureGates gates = releaseOptions.in(release, policyOptions.gates());
            SchedulerFactory factory = new SchedulerFactory(policyOptions, gates, plugins, warnings);
            Release own = SchedulerRelease.of(gates.release());
            SchedulerSpec scheduler =
                    (name.equals("modern") ? factory.as(own) : factory.as(releaseOptions)).parse(name);
            FeatureGates kept = gates.keepingPodAnnotations(scheduler.readsPodAnnotations());
            @Nullable ShadowedTrace[] part = {null};
            record.lines(line -> {
                if (line.kind().equals("begin")) {
                    end(part[0]);
                    part[0] = new ShadowedTrace(
                            folder, kept, scheduler, this::isWanted, placement -> add(placement, out), warnings);
                } else if (part[0] != null) {
                    part[0].accept(line);
                    progress.count("placements", counter.evaluated(), 0);
                }
            });
            end(part[0]);
        }
        if (counter.evaluated() == 0) {
            throw new InputException(
                    folder + ": the record has no bind to compare; record a cluster for longer while pods are"
                            + " bound, or select other pods");
        }
        out.println("compared " + counter.evaluated() + " binds with " + name + ": " + counter.of(Finding.Kind.SAME)
                + " agree" + String.format(Locale.ROOT, " (%.1f %%)", counter.agreement()) + ", of these "
                + views.getOrDefault(View.REORDERED, 0) + " in another order and "
                + views.getOrDefault(View.EARLIER, 0) + " on an earlier state"
                + (withOtherImages == 0 ? "" : " and " + withOtherImages + " with earlier counts of images") + "; "
                + counter.of(Finding.Kind.UNDECIDED)
                + " not decided");
        out.flush();
        return counter.of(Finding.Kind.SAME) == counter.evaluated() ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private static void end(@Nullable ShadowedTrace part) {
        if (part != null) {
            part.end();
        }
    }

    private boolean isWanted(PodInfo pod) {
        return !pod.annotations().has(PodInfo.MIRROR_ANNOTATION) && selection.wants(pod);
    }

    private void add(Placement placement, PrintWriter out) {
        Finding finding = placement.finding();
        counter.add(finding);
        if (finding.agrees()) {
            views.merge(placement.view(), 1, Integer::sum);
            withOtherImages += finding.cause().isEmpty() ? 0 : 1;
            return;
        }
        out.println(finding.pod() + " is on " + finding.node() + ": "
                + finding.kind().text()
                + (finding.best().isEmpty() ? "" : " (" + finding.best().get(0) + ")") + ": " + finding.cause());
    }
}
