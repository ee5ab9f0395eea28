package io.policyscheduler.engine.algorithm;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggests a name for an unknown one, by case-insensitive Damerau-Levenshtein distance. */
public final class Suggestions {
    private static final int MIN_PREFIX = 5;
    private static final int EXAMPLES = 5;

    private Suggestions() {}

    /** The nearest candidate, the first of several equally near ones, null if none is near enough. */
    public static @Nullable String nearest(String name, Collection<String> candidates) {
        if (name.isEmpty()) {
            return null;
        }
        String best = null;
        int bestDistance = Math.max(2, name.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < bestDistance && distance < candidate.length()) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best == null ? longer(name, candidates) : best;
    }

    /** The end of a message about an unknown name: the nearest candidate, or the first ones if none is near; empty for none. */
    public static String hint(String name, List<String> candidates) {
        String near = nearest(name, candidates);
        if (near != null || candidates.isEmpty()) {
            return near == null ? "" : " (did you mean " + near + "?)";
        }
        return "; there are " + String.join(", ", candidates.subList(0, Math.min(EXAMPLES, candidates.size())))
                + (candidates.size() > EXAMPLES ? ", ..." : "");
    }

    /** The first candidate that starts with the name, for shortened names of several letters. */
    private static @Nullable String longer(String name, Collection<String> candidates) {
        return candidates.stream()
                .filter(candidate ->
                        name.length() >= MIN_PREFIX && candidate.regionMatches(true, 0, name, 0, name.length()))
                .findFirst()
                .orElse(null);
    }

    /** Whether two insertions, deletions, substitutions, or swaps convert one name to the other, ignoring case. */
    public static boolean isTypo(String name, String meant) {
        return distance(name.toLowerCase(Locale.ROOT), meant.toLowerCase(Locale.ROOT)) <= 2;
    }

    /** The number of insertions, deletions, substitutions and swaps of adjacent characters. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int substitution = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                cost[i][j] = Math.min(substitution, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
