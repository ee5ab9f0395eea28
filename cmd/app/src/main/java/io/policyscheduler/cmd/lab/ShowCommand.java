package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code lab show}: what is in a recorded trace. */
@Command(
        name = "show",
        description = "Shows what a recorded trace contains: its parts, gaps, objects, and the load of each hour.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab show DIR [OPTION...]",
        footer = {
            "",
            "A part begins with a complete list of the cluster. lab run uses the longest part. The lifetime of",
            "a pod that still runs or waits at the end of a part is unknown."
        })
final class ShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "Directory that lab record has written.")
    private Path folder = Path.of("");

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final List<Part> parts = new ArrayList<>();
    private final Map<Instant, Hour> hours = new TreeMap<>();

    /** The lines from one complete list of the cluster to the next. */
    private static final class Part {
        private final Instant from;
        private Instant to;
        private int gaps;
        private double gapSeconds;
        private int templates;
        private int arrivals;
        private int decisions;
        private int useSamples;
        /** UIDs. */
        private final Set<String> measuredPods = new HashSet<>();

        private final Map<String, Integer> snapshot = new TreeMap<>();
        private final Map<String, Integer> changes = new TreeMap<>();
        private final Map<String, Integer> ends = new TreeMap<>();
        /** Unfinished pods: whether they have a node. */
        private final Map<String, Boolean> open = new HashMap<>();

        Part(Instant from) {
            this.from = from;
            this.to = from;
        }

        private long running() {
            return open.values().stream().filter(placed -> placed).count();
        }
    }

    private static final class Hour {
        private int arrivals;
        private int binds;
        private int ends;
    }

    @Override
    public Integer call() {
        long bytes = 0;
        int files = 0;
        try {
            for (TraceFile file : RecordedTrace.files(folder)) {
                TraceReader.read(file, text -> true, this::accept);
                bytes += Files.size(file.path());
                files++;
            }
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
        if (parts.isEmpty()) {
            throw new InputException(folder + ": " + RecordedTrace.NO_CLUSTER);
        }
        ObjectNode json = json(files, bytes);
        long size = bytes;
        int count = files;
        common.output().write(() -> print(common.out(), count, size), () -> json);
        return ExitCode.OK;
    }

    private void accept(Line line) {
        if (line.kind().equals("begin")) {
            parts.add(new Part(line.time()));
        }
        if (parts.isEmpty()) {
            return;
        }
        Part part = parts.get(parts.size() - 1);
        part.to = line.time();
        String uid = line.fields().path("uid").asText();
        Hour hour = hours.computeIfAbsent(line.time().truncatedTo(ChronoUnit.HOURS), any -> new Hour());
        switch (line.kind()) {
            case "snap" -> {
                String kind = line.fields().path("object").path("kind").asText();
                part.snapshot.merge(kind, 1, Integer::sum);
                if (kind.equals("Pod")) {
                    part.open.put(
                            line.fields().at("/object/metadata/uid").asText(),
                            !line.fields()
                                    .at("/object/spec/nodeName")
                                    .asText("")
                                    .isEmpty());
                }
            }
            case "tpl" -> part.templates++;
            case "pod" -> {
                part.arrivals++;
                hour.arrivals++;
                part.open.put(uid, false);
            }
            case "bind" -> {
                hour.binds++;
                part.open.put(uid, true);
            }
            case "upd" -> part.changes.merge("Pod update", 1, Integer::sum);
            case "end" -> {
                hour.ends++;
                part.ends.merge(line.fields().path("how").asText(), 1, Integer::sum);
                part.open.remove(uid);
            }
            case "obj" ->
                part.changes.merge(
                        line.fields().path("kind").asText() + " "
                                + line.fields().path("verb").asText(),
                        1,
                        Integer::sum);
            case "gap" -> {
                part.gaps++;
                part.gapSeconds += line.fields().path("to").asDouble()
                        - line.fields().path("from").asDouble();
            }
            case "dec" -> part.decisions++;
            case "use" -> {
                part.useSamples++;
                part.measuredPods.add(uid);
            }
            default -> {
                // Kinds that are not counted.
            }
        }
    }

    private static String seconds(Duration duration) {
        return duration.truncatedTo(ChronoUnit.SECONDS).toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private void print(PrintWriter out, int files, long bytes) {
        out.println(folder + ": " + files + " files, " + bytes / 1024 + " KiB, "
                + (parts.size() == 1 ? "1 part" : parts.size() + " parts"));
        for (Part part : parts) {
            out.println();
            out.println("from " + part.from + " to " + part.to + " (" + seconds(Duration.between(part.from, part.to))
                    + ")");
            out.println("  at the start: " + counts(part.snapshot));
            out.println("  then: " + part.arrivals + " pods of " + part.templates + " templates arrived; "
                    + (part.ends.isEmpty() ? "none ended" : "ended: " + counts(part.ends)));
            out.println("  at the end: " + part.running() + " run and " + (part.open.size() - part.running())
                    + " wait (their lifetimes are unknown)");
            if (!part.changes.isEmpty()) {
                out.println("  changes: " + counts(part.changes));
            }
            if (part.useSamples > 0) {
                out.println("  measured use: " + part.useSamples + " samples of " + part.measuredPods.size() + " pods");
            }
            if (part.decisions > 0) {
                out.println("  decisions: " + part.decisions);
            }
            if (part.gaps > 0) {
                out.println("  gaps: " + part.gaps + ", " + Math.round(part.gapSeconds) + " s");
            }
        }
        out.println();
        TextTable table =
                new TextTable().text("HOUR").number("ARRIVALS").number("BINDS").number("ENDS");
        hours.forEach((hour, load) -> table.row(hour.toString(), load.arrivals, load.binds, load.ends));
        table.print(out);
    }

    private static String counts(Map<String, Integer> counts) {
        List<String> texts = new ArrayList<>();
        counts.forEach((name, count) -> texts.add(count + " " + name));
        return texts.isEmpty() ? "nothing" : String.join(", ", texts);
    }

    private ObjectNode json(int files, long bytes) {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("files", files).put("bytes", bytes);
        for (Part part : parts) {
            ObjectNode one = json.withArray("/parts")
                    .addObject()
                    .put("from", part.from.toString())
                    .put("to", part.to.toString());
            part.snapshot.forEach(one.putObject("snapshot")::put);
            one.put("arrivals", part.arrivals).put("templates", part.templates);
            part.ends.forEach(one.putObject("ends")::put);
            part.changes.forEach(one.putObject("changes")::put);
            one.put("running", part.running()).put("pending", part.open.size() - part.running());
            one.put("useSamples", part.useSamples).put("measuredPods", part.measuredPods.size());
            one.put("decisions", part.decisions).put("gaps", part.gaps).put("gapSeconds", part.gapSeconds);
        }
        for (Map.Entry<Instant, Hour> hour : hours.entrySet()) {
            json.withArray("/hours")
                    .addObject()
                    .put("hour", hour.getKey().toString())
                    .put("arrivals", hour.getValue().arrivals)
                    .put("binds", hour.getValue().binds)
                    .put("ends", hour.getValue().ends);
        }
        return json;
    }
}
