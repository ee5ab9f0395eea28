package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.lab.Expectations.Limit;
import io.policyscheduler.cmd.lab.TuneTask.Goal;
import io.policyscheduler.cmd.lab.TuneTask.Knob;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.ParameterSearch.CmaEs;
import io.policyscheduler.framework.insight.lab.ParameterSearch.Sobol;
import io.policyscheduler.framework.insight.lab.ParetoSearch;
import io.policyscheduler.framework.insight.lab.TraceRun;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A search for weights: runs candidates on the first blocks of a trace, chooses among the best on the next, and judges on the last. */
final class WeightSearch {
    static final int FINALISTS = 5;
    private static final double SEARCH_SHARE = 0.6;
    private static final double CHOICE_SHARE = 0.2;
    private static final double FIRST_STEP = 0.3;
    private static final double INFEASIBLE = 1e12;
    /** The violation of a limit that has no relative difference. */
    private static final double VIOLATED = 1e-9;
    /** The first points, which cover the ranges evenly, are a quarter of the budget. */
    private static final int SPREAD_SHARE = 4;

    private static final int SMALLEST_GENERATION = 8;
    private static final int LARGEST_GENERATION = 40;
    /** Seeds of the judgment are others than those of the search. */
    private static final int FRESH_SEED = 1_000_003;

    /**
     * The blocks of a candidate.
     *
     * @param complete false if it was dropped
     */
    record Outcome(List<Integer> weights, List<Map<String, @Nullable Double>> blocks, boolean complete) {
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
    record Parts(int search, int choice, int judgment) {
        static Parts of(int blocks) {
            int search = Math.max(1, (int) (SEARCH_SHARE * blocks));
            int choice = Math.max(1, (int) (CHOICE_SHARE * blocks));
            return new Parts(search, choice, blocks - search - choice);
        }
    }

    /**
     * The runs that are complete, in a file, so that a search that was interrupted continues. The first line names the inputs; runs of other
     * inputs are dropped. Thread-safe.
     */
    static final class RunLog implements AutoCloseable {
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

    private final TuneTask task;
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

    WeightSearch(TuneTask task, LabOptions.Laboratory lab, WorkerPool workers, Progress progress, RunLog log) {
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
        String text = task.policyWith(weights).toString();
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

    /** Returns how far a candidate is from its limits, as the sum of relative differences; 0 if it keeps all limits. */
    private double violation(Outcome outcome, Outcome base) {
        double sum = 0;
        for (Limit limit : task.limits()) {
            double value = outcome.mean(limit.metric());
            double bound = limit.factor() == null ? limit.number() : limit.factor() * base.mean(limit.metric());
            if (!Double.isNaN(value) && !Expectations.holds(limit.operator(), value, bound)) {
                double difference = Math.abs(value - bound) / (Math.abs(value) + Math.abs(bound));
                // A limit such as "< 0" has no relative difference to 0, and none to a baseline without a value.
                sum += difference > 0 ? difference : VIOLATED;
            }
        }
        return sum;
    }

    private ParetoSearch.Candidate candidate(Outcome outcome, Outcome base) {
        List<Double> point = new ArrayList<>();
        for (int i = 0; i < outcome.weights().size(); i++) {
            point.add(task.knobs().get(i).position(outcome.weights().get(i)));
        }
        List<Double> costs = new ArrayList<>();
        for (Goal goal : task.goals()) {
            double mean = outcome.mean(goal.metric());
            costs.add(Double.isNaN(mean) ? Double.POSITIVE_INFINITY : goal.cost(mean));
        }
        return new ParetoSearch.Candidate(point, costs, violation(outcome, base));
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
        return violation(outcome, base) == 0 ? cost : INFEASIBLE + cost;
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

    private boolean hasFront() {
        return task.goals().size() > 1;
    }

    /** Returns the even size of a generation: a fifth of the budget, so that several generations follow the first points. */
    private static int generation(int budget) {
        return Math.max(SMALLEST_GENERATION, Math.min(LARGEST_GENERATION, budget / 5 / 2 * 2));
    }

    /** Searches around the best candidate. */
    private void searchBest(Outcome base, int budget) {
        Outcome best = best(base);
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

    /** Searches along the front of all candidates. */
    private void searchFront(Outcome base, int size, int budget) {
        ParetoSearch search = new ParetoSearch(
                known.values().stream().map(one -> candidate(one, base)).toList(), size, random.split());
        for (int idle = 0; evaluations < budget && idle < FINALISTS; ) {
            List<List<Integer>> candidates = search.sample().stream()
                    .map(this::weights)
                    .limit(budget - evaluations)
                    .toList();
            int before = evaluations;
            evaluate(candidates, null);
            idle = evaluations == before ? idle + 1 : 0;
            search.update(candidates.stream()
                    .map(one -> candidate(Objects.requireNonNull(known.get(one)), base))
                    .toList());
        }
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
        int size = generation(budget);
        Sobol sobol = new Sobol(task.knobs().size(), random.split());
        int spread = Math.max(hasFront() ? Math.min(budget, size) : 1, budget / SPREAD_SHARE);
        List<List<Integer>> first = new ArrayList<>();
        for (int i = 1; i < spread; i++) {
            first.add(weights(sobol.next()));
        }
        evaluate(first, null);
        if (hasFront()) {
            searchFront(base, size, budget);
        } else {
            searchBest(base, budget);
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

    /** The candidates that keep the limits and that no other one beats in all goals, one for equal metrics; empty with one goal. */
    private List<Outcome> front(Outcome base) {
        if (!hasFront()) {
            return List.of();
        }
        Map<ParetoSearch.Candidate, Outcome> outcomes = new LinkedHashMap<>();
        for (Outcome outcome : known.values()) {
            ParetoSearch.Candidate candidate = candidate(outcome, base);
            if (candidate.violation() == 0) {
                outcomes.put(candidate, outcome);
            }
        }
        Map<List<Double>, Outcome> byCosts = new LinkedHashMap<>();
        ParetoSearch.front(List.copyOf(outcomes.keySet())).stream()
                .sorted(Comparator.comparingDouble(one -> one.costs().get(0)))
                .forEach(one -> byCosts.putIfAbsent(one.costs(), Objects.requireNonNull(outcomes.get(one))));
        return List.copyOf(byCosts.values());
    }
}
