package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.lab.Expectations.Checked;
import io.policyscheduler.cmd.lab.Expectations.Outcome;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.Group;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.RunOverview;
import io.policyscheduler.framework.insight.lab.TraceRun;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab}: runs days of a cluster on a virtual clock, under any scheduler. */
@Command(
        name = "lab",
        description =
                "Simulates days of arriving pods on a virtual clock, and measures how each scheduler places them.",
        subcommands = {
            LabCommand.Run.class,
            LabCommand.Compare.class,
            LabCommand.At.class,
            LabCommand.Test.class,
            ImportCommand.class,
            ExportCommand.class,
            RecordCommand.class,
            ShadowCommand.class,
            ShowCommand.class,
            SweepCommand.class,
            SweepCommand.Merge.class,
            TuneCommand.class
        },
        sortOptions = false)
public final class LabCommand extends Group {
    private static void write(Path folder, String name, ObjectNode json) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name), json.toPrettyString() + "\n");
        } catch (IOException e) {
            throw new InputException("cannot write " + folder.resolve(name) + ": " + e.getMessage(), e);
        }
    }

    /** Returns an empty overview for each scheduler; none without a page. */
    private static List<RunOverview> overviews(LabOptions.Laboratory lab, List<String> names, HtmlOption html) {
        return html.isGiven() ? names.stream().map(name -> lab.overview()).toList() : List.of();
    }

    /**
     * Runs all schedulers, each several times.
     *
     * @param count runs of each scheduler
     * @param out for the lists of the first runs; null for none
     * @param overviews receive the first run of each scheduler; empty for none
     */
    private static List<PairedRuns> runs(
            LabOptions.Laboratory lab,
            List<String> names,
            int count,
            @Nullable Path out,
            List<RunOverview> overviews,
            WorkerPool workers,
            Progress progress) {
        List<Supplier<Result>> all = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Path folder = out == null ? null : out.resolve(String.valueOf(i + 1));
            TraceRun.Listener first = overviews.isEmpty() ? TraceRun.Listener.NONE : overviews.get(i);
            for (int run = 0; run < count; run++) {
                int number = run;
                all.add(() -> lab.run(
                        lab.schedulers().of(name),
                        number,
                        number == 0 ? folder : null,
                        number == 0 ? first : TraceRun.Listener.NONE,
                        progress));
            }
        }
        return Lists.partition(workers.all(all), count).stream()
                .map(PairedRuns::new)
                .toList();
    }

    /** {@code lab run}: one scheduler. */
    @Command(
            name = "run",
            description = "Runs a trace under one scheduler on a virtual clock, and measures the result.",
            sortOptions = false,
            customSynopsis = {
                "policy-scheduler lab run SCHEDULER (--trace=DIR | --cluster=FILE...",
                "           --arrivals=FILE) [--out=DIR] [OPTION...]"
            },
            footer = {
                "",
                "SCHEDULER is policy:FILE, provider:NAME, config:FILE[#PROFILE], or modern. The help of compare lists",
                "all forms. lab does not support legacy:SCHEDULER. recorded binds, starts, and ends pods as the record",
                "of a cluster says, without scenarios.",
                "",
                "The run uses the queue, the cache, and the plugins of the command run. Only the clock, the API server,",
                "and the kubelets are simulated. A pod is bound --binding-time after the decision and starts",
                "--start-time later. It runs for its duration, or until its owner removes it. A preempted pod with an",
                "owner is replaced.",
                "",
                "Scenarios are the same for all schedulers. They depend on --seed, each on its own random numbers.",
                "",
                "--scale-load omits or clones workloads: a controller with its pods, a Deployment with its"
                        + " ReplicaSets,",
                "or a pod without a controller. A clone arrives and ends with its workload. Its pods have the same",
                "labels, affinity, and volumes, but their own controller (web-1-x2 of web-x2), so that spreading,",
                "anti-affinity, and disruption budgets count both workloads together. Clones of running pods arrive at",
                "the start. Pods of DaemonSets and static pods do not change. trace.scaled in the result has the ratio"
                        + " of",
                "the pods and of the requests of each resource. The mean of these ratios differs from FACTOR by at"
                        + " most",
                "half of the share of the smallest workload that could still be added.",
                "",
                "--jitter shifts arrivals by uniform random times. A shift beyond the start or the end of the trace is",
                "reflected there. --runs of lab compare adds 1s to the shifts of all runs but the first.",
                "",
                "--extend km changes nothing before the end of the trace. A pod of the trace that has no end gets a lifetime",
                "that is longer than its observed one, from the lifetimes of the pods with the same namespace and spec. It",
                "keeps running if none of them is longer, or if it is a pod of the snapshot.",
                "",
                "--fail with mtbf and mttr draws exponential times for each node, from the time at which it is there."
                        + " Nodes",
                "that the trace or --groups add can fail, too. All --runs of lab compare have the same failures. Each",
                "seed of lab sweep has others.",
                "",
                "--spot draws an exponential time for each node, also for those that --groups add. Then, the node is",
                "cordoned, its pods are evicted immediately, as node termination handlers do, and it is removed 2"
                        + " minutes",
                "later for good. Only --groups add nodes, for pods that need them.",
                "",
                "The same inputs give the same bytes. -o json prints the document that",
                "docs/schemas/lab-run.schema.json describes. CPU amounts are in cores, memory is in GiB, and times",
                "are in seconds."
            })
    static final class Run implements Callable<Integer> {
        @Parameters(paramLabel = "SCHEDULER", description = "Scheduler to run.")
        private String name = "";

        @Option(
                names = "--out",
                paramLabel = "DIR",
                description = "Also write result.json, pods.csv.gz, and samples.csv.gz to DIR.")
        private @Nullable Path out;

        @Mixin
        private HtmlOption html = new HtmlOption();

        @Mixin
        private LabOptions options = new LabOptions();

        @Mixin
        private CommonOptions common = CommonOptions.withReport();

        @Override
        public Integer call() {
            html.check();
            List<RunOverview> overviews;
            LabReport report;
            try (Progress progress = common.progress(SteadyClock.system())) {
                Warnings warnings = new Warnings(progress);
                LabOptions.Laboratory lab = options.open(List.of(name), progress, warnings);
                lab.checkArrivals(warnings);
                @Nullable SchedulerSpec scheduler = lab.schedulers().of(name);
                overviews = overviews(lab, List.of(name), html);
                TraceRun.Listener receiver = overviews.isEmpty() ? TraceRun.Listener.NONE : overviews.get(0);
                report = new LabReport(
                        lab.header(), List.of(new PairedRuns(List.of(lab.run(scheduler, 0, out, receiver, progress)))));
            }
            html.write(Clock.systemUTC(), () -> LabPage.of(report, overviews, List.of(name), options));
            if (out != null) {
                write(out, "result.json", report.runJson());
            }
            common.output().write(() -> report.print(common.out()), report::runJson, report::markdown);
            return ExitCode.OK;
        }
    }

    /** {@code lab compare}: several schedulers on the same trace. */
    @Command(
            name = "compare",
            description = "Runs a trace under several schedulers on a virtual clock, and compares the results.",
            sortOptions = false,
            customSynopsis = {
                "policy-scheduler lab compare SCHEDULER SCHEDULER [SCHEDULER...]",
                "           (--trace=DIR | --cluster=FILE... --arrivals=FILE) [--out=DIR]",
                "           [OPTION...]"
            },
            footer = {
                "",
                "The first SCHEDULER is the reference. All schedulers get the same arrivals. The help of lab run",
                "describes the run.",
                "",
                "lab compare divides each run into blocks, such as days (--block). The interval of a metric is the",
                "95 %% confidence interval (bootstrap) of the differences of the blocks. It needs 5 blocks.",
                "",
                "With --runs 10 or more, lab compare also compares the runs of the reference with each other. It marks"
                        + " a",
                "difference (noise) if it is not greater than the 95 %% quantile of these differences.",
                "",
                "-o json prints the document that docs/schemas/lab-compare.schema.json describes. One run of one",
                "trace does not say which scheduler is better in general."
            })
    static final class Compare implements Callable<Integer> {
        @Parameters(
                paramLabel = "SCHEDULER",
                arity = "2..*",
                description = "Schedulers to compare, the reference first.")
        private List<String> names = List.of();

        @Option(
                names = "--runs",
                paramLabel = "N",
                defaultValue = "1",
                converter = IntRange.Positive.class,
                description =
                        "Runs of each scheduler. Each run has another seed, and all runs but the first shift arrivals"
                                + " by up to 1s. With 10 or more, differences can be marked as noise (default:"
                                + " ${DEFAULT-VALUE}).")
        private int count = 1;

        @Option(
                names = "--out",
                paramLabel = "DIR",
                description = "Also write result.json to DIR, and pods.csv.gz and samples.csv.gz of each scheduler to a"
                        + " numbered folder in DIR.")
        private @Nullable Path out;

        @Mixin
        private HtmlOption html = new HtmlOption();

        @Mixin
        private LabOptions options = new LabOptions();

        @Mixin
        private CommonOptions common = CommonOptions.withReport();

        @Override
        public Integer call() {
            html.check();
            List<RunOverview> overviews;
            LabReport report;
            try (Progress progress = common.progress(SteadyClock.system());
                    WorkerThreads threads = new WorkerThreads()) {
                Warnings warnings = new Warnings(progress);
                LabOptions.Laboratory lab = options.open(names, progress, warnings);
                lab.checkArrivals(warnings);
                overviews = overviews(lab, names, html);
                report = new LabReport(
                        lab.header(), runs(lab, names, count, out, overviews, threads.workers(), progress));
            }
            html.write(Clock.systemUTC(), () -> LabPage.of(report, overviews, names, options));
            if (out != null) {
                write(out, "result.json", report.compareJson());
            }
            common.output().write(() -> report.print(common.out()), report::compareJson, report::markdown);
            return ExitCode.OK;
        }
    }

    /** {@code lab at}: one moment of a run. */
    @Command(
            name = "at",
            modelTransformer = WithoutFormat.class,
            description = "Prints the cluster at one moment of a trace as a dump, for explain, simulate, and compare.",
            sortOptions = false,
            customSynopsis = {
                "policy-scheduler lab at TIME [SCHEDULER] (--trace=DIR | --cluster=FILE...",
                "           --arrivals=FILE) [--output-file=FILE] [OPTION...]"
            },
            footer = {
                "",
                "TIME is a time since the start, such as 3h12m, a time of day in UTC, such as 03:12 for the first 03:12",
                "of the trace, or an RFC 3339 time. Events at TIME itself are not included. Without SCHEDULER, the dump",
                "is the recorded cluster, and DIR must be a trace of lab record."
            })
    static final class At implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "TIME", description = "The moment.")
        private String time = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "SCHEDULER",
                description = "Scheduler to run (default: the recorded cluster).")
        private @Nullable String name;

        @Option(
                names = "--output-file",
                paramLabel = "FILE",
                description = "Write the dump to FILE instead of the standard output.")
        private @Nullable Path file;

        @Mixin
        private LabOptions options = new LabOptions();

        @Mixin
        private CommonOptions common = new CommonOptions();

        @Override
        public Integer call() {
            common.requireNoFormat("it prints a dump in JSON");
            ObjectNode dump = name == null ? recorded() : simulated(name);
            String text = dump.toPrettyString() + "\n";
            if (file == null) {
                common.out().print(text);
                common.out().flush();
                return ExitCode.OK;
            }
            try {
                Files.writeString(file, text);
            } catch (IOException e) {
                throw new InputException("cannot write " + file + ": " + e.getMessage(), e);
            }
            return ExitCode.OK;
        }

        private ObjectNode recorded() {
            RecordedTrace record = options.record();
            return record.at(options.moment(time, record::start));
        }

        private ObjectNode simulated(String scheduler) {
            try (Progress progress = common.progress(SteadyClock.system())) {
                Warnings warnings = new Warnings(progress);
                LabOptions.Laboratory lab = options.open(List.of(scheduler), progress, warnings);
                return lab.at(lab.schedulers().of(scheduler), options.moment(time, lab), warnings);
            }
        }
    }

    /** {@code lab test}: limits, for CI. */
    @Command(
            name = "test",
            description = "Runs two schedulers on a trace, and checks the metrics of one of them against limits.",
            sortOptions = false,
            customSynopsis = {
                "policy-scheduler lab test FILE (--trace=DIR | --cluster=FILE... --arrivals=FILE)",
                "           [OPTION...]"
            },
            footer = {
                "",
                "FILE is YAML or JSON. baseline and candidate are the schedulers. expect maps metrics of the candidate",
                "to limits. A limit is a number, such as \"<= 30\", or relative to the baseline, such as",
                "\"<= baseline\" or \"<= 1.02 * baseline\".",
                "",
                "A limit is \"not decided\" if a run has no value for the metric. A limit relative to the baseline is",
                "also not decided if it is within the confidence interval of the difference (see the help of lab",
                "compare). The exit code is 1 if a limit fails.",
                "",
                "-o json prints the document that docs/schemas/lab-test.schema.json describes."
            })
    static final class Test implements Callable<Integer> {
        @Parameters(paramLabel = "FILE", description = "File of expectations.")
        private Path file = Path.of("");

        @Option(
                names = "--runs",
                paramLabel = "N",
                defaultValue = "1",
                converter = IntRange.Positive.class,
                description = "Runs of each scheduler, as in lab compare (default: ${DEFAULT-VALUE}).")
        private int count = 1;

        @Mixin
        private LabOptions options = new LabOptions();

        @Mixin
        private CommonOptions common = new CommonOptions();

        @Override
        public Integer call() {
            Expectations expectations = Expectations.read(file);
            List<Checked> checked;
            try (Progress progress = common.progress(SteadyClock.system());
                    WorkerThreads threads = new WorkerThreads()) {
                List<String> names = List.of(expectations.baseline(), expectations.candidate());
                LabOptions.Laboratory lab = options.open(names, progress, new Warnings(progress));
                List<PairedRuns> runs = runs(lab, names, count, null, List.of(), threads.workers(), progress);
                checked = expectations.check(runs.get(0), runs.get(1));
            }
            long failed = checked.stream()
                    .filter(one -> one.outcome() == Outcome.FAILED)
                    .count();
            common.output()
                    .write(
                            () -> LabReport.print(common.out(), expectations, checked, failed),
                            () -> LabReport.testJson(expectations, checked));
            return failed == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
        }
    }
}
