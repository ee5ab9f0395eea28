package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.history.DecisionLog.Entry;
import io.policyscheduler.cmd.history.DecisionRecord.AttemptInfo;
import io.policyscheduler.cmd.history.DecisionRecord.Outcome;
import io.policyscheduler.cmd.history.DecisionRecord.Preemption;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptDetails.Algorithm;
import io.policyscheduler.framework.cycle.AttemptDetails.Rejection;
import io.policyscheduler.framework.cycle.AttemptDetails.Scored;
import io.policyscheduler.framework.cycle.Decision;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lines {@code dec} and {@code res} of a trace. Fields that have the usual value, such as 0 or an empty list, are left out.
 *
 * @param tieBreak how the scheduler selects among equal nodes; for writing only
 * @param names replaces each name and each other text that can identify something of the cluster
 */
public record DecisionLines(String tieBreak, UnaryOperator<String> names) {
    /** A decision. */
    public static final String DECISION = "dec";
    /** The result of the last decision about a pod. */
    public static final String RESULT = "res";

    private static final int SHORTEST_KEY = 16;
    private static final ObjectMapper MAPPER = new JsonMapper();

    /** Lines with the names of the cluster. */
    public static DecisionLines open(String tieBreak) {
        return new DecisionLines(tieBreak, name -> name);
    }

    /**
     * Lines with pseudonyms that depend on a key: equal names have equal pseudonyms in all logs of this key.
     *
     * @param key a file with a secret
     * @throws IOException if the file cannot be read or is too short; the message contains its name
     */
    public static DecisionLines anonymous(String tieBreak, Path key) throws IOException {
        byte[] secret = Files.readAllBytes(key);
        if (secret.length < SHORTEST_KEY) {
            throw new IOException(
                    key + ": " + secret.length + " bytes are too short for a secret; write at least " + SHORTEST_KEY);
        }
        return new DecisionLines(tieBreak, new Pseudonyms(secret));
    }

    /** A writer of lines. It belongs to one thread, and encodes what consecutive decisions share only once. */
    final class Encoder {
        private List<Algorithm> lastAlgorithms = List.of();
        private SerializedString algorithmsText = new SerializedString("[]");
        private @Nullable Scored lastScored;
        private SerializedString scoresText = new SerializedString("");

        /** Writes an entry. */
        void write(TraceWriter trace, Entry entry) throws IOException {
            if (entry instanceof DecisionRecord made) {
                trace.write(DECISION, entry.time(), json -> decision(json, made));
            } else if (entry instanceof Entry.Result result) {
                trace.write(RESULT, entry.time(), json -> result(json, result));
            }
        }

        private void result(JsonGenerator json, Entry.Result result) throws IOException {
            json.writeStringField("uid", names.apply(result.uid()));
            number(json, "attempt", result.attempt());
            if (result.outcome() != null) {
                json.writeStringField("outcome", result.outcome().text());
            }
            if (result.message() != null) {
                json.writeStringField("message", text(AttemptDetails.bounded(result.message())));
            }
            room(json, result.room());
        }

        private void decision(JsonGenerator json, DecisionRecord recorded) throws IOException {
            AttemptInfo info = recorded.info();
            Decision decision = recorded.decision();
            AttemptDetails details = recorded.details();
            json.writeNumberField("cycle", recorded.number());
            json.writeStringField("pod", pod(info.pod()));
            json.writeStringField("uid", names.apply(info.uid()));
            number(json, "attempt", info.attempt());
            json.writeStringField("profile", names.apply(info.profile()));
            number(json, "generation", decision.generation());
            json.writeStringField("kind", decision.kind().name().toLowerCase(Locale.ROOT));
            name(json, "node", decision.node() == null ? "" : decision.node());
            number(json, "score", decision.score());
            number(json, "nanos", info.nanos());
            number(json, "nodes", details.totalNodes());
            number(json, "examined", decision.evaluatedNodes());
            number(json, "feasible", decision.feasibleNodes());
            if (!recorded.result().message().isEmpty()) {
                json.writeStringField("message", text(recorded.result().message()));
            }
            name(json, "nominated", info.nominatedNode());
            details(json, details);
            tables(json, info.tables());
        }

        private void details(JsonGenerator json, AttemptDetails details) throws IOException {
            if (!details.rejections().isEmpty()) {
                json.writeArrayFieldStart("rejections");
                for (Rejection rejection : details.rejections()) {
                    json.writeStartObject();
                    json.writeStringField("reason", text(rejection.reason()));
                    json.writeNumberField("nodes", rejection.nodes());
                    json.writeArrayFieldStart("names");
                    for (String node : rejection.names()) {
                        json.writeString(names.apply(node));
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            number(json, "otherReasons", details.otherReasons());
            if (!details.best().isEmpty()) {
                json.writeFieldName("algorithms");
                json.writeRawValue(encoded(details.algorithms()));
                json.writeArrayFieldStart("best");
                for (Scored scored : details.best()) {
                    json.writeStartArray();
                    json.writeString(names.apply(scored.node()));
                    json.writeRaw(encoded(scored));
                    json.writeEndArray();
                }
                json.writeEndArray();
            }
            number(json, "otherAlgorithms", details.otherAlgorithms());
            number(json, "tied", details.tied());
            if (details.tied() > 1) {
                json.writeStringField("tieBreak", tieBreak);
            }
        }

        private void room(JsonGenerator json, @Nullable Preemption room) throws IOException {
            if (room == null) {
                return;
            }
            json.writeObjectFieldStart("preemption");
            json.writeStringField("node", names.apply(room.node()));
            json.writeArrayFieldStart("victims");
            for (String victim : room.victims()) {
                json.writeString(pod(victim));
            }
            json.writeEndArray();
            json.writeNumberField("count", room.count());
            json.writeEndObject();
        }

        /** The algorithms as JSON; the same text as before while attempts share the list. */
        @SuppressWarnings("ReferenceEquality") // a list is shared by most attempts, and another list costs only time
        private SerializedString encoded(List<Algorithm> algorithms) throws IOException {
            if (algorithms != lastAlgorithms) {
                StringWriter text = new StringWriter();
                try (JsonGenerator json = MAPPER.createGenerator(text)) {
                    json.writeStartArray();
                    for (Algorithm algorithm : algorithms) {
                        json.writeStartArray();
                        json.writeString(algorithm.name());
                        json.writeNumber(algorithm.weight());
                        if (!algorithm.displayName().equals(algorithm.name())) {
                            json.writeString(algorithm.displayName());
                        }
                        json.writeEndArray();
                    }
                    json.writeEndArray();
                }
                lastAlgorithms = algorithms;
                algorithmsText = new SerializedString(text.toString());
            }
            return algorithmsText;
        }

        /** The total and the scores of a node, each after a comma; the same text as before while nodes share the scores. */
        @SuppressWarnings("ReferenceEquality") // nodes with equal scores share them, and other ones cost only time
        private SerializedString encoded(Scored scored) {
            if (lastScored == null || scored.scores() != lastScored.scores() || scored.total() != lastScored.total()) {
                StringBuilder text = new StringBuilder().append(',').append(scored.total());
                for (int i = 0; i < scored.scores().length(); i++) {
                    text.append(',').append(scored.scores().get(i));
                }
                lastScored = scored;
                scoresText = new SerializedString(text.toString());
            }
            return scoresText;
        }
    }

    private static void tables(JsonGenerator json, List<TableMark> tables) throws IOException {
        if (tables.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("tables");
        for (TableMark table : tables) {
            json.writeStartObject();
            json.writeStringField("name", table.name());
            number(json, "generation", table.generation());
            if (table.measured() != null) {
                json.writeStringField("measured", table.measured().toString());
            }
            number(json, "stale", table.stale());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, String field, long value) throws IOException {
        if (value != 0) {
            json.writeNumberField(field, value);
        }
    }

    private void name(JsonGenerator json, String field, String value) throws IOException {
        if (!value.isEmpty()) {
            json.writeStringField(field, names.apply(value));
        }
    }

    /** The name of a pod as it is written, {@code namespace/name}. */
    String pod(String key) {
        if (isOpen()) {
            return key;
        }
        int slash = key.indexOf('/');
        return names.apply(key.substring(0, slash)) + "/" + names.apply(key.substring(slash + 1));
    }

    /** Whether names are those of the cluster. */
    boolean isOpen() {
        return !(names instanceof Pseudonyms);
    }

    private String text(String text) {
        return names instanceof Pseudonyms pseudonyms ? pseudonyms.text(text) : text;
    }

    /** The decision of a line {@code dec}, without later results. */
    static DecisionRecord read(Line line) {
        JsonNode json = line.fields();
        AttemptInfo info = new AttemptInfo(
                json.path("pod").asText(),
                json.path("uid").asText(),
                json.path("attempt").asInt(),
                line.time(),
                json.path("profile").asText(),
                json.path("nominated").asText(),
                json.path("nanos").asLong(),
                tables(json.path("tables")));
        Decision decision = new Decision(
                        Decision.Kind.valueOf(json.path("kind").asText().toUpperCase(Locale.ROOT)),
                        json.path("node").asText(null),
                        json.path("score").asLong(),
                        json.path("message").asText(),
                        json.path("feasible").asInt(),
                        json.path("examined").asInt())
                .withGeneration(json.path("generation").asLong());
        return DecisionRecord.of(json.path("cycle").asLong(), info, decision, details(json));
    }

    /** The decision with the result of a line {@code res}; the same if the result is of another attempt. */
    static DecisionRecord with(DecisionRecord recorded, JsonNode result) {
        int attempt = result.path("attempt").asInt();
        if (attempt != 0 && attempt != recorded.info().attempt()) {
            return recorded;
        }
        DecisionRecord changed = recorded;
        if (result.has("outcome")) {
            Outcome outcome = Outcome.valueOf(
                    result.path("outcome").asText().toUpperCase(Locale.ROOT).replace('-', '_'));
            changed = changed.with(
                    outcome, result.path("message").asText(changed.result().message()));
        } else if (result.has("message")) {
            changed = changed.failed(result.path("message").asText());
        }
        JsonNode room = result.path("preemption");
        return room.isObject()
                ? changed.with(new Preemption(
                        room.path("node").asText(),
                        texts(room.path("victims")),
                        room.path("count").asInt()))
                : changed;
    }

    private static AttemptDetails details(JsonNode json) {
        List<Rejection> rejections = new ArrayList<>();
        json.path("rejections")
                .forEach(rejection -> rejections.add(new Rejection(
                        rejection.path("reason").asText(),
                        rejection.path("nodes").asInt(),
                        texts(rejection.path("names")))));
        List<Algorithm> algorithms = new ArrayList<>();
        json.path("algorithms")
                .forEach(algorithm -> algorithms.add(new Algorithm(
                        algorithm.path(0).asText(),
                        algorithm.path(1).asLong(),
                        algorithm.path(2).asText(algorithm.path(0).asText()))));
        List<Scored> best = new ArrayList<>();
        for (JsonNode scored : json.path("best")) {
            ImmutableLongArray.Builder scores = ImmutableLongArray.builder();
            for (int i = 2; i < scored.size(); i++) {
                scores.add(scored.path(i).asLong());
            }
            best.add(new Scored(scored.path(0).asText(), scored.path(1).asLong(), scores.build()));
        }
        return new AttemptDetails(
                json.path("nodes").asInt(),
                rejections,
                json.path("otherReasons").asInt(),
                algorithms,
                json.path("otherAlgorithms").asInt(),
                best,
                json.path("tied").asInt());
    }

    private static List<TableMark> tables(JsonNode json) {
        List<TableMark> tables = new ArrayList<>();
        json.forEach(table -> tables.add(new TableMark(
                table.path("name").asText(),
                table.path("generation").asLong(),
                table.hasNonNull("measured")
                        ? Instant.parse(table.path("measured").asText())
                        : null,
                table.path("stale").asInt(),
                null)));
        return tables;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /**
     * Pseudonyms by a keyed hash, so that without the key it is impossible to test whether a name is in the log. In messages,
     * text in quotes, brackets, or braces is replaced, and each word that contains other characters than letters, except numbers.
     */
    static final class Pseudonyms implements UnaryOperator<String> {
        private static final Pattern PARTS = Pattern.compile("\"[^\"]*\"|\\{[^}]*\\}|\\[[^\\]]*\\]|[^\\s,;:()]+");
        private static final Pattern OPEN =
                Pattern.compile("[\\p{Alpha}']+|node\\(s\\)|\\d+|\\d+/\\d+|\\d+/\\d+\\.?|[\\p{Alpha}']+\\.");
        private static final int DIGITS = 12;

        private final HashFunction hash;

        Pseudonyms(byte[] key) {
            this.hash = Hashing.hmacSha256(key);
        }

        @Override
        public String apply(String name) {
            return name.isEmpty()
                    ? name
                    : "x"
                            + hash.hashString(name, StandardCharsets.UTF_8)
                                    .toString()
                                    .substring(0, DIGITS);
        }

        String text(String text) {
            Matcher parts = PARTS.matcher(text);
            StringBuilder open = new StringBuilder();
            while (parts.find()) {
                String part = parts.group();
                parts.appendReplacement(
                        open, Matcher.quoteReplacement(OPEN.matcher(part).matches() ? part : apply(part)));
            }
            return parts.appendTail(open).toString();
        }
    }
}
