package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The decisions of logs up to a time, in the form of {@code /debug/decisions}. The files are read from the newest to the oldest, until
 * enough decisions about the pod are found.
 */
public final class LoggedDecisions {
    private final List<Path> logs;
    private final Instant until;
    private final DecisionLines names;

    /**
     * Decisions of logs.
     *
     * @param logs folders, or files as {@link TraceFiles#of} takes them; several replicas of a scheduler are one log
     * @param until later decisions are ignored
     * @param names the pseudonyms of the logs
     */
    public LoggedDecisions(List<Path> logs, Instant until, DecisionLines names) {
        this.logs = List.copyOf(logs);
        this.until = until;
        this.names = names;
    }

    /** A decision with the selection among equal nodes of its process. */
    private record Found(DecisionRecord decision, String tieBreak) {}

    /** The decisions in one log. */
    private final class Search {
        private final String pod;
        private final String name;
        private final Set<String> uids = new HashSet<>();
        private final Set<String> similar = new HashSet<>();
        /** By writer and UID, in order. */
        private final Map<String, List<Found>> found = new HashMap<>();

        private long seen;

        /** @param pod as written in the log */
        Search(String pod) {
            this.pod = pod;
            this.name = pod.substring(pod.indexOf('/'));
        }

        /** Whether a line may be about the pod, or about one whose name starts with the given name. */
        boolean isOfInterest(String text) {
            seen += text.startsWith("{\"line\":\"dec\"") ? 1 : 0;
            return text.contains(name) || isResult(text);
        }

        boolean isResult(String text) {
            return uids.stream().anyMatch(text::contains);
        }

        void accept(Line line) {
            if (line.time().isAfter(until)) {
                return;
            }
            if (line.kind().equals(DecisionLines.DECISION)) {
                String about = line.fields().path("pod").asText();
                if (about.equals(pod)) {
                    DecisionRecord decision = DecisionLines.read(line);
                    uids.add(decision.info().uid());
                    found.computeIfAbsent(key(line), key -> new ArrayList<>())
                            .add(new Found(
                                    decision, line.fields().path("tieBreak").asText()));
                } else if (about.startsWith(name, about.indexOf('/'))) {
                    similar.add(about);
                }
            } else {
                result(line);
            }
        }

        void result(Line line) {
            if (!line.kind().equals(DecisionLines.RESULT) || line.time().isAfter(until)) {
                return;
            }
            List<Found> decisions = found.getOrDefault(key(line), List.of());
            if (!decisions.isEmpty()) {
                Found last = decisions.get(decisions.size() - 1);
                decisions.set(
                        decisions.size() - 1,
                        new Found(DecisionLines.with(last.decision(), line.fields()), last.tieBreak()));
            }
        }

        private String key(Line line) {
            return line.writer() + " " + line.fields().path("uid").asText();
        }
    }

    /**
     * The last decisions about a pod.
     *
     * @param pod namespace/name, without pseudonyms
     * @param limit maximum number
     * @throws IOException if a log does not exist or cannot be read; the message contains the place
     */
    public ObjectNode decisions(String pod, int limit) throws IOException {
        String wanted = names.pod(pod);
        List<Found> all = new ArrayList<>();
        Set<String> similar = new HashSet<>();
        long seen = 0;
        Instant since = null;
        for (Path log : logs) {
            List<TraceFile> files = files(log);
            List<Found> ofLog = new ArrayList<>();
            for (int i = files.size() - 1; i >= 0 && ofLog.size() < limit; i--) {
                Search search = new Search(wanted);
                TraceReader.read(files.get(i), search::isOfInterest, search::accept);
                if (!search.found.isEmpty() && i + 1 < files.size()) {
                    // The result of the last decision of a file may be in the next one.
                    TraceReader.read(files.get(i + 1), search::isResult, search::result);
                }
                search.found.values().forEach(ofLog::addAll);
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
