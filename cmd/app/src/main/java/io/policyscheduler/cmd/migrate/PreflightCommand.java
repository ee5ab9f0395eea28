package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code preflight}: finds what an upgrade of Kubernetes breaks in a policy and in the objects of a cluster. */
@Command(
        name = "preflight",
        description = "Finds what an upgrade of Kubernetes breaks in a policy and in the objects of a cluster.",
        sortOptions = false,
        customSynopsis = {"policy-scheduler preflight POLICY --cluster=FILE... [--target=1.N] [OPTION...]"},
        footer = {
            "",
            "preflight reads a dump of the cluster before the upgrade: nodes, pods, PersistentVolumes,",
            "StorageClasses, PodDisruptionBudgets, all workloads, CronJobs, Endpoints, and ConfigMaps, as",
            "\"kubectl get KINDS -A -o json\" writes them. A file of \"policy-scheduler dump\" does not contain all",
            "of these kinds.",
            "",
            "preflight finds what a release up to --target removes: kube-scheduler flags, API versions, labels,",
            "taints, annotations, in-tree volumes, and kinds of leader election locks. It also finds labels that",
            "such a release deprecates. The column SINCE shows the release that removes or deprecates the flag,",
            "label, or other item. For an in-tree volume, it shows the first release that needs the CSI driver.",
            "The last table lists points to check by hand, because no dump contains them. -o json lists all",
            "objects of a finding.",
            "",
            "The exit code is 1 if anything is found.",
            "-o json prints the document that docs/schemas/preflight.schema.json describes."
        })
public final class PreflightCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "POLICY", arity = "1", description = "Policy file, JSON or YAML.")
    private Path policy = Path.of("");

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            required = true,
            description = "Dump of the cluster before the upgrade, JSON or YAML. Repeatable.")
    private List<Path> files = List.of();

    @Option(
            names = "--target",
            paramLabel = "1.N",
            description = "Kubernetes release to upgrade to. Default: the newest supported release.")
    private @Nullable String target;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        Release release = target();
        ReleaseOptions.newer(release).forEach(note -> common.err().println("warning: " + note));
        String text = InputFiles.text(policy);
        try {
            new PolicyReader().read(text, policy.toString());
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
        List<JsonNode> policyDocuments = ManifestFiles.read(policy.toString(), text.getBytes(StandardCharsets.UTF_8));
        List<JsonNode> objects = files.stream()
                .flatMap(file -> ManifestFiles.read(file).stream())
                .toList();
        PreflightChecks checks = new PreflightChecks(release, policy.toString().replaceFirst(".*/", ""));
        policyDocuments.forEach(checks::policy);
        objects.forEach(checks::object);
        List<PreflightChecks.Finding> findings = checks.findings();
        common.output()
                .write(() -> print(common.out(), release, checks, findings), () -> json(release, checks, findings));
        return findings.isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private Release target() {
        try {
            return target == null ? Release.NEWEST : Release.parse(target);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--target: " + e.getMessage(), e);
        }
    }

    private void print(
            PrintWriter out, Release release, PreflightChecks checks, List<PreflightChecks.Finding> findings) {
        if (findings.isEmpty()) {
            out.println("Nothing found that Kubernetes " + release + " breaks, in " + checks.objects() + " objects and "
                    + policy.getFileName() + ".");
        } else {
            out.println(findings.size() + (findings.size() == 1 ? " problem" : " problems")
                    + " to solve before an upgrade to Kubernetes " + release + ", in " + checks.objects()
                    + " objects and "
                    + policy.getFileName() + ".");
            TextTable table =
                    new TextTable().text("CHECK").text("SINCE").text("FOUND").text("WHERE");
            Map<String, String> actions = new LinkedHashMap<>();
            for (PreflightChecks.Finding finding : findings) {
                table.row(finding.check().key(), finding.since(), finding.value(), where(finding));
                actions.put(finding.check().key(), finding.check().action());
            }
            out.println();
            table.print(out);
            TextTable fixes = new TextTable().text("CHECK").text("WHAT TO DO");
            actions.forEach(fixes::row);
            out.println();
            fixes.print(out);
        }
        TextTable rest = new TextTable().text("NOT IN A DUMP").text("CHECK YOURSELF");
        PreflightChecks.REST.forEach(rest::row);
        out.println();
        rest.print(out);
    }

    private static String where(PreflightChecks.Finding finding) {
        int more = finding.places().size() - 1;
        return finding.places().get(0) + (more > 0 ? ", and " + more + " more" : "");
    }

    private static ObjectNode json(Release release, PreflightChecks checks, List<PreflightChecks.Finding> findings) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("target", release.toString()).put("objects", checks.objects());
        ArrayNode list = node.putArray("findings");
        for (PreflightChecks.Finding finding : findings) {
            ObjectNode one = list.addObject()
                    .put("check", finding.check().key())
                    .put("since", finding.since().toString())
                    .put("value", finding.value())
                    .put("action", finding.check().action());
            finding.places().forEach(one.putArray("places")::add);
        }
        ArrayNode rest = node.putArray("manual");
        PreflightChecks.REST.forEach(
                (what, check) -> rest.addObject().put("what", what).put("check", check));
        return node;
    }
}
