package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.explain.ExplanationReport.ExplanationHtml;
import io.policyscheduler.cmd.explain.ExplanationReport.ExplanationMarkdown;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.report.ExplanationJson;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SchedulerFactory.SchedulerChoice;
import io.policyscheduler.cmd.sources.SnapshotOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.explain.Explainer;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.whatif.Simulation.InOrder;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code explain}: why a pod is placed on a node, why other nodes are rejected, and what would make them feasible. */
@Command(
        name = "explain",
        description = "Explains where a pod is scheduled, why other nodes are rejected, and what change would"
                + " make it schedulable.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler explain POD [--node=NAME] (--cluster=FILE... | --live)",
            "           [--policy=FILE | --scheduler=SCHEDULER] [OPTION...]"
        },
        footer = {
            "",
            "Without --policy or --scheduler, explain uses the provider DefaultProvider. explain changes",
            "nothing in the cluster.",
            "",
            "A pending pod is scheduled on the snapshot as it is. With --in-order, explain first places the",
            "pending pods that precede this pod in the queue, as simulate does. A running pod is first removed",
            "from its node.",
            "",
            "Each suggested change is tested: explain applies the change to a copy of the snapshot and",
            "schedules the pod. The smallest changes come first. If the pod does not even fit on an empty node,",
            "the nodes are sorted by what an empty node lacks, the smallest amount first.",
            "",
            "The exit code is 0 if the pod is schedulable (with --node, on that node), else 1.",
            "",
            "-o json prints the document that docs/schemas/explain.schema.json describes. If the pod is",
            "schedulable, \"failures\" has the first rejecting filter of each node, else all rejecting filters of",
            "each node."
        })
public final class ExplainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "POD",
            description = "NAME, NAMESPACE/NAME, or pod/NAME. A unique prefix of the name is enough.")
    private String podName = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod (default: the namespace \"default\", then all other namespaces).")
    private @Nullable String namespace;

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "Explain only whether the pod can run on this node, and why.")
    private @Nullable String node;

    @Option(
            names = "--in-order",
            description = "First schedule the pending pods that precede this pod in the queue, as simulate does.")
    private boolean inOrder;

    @ArgGroup(multiplicity = "0..1")
    private SchedulerChoice choice = new SchedulerChoice();

    @Mixin
    private SnapshotOptions snapshotOptions = new SnapshotOptions();

    @Option(
            names = "--nearest",
            paramLabel = "N",
            defaultValue = "10",
            description = "Maximum number of rows of suggested changes (default: ${DEFAULT-VALUE}).")
    private int nearest = 10;

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private CommonOptions common = CommonOptions.withReport();

    private final InstantSource clock = SteadyClock.system();

    @Override
    public Integer call() {
        if (nearest < 1) {
            throw new ParameterException(spec.commandLine(), "--nearest: " + nearest + " is not above 0");
        }
        html.check();
        try (Progress progress = common.progress(clock)) {
            Warnings warnings = new Warnings(progress);
            snapshotOptions.setTables(policyOptions, List.of());
            FeatureGates given = policyOptions.gates();
            SchedulerFactory schedulers = SchedulerFactory.ofUnknownRelease(
                    policyOptions, releaseOptions, pluginOptions, snapshotOptions::connect);
            boolean notes = schedulers.find(choice.text()).source().readsPodAnnotations();
            ClusterSnapshot snapshot = snapshotOptions.read(
                    releaseOptions.unknown(given).keepingPodAnnotations(notes), progress, warnings);
            SchedulerFactory.Named scheduler =
                    schedulers.in(releaseOptions.in(snapshot, given), warnings).find(choice.text());
            // A strict policy decides by the rules of 1.17, whatever the release of the cluster is.
            FeatureGates gates = scheduler.policy() == null
                    ? releaseOptions.in(snapshot, given)
                    : scheduler.policy().gates();
            snapshotOptions.warnAboutMissing(snapshot, List.of(scheduler.source()), warnings);
            PodNames names = new PodNames(snapshot);
            PodInfo pod = names.pod(podName, namespace);
            String asked = node == null ? null : names.node(node);
            if (inOrder && !pod.nodeName().isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--in-order is for a pending pod; " + pod.key() + " runs on " + pod.nodeName());
            }
            progress.update("evaluating " + snapshot.nodes().size() + " nodes");
            Explainer explainer = new Explainer(
                    scheduler.source(),
                    scheduler.labels(),
                    Preemption.live(
                            gates, policyOptions.strict() || choice.text().startsWith("strict:")));
            InOrder order = inOrder ? InOrder.until(snapshot, pod, scheduler.source()) : null;
            Explanation explanation = order == null
                    ? explainer.explain(snapshot, pod, asked, nearest)
                    : explainer.explain(
                            order.snapshot(), pod, asked, nearest, order.node() == null ? "" : order.node());
            if (explanation.preemption() != null
                    && !explanation.preemption().candidates().isEmpty()) {
                snapshotOptions.tellMissingBudgets(pod, warnings);
            }
            progress.clear();
            String name = scheduler.source().name();
            Supplier<ObjectNode> json = () -> ExplanationJson.of(explanation, name, order, warnings.all())
                    .put("release", gates.release().toString());
            PolicyNames policyNames = scheduler.source().names();
            List<String> answer = ExplanationReport.answer(
                    explanation, SchedulerNames.of(List.of(name)).get(0), policyNames);
            Supplier<ObjectNode> named = () -> ExplanationJson.named(json.get(), policyNames);
            html.write(clock, () -> ExplanationHtml.page(explanation, answer, named.get()));
            common.output()
                    .write(
                            () -> {
                                new ExplanationReport(explanation, name, policyNames, nearest, common.out()).print();
                            },
                            json,
                            () -> ExplanationMarkdown.of(answer, named.get()).toString());
            common.notes(moment(order, snapshot, pod));
            common.notes(snapshotOptions.notes());
            common.notes(releaseOptions.notes(snapshot, policyOptions.isStrictFor(List.of(choice.text()))));
            return explanation.fits() ? ExitCode.OK : ExitCode.NEGATIVE;
        }
    }

    /** The state in which the pod is scheduled, if another one is possible. */
    private static List<String> moment(@Nullable InOrder order, ClusterSnapshot snapshot, PodInfo pod) {
        if (order != null) {
            int before = order.placed() + order.unplaced();
            return List.of("in queue order: scheduled after " + before + (before == 1 ? " other pod" : " other pods")
                    + ", of which " + order.placed() + (order.placed() == 1 ? " is placed" : " are placed"));
        }
        long others =
                snapshot.pending().stream().filter(other -> !other.isSame(pod)).count();
        // A running pod, or the only pending one, has no pod before it.
        return others == 0 || !pod.nodeName().isEmpty()
                ? List.of()
                : List.of("assumed that this pod is scheduled before the "
                        + (others == 1 ? "other pending pod" : others + " other pending pods")
                        + "; --in-order schedules them in queue order");
    }
}
