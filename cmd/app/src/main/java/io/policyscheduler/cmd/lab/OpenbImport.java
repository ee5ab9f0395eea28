package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.sources.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * The lists of nodes and pods of the GPU trace openb (Alibaba, 2023), as a trace of the packing experiment that was published with the
 * FGD simulator: pods arrive one after the other in a random order until they request a multiple of the GPUs, and none leaves.
 */
final class OpenbImport {
    /** The resource: thousandths of a device. */
    static final String RESOURCE = "example.com/gpu-milli";
    /** The node label of the GPU model. */
    static final String MODEL = "example.com/gpu-model";

    /** The scores of the plugin GpuShare, in the order of the published table. */
    static final List<String> SCORES = List.of("Random", "DotProduct", "GpuClustering", "GpuPacking", "BestFit", "FGD");

    private static final int WHOLE = 1000;
    /** Pods arrive this many milliseconds apart, so that none is retried before the end. */
    private static final int GAP_MILLIS = 10;
    /** The most frequent classes of pods, up to this part of all pods, are the expected workload of FGD. */
    private static final double TARGET_SHARE = 0.95;

    private final List<NodeLine> nodes = new ArrayList<>();
    private final List<PodLine> pods = new ArrayList<>();

    private record NodeLine(String name, long cpu, long memory, int gpus, String model) {}

    private record PodLine(String name, long cpu, long memory, int gpus, int milli, String models) {
        private int gpuMilli() {
            return gpus > 1 ? gpus * WHOLE : gpus * milli;
        }
    }

    /** A class of pods of the workload. */
    private record Demand(long cpu, int gpu, String models) {}

    /**
     * Reads the lists.
     *
     * @throws InputException if a file cannot be read, with the line
     */
    OpenbImport(Path nodeFile, Path podFile) {
        table(nodeFile, List.of("sn", "cpu_milli", "memory_mib", "gpu", "model"))
                .forEach(row -> nodes.add(new NodeLine(
                        row.text("sn"),
                        number(row, "cpu_milli"),
                        number(row, "memory_mib"),
                        (int) number(row, "gpu"),
                        row.text("model"))));
        table(podFile, List.of("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"))
                .forEach(row -> pods.add(new PodLine(
                        row.text("name"),
                        number(row, "cpu_milli"),
                        number(row, "memory_mib"),
                        (int) number(row, "num_gpu"),
                        (int) number(row, "gpu_milli"),
                        row.text("gpu_spec"))));
    }

    /** Reads the lists of pods and nodes, in either order. */
    static OpenbImport of(Path first, Path second) {
        boolean nodesFirst = hasNodes(first);
        return new OpenbImport(nodesFirst ? first : second, nodesFirst ? second : first);
    }

    /** Only nodes have a serial number. */
    private static boolean hasNodes(Path file) {
        boolean[] found = {false};
        CsvFile.read(file, columns -> found[0] = columns.contains("sn"), row -> {});
        return found[0];
    }

    private static List<CsvFile.Row> table(Path file, List<String> required) {
        List<CsvFile.Row> rows = new ArrayList<>();
        CsvFile.read(
                file,
                columns -> {
                    for (String column : required) {
                        if (!columns.contains(column)) {
                            throw new IllegalArgumentException(
                                    "the column \"" + column + "\" is missing; is this a list of openb?");
                        }
                    }
                },
                rows::add);
        if (rows.isEmpty()) {
            throw new InputException(file + ":1: the file has no lines");
        }
        return rows;
    }

    /** An empty cell is 0, as in the published lists. */
    private static long number(CsvFile.Row row, String column) {
        String text = row.text(column);
        try {
            return text.isEmpty() ? 0 : (long) Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw row.problem(column + ": \"" + text + "\" is not a number");
        }
    }

    int nodeCount() {
        return nodes.size();
    }

    /**
     * Writes the trace and a configuration for each score.
     *
     * @param seed of the order of pods and nodes
     * @param load the pods request this multiple of the GPUs
     * @return the number of arrivals
     */
    int write(Path folder, long seed, double load) {
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(LabOptions.CLUSTER_FILE), cluster(seed).toString() + "\n");
            List<PodLine> arrivals = arrivals(seed, load);
            Files.writeString(folder.resolve(LabOptions.ARRIVALS_FILE), csv(arrivals));
            // The experiment ends with the last arrival; no pod is retried.
            ObjectNode trace = JsonNodeFactory.instance
                    .objectNode()
                    .put("format", "lab-trace/1")
                    .put("source", "openb");
            trace.put("seed", seed).put("endSeconds", arrivals.size() * GAP_MILLIS / 1000.0 + 1);
            Files.writeString(folder.resolve(LabOptions.TRACE_FILE), trace.toPrettyString() + "\n");
            for (String score : SCORES) {
                Files.writeString(
                        folder.resolve(score.toLowerCase(Locale.ROOT) + ".yaml"),
                        Output.yaml(configuration(score, seed)));
            }
            return arrivals.size();
        } catch (IOException e) {
            throw InputFiles.unwritable(folder, e);
        }
    }

    /** Nodes with the number of a random permutation before their names, which decides among equal scores. */
    private ObjectNode cluster(long seed) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(seed));
        ObjectNode list =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        for (int i = 0; i < nodes.size(); i++) {
            NodeLine line = nodes.get(i);
            String name = String.format(Locale.ROOT, "%04d-%s", numbers.get(i), line.name());
            ObjectNode node = items.addObject().put("apiVersion", "v1").put("kind", "Node");
            ObjectNode labels = node.putObject("metadata").put("name", name).putObject("labels");
            labels.put("kubernetes.io/hostname", name);
            if (!line.model().isEmpty()) {
                labels.put(MODEL, line.model());
            }
            ObjectNode allocatable = node.putObject("status")
                    .putObject("allocatable")
                    .put("cpu", line.cpu() + "m")
                    .put("memory", line.memory() + "Mi")
                    .put("pods", "1001");
            if (line.gpus() > 0) {
                allocatable.put(RESOURCE, String.valueOf(line.gpus() * WHOLE));
            }
        }
        return list;
    }

    /**
     * The pods of the list in a random order, then pods that are drawn from it. Lists that request more than the load end early: the
     * published table holds what is allocated when the pods that arrived request this multiple of the GPUs.
     */
    private List<PodLine> arrivals(long seed, double load) {
        List<PodLine> shuffled = new ArrayList<>(pods);
        shuffled.sort(Comparator.comparing(PodLine::name));
        Random random = new Random(seed);
        Collections.shuffle(shuffled, random);
        if (pods.stream().allMatch(pod -> pod.gpuMilli() == 0)) {
            return shuffled;
        }
        double target = load * WHOLE * nodes.stream().mapToInt(NodeLine::gpus).sum();
        List<PodLine> arrivals = new ArrayList<>(pods.size());
        double sum = 0;
        for (PodLine next : shuffled) {
            if (sum + next.gpuMilli() > target) {
                return arrivals;
            }
            sum += next.gpuMilli();
            arrivals.add(next);
        }
        while (true) {
            PodLine next = pods.get(random.nextInt(pods.size()));
            // As in the experiment, the limit counts one device of the next pod.
            if (sum + next.milli() > target) {
                return arrivals;
            }
            sum += next.gpuMilli();
            arrivals.add(next);
        }
    }

    private static String csv(List<PodLine> arrivals) {
        StringBuilder text =
                new StringBuilder("time,name,cpu,memory,request." + RESOURCE + ",selector." + MODEL + "\n");
        for (int i = 0; i < arrivals.size(); i++) {
            PodLine pod = arrivals.get(i);
            text.append(String.format(Locale.ROOT, "%.2f", i * GAP_MILLIS / 1000.0))
                    .append(',')
                    .append(pod.name())
                    .append('-')
                    .append(i)
                    .append(',')
                    .append(pod.cpu())
                    .append("m,")
                    .append(pod.memory())
                    .append("Mi,")
                    .append(pod.gpuMilli() == 0 ? "" : pod.gpuMilli())
                    .append(',')
                    .append(pod.models())
                    .append('\n');
        }
        return text.toString();
    }

    /** Only the filters that the lists need, and the score alone. */
    private ObjectNode configuration(String score, long seed) {
        ObjectNode config = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "kubescheduler.config.k8s.io/v1")
                .put("kind", "KubeSchedulerConfiguration");
        ObjectNode profile = config.putArray("profiles").addObject().put("schedulerName", "default-scheduler");
        ObjectNode plugins = profile.putObject("plugins");
        plugins.putObject("multiPoint").putArray("disabled").addObject().put("name", "*");
        enable(plugins, "queueSort", "PrioritySort");
        enable(plugins, "preFilter", "NodeAffinity", "NodeResourcesFit");
        enable(plugins, "filter", "NodeAffinity", "NodeResourcesFit", "GpuShare");
        if (score.equals("Random")) {
            enable(plugins, "preScore", "GpuShare");
        }
        enable(plugins, "score", "GpuShare");
        enable(plugins, "reserve", "GpuShare");
        enable(plugins, "bind", "DefaultBinder");
        ObjectNode args = profile.putArray("pluginConfig")
                .addObject()
                .put("name", "GpuShare")
                .putObject("args")
                .put("resource", RESOURCE)
                .put("modelLabel", MODEL)
                .put("score", score);
        if (score.equals("Random")) {
            args.put("seed", seed);
        }
        if (score.equals("FGD")) {
            args.set("workload", workload());
        }
        return config;
    }

    private static void enable(ObjectNode plugins, String point, String... names) {
        ArrayNode enabled = plugins.putObject(point).putArray("enabled");
        for (String name : names) {
            enabled.addObject().put("name", name);
        }
    }

    private ArrayNode workload() {
        Map<Demand, Integer> counts = new HashMap<>();
        pods.forEach(pod -> counts.merge(new Demand(pod.cpu(), pod.gpuMilli(), pod.models()), 1, Integer::sum));
        List<Map.Entry<Demand, Integer>> sorted = new ArrayList<>(counts.entrySet());
        sorted.sort(Map.Entry.<Demand, Integer>comparingByValue()
                .reversed()
                .thenComparing(entry -> entry.getKey().cpu())
                .thenComparing(entry -> entry.getKey().gpu())
                .thenComparing(entry -> entry.getKey().models()));
        int covered = 0;
        int used = 0;
        while (used < sorted.size() && covered < TARGET_SHARE * pods.size()) {
            covered += sorted.get(used++).getValue();
        }
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Map.Entry<Demand, Integer> entry : sorted.subList(0, used)) {
            ObjectNode one = list.addObject()
                    .put("cpu", entry.getKey().cpu())
                    .put("gpu", entry.getKey().gpu());
            if (!entry.getKey().models().isEmpty()) {
                one.put("models", entry.getKey().models());
            }
            one.put("share", (double) entry.getValue() / covered);
        }
        return list;
    }
}
