package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A reference program that runs the real code: one snapshot per line of its input, one outcome per line of its output. */
final class RealOracle {
    /** Key of the last output of a process that crashed. */
    static final String DIED = "died";

    private static final int SECONDS_A_WORLD = 30;
    private static final int SHOWN = 300;

    private final ObjectMapper mapper = new ObjectMapper();
    private final List<String> command = new ArrayList<>();

    RealOracle(Path program, String... arguments) {
        command.add(program.toString());
        command.addAll(List.of(arguments));
    }

    /**
     * Returns the outcomes of the snapshots in order, {@linkplain OutcomeNormalizer normalized}. If the program crashes, the outcome is {@link #DIED} with
     * its last output, and a new process continues with the next snapshot.
     */
    List<JsonNode> ask(List<? extends JsonNode> snapshots) throws IOException, InterruptedException {
        List<JsonNode> outcomes = new ArrayList<>();
        while (outcomes.size() < snapshots.size()) {
            outcomes.addAll(process(snapshots.subList(outcomes.size(), snapshots.size())));
        }
        return outcomes;
    }

    /** Returns the outcomes up to the end or to the first crash. */
    private List<JsonNode> process(List<? extends JsonNode> snapshots) throws IOException, InterruptedException {
        Path questions = Files.createTempFile("snapshots", ".jsonl");
        Path answers = Files.createTempFile("answers", ".jsonl");
        Path complaints = Files.createTempFile("complaints", ".log");
        Process process = null;
        try {
            try (Writer out = Files.newBufferedWriter(questions)) {
                for (JsonNode snapshot : snapshots) {
                    out.write(snapshot.toString());
                    out.write('\n');
                }
            }
            process = new ProcessBuilder(command)
                    .redirectInput(questions.toFile())
                    .redirectOutput(answers.toFile())
                    .redirectError(complaints.toFile())
                    .start();
            boolean ended = process.waitFor((long) SECONDS_A_WORLD * (1 + snapshots.size()), TimeUnit.SECONDS);
            List<JsonNode> outcomes = new ArrayList<>();
            for (String line : Files.readAllLines(answers)) {
                outcomes.add(OutcomeNormalizer.of(mapper.readTree(line).path("outcome")));
            }
            if (outcomes.size() < snapshots.size()) {
                String last = ended ? lastWords(Files.readString(complaints)) : "it never ended";
                outcomes.add(JsonNodeFactory.instance.objectNode().put(DIED, last));
            }
            return outcomes;
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
            Files.delete(questions);
            Files.delete(answers);
            Files.delete(complaints);
        }
    }

    private static String lastWords(String complaints) {
        for (String line : complaints.split("\n", -1)) {
            if (line.startsWith("F") || line.startsWith("panic:") || line.startsWith("fatal")) {
                return line.substring(0, Math.min(SHOWN, line.length()));
            }
        }
        return complaints.substring(Math.max(0, complaints.length() - SHOWN));
    }
}
