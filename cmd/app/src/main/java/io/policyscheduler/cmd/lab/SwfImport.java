package io.policyscheduler.cmd.lab;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.lab.ImportCommand.ImportedTrace;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A workload in the Standard Workload Format 2.2 (Feitelson et al., Parallel Workloads Archive). A job of N processors becomes pods of at
 * most as many CPUs as a node has processors, which arrive at once and are placed independently. Memory is not imported, because the
 * header does not say how much a node has.
 */
final class SwfImport {
    private static final Pattern HEADER = Pattern.compile(";\\s*(\\w+):\\s*(\\d+).*");
    private static final Splitter FIELDS = Splitter.on(CharMatcher.whitespace()).omitEmptyStrings();
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,15}(\\.\\d{1,9})?");
    private static final int HEADER_DIGITS = 15;
    private static final int MAX_NODES = 1_000_000;
    /** The largest number of pods of a job. */
    private static final int MAX_PODS = 1_000_000;

    private static final int FIELD_COUNT = 18;
    private static final int JOB = 0;
    private static final int SUBMIT = 1;
    private static final int RUN = 3;
    private static final int ALLOCATED = 4;
    private static final int REQUESTED = 7;
    private static final int STATUS = 10;
    private static final int USER = 11;
    private static final int QUEUE = 14;
    private static final int PARTITION = 15;
    /** Statuses of the parts of a job whose sum is another line. */
    private static final int FIRST_PART = 2;

    private static final int LAST_PART = 4;

    private final Path file;
    private final Map<String, Long> header = new HashMap<>();
    private final List<List<String>> jobs = new ArrayList<>();
    private int skipped;

    private SwfImport(Path file) {
        this.file = file;
    }

    /**
     * The contents of a file.
     *
     * @param skipped jobs without a run time or number of processors, such as those that were canceled before they started
     */
    record Workload(ImportedTrace trace, int skipped) {}

    /**
     * Reads a file, which may be gzipped.
     *
     * @throws InputException if it cannot be read, with the line
     */
    static Workload read(Path file) {
        InputFiles.requireFile(file);
        SwfImport swf = new SwfImport(file);
        try (BufferedReader in = new BufferedReader(CsvFile.open(file))) {
            int number = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                swf.add(number, line.strip());
            }
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
        return new Workload(swf.trace(), swf.skipped);
    }

    private void add(int number, String line) {
        if (line.startsWith(";")) {
            Matcher comment = HEADER.matcher(line);
            if (comment.matches()) {
                if (comment.group(2).length() > HEADER_DIGITS) {
                    throw new InputException(file + ":" + number + ": " + comment.group(1) + ": " + comment.group(2)
                            + " has more than " + HEADER_DIGITS + " digits");
                }
                header.putIfAbsent(comment.group(1), Long.valueOf(comment.group(2)));
            }
            return;
        }
        if (line.isEmpty()) {
            return;
        }
        List<String> fields = FIELDS.splitToList(line);
        if (fields.size() != FIELD_COUNT) {
            throw new InputException(
                    file + ":" + number + ": " + fields.size() + " fields, but a job has " + FIELD_COUNT);
        }
        for (String field : fields) {
            if (!NUMBER.matcher(field).matches()) {
                throw new InputException(
                        file + ":" + number + ": \"" + field + "\" is not a number of at most 15 digits");
            }
        }
        long status = number(fields, STATUS).longValue();
        if (status >= FIRST_PART && status <= LAST_PART) {
            return;
        }
        if (number(fields, RUN).signum() < 0 || processors(fields) <= 0) {
            skipped++;
            return;
        }
        jobs.add(fields);
    }

    private static BigDecimal number(List<String> fields, int index) {
        return new BigDecimal(fields.get(index));
    }

    private static long processors(List<String> fields) {
        long requested = number(fields, REQUESTED).longValue();
        return requested > 0 ? requested : number(fields, ALLOCATED).longValue();
    }

    private ImportedTrace trace() {
        long processors = header.getOrDefault("MaxProcs", header.getOrDefault("MaxNodes", 0L));
        long nodes = header.getOrDefault("MaxNodes", processors);
        if (nodes <= 0 || processors <= 0) {
            throw new InputException(
                    file + ": the header has neither MaxNodes nor MaxProcs, so that the number of nodes is"
                            + " not known; add a line such as \"; MaxNodes: 128\"");
        }
        if (nodes > MAX_NODES) {
            throw new InputException(file + ": the header has " + nodes + " nodes, more than " + MAX_NODES
                    + "; correct MaxNodes or MaxProcs");
        }
        long each = Math.max(1, (processors + nodes - 1) / nodes);
        ImportedTrace trace = new ImportedTrace(
                List.of("time", "duration", "name", "namespace", "cpu", "label.job", "label.queue", "label.partition"));
        for (int i = 0; i < nodes; i++) {
            trace.node("node-" + i, Map.of("cpu", String.valueOf(each), "pods", "1000"), Map.of());
        }
        for (List<String> job : jobs) {
            long left = processors(job);
            if (left / each > MAX_PODS) {
                throw new InputException(file + ": job " + job.get(JOB) + " has " + left + " processors, more than "
                        + MAX_PODS + " nodes");
            }
            for (int part = 0; left > 0; part++) {
                long cpu = Math.min(each, left);
                left -= cpu;
                trace.pod(List.of(
                        time(number(job, SUBMIT)),
                        job.get(RUN),
                        "job-" + job.get(JOB) + "-" + part,
                        label("user-", job.get(USER)),
                        String.valueOf(cpu),
                        job.get(JOB),
                        label("", job.get(QUEUE)),
                        label("", job.get(PARTITION))));
            }
        }
        return trace;
    }

    private String time(BigDecimal submit) {
        Long start = header.get("UnixStartTime");
        return start == null || start == 0
                ? submit.toPlainString()
                : Instant.ofEpochSecond(start)
                        .plusMillis(submit.movePointRight(3).longValue())
                        .toString();
    }

    private static String label(String prefix, String number) {
        return number.startsWith("-") ? "" : prefix + number;
    }
}
