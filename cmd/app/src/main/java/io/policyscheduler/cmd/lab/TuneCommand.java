package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.lab.WeightSearch.RunLog;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.Warnings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab tune}: searches for the weights of a policy. */
@Command(
        name = "tune",
        description = "Searches for weights of a policy that improve a metric on a trace. Applies nothing.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler lab tune FILE (--trace=DIR | --cluster=FILE... --arrivals=FILE)",
            "           --out=DIR [--budget=N] [OPTION...]"
        },
        footer = {
            "",
            "FILE is YAML or JSON:",
            "  policy: the policy file, relative to FILE",
            "  knobs: a list of priorities, or a map from priority to [LOW, HIGH] (default: all, [1, 100])",
            "  minimize or maximize: a metric, or a list of up to three metrics (result: the Pareto front)",
            "  limits: a map from metrics to limits, as expect in the file of lab test",
            "",
            "lab tune divides the time of the trace into blocks (--block). The search uses the first 60 %% of the",
            "blocks. The next 20 %% select one of the five best sets of weights. The last 20 %% measure this set, and",
            "are used for nothing else.",
            "",
            "The search first tries weights that cover the ranges evenly (a Sobol sequence). It then improves the",
            "best set with an evolution strategy (CMA-ES) or, with several metrics, the Pareto front with a genetic",
            "algorithm (NSGA-II), in which a set that violates a limit loses to all that do not. All work on the",
            "logarithms of the weights. With one metric, the search stops a run early if the 95 %% confidence interval",
            "of the differences of its blocks shows that the set is worse than the best one.",
            "",
            "DIR gets policy.json and tune.json. It also gets runs.jsonl, with which the same command continues an",
            "interrupted search."
        })
final class TuneCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "File of the search.")
    private Path file = Path.of("");

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Directory of the result.")
    private Path out = Path.of("");

    @Option(
            names = "--budget",
            paramLabel = "N",
            defaultValue = "100",
            converter = IntRange.Positive.class,
            description = "Number of sets of weights to try. The search works in batches and completes the last one, so"
                    + " it can try a few more (default: ${DEFAULT-VALUE}).")
    private int budget = 100;

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private LabOptions options = new LabOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        html.check();
        TuneTask task = TuneTask.read(file);
        TuneResult tuned;
        try (Progress progress = common.progress(SteadyClock.system());
                WorkerThreads threads = new WorkerThreads()) {
            LabOptions.Laboratory lab =
                    options.open(List.of("policy:" + task.policyFile()), progress, new Warnings(progress));
            Files.createDirectories(out);
            try (RunLog log = new RunLog(out.resolve("runs.jsonl"), inputs(task, lab))) {
                if (log.size() > 0) {
                    progress.note("continuing with the " + log.size() + " runs in " + out.resolve("runs.jsonl"));
                }
                tuned = new WeightSearch(task, lab, threads.workers(), progress, log).run(budget);
            }
        } catch (IOException | UncheckedIOException e) {
            throw InputFiles.unwritable(out, e);
        }
        try {
            Files.writeString(
                    out.resolve("policy.json"),
                    task.policyWith(tuned.chosen().weights()).toPrettyString() + "\n");
            Files.writeString(out.resolve("tune.json"), tuned.json().toPrettyString() + "\n");
        } catch (IOException e) {
            throw InputFiles.unwritable(out, e);
        }
        html.write(Clock.systemUTC(), tuned::page);
        common.output().write(() -> tuned.print(common.out()), tuned::json);
        return ExitCode.OK;
    }

    /** Everything that the runs depend on, besides the weights. */
    private ObjectNode inputs(TuneTask task, LabOptions.Laboratory lab) {
        ObjectNode inputs = JsonNodeFactory.instance.objectNode().put("format", "lab-tune-runs/1");
        inputs.set("policy", task.policy());
        inputs.put("goals", task.goals().toString());
        inputs.put("knobs", task.knobs().toString());
        inputs.set("lab", lab.header());
        options.schedulerInputs().forEach(inputs.withArray("/schedulerInputs")::add);
        addFiles(task.policyFile(), task.policy(), inputs.withArray("/schedulerInputs"));
        return inputs;
    }

    /** Adds the hashes of the files that a policy names, such as tables. */
    private static void addFiles(Path policyFile, JsonNode value, ArrayNode hashes) {
        value.forEach(inner -> addFiles(policyFile, inner, hashes));
        if (value.isTextual() && value.asText().matches("[\\w./-]+")) {
            Path named = policyFile.resolveSibling(value.asText());
            if (Files.isRegularFile(named)) {
                hashes.add(LabOptions.hash(named));
            }
        }
    }
}
