package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Normalizes the output of kubectl: removes ages, generated names, addresses, and other random parts. */
final class KubectlOutput {
    /** The alphabet of generated names and hashes. */
    private static final String SAFE = "[bcdfghjklmnpqrstvwxz2456789]";

    private static final List<List<String>> CHANCE = List.of(
            List.of("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
            List.of("-" + SAFE + "{6,10}-" + SAFE + "{5}\\b", "-HASH-NAME"),
            List.of("-" + SAFE + "{6,10}\\b", "-HASH"),
            List.of("-" + SAFE + "{5}\\b", "-NAME"),
            List.of("\\b10\\.\\d+\\.\\d+\\.\\d+\\b", "ADDRESS"),
            List.of("(?<=\\s)(\\d+[smhdy])+(?=\\s|$)", "AGE"),
            List.of("[ \\t]+", " "));
    private static final Pattern LABEL = Pattern.compile("^\\s*([A-Z][A-Za-z ()/-]*):.*");
    private static final Pattern TYPE = Pattern.compile("^(?:(GROUP|KIND|VERSION|FIELD):.*|\\s+\\w+\\t<.*)$");
    /** Differences of the recorded cluster from a usual one: the service account admission is off. */
    private static final Set<String> NOT_RECORDED = Set.of(".serviceAccount", ".serviceAccountName", "Service Account");

    private KubectlOutput() {}

    /** Returns the output in a mode of commands.txt. */
    static String compared(String mode, String output) throws IOException {
        List<String> lines = output.lines().toList();
        return switch (mode) {
            case "text" ->
                lines.stream().map(KubectlOutput::withoutChance).sorted().collect(Collectors.joining("\n"));
            case "last" -> lines.isEmpty() ? "" : lines.get(lines.size() - 1);
            case "keys" -> keys(output);
            case "labels" -> labels(lines);
            case "types" ->
                lines.stream()
                        .filter(line -> TYPE.matcher(line).matches())
                        .map(line -> line.replace(" -required-", ""))
                        .collect(Collectors.joining("\n"));
            case "exit" -> "";
            default -> throw new IllegalArgumentException(mode);
        };
    }

    private static String withoutChance(String line) {
        String result = line + " ";
        for (List<String> rule : CHANCE) {
            result = result.replaceAll(rule.get(0), rule.get(1));
        }
        return result.trim();
    }

    private static String keys(String output) throws IOException {
        Set<String> keys = new TreeSet<>();
        JsonNode tree = Json.parse(output.getBytes(StandardCharsets.UTF_8));
        collect("", tree, keys);
        return String.join("\n", keys);
    }

    private static void collect(String path, JsonNode node, Set<String> keys) {
        if (NOT_RECORDED.stream().anyMatch(path::endsWith)) {
            return;
        }
        if (node.isObject() && !node.isEmpty()) {
            node.properties()
                    .forEach(field -> collect(path + "." + withoutChance(field.getKey()), field.getValue(), keys));
        } else if (node.isArray() && !node.isEmpty()) {
            node.forEach(item -> collect(path + "[]", item, keys));
        } else {
            keys.add(path);
        }
    }

    private static String labels(List<String> lines) {
        Set<String> labels = new TreeSet<>();
        for (String line : lines) {
            if (line.startsWith("Events:")) {
                break;
            }
            Matcher matcher = LABEL.matcher(line);
            if (matcher.matches() && !NOT_RECORDED.contains(matcher.group(1))) {
                labels.add(matcher.group(1));
            }
        }
        return String.join("\n", labels);
    }

    /** Returns the lines that only one of two outputs has; empty if they are equal. */
    static String difference(String expected, String found) {
        List<String> result = new ArrayList<>();
        List<String> missing = new ArrayList<>(Arrays.asList(expected.split("\n", -1)));
        List<String> surplus = new ArrayList<>();
        for (String line : found.split("\n", -1)) {
            if (!missing.remove(line)) {
                surplus.add(line);
            }
        }
        missing.forEach(line -> result.add("  - " + line));
        surplus.forEach(line -> result.add("  + " + line));
        return String.join("\n", result);
    }
}
