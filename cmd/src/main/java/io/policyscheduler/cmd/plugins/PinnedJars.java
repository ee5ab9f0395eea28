package io.policyscheduler.cmd.plugins;

import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which plugin jars may be used, by the SHA-256 of their content: any when none is pinned, otherwise those that are, and all
 * of those must be there.
 *
 * @param digests 64 hexadecimal digits by file name
 */
public record PinnedJars(Map<String, String> digests) {
    /** No jar is pinned, so that each may be used. */
    public static final PinnedJars NONE = new PinnedJars(Map.of());

    private static final String DIGEST = "[0-9a-f]{64}";

    public PinnedJars {
        digests = Map.copyOf(digests);
    }

    /**
     * From {@code FILE.jar=SHA256}, as users give it.
     *
     * @throws IllegalArgumentException when an entry is not of that form, or a file is named twice; the message is for users
     */
    public static PinnedJars parse(List<String> entries) {
        Map<String, String> digests = new TreeMap<>();
        for (String entry : entries) {
            int at = entry.lastIndexOf('=');
            String digest = entry.substring(at + 1).toLowerCase(Locale.ROOT);
            if (at <= 0 || entry.indexOf('/') >= 0 || !digest.matches(DIGEST)) {
                throw new IllegalArgumentException("\"" + entry
                        + "\" is not FILE.jar=SHA256, a file name without folders and 64 hexadecimal digits as sha256sum"
                        + " prints them");
            }
            if (digests.put(entry.substring(0, at), digest) != null) {
                throw new IllegalArgumentException(entry.substring(0, at) + " is given twice");
            }
        }
        return new PinnedJars(digests);
    }

    /** Why a jar may not be used, completing "plugin jar NAME ..."; null when it may. */
    @Nullable
    String problem(Path jar) {
        if (digests.isEmpty()) {
            return null;
        }
        String wanted = digests.get(String.valueOf(jar.getFileName()));
        if (wanted == null) {
            return "is not pinned by --plugin-sha256, as the others are";
        }
        try {
            String found = MoreFiles.asByteSource(jar).hash(Hashing.sha256()).toString();
            return found.equals(wanted)
                    ? null
                    : "has the SHA-256 " + found + " instead of " + wanted + ", which --plugin-sha256 demands";
        } catch (IOException e) {
            return "cannot be read: " + e.getMessage();
        }
    }

    /** A line for each pinned jar that is not among these. */
    List<String> missingFrom(Collection<Path> jars) {
        List<String> present =
                jars.stream().map(jar -> String.valueOf(jar.getFileName())).toList();
        return digests.keySet().stream()
                .filter(name -> !present.contains(name))
                .sorted()
                .map(name -> "plugin jar " + name + ", which --plugin-sha256 names, is in no folder of --plugin-path")
                .toList();
    }
}
