package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.google.common.primitives.ImmutableLongArray;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines {@code dec} and {@code res} of a trace, which {@link DecisionEncoder} writes. Fields that have the usual value, such as 0 or
 * an empty list, can be missing.
 *
 * @param tieBreak how the scheduler selects among equal nodes; for writing only
 * @param names replaces each name and each other text that can identify something of the cluster
 */
public record DecisionLines(String tieBreak, UnaryOperator<String> names) {
    /** A decision. */
    public static final String DECISION = "dec";
    /** The result of the last decision about a pod. */
    public static final String RESULT = "res";
    /** What several decisions share. */
    static final String DEFINITION = "def";

    static final String DEFINITION_START = "{\"line\":\"" + DEFINITION + "\",\"id\":";

    private static final int SHORTEST_KEY = 16;
    private static final int RADIX = 10;
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

    /** The name of a pod as it is written, {@code namespace/name}. */
    String pod(String key) {
        if (isOpen()) {
            return key;
        }
        int slash = key.indexOf('/');
        return names.apply(key.substring(0, slash)) + "/" + names.apply(key.substring(slash + 1));
    }

    /** Whether the text of a line {@code dec} has pseudonyms. */
    static boolean isAnonymous(String text) {
        return Pseudonyms.POD.matcher(text).find();
    }

    /** Whether names are those of the cluster. */
    boolean isOpen() {
        return !(names instanceof Pseudonyms);
    }

    /** A name as it is written. */
    String name(String name) {
        return names.apply(name);
    }

    /** A text as it is written. */
    String text(String text) {
        return names instanceof Pseudonyms pseudonyms ? pseudonyms.text(text) : text;
    }

    /**
     * The definitions of the part of a file that is already read. {@link #expanded} adds them to the decisions that refer to them.
     * Decisions of version 1 contain everything and remain as they are.
     */
    static final class Definitions {
        private static final String BEST = "best";
        /** The IDs among the values of a decision. */
        private static final Set<String> IDS = Set.of("shared", BEST, "failure");
        /** The values of a decision, in order. The last ones can be missing. */
        private static final List<String> VALUES = List.of(
                "cycle",
                "pod",
                "uid",
                "attempt",
                "shared",
                "node",
                BEST,
                "tied",
                "nanos",
                "failure",
                "feasible",
                "examined",
                "score",
                "nominated");

        private final Map<Integer, String> texts = new HashMap<>();

        /** Adds a definition and returns true, if the text of a line is one. Called for all lines, in order. */
        boolean add(String text) {
            if (!text.startsWith(DEFINITION_START)) {
                return false;
            }
            int end = text.indexOf(',', DEFINITION_START.length());
            if (end > 0) {
                texts.put(Integer.parseInt(text, DEFINITION_START.length(), end, RADIX), text);
            }
            return true;
        }

        /** A decision with the fields of version 1; any other line as it is. */
        Line expanded(Line line) throws IOException {
            JsonNode values = line.fields().path("v");
            if (!line.kind().equals(DECISION) || !values.isArray()) {
                return line;
            }
            ObjectNode fields = JsonNodeFactory.instance.objectNode();
            for (int i = 0; i < Math.min(values.size(), VALUES.size()); i++) {
                String text =
                        IDS.contains(VALUES.get(i)) ? texts.get(values.path(i).asInt()) : null;
                if (text != null) {
                    fields.setAll((ObjectNode) MAPPER.readTree(text));
                } else if (!IDS.contains(VALUES.get(i))) {
                    fields.set(VALUES.get(i), values.path(i));
                }
            }
            if (!fields.has("examined")) {
                fields.set("feasible", fields.path("nodes"));
                fields.set("examined", fields.path("nodes"));
            }
            JsonNode first = fields.path(BEST).path(0);
            if (!fields.has("score")) {
                fields.put("score", first.path(1).asLong());
            }
            if (first instanceof ArrayNode selected && selected.path(0).asText().isEmpty()) {
                selected.set(0, fields.path("node"));
            }
            if (fields.path("node").asText().isEmpty()) {
                fields.remove("node");
            }
            if (fields.path("tied").asInt() <= 1) {
                fields.remove("tieBreak");
            }
            return new Line(line.writer(), line.kind(), line.time(), fields);
        }
    }

    /** The decision of an {@link Definitions#expanded} line {@code dec}, without later results. */
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
     * text in quotes, brackets, or braces is replaced, each word that is one of the last names of letters, and each word that contains other
     * characters than letters, except numbers. Belongs to one thread.
     */
    static final class Pseudonyms implements UnaryOperator<String> {
        private static final Pattern PARTS = Pattern.compile("\"[^\"]*\"|\\{[^}]*\\}|\\[[^\\]]*\\]|[^\\s,;:()]+");
        private static final Pattern LETTERS = Pattern.compile("\\p{Alpha}+");
        private static final Pattern OPEN =
                Pattern.compile("[\\p{Alpha}']+|node\\(s\\)|\\d+|\\d+/\\d+|(affinity/)?anti-affinity");
        /** A pod in the text of a line. */
        private static final Pattern POD = Pattern.compile("\"x\\p{XDigit}{12}/x\\p{XDigit}{12}\"");

        private static final int DIGITS = 12;
        /** More than the pods between a decision and its result. */
        private static final int MOST_WORDS = 20_000;

        private final HashFunction hash;
        /** The last names that look like words of a message. */
        private final Set<String> words = Collections.newSetFromMap(new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > MOST_WORDS;
            }
        });

        Pseudonyms(byte[] key) {
            this.hash = Hashing.hmacSha256(key);
        }

        @Override
        public String apply(String name) {
            if (LETTERS.matcher(name).matches()) {
                words.add(name);
            }
            return name.isEmpty() ? name : pseudonym(name);
        }

        private String pseudonym(String text) {
            return "x"
                    + hash.hashString(text, StandardCharsets.UTF_8).toString().substring(0, DIGITS);
        }

        String text(String text) {
            Matcher parts = PARTS.matcher(text);
            StringBuilder open = new StringBuilder();
            while (parts.find()) {
                String part = parts.group();
                String period = part.endsWith(".") ? "." : "";
                String word = part.substring(0, part.length() - period.length());
                boolean isOpen = word.isEmpty() || OPEN.matcher(word).matches() && !words.contains(word);
                parts.appendReplacement(open, Matcher.quoteReplacement((isOpen ? word : pseudonym(word)) + period));
            }
            return parts.appendTail(open).toString();
        }
    }
}
