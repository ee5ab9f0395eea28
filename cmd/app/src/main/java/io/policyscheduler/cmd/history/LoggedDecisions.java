package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.DecisionLines.Definitions;
import io.policyscheduler.cmd.history.TraceFiles.Checksums;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.history.TraceReader.Sink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The decisions of logs up to a time, in the form of {@code /debug/decisions}. The files are read from the newest to the oldest, until
 * enough decisions about the pod are found.
 */
public final class LoggedDecisions {
    private final List<Path> logs;
    private final Instant until;
    private final DecisionLines names;
    private final Consumer<String> problems;
    private boolean isAnonymous;

    /**
     * Decisions of logs.
     *
     * @param logs folders, or files as {@link TraceFiles#of} takes them; several replicas of a scheduler are one log
     * @param until later decisions are ignored
     * @param names the pseudonyms of the logs
     * @param problems receives a line for each file that is damaged; its decisions before the damage are found
     */
    public LoggedDecisions(List<Path> logs, Instant until, DecisionLines names, Consumer<String> problems) {
        this.logs = List.copyOf(logs);
        this.until = until;
        this.names = names;
        this.problems = problems;
    }

    /** A decision with the selection among equal nodes of its process, which is the writer of the file. */
    private record Found(String writer, DecisionRecord decision, String tieBreak) {
        /** Whether a result is of this decision, or of any decision about the pod if the result has no number. */
        boolean isOf(Line result) {
            JsonNode cycle = result.fields().path("cycle");
            return writer.equals(result.writer())
                    && (cycle.isNumber()
                            ? cycle.asLong() == decision.number()
                            : decision.info()
                                    .uid()
                                    .equals(result.fields().path("uid").asText()));
        }
    }

    /** The decisions in one log. */
    private final class Search {
        private final String pod;
        private final String name;
        private final Definitions definitions = new Definitions();
        /** Each line with a result contains one of them. */
        private final Set<String> marks = new HashSet<>();

        private final Set<String> similar = new HashSet<>();
        private final List<Found> found = new ArrayList<>();

        private long seen;

        /** @param pod as written in the log */
        Search(String pod) {
            this.pod = pod;
            this.name = pod.substring(pod.indexOf('/'));
        }

        /** Whether a line may be about the pod, or about one whose name starts with the given name. */
        boolean isOfInterest(String text) {
            if (definitions.add(text)) {
                return false;
            }
            if (text.startsWith("{\"line\":\"dec\"")) {
                isAnonymous |= seen == 0 && DecisionLines.isAnonymous(text);
                seen++;
            }
            return text.contains(name) || isResult(text);
        }

        boolean isResult(String text) {
            return marks.stream().anyMatch(text::contains);
        }

        void accept(Line written) throws IOException {
            if (written.time().isAfter(until)) {
                return;
            }
            Line line = definitions.expanded(written);
            if (line.kind().equals(DecisionLines.DECISION)) {
                String about = line.fields().path("pod").asText();
                if (about.equals(pod)) {
                    DecisionRecord decision = DecisionLines.read(line);
                    marks.add(decision.info().uid());
                    marks.add("\"cycle\":" + decision.number() + ",");
                    found.add(new Found(
                            line.writer(),
                            decision,
                            line.fields().path("tieBreak").asText()));
                } else if (about.startsWith(name, about.indexOf('/'))) {
                    similar.add(about);
                }
            } else if (line.kind().equals(DecisionLines.RESULT)) {
                apply(line);
            }
        }

        void result(Line line) throws IOException {
            if (line.kind().equals(DecisionLines.RESULT) && !line.time().isAfter(until)) {
                apply(definitions.expanded(line));
            }
        }

        private void apply(Line result) {
            for (int i = found.size() - 1; i >= 0; i--) {
                Found last = found.get(i);
                if (last.isOf(result)) {
                    found.set(
                            i,
                            new Found(
                                    last.writer(),
                                    DecisionLines.with(last.decision(), result.fields()),
                                    last.tieBreak()));
                    return;
                }
            }
        }
    }

    /**
     * The last decisions about a pod.
     *
     * @param pod namespace/name, without pseudonyms
     * @param limit maximum number
     * @throws IOException if a log does not exist; the message contains the place
     */
    public ObjectNode decisions(String pod, int limit) throws IOException {
        String wanted = names.pod(pod);
        List<Found> all = new ArrayList<>();
        Set<String> similar = new HashSet<>();
        long seen = 0;
        Instant since = null;
        for (Path log : logs) {
            List<TraceFile> files = files(log);
            Checksums checksums = checksums(log);
            List<Found> ofLog = new ArrayList<>();
            for (int i = files.size() - 1; i >= 0 && ofLog.size() < limit; i--) {
                Search search = new Search(wanted);
                String problem = checksums.problem(files.get(i).path());
                String unreadable = read(files.get(i), search::isOfInterest, search::accept);
                if (!problem.isEmpty() || !unreadable.isEmpty()) {
                    problems.accept(problem.isEmpty() ? unreadable : problem);
                }
                if (!search.found.isEmpty() && i + 1 < files.size()) {
                    // The result of the last decision of a file may be in the next one.
                    read(files.get(i + 1), search::isResult, search::result);
                }
                ofLog.addAll(search.found);
                similar.addAll(search.similar);
                seen += search.seen;
            }
            Instant first = files.isEmpty() ? null : files.get(0).hour();
            since = first != null && (since == null || first.isBefore(since)) ? first : since;
            all.addAll(ofLog);
        }
        all.sort(Comparator.comparing((Found one) -> one.decision().info().time())
                .thenComparing(one -> one.decision().number())
                .reversed());
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("capacity", 0).put("kept", seen).put("decided", seen);
        json.put("since", since == null ? null : since.toString());
        json.put("found", all.size());
        if (all.isEmpty() && names.isOpen()) {
            DecisionPage.similar(similar, wanted).forEach(json.putArray("similar")::add);
        }
        ArrayNode decisions = json.putArray("decisions");
        all.stream()
                .limit(limit)
                .map(one -> DecisionJson.full(one.decision(), one.tieBreak()))
                .forEach(decisions::add);
        return json;
    }

    /** Whether a file that {@link #decisions} read has pseudonyms. */
    public boolean isAnonymous() {
        return isAnonymous;
    }

    private Checksums checksums(Path log) {
        try {
            return TraceFiles.of(log).checksums();
        } catch (IOException e) {
            problems.accept(String.valueOf(e.getMessage()));
            return Checksums.NONE;
        }
    }

    /** Reads a file up to its end, or to its damage. Returns the problem; empty if there is none. */
    private static String read(TraceFile file, Predicate<String> wanted, Sink sink) {
        try {
            TraceReader.read(file, wanted, sink);
            return "";
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            // Of a line that is a JSON object: a definition, a number, a time, or the name of a kind.
            return file.path() + ": damaged: a decision cannot be read; copy the file again, or delete it";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private List<TraceFile> files(Path log) throws IOException {
        List<TraceFile> files = TraceFiles.of(log).list();
        if (!files.isEmpty()) {
            return files.stream().filter(file -> file.beginsBefore(until)).toList();
        }
        if (Files.isRegularFile(log)) {
            return List.of(new TraceFile(log, Instant.MIN, 0));
        }
        throw new IOException(log + ": no decision log here; use the value of run --decision-log");
    }
}
