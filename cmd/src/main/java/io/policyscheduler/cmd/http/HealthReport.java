package io.policyscheduler.cmd.http;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The answer to a health request, in the words of Kubernetes components.
 *
 * @param ok whether all checks that count succeeded
 * @param text the body
 */
record HealthReport(boolean ok, String text) {
    /**
     * Runs all checks of a group. A brief answer is {@code ok}; a failure is always explained check by check, but its
     * reason is withheld, because nobody is asked who they are.
     *
     * @param group such as {@code healthz}
     */
    static HealthReport of(String group, List<HealthCheck> checks, boolean verbose, Set<String> excluded) {
        StringBuilder lines = new StringBuilder();
        Set<String> unknown = new LinkedHashSet<>(excluded);
        boolean ok = true;
        for (HealthCheck check : checks) {
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
    static Optional<HealthReport> ofOne(List<HealthCheck> checks, String name) {
        List<HealthCheck> named = new ArrayList<>(checks);
        named.removeIf(check -> !check.name().equals(name));
        return named.stream()
                .findFirst()
                .map(check -> problem(check)
                        .map(why -> new HealthReport(false, "internal server error: " + why + "\n"))
                        .orElse(new HealthReport(true, "ok")));
    }

    private static Optional<String> problem(HealthCheck check) {
        return check.problem().get();
    }
}
