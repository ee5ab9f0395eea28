package io.policyscheduler.cmd.history;

import io.policyscheduler.cmd.history.DecisionLog.Entry;
import io.policyscheduler.cmd.history.DecisionRecord.AttemptInfo;
import io.policyscheduler.cmd.history.DecisionRecord.Preemption;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptDetails.Algorithm;
import io.policyscheduler.framework.cycle.AttemptDetails.Rejection;
import io.policyscheduler.framework.cycle.AttemptDetails.Scored;
import io.policyscheduler.framework.cycle.Decision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The writer of the lines {@code dec}, {@code res}, and {@code def}. A {@code def} line has what many decisions share, such as the
 * algorithms, and gives it an ID. Other lines contain only the ID, so that most of them are short. An ID is valid until it is defined
 * again in the same file. A table of fixed size contains the definitions, so reading and writing need little memory. Belongs to one
 * thread.
 */
final class DecisionEncoder {
    /** The definitions of each kind; a power of two. */
    private static final int SLOTS = 256;

    private static final int HASH_STEP = 4;
    /** Spreads hashes over the slots: the highest bits of the product select one. */
    private static final int SPREAD = 0x9E3779B9;

    private static final int SLOT_SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    private static final byte[] DECISION_START = ascii("{\"line\":\"" + DecisionLines.DECISION + "\",\"t\":");
    private static final byte[] RESULT_START = ascii("{\"line\":\"" + DecisionLines.RESULT + "\",\"t\":");
    private static final byte[] VALUES = ascii(",\"v\":[");
    private static final byte[] CYCLE = ascii(",\"cycle\":");

    private final DecisionLines lines;
    private final TraceWriter trace;
    private final LineBuffer line = new LineBuffer();
    private final @Nullable Definition[] defined = new @Nullable Definition[3 * SLOTS];
    private int file;
    /** The slot of a pair to replace next. */
    private int replaced;

    /** Creates an encoder for a trace without open file. */
    DecisionEncoder(DecisionLines lines, TraceWriter trace) {
        this.lines = lines;
        this.trace = trace;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** What several decisions share. Equal definitions have one ID. */
    private sealed interface Definition {
        /**
         * The first slot of this kind. Kinds have their own slots, so that the definitions of one decision do not replace each other.
         */
        int slots();

        /**
         * The attempts of a profile.
         *
         * @param nodes of the cluster
         */
        record Shared(
                Decision.Kind kind,
                String profile,
                long generation,
                int nodes,
                List<Algorithm> algorithms,
                int otherAlgorithms,
                List<TableMark> tables)
                implements Definition {
            @Override
            public int slots() {
                return 0;
            }

            /** Without the lists, because it is called for each decision. */
            @Override
            public int hashCode() {
                return (kind.ordinal() * 31 + profile.hashCode()) * 31 + (int) generation * 31 + nodes;
            }
        }

        /**
         * The nodes with the highest totals.
         *
         * @param startsWithSelected whether the first one is the selected node, whose name is not part of the definition
         */
        record Best(List<Scored> nodes, boolean startsWithSelected) implements Definition {
            @Override
            public int slots() {
                return SLOTS;
            }

            @Override
            @SuppressWarnings("ReferenceEquality") // consecutive attempts share nodes
            public boolean equals(@Nullable Object other) {
                if (!(other instanceof Best best)
                        || best.startsWithSelected != startsWithSelected
                        || best.nodes.size() != nodes.size()) {
                    return false;
                }
                for (int i = 0; i < nodes.size(); i++) {
                    Scored mine = nodes.get(i);
                    Scored others = best.nodes.get(i);
                    if (mine == others) {
                        continue;
                    }
                    if (mine.total() != others.total()
                            || !mine.scores().equals(others.scores())
                            || !(i == 0 && startsWithSelected || mine.node().equals(others.node()))) {
                        return false;
                    }
                }
                return true;
            }

            /** Of some nodes, because it is called for each decision. */
            @Override
            public int hashCode() {
                int hash = Long.hashCode(nodes.get(0).total()) * 31 + nodes.size();
                for (int i = nodes.size() - 1; i > 0; i -= HASH_STEP) {
                    hash = hash * 31 + nodes.get(i).node().hashCode();
                }
                return hash;
            }
        }

        /** Why nodes were rejected. */
        record Failure(String message, int otherReasons, List<Rejection> rejections) implements Definition {
            @Override
            public int slots() {
                return 2 * SLOTS;
            }

            @Override
            public int hashCode() {
                int hash = message.hashCode();
                for (Rejection rejection : rejections) {
                    hash = (hash * 31 + rejection.nodes()) * 31
                            + rejection.reason().hashCode();
                }
                return hash;
            }
        }
    }

    /** Writes an entry. After an error, the trace begins another file with the next entry. */
    void write(Entry entry) throws IOException {
        int current = trace.file(entry.time());
        if (current != file) {
            Arrays.fill(defined, null);
            file = current;
        }
        if (entry instanceof DecisionRecord made) {
            decision(made);
        } else if (entry instanceof Entry.Result result) {
            result(result);
        }
    }

    private void decision(DecisionRecord recorded) throws IOException {
        AttemptInfo info = recorded.info();
        Decision decision = recorded.decision();
        AttemptDetails details = recorded.details();
        String pod = lines.pod(info.pod());
        String node = decision.node();
        List<Scored> nodes = details.best();
        boolean isScored = !nodes.isEmpty();
        int shared = id(
                info.time(),
                new Definition.Shared(
                        decision.kind(),
                        info.profile(),
                        decision.generation(),
                        details.totalNodes(),
                        isScored ? details.algorithms() : List.of(),
                        details.otherAlgorithms(),
                        info.tables()));
        int best = isScored
                ? id(info.time(), new Definition.Best(nodes, nodes.get(0).node().equals(node)))
                : 0;
        String message = recorded.result().message();
        int failure = details.rejections().isEmpty() && details.otherReasons() == 0 && message.isEmpty()
                ? 0
                : id(info.time(), new Definition.Failure(message, details.otherReasons(), details.rejections()));
        long total = isScored ? nodes.get(0).total() : 0;
        begin(DECISION_START, info.time());
        line.raw(VALUES).number(recorded.number());
        line.comma().text(pod);
        line.comma().text(lines.name(info.uid()));
        line.comma().number(info.attempt());
        line.comma().number(shared);
        line.comma().text(node == null ? "" : lines.name(node));
        line.comma().number(best);
        line.comma().number(details.tied());
        line.comma().number(info.nanos());
        boolean hasNominated = !info.nominatedNode().isEmpty();
        boolean hasScore = hasNominated || decision.score() != total;
        boolean hasCounts = hasScore
                || decision.feasibleNodes() != details.totalNodes()
                || decision.evaluatedNodes() != details.totalNodes();
        if (hasCounts || failure != 0) {
            line.comma().number(failure);
        }
        if (hasCounts) {
            line.comma().number(decision.feasibleNodes());
            line.comma().number(decision.evaluatedNodes());
        }
        if (hasScore) {
            line.comma().number(decision.score());
        }
        if (hasNominated) {
            line.comma().text(lines.name(info.nominatedNode()));
        }
        line.raw("]");
        end(DecisionLines.DECISION, info.time());
    }

    private void result(Entry.Result result) throws IOException {
        begin(RESULT_START, result.time());
        if (result.cycle() > 0) {
            line.raw(CYCLE).number(result.cycle());
        } else {
            line.field("uid").text(lines.name(result.uid()));
            line.field("attempt").number(result.attempt());
        }
        if (result.outcome() != null) {
            line.field("outcome").text(result.outcome().text());
        }
        if (result.message() != null) {
            line.field("message").text(lines.text(AttemptDetails.bounded(result.message())));
        }
        Preemption room = result.room();
        if (room != null) {
            line.field("preemption").raw("{\"node\":").text(lines.name(room.node()));
            line.field("victims");
            texts(room.victims().stream().map(lines::pod).toList());
            line.field("count").number(room.count()).raw("}");
        }
        end(DecisionLines.RESULT, result.time());
    }

    private void begin(byte[] start, Instant time) {
        line.clear();
        line.raw(start);
        line.seconds(
                time.getEpochSecond() - trace.start().getEpochSecond(),
                time.getNano() - trace.start().getNano());
    }

    private void end(String kind, Instant time) throws IOException {
        line.raw("}\n");
        trace.write(kind, time, line.bytes, line.size);
    }

    /** The ID of a definition, which is written before if the file does not contain it. A definition has two possible slots. */
    private int id(Instant time, Definition definition) throws IOException {
        int first = definition.slots() + ((definition.hashCode() * SPREAD) >>> SLOT_SHIFT);
        if (definition.equals(defined[first])) {
            return first + 1;
        }
        int second = first ^ 1;
        if (definition.equals(defined[second])) {
            return second + 1;
        }
        int slot = defined[first] == null ? first : defined[second] == null ? second : first ^ (replaced++ & 1);
        line.clear();
        line.raw(DecisionLines.DEFINITION_START).number(slot + 1);
        if (definition instanceof Definition.Shared shared) {
            define(shared);
        } else if (definition instanceof Definition.Best best) {
            define(best);
        } else if (definition instanceof Definition.Failure failure) {
            define(failure);
        }
        line.raw("}\n");
        defined[slot] = null;
        trace.write(DecisionLines.DEFINITION, time, line.bytes, line.size);
        defined[slot] = definition;
        return slot + 1;
    }

    private void define(Definition.Shared shared) {
        line.field("kind").text(shared.kind().name().toLowerCase(Locale.ROOT));
        line.field("profile").text(lines.name(shared.profile()));
        line.field("generation").number(shared.generation());
        line.field("nodes").number(shared.nodes());
        line.field("tieBreak").text(lines.tieBreak());
        if (!shared.algorithms().isEmpty()) {
            line.field("algorithms").raw("[");
            String separator = "[";
            for (Algorithm algorithm : shared.algorithms()) {
                line.raw(separator).text(algorithm.name()).comma().number(algorithm.weight());
                if (!algorithm.displayName().equals(algorithm.name())) {
                    line.comma().text(algorithm.displayName());
                }
                line.raw("]");
                separator = ",[";
            }
            line.raw("]");
        }
        line.field("otherAlgorithms").number(shared.otherAlgorithms());
        if (!shared.tables().isEmpty()) {
            line.field("tables").raw("[");
            String separator = "{\"name\":";
            for (TableMark table : shared.tables()) {
                line.raw(separator).text(table.name());
                line.field("generation").number(table.generation());
                if (table.measured() != null) {
                    line.field("measured").text(table.measured().toString());
                }
                line.field("stale").number(table.stale()).raw("}");
                separator = ",{\"name\":";
            }
            line.raw("]");
        }
    }

    private void define(Definition.Best best) {
        line.field("best").raw("[");
        for (int i = 0; i < best.nodes().size(); i++) {
            Scored scored = best.nodes().get(i);
            line.raw(i == 0 ? "[" : ",[");
            line.text(i == 0 && best.startsWithSelected() ? "" : lines.name(scored.node()));
            line.comma().number(scored.total());
            for (int k = 0; k < scored.scores().length(); k++) {
                line.comma().number(scored.scores().get(k));
            }
            line.raw("]");
        }
        line.raw("]");
    }

    private void define(Definition.Failure failure) {
        // Pseudonyms replace the names that occurred before in messages.
        failure.rejections().forEach(rejection -> rejection.names().forEach(lines::name));
        line.field("message").text(lines.text(failure.message()));
        line.field("otherReasons").number(failure.otherReasons());
        line.field("rejections").raw("[");
        String separator = "{\"reason\":";
        for (Rejection rejection : failure.rejections()) {
            line.raw(separator).text(lines.text(rejection.reason()));
            line.field("nodes").number(rejection.nodes());
            line.field("names");
            texts(rejection.names().stream().map(lines::name).toList());
            line.raw("}");
            separator = ",{\"reason\":";
        }
        line.raw("]");
    }

    private void texts(Collection<String> texts) {
        String separator = "[";
        for (String text : texts) {
            line.raw(separator).text(text);
            separator = ",";
        }
        line.raw(texts.isEmpty() ? "[]" : "]");
    }

    /** The JSON of one line. */
    private static final class LineBuffer {
        private static final int INITIAL = 1024;
        private static final int LONGEST_NUMBER = 20;
        /** Bytes of an escaped character. */
        private static final int LONGEST_CHARACTER = 6;

        private static final int NANO_DIGITS = 9;
        private static final int NANOS_PER_SECOND = 1_000_000_000;
        /** The powers of ten, by exponent. */
        private static final long[] POWERS = LongStream.iterate(1, power -> power * 10)
                .limit(LONGEST_NUMBER - 1)
                .toArray();

        private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

        private byte[] bytes = new byte[INITIAL];
        private int size;

        void clear() {
            size = 0;
        }

        private void reserve(int more) {
            if (bytes.length - size < more) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
            }
        }

        LineBuffer comma() {
            reserve(1);
            bytes[size++] = ',';
            return this;
        }

        LineBuffer field(String name) {
            return raw(",\"").raw(name).raw("\":");
        }

        LineBuffer raw(String ascii) {
            return raw(ascii(ascii));
        }

        LineBuffer raw(byte[] ascii) {
            reserve(ascii.length);
            System.arraycopy(ascii, 0, bytes, size, ascii.length);
            size += ascii.length;
            return this;
        }

        /** Appends a text in quotes. */
        LineBuffer text(String text) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            reserve(encoded.length * LONGEST_CHARACTER + 2);
            int at = size;
            bytes[at++] = '"';
            for (byte c : encoded) {
                if (c >= 0 && c < ' ' || c == '"' || c == '\\') {
                    bytes[at++] = '\\';
                    bytes[at++] = 'u';
                    bytes[at++] = '0';
                    bytes[at++] = '0';
                    bytes[at++] = HEX[c >> 4];
                    bytes[at++] = HEX[c & 0xf];
                } else {
                    bytes[at++] = c;
                }
            }
            bytes[at++] = '"';
            size = at;
            return this;
        }

        LineBuffer number(long value) {
            reserve(LONGEST_NUMBER);
            if (value == Long.MIN_VALUE) {
                return raw(Long.toString(value));
            }
            long rest = value;
            if (rest < 0) {
                bytes[size++] = '-';
                rest = -rest;
            }
            int digits = 1;
            while (digits < POWERS.length && rest >= POWERS[digits]) {
                digits++;
            }
            digits(rest, digits);
            return this;
        }

        private void digits(long value, int digits) {
            int start = size;
            int at = start + digits;
            size = at;
            long rest = value;
            while (rest > Integer.MAX_VALUE) {
                bytes[--at] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
            int small = (int) rest;
            while (at > start) {
                int tenth = small / 10;
                bytes[--at] = (byte) ('0' + small - tenth * 10);
                small = tenth;
            }
        }

        /** Appends seconds with all decimals. */
        void seconds(long seconds, int nanos) {
            long whole = nanos < 0 ? seconds - 1 : seconds;
            int part = nanos < 0 ? nanos + NANOS_PER_SECOND : nanos;
            reserve(LONGEST_NUMBER + NANO_DIGITS + 2);
            if (whole < 0) {
                // The clock was set back before the start of the trace.
                bytes[size++] = '-';
                whole = part == 0 ? -whole : -whole - 1;
                part = part == 0 ? 0 : NANOS_PER_SECOND - part;
            }
            number(whole);
            reserve(NANO_DIGITS + 1);
            bytes[size++] = '.';
            digits(part, NANO_DIGITS);
        }
    }
}
