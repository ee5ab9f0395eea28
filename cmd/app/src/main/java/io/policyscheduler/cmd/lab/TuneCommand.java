package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.lab.Expectations.Limit;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.ParameterSearch.CmaEs;
import io.policyscheduler.framework.insight.lab.ParameterSearch.Sobol;
import io.policyscheduler.framework.insight.lab.TraceRun;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
            "best set with an evolution strategy (CMA-ES). Both work on the logarithms of the weights. The search",
            "stops a run early if the 95 %% confidence interval of the differences of its blocks shows that the set",
            "is worse than the best one. With several metrics, the search uses only the Sobol sequence.",
            "",
            "DIR gets policy.json and tune.json. It also gets runs.jsonl, with which the same command continues an",
            "interrupted search."
        })
final class TuneCommand implements Callable<Integer> {
    private static final Set<String> FIELDS = Set.of("policy", "knobs", "minimize", "maximize", "limits");
    private static final int HIGHEST = 100;
    private static final int MOST_KNOBS = 16;
    private static final int MOST_GOALS = 3;
    private static final int FINALISTS = 5;
    private static final double SEARCH_SHARE = 0.6;
    private static final double CHOICE_SHARE = 0.2;
    private static final double FIRST_STEP = 0.3;
    private static final double INFEASIBLE = 1e12;
    /** Seeds of the judgment are others than those of the search. */
    private static final int FRESH_SEED = 1_000_003;

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

    /** A weight to be found. */
    private record Knob(String name, int low, int high) {
        int weight(double x) {
            return (int) Math.round(Math.exp(Math.log(low) + x * (Math.log(high) - Math.log(low))));
        }

        double position(int weight) {
            double x = low == high
                    ? 0
                    : (Math.log(Math.max(1, weight)) - Math.log(low)) / (Math.log(high) - Math.log(low));
            return Math.min(1, Math.max(0, x));
        }
    }

    /** A metric to be improved. */
    private record Goal(String metric, boolean maximize) {
        double cost(double value) {
            return maximize ? -value : value;
        }
    }

    private record Task(Path policyFile, ObjectNode policy, List<Knob> knobs, List<Goal> goals, List<Limit> limits) {}

    /**
     * The blocks of a candidate.
     *
     * @param complete false if it was dropped
     */
    private record Outcome(List<Integer> weights, List<Map<String, @Nullable Double>> blocks, boolean complete) {
        double mean(String metric) {
            double sum = 0;
            int count = 0;
            for (Map<String, @Nullable Double> block : blocks) {
                Double value = block.get(metric);
                if (value != null) {
                    sum += value;
                    count++;
                }
            }
            return count == 0 ? Double.NaN : sum / count;
        }
    }

    /** The blocks of the three parts. */
    private record Parts(int search, int choice, int judgment) {
        static Parts of(int blocks) {
            int search = Math.max(1, (int) (SEARCH_SHARE * blocks));
            int choice = Math.max(1, (int) (CHOICE_SHARE * blocks));
            return new Parts(search, choice, blocks - search - choice);
        }
    }

    private InputException problem(String text) {
        return new InputException(file + ": " + text);
    }

    @Override
    public Integer call() {
        html.check();
        Task task = read();
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
                tuned = new Tuning(task, lab, threads.workers(), progress, log).run(budget);
            }
        } catch (IOException | UncheckedIOException e) {
            throw InputFiles.unwritable(out, e);
        }
        try {
            Files.writeString(
                    out.resolve("policy.json"),
                    policy(task, tuned.chosen().weights()).toPrettyString() + "\n");
            Files.writeString(out.resolve("tune.json"), tuned.json().toPrettyString() + "\n");
        } catch (IOException e) {
            throw InputFiles.unwritable(out, e);
        }
        html.write(Clock.systemUTC(), tuned::page);
        common.output().write(() -> tuned.print(common.out()), tuned::json);
        return ExitCode.OK;
    }

    /** Everything that the runs depend on, besides the weights. */
    private ObjectNode inputs(Task task, LabOptions.Laboratory lab) {
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

    /**
     * The runs that are complete, in a file, so that a search that was interrupted continues. The first line names the inputs; runs of other
     * inputs are dropped. Thread-safe.
     */
    private static final class RunLog implements AutoCloseable {
        private static final ObjectMapper JSON = new ObjectMapper();

        private final Map<String, JsonNode> known = new LinkedHashMap<>();
        private final BufferedWriter file;

        RunLog(Path path, ObjectNode inputs) throws IOException {
            if (Files.exists(path)) {
                read(path, inputs);
            }
            // Rewritten, because the last line can be incomplete.
            this.file = Files.newBufferedWriter(path);
            write(inputs);
            for (JsonNode run : known.values()) {
                write(run);
            }
        }

        private void read(Path path, ObjectNode inputs) throws IOException {
            try (BufferedReader lines = Files.newBufferedReader(path)) {
                String first = lines.readLine();
                if (first == null || !first.equals(inputs.toString())) {
                    return;
                }
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    JsonNode run = JSON.readTree(line);
                    known.put(run.path("run").asText(), run);
                }
            } catch (JsonProcessingException e) {
                // The process was killed while it wrote this line.
            }
        }

        private void write(JsonNode line) throws IOException {
            file.write(line + "\n");
            file.flush();
        }

        int size() {
            return known.size();
        }

        /** Returns the outcome of a run; null if it is not known. */
        synchronized @Nullable Outcome find(String run, List<Integer> weights) {
            JsonNode line = known.get(run);
            if (line == null) {
                return null;
            }
            List<Map<String, @Nullable Double>> blocks = new ArrayList<>();
            for (JsonNode block : line.path("blocks")) {
                Map<String, @Nullable Double> metrics = new LinkedHashMap<>();
                block.properties()
                        .forEach(metric -> metrics.put(
                                metric.getKey(),
                                metric.getValue().isNull()
                                        ? null
                                        : (Double) metric.getValue().doubleValue()));
                blocks.add(metrics);
            }
            return new Outcome(
                    weights, List.copyOf(blocks), line.path("complete").asBoolean());
        }

        synchronized void add(String run, Outcome outcome) {
            ObjectNode line =
                    JsonNodeFactory.instance.objectNode().put("run", run).put("complete", outcome.complete());
            ArrayNode blocks = line.putArray("blocks");
            outcome.blocks().forEach(block -> block.forEach(blocks.addObject()::put));
            known.put(run, line);
            try {
                write(line);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private Task read() {
        JsonNode json = LabOptions.readObject(
                file, "policy and minimize or maximize", FIELDS, "policy, knobs, minimize, maximize, limits");
        List<Goal> goals = new ArrayList<>();
        for (String field : List.of("minimize", "maximize")) {
            JsonNode metrics = json.path(field);
            if (metrics.isTextual()) {
                goals.add(new Goal(metrics.asText(), field.equals("maximize")));
            }
            metrics.forEach(metric -> goals.add(new Goal(metric.asText(), field.equals("maximize"))));
        }
        if (goals.isEmpty() || goals.size() > MOST_GOALS) {
            throw problem("minimize and maximize must name one to three metrics");
        }
        String name = json.path("policy").asText();
        if (name.isEmpty()) {
            throw problem("policy is missing; it names a policy file");
        }
        Path policyFile = file.resolveSibling(name);
        ObjectNode policy = readPolicy(policyFile);
        List<Limit> limits = new ArrayList<>();
        json.path("limits")
                .properties()
                .forEach(limit -> limits.add(Expectations.limit(
                        file, limit.getKey(), limit.getValue().asText())));
        return new Task(policyFile, policy, knobs(json.path("knobs"), policy), goals, limits);
    }

    private ObjectNode readPolicy(Path path) {
        if (ManifestFiles.read(path).get(0) instanceof ObjectNode policy
                && policy.path("priorities").isArray()) {
            return policy;
        }
        throw problem("policy: " + path + " has no priorities, whose weights could be searched");
    }

    private List<Knob> knobs(JsonNode given, ObjectNode policy) {
        Map<String, Knob> all = new LinkedHashMap<>();
        for (JsonNode priority : policy.path("priorities")) {
            String name = priority.path("name").asText();
            all.put(name, new Knob(name, 1, HIGHEST));
        }
        List<Knob> knobs = new ArrayList<>();
        if (given.isMissingNode()) {
            knobs.addAll(all.values());
        }
        if (given.isArray()) {
            given.forEach(name -> knobs.add(known(all, name.asText())));
        }
        given.properties().forEach(knob -> {
            int low = knob.getValue().path(0).asInt();
            int high = knob.getValue().path(1).asInt();
            if (low < 1 || high < low) {
                throw problem(
                        "knobs: " + knob.getKey() + ": " + knob.getValue() + " is not [LOW, HIGH] with 1 or more");
            }
            knobs.add(new Knob(known(all, knob.getKey()).name(), low, high));
        });
        if (knobs.isEmpty() || knobs.size() > MOST_KNOBS) {
            throw problem("knobs: " + knobs.size() + " weights are not from 1 to " + MOST_KNOBS);
        }
        return knobs;
    }

    private Knob known(Map<String, Knob> all, String name) {
        Knob knob = all.get(name);
        if (knob == null) {
            throw problem("knobs: the policy has no priority \"" + name + "\"; it has " + all.keySet());
        }
        return knob;
    }

    /** Returns the policy with other weights. */
    private static ObjectNode policy(Task task, List<Integer> weights) {
        ObjectNode policy = task.policy().deepCopy();
        for (JsonNode priority : policy.path("priorities")) {
            for (int i = 0; i < weights.size(); i++) {
                if (task.knobs().get(i).name().equals(priority.path("name").asText())) {
                    ((ObjectNode) priority).put("weight", weights.get(i));
                }
            }
        }
        return policy;
    }

    /** One search. */
    private static final class Tuning {
        private final Task task;
        private final LabOptions.Laboratory lab;
        private final WorkerPool workers;
        private final Progress progress;
        private final RunLog log;
        private final Parts parts;
        private final long from;
        private final long block;
        private final Map<List<Integer>, Outcome> known = new LinkedHashMap<>();
        private final SplittableRandom random;
        private int evaluations;
        private int dropped;

        Tuning(Task task, LabOptions.Laboratory lab, WorkerPool workers, Progress progress, RunLog log) {
            this.task = task;
            this.lab = lab;
            this.workers = workers;
            this.progress = progress;
            this.log = log;
            this.from = lab.settings().warmUp().toNanos();
            this.block = lab.settings().block().toNanos();
            int blocks = (int) ((lab.trace().endNanos() - from) / block);
            if (blocks < PairedRuns.FEWEST_BLOCKS) {
                throw new InputException("the trace has " + blocks + " blocks after the warm-up, and a search needs "
                        + PairedRuns.FEWEST_BLOCKS + "; use a shorter --block");
            }
            this.parts = Parts.of(blocks);
            this.random = new SplittableRandom(lab.seed());
        }

        private SchedulerSpec scheduler(List<Integer> weights) {
            String text = policy(task, weights).toString();
            return lab.factory().withText(task.policyFile(), text).parse("policy:" + task.policyFile());
        }

        /** Runs a candidate; the metrics are those of some blocks. */
        private Outcome outcome(List<Integer> weights, int first, int count, int moreSeed, @Nullable Outcome best) {
            // The best set so far decides when a run is stopped.
            String name = weights + " " + first + "+" + count + " " + moreSeed
                    + (best == null ? "" : " against " + best.weights());
            Outcome known = log.find(name, weights);
            if (known != null) {
                return known;
            }
            SchedulerSpec scheduler = scheduler(weights);
            List<Map<String, @Nullable Double>> blocks = new ArrayList<>();
            boolean[] complete = {true};
            lab.run(scheduler, from + first * block, from + (first + count) * block, moreSeed, new TraceRun.Listener() {
                @Override
                public boolean blockEnded(int index, Map<String, @Nullable Double> metrics) {
                    blocks.add(metrics);
                    complete[0] = best == null || !isWorse(blocks, best);
                    return complete[0];
                }
            });
            Outcome outcome = new Outcome(weights, List.copyOf(blocks), complete[0]);
            log.add(name, outcome);
            return outcome;
        }

        /** Whether the interval of the differences to the best one excludes that this one is better. */
        private boolean isWorse(List<Map<String, @Nullable Double>> blocks, Outcome best) {
            Goal goal = task.goals().get(0);
            double[] differences = differences(goal, blocks, best.blocks());
            return task.goals().size() == 1
                    && differences.length >= PairedRuns.FEWEST_BLOCKS
                    && PairedRuns.interval(differences)[0] > 0;
        }

        private static double[] differences(
                Goal goal, List<Map<String, @Nullable Double>> own, List<Map<String, @Nullable Double>> other) {
            List<Double> differences = new ArrayList<>();
            for (int i = 0; i < Math.min(own.size(), other.size()); i++) {
                Double a = own.get(i).get(goal.metric());
                Double b = other.get(i).get(goal.metric());
                if (a != null && b != null) {
                    differences.add(goal.cost(a) - goal.cost(b));
                }
            }
            return differences.stream().mapToDouble(Double::doubleValue).toArray();
        }

        private boolean isFeasible(Outcome outcome, Outcome base) {
            for (Limit limit : task.limits()) {
                double value = outcome.mean(limit.metric());
                double bound = limit.factor() == null ? limit.number() : limit.factor() * base.mean(limit.metric());
                if (!Double.isNaN(value) && !Expectations.holds(limit.operator(), value, bound)) {
                    return false;
                }
            }
            return true;
        }

        /** Less is better; a candidate that was dropped has the mean difference of the blocks that it ran. */
        private double cost(Outcome outcome, Outcome base, @Nullable Outcome best) {
            Goal goal = task.goals().get(0);
            double cost = goal.cost(outcome.mean(goal.metric()));
            if (!outcome.complete() && best != null) {
                double sum = 0;
                double[] differences = differences(goal, outcome.blocks(), best.blocks());
                for (double difference : differences) {
                    sum += difference;
                }
                cost = goal.cost(best.mean(goal.metric())) + sum / differences.length;
            }
            return isFeasible(outcome, base) ? cost : INFEASIBLE + cost;
        }

        private List<Integer> weights(double[] point) {
            List<Integer> weights = new ArrayList<>();
            for (int i = 0; i < point.length; i++) {
                weights.add(task.knobs().get(i).weight(point[i]));
            }
            return weights;
        }

        /** Runs those that are not known yet, in parallel. */
        private void evaluate(List<List<Integer>> candidates, @Nullable Outcome best) {
            List<List<Integer>> fresh = candidates.stream()
                    .distinct()
                    .filter(candidate -> !known.containsKey(candidate))
                    .toList();
            List<Supplier<Outcome>> runs = new ArrayList<>();
            for (List<Integer> candidate : fresh) {
                runs.add(() -> outcome(candidate, 0, parts.search(), 0, best));
            }
            for (Outcome outcome : workers.all(runs)) {
                known.put(outcome.weights(), outcome);
                evaluations++;
                dropped += outcome.complete() ? 0 : 1;
            }
            progress.count("candidates", evaluations, 0);
        }

        TuneResult run(int budget) {
            Goal goal = task.goals().get(0);
            List<Integer> own = new ArrayList<>();
            for (Knob knob : task.knobs()) {
                for (JsonNode priority : task.policy().path("priorities")) {
                    if (priority.path("name").asText().equals(knob.name())) {
                        own.add(priority.path("weight").asInt(1));
                    }
                }
            }
            evaluate(List.of(own), null);
            Outcome base = Objects.requireNonNull(known.get(own));
            for (Goal one : task.goals()) {
                if (Double.isNaN(base.mean(one.metric()))) {
                    throw new InputException("the metric \"" + one.metric()
                            + "\" has no value in any block; docs/lab.md lists" + " the metrics");
                }
            }
            Sobol sobol = new Sobol(task.knobs().size(), random.split());
            int spread = task.goals().size() > 1 ? budget : Math.max(1, budget / 4);
            List<List<Integer>> first = new ArrayList<>();
            for (int i = 1; i < spread; i++) {
                first.add(weights(sobol.next()));
            }
            evaluate(first, null);
            Outcome best = best(base);
            if (task.goals().size() == 1) {
                double[] start = new double[task.knobs().size()];
                for (int i = 0; i < start.length; i++) {
                    start[i] = task.knobs().get(i).position(best.weights().get(i));
                }
                CmaEs search = new CmaEs(start, cost(best, base, null), FIRST_STEP, random.split());
                // A generation without new candidates is free, and the search is over when several are.
                for (int idle = 0; evaluations < budget && idle < FINALISTS; ) {
                    List<List<Integer>> candidates =
                            search.sample().stream().map(this::weights).toList();
                    if (candidates.isEmpty()) {
                        break;
                    }
                    int before = evaluations;
                    evaluate(candidates, best);
                    idle = evaluations == before ? idle + 1 : 0;
                    Outcome reference = best;
                    search.update(candidates.stream()
                            .mapToDouble(one -> cost(Objects.requireNonNull(known.get(one)), base, reference))
                            .toArray());
                    best = best(base);
                }
            }
            List<Outcome> finalists = known.values().stream()
                    .filter(Outcome::complete)
                    .sorted(Comparator.comparingDouble(outcome -> cost(outcome, base, null)))
                    .limit(FINALISTS)
                    .toList();
            Outcome chosen = choose(finalists, base, own);
            List<Supplier<Outcome>> last = new ArrayList<>();
            int firstJudged = parts.search() + parts.choice();
            for (List<Integer> weights : List.of(own, chosen.weights())) {
                last.add(() -> outcome(weights, firstJudged, parts.judgment(), FRESH_SEED, null));
            }
            List<Outcome> judged = workers.all(last);
            return new TuneResult(
                    task,
                    parts,
                    evaluations,
                    dropped,
                    own,
                    known.getOrDefault(chosen.weights(), chosen),
                    base,
                    alone(own, chosen.weights()),
                    judged.get(0),
                    judged.get(1),
                    differences(goal, judged.get(1).blocks(), judged.get(0).blocks()),
                    front(base));
        }

        private Outcome best(Outcome base) {
            return known.values().stream()
                    .filter(Outcome::complete)
                    .min(Comparator.comparingDouble(outcome -> cost(outcome, base, null)))
                    .orElse(base);
        }

        private Outcome choose(List<Outcome> finalists, Outcome base, List<Integer> own) {
            List<Supplier<Outcome>> runs = new ArrayList<>();
            runs.add(() -> outcome(own, parts.search(), parts.choice(), 0, null));
            for (Outcome finalist : finalists) {
                runs.add(() -> outcome(finalist.weights(), parts.search(), parts.choice(), 0, null));
            }
            List<Outcome> results = workers.all(runs);
            Outcome ofOwn = results.get(0);
            return results.stream()
                    .min(Comparator.comparingDouble(outcome -> cost(outcome, ofOwn, null)))
                    .orElse(base);
        }

        /** The mean of the first goal over the blocks of the search if only one weight is changed. */
        private List<Double> alone(List<Integer> own, List<Integer> chosen) {
            List<List<Integer>> candidates = new ArrayList<>();
            for (int i = 0; i < own.size(); i++) {
                List<Integer> one = new ArrayList<>(own);
                one.set(i, chosen.get(i));
                candidates.add(List.copyOf(one));
            }
            int before = evaluations;
            evaluate(candidates, null);
            evaluations = before;
            return candidates.stream()
                    .map(candidate -> Objects.requireNonNull(known.get(candidate))
                            .mean(task.goals().get(0).metric()))
                    .toList();
        }

        /** The candidates that no other one beats in all goals; empty with one goal. */
        private List<Outcome> front(Outcome base) {
            if (task.goals().size() == 1) {
                return List.of();
            }
            List<Outcome> feasible = known.values().stream()
                    .filter(outcome -> outcome.complete() && isFeasible(outcome, base))
                    .toList();
            return feasible.stream()
                    .filter(one -> feasible.stream().noneMatch(other -> dominates(other, one)))
                    .sorted(Comparator.comparingDouble(outcome -> {
                        Goal goal = task.goals().get(0);
                        return goal.cost(outcome.mean(goal.metric()));
                    }))
                    .toList();
        }

        private boolean dominates(Outcome a, Outcome b) {
            boolean better = false;
            for (Goal goal : task.goals()) {
                double difference = goal.cost(a.mean(goal.metric())) - goal.cost(b.mean(goal.metric()));
                if (difference > 0) {
                    return false;
                }
                better |= difference < 0;
            }
            return better;
        }
    }

    /**
     * The result of a search.
     *
     * @param alone the first goal if only this weight is changed
     * @param judgedOwn the policy as it was, on the blocks that were read once
     * @param judged the chosen one
     * @param differences by block, of costs: less than 0 is better
     */
    private record TuneResult(
            Task task,
            Parts parts,
            int evaluations,
            int dropped,
            List<Integer> own,
            Outcome chosen,
            Outcome base,
            List<Double> alone,
            Outcome judgedOwn,
            Outcome judged,
            double[] differences,
            List<Outcome> front) {
        private Goal goal() {
            return task.goals().get(0);
        }

        private double @Nullable [] interval() {
            return differences.length < PairedRuns.FEWEST_BLOCKS ? null : PairedRuns.interval(differences);
        }

        /** Whether the judgment confirms that the chosen weights are better. */
        private boolean isBetter() {
            double[] interval = interval();
            double difference =
                    goal().cost(judged.mean(goal().metric())) - goal().cost(judgedOwn.mean(goal().metric()));
            return interval == null ? difference < 0 : interval[1] < 0;
        }

        private String verdict() {
            if (chosen.weights().equals(own)) {
                return "no candidate is better than the weights of the policy";
            }
            if (!isBetter()) {
                return "the chosen weights are no better than those of the policy on the blocks that were held out";
            }
            return interval() == null
                    ? "the chosen weights are better on the blocks that were held out; they are fewer than "
                            + PairedRuns.FEWEST_BLOCKS + ", so that there is no interval"
                    : "the chosen weights are better on the blocks that were held out";
        }

        void print(PrintWriter text) {
            text.println(verdict());
            text.println();
            TextTable table = new TextTable()
                    .text("PRIORITY")
                    .number("BEFORE")
                    .number("AFTER")
                    .number(goal().metric() + " ALONE");
            for (int i = 0; i < own.size(); i++) {
                table.row(
                        task.knobs().get(i).name(), own.get(i), chosen.weights().get(i), LabReport.text(alone.get(i)));
            }
            table.print(text);
            text.println();
            TextTable goals = new TextTable()
                    .text("METRIC")
                    .text("BLOCKS")
                    .number("BEFORE")
                    .number("AFTER");
            for (Goal goal : task.goals()) {
                goals.row(
                        goal.metric(),
                        "search",
                        LabReport.text(base.mean(goal.metric())),
                        LabReport.text(chosen.mean(goal.metric())));
                goals.row(
                        goal.metric(),
                        "held out",
                        LabReport.text(judgedOwn.mean(goal.metric())),
                        LabReport.text(judged.mean(goal.metric())));
            }
            goals.print(text);
            double[] interval = interval();
            if (interval != null) {
                text.println();
                text.println("95% interval of the difference on the held-out blocks: "
                        + LabReport.text(signed(interval, 0)) + ".." + LabReport.text(signed(interval, 1)));
            }
            if (!front.isEmpty()) {
                text.println();
                text.println("Pareto front:");
                TextTable points = new TextTable();
                task.knobs().forEach(knob -> points.number(knob.name()));
                task.goals().forEach(goal -> points.number(goal.metric()));
                for (Outcome one : front) {
                    List<Object> cells = new ArrayList<>(one.weights());
                    task.goals().forEach(goal -> cells.add(LabReport.text(one.mean(goal.metric()))));
                    points.row(cells.toArray());
                }
                points.print(text);
            }
            text.println();
            text.println("Searched " + evaluations + " candidates on " + parts.search() + " blocks (" + dropped
                    + " dropped early), chose among " + FINALISTS + " on " + parts.choice() + ", and judged once on "
                    + parts.judgment() + ".");
        }

        /** The end of the interval in units of the metric, the lower one first. */
        private double signed(double[] interval, int end) {
            return goal().maximize() ? -interval[1 - end] : interval[end];
        }

        ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-tune/1");
            json.put("verdict", verdict())
                    .put("better", isBetter() && !chosen.weights().equals(own));
            json.put("candidates", evaluations).put("dropped", dropped);
            json.putObject("blocks")
                    .put("search", parts.search())
                    .put("choice", parts.choice())
                    .put("judgment", parts.judgment());
            for (int i = 0; i < own.size(); i++) {
                json.withArray("/weights")
                        .addObject()
                        .put("name", task.knobs().get(i).name())
                        .put("before", own.get(i))
                        .put("after", chosen.weights().get(i))
                        .set("alone", number(alone.get(i)));
            }
            for (Goal goal : task.goals()) {
                json.withArray("/goals")
                        .addObject()
                        .put("metric", goal.metric())
                        .put("goal", goal.maximize() ? "maximize" : "minimize")
                        .<ObjectNode>set("searchBefore", number(base.mean(goal.metric())))
                        .<ObjectNode>set("searchAfter", number(chosen.mean(goal.metric())))
                        .<ObjectNode>set("heldOutBefore", number(judgedOwn.mean(goal.metric())))
                        .set("heldOutAfter", number(judged.mean(goal.metric())));
            }
            double[] interval = interval();
            if (interval != null) {
                json.putArray("interval").add(signed(interval, 0)).add(signed(interval, 1));
            }
            for (Outcome one : front) {
                ObjectNode point = json.withArray("/front").addObject();
                ArrayNode weights = point.putArray("weights");
                one.weights().forEach(weights::add);
                task.goals().forEach(goal -> point.set(goal.metric(), number(one.mean(goal.metric()))));
            }
            return json;
        }

        /** Returns the result as a page. */
        PageContent page() {
            String verdict = verdict();
            return new PageContent(
                    PageContent.View.LAB_TUNE,
                    "lab tune",
                    List.of(Character.toUpperCase(verdict.charAt(0)) + verdict.substring(1) + "."),
                    json());
        }

        /** Returns a mean; null if no block has a value, such as the wait in blocks without arrivals. */
        private static JsonNode number(double mean) {
            return Double.isNaN(mean) ? NullNode.instance : DecimalNode.valueOf(LabReport.rounded(mean));
        }
    }
}
