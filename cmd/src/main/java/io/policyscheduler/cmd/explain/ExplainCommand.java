package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.report.ExplanationJson;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.DeciderChoice;
import io.policyscheduler.cmd.sources.Deciders;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.sources.WorldOptions;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.explain.Explainer;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.whatif.InOrder;
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

/** {@code explain}: why a pod goes where it goes, why not elsewhere, and what would make it fit. */
@Command(
        name = "explain",
        description = "Tells why a pod goes where it goes, why not to another node, and what would make it fit.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler explain POD [--node=NAME] (--cluster=FILE... | --live)",
            "                                [--policy=FILE | --provider=NAME | --profile=modern[:CONFIG] |",
            "                                --decider=SPEC] [OPTION...]"
        },
        footer = {
            "",
            "A pending pod is decided in the cluster as it is, or with --in-order when its turn comes: then the pods",
            "before it have their places, and simulate and explain agree. A running one is taken from its node and",
            "decided again.",
            "Without --policy and the like the provider DefaultProvider decides. Nothing is changed anywhere.",
            "",
            "What would make the pod fit is tried out: the change is made in a copy of the cluster and the pod",
            "placed. Only what works is listed, the fewest changes first; a pod named with a host port, a disk",
            "or anti-affinity would have to go. Other nodes are listed with what stands against them.",
            "The exit code is 0 when the pod fits (with --node: on that node), 1 when it does not.",
            "",
            "-o json gives (what does not apply is null or empty; ranking: all nodes that fit, best first):",
            "  {\"pod\": \"default/web-1\", \"inOrder\": null, \"runsOn\": null, \"decider\": \"framework:policy.json\", \"fits\": false,",
            "   \"askedNode\": null, \"winner\": null, \"message\": \"0/2 nodes are available: ...\",",
            "   \"schedulingGates\": [], \"ranking\": [{\"node\": \"n1\", \"total\": 13, \"scores\": {\"A\": 13}}],",
            "   \"weights\": {\"A\": 1}, \"gap\": {\"better\": \"n1\", \"other\": \"n2\", \"gap\": 3, \"tippedBy\": \"A\",",
            "     \"parts\": [{\"algorithm\": \"A\", \"weight\": 1, \"better\": 13, \"other\": 10, \"difference\": 3}]},",
            "   \"failures\": {\"n4\": [{\"filter\": \"PodFitsResources\", \"reasons\": [\"Insufficient cpu\"]}]},",
            "   \"nearest\": [{\"lifts\": [{\"kind\": \"resource\", \"text\": \"0.3 CPU short\"}], \"nodes\": [\"n4\"]}],",
            "   \"unknown\": {\"n5\": [{\"filter\": \"Rack\", \"reasons\": [\"rack is full\"]}]}, \"notTried\": 0,",
            "   \"preemption\": {\"node\": \"n4\", \"eligible\": true, \"message\": null, \"candidates\": {\"n4\":",
            "     {\"victims\": [{\"pod\": \"default/old\", \"priority\": 0}], \"budgetViolations\": 0}}},",
            "   \"warnings\": [], \"release\": \"1.34\"}",
            "inOrder is {\"placed\": 11, \"unplaced\": 1} with --in-order: what came of the pods before it.",
            "kind is resource, cordon, taint, toleration, label, node-demand, pod, pod-demand, spread,",
            "volume-limit or volume. failures names the first filter of each node when the pod fits, else all."
        })
public final class ExplainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "POD",
            description = "NAME, NAMESPACE/NAME or pod/NAME; the beginning of a name does where only one has it.")
    private String podName = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod (default: default, then all others).")
    private @Nullable String namespace;

    @Option(names = "--node", paramLabel = "NAME", description = "Why (not) on this node?")
    private @Nullable String node;

    @Option(
            names = "--in-order",
            description = "First decide the pods before it, as simulate does, and then this one, where they left room.")
    private boolean inOrder;

    @ArgGroup(multiplicity = "0..1")
    private DeciderChoice choice = new DeciderChoice();

    @Mixin
    private WorldOptions worldOptions = new WorldOptions();

    @Option(
            names = "--nearest",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many ways to make the pod fit (default: ${DEFAULT-VALUE}).")
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
            worldOptions.giveTables(policyOptions, List.of());
            FeatureGates given = policyOptions.gates();
            Deciders deciders = new Deciders(
                            policyOptions,
                            releaseOptions.unknown(given),
                            pluginOptions,
                            worldOptions::connect,
                            Warnings.UNHEARD)
                    .as(releaseOptions);
            boolean notes = deciders.find(choice.text()).source().readsPodAnnotations();
            World world =
                    worldOptions.read(releaseOptions.unknown(given).keepingPodAnnotations(notes), progress, warnings);
            FeatureGates gates = releaseOptions.in(world, given);
            Deciders.Named decider = deciders.in(gates, warnings).find(choice.text());
            worldOptions.tellMissing(world, List.of(decider.source()), warnings);
            PodNames names = new PodNames(world);
            PodInfo pod = names.pod(podName, namespace);
            String asked = node == null ? null : names.node(node);
            if (inOrder && !pod.nodeName().isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--in-order is for a pod that waits; " + pod.key() + " runs on " + pod.nodeName());
            }
            progress.update("looking at " + world.nodes().size() + " nodes");
            Explainer explainer = new Explainer(decider.source(), decider.labels(), Preemption.of(gates));
            InOrder order = inOrder ? InOrder.until(world, pod, decider.source()) : null;
            Explanation explanation = order == null
                    ? explainer.explain(world, pod, asked, nearest)
                    : explainer.explain(order.world(), pod, asked, nearest, order.node() == null ? "" : order.node());
            if (explanation.preemption() != null
                    && !explanation.preemption().candidates().isEmpty()) {
                worldOptions.tellMissingBudgets(pod, warnings);
            }
            progress.clear();
            String name = decider.source().name();
            Supplier<ObjectNode> json = () -> ExplanationJson.of(explanation, name, order, warnings.all())
                    .put("release", gates.release().toString());
            html.write(clock, () -> ExplanationHtml.page(explanation, json.get()));
            common.output()
                    .write(
                            () -> {
                                common.out().print(moment(order, world, pod));
                                new ExplanationText(explanation, name, nearest, common.out()).print();
                                common.out().println(releaseOptions.told(world) + worldOptions.skippedTold());
                            },
                            json,
                            () -> ExplanationMarkdown.of(ExplanationHtml.conclusion(explanation), json.get())
                                    .toString());
            return explanation.fits() ? ExitCode.OK : ExitCode.NEGATIVE;
        }
    }

    /** In which cluster the pod is decided, as a line; empty where no other can be meant. */
    private static String moment(@Nullable InOrder order, World world, PodInfo pod) {
        if (order != null) {
            int before = order.placed() + order.unplaced();
            return "in order, after the " + before + (before == 1 ? " pod" : " pods") + " before it, of which "
                    + order.placed() + " got a place\n";
        }
        long others =
                world.pending().stream().filter(other -> !other.isSame(pod)).count();
        // Nobody comes before a pod that runs, or that waits alone.
        return others == 0 || !pod.nodeName().isEmpty()
                ? ""
                : "in the cluster as it is, where " + others + (others == 1 ? " other pod waits" : " other pods wait")
                        + " (--in-order decides those before it first)\n";
    }
}
