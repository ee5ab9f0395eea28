package io.policyscheduler.cmd.http;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The answer to a health request, in the words of Kubernetes components.
 *
 * @param ok whether all checks that count succeeded
 * @param text the body
 */
public record HealthReport(boolean ok, String text) {
    /**
     * Runs all checks of a group. A brief answer is {@code ok}; a failure is always explained check by check, but its
     * reason is withheld, because nobody is asked who they are.
     *
     * @param group such as {@code healthz}
     */
    static HealthReport of(String group, List<Check> checks, boolean verbose, Set<String> excluded) {
        StringBuilder lines = new StringBuilder();
        Set<String> unknown = new LinkedHashSet<>(excluded);
        boolean ok = true;
        for (Check check : checks) {
            if (unknown.remove(check.name())) {
                lines.append("[+]").append(check.name()).append(" excluded: ok\n");
            } else if (problem(check).isPresent()) {
                ok = false;
                lines.append("[-]").append(check.name()).append(" failed: reason withheld\n");
            } else {
                lines.append("[+]").append(check.name()).append(" ok");
                check.note().get().ifPresent(note -> lines.append(": ").append(note));
                lines.append('\n');
            }
        }
        if (!unknown.isEmpty()) {
            lines.append("warn: some health checks cannot be excluded: no matches for ")
                    .append(unknown.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", ")))
                    .append('\n');
        }
        if (!ok) {
            return new HealthReport(false, lines + group + " check failed\n");
        }
        return new HealthReport(true, verbose ? lines + group + " check passed\n" : "ok");
    }

    /** Runs one check of a group; empty when the group has none of that name. */
    static Optional<HealthReport> ofOne(List<Check> checks, String name) {
        List<Check> named = new ArrayList<>(checks);
        named.removeIf(check -> !check.name().equals(name));
        return named.stream()
                .findFirst()
                .map(check -> problem(check)
                        .map(why -> new HealthReport(false, "internal server error: " + why + "\n"))
                        .orElse(new HealthReport(true, "ok")));
    }

    private static Optional<String> problem(Check check) {
        return check.problem().get();
    }

    /**
     * One thing that {@code /healthz} and its kin look at.
     *
     * @param name in the path and in the verbose answer
     * @param problem asked at each request, on the server's threads: what is wrong, empty when all is well
     * @param note what a verbose answer says though all is well, for everybody to read; empty for nothing
     */
    public record Check(String name, Supplier<Optional<String>> problem, Supplier<Optional<String>> note) {
        /** A check that says nothing when all is well. */
        public Check(String name, Supplier<Optional<String>> problem) {
            this(name, problem, Optional::empty);
        }

        /** Never fails, but may have something to say. */
        public static Check noting(String name, Supplier<Optional<String>> note) {
            return new Check(name, Optional::empty, note);
        }

        /** Succeeds whenever the process can answer at all. */
        public static final Check PING = new Check("ping", Optional::empty);

        /** Fails with the given words unless the condition holds. */
        public static Check of(String name, BooleanSupplier condition, String otherwise) {
            return new Check(name, () -> condition.getAsBoolean() ? Optional.empty() : Optional.of(otherwise));
        }
    }
}
