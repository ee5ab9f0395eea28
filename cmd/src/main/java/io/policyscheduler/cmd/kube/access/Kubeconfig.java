package io.policyscheduler.cmd.kube.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.document.YamlJsonFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One or several kubeconfig files, merged as kubectl does: of each named entry, and of the current context, the first file that
 * has one counts, and nothing of the others.
 */
final class Kubeconfig {
    /**
     * A named entry.
     *
     * @param file where it stands; relative paths in it are relative to its folder
     * @param node empty when nothing is said
     */
    record Entry(Path file, String name, JsonNode node) {
        /** Text of a field; empty when it is not there. */
        String text(String field) {
            return node.path(field).asText("");
        }

        /** A path, relative to the file. */
        @Nullable
        Path path(String field) {
            String text = text(field);
            return text.isEmpty()
                    ? null
                    : file.toAbsolutePath().resolveSibling(text).normalize();
        }

        /** Certificates or a key: {@code NAME-data} or the file {@code NAME}. */
        PemSource pem(String field) {
            return new PemSource(text(field + "-data"), path(field));
        }
    }

    private final List<Path> files;
    private final Map<String, Entry> clusters = new LinkedHashMap<>();
    private final Map<String, Entry> users = new LinkedHashMap<>();
    private final Map<String, Entry> contexts = new LinkedHashMap<>();
    private String currentContext = "";

    private Kubeconfig(List<Path> files) {
        this.files = List.copyOf(files);
    }

    /**
     * Reads files.
     *
     * @throws ClusterException when one is missing or is not a kubeconfig
     */
    static Kubeconfig read(List<Path> files) {
        Kubeconfig config = new Kubeconfig(files);
        for (Path file : files) {
            config.add(file);
        }
        return config;
    }

    private void add(Path file) {
        JsonNode root;
        try {
            root = new ObjectMapper(new YamlJsonFactory()).readTree(TextInput.decode(Files.readAllBytes(file)));
        } catch (NoSuchFileException e) {
            throw new ClusterException("kubeconfig " + file + ": no such file", e);
        } catch (JsonProcessingException e) {
            throw new ClusterException(
                    "kubeconfig " + file + ": not a valid kubeconfig: "
                            + String.valueOf(e.getOriginalMessage())
                                    .lines()
                                    .findFirst()
                                    .orElse(""),
                    e);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": cannot be read: " + ApiIoException.describe(e), e);
        }
        if (!root.isObject()) {
            if (root.isMissingNode() || root.isNull()) {
                return;
            }
            throw new ClusterException("kubeconfig " + file + ": not a valid kubeconfig: not an object");
        }
        addAll(file, root, "clusters", "cluster", clusters);
        addAll(file, root, "users", "user", users);
        addAll(file, root, "contexts", "context", contexts);
        if (currentContext.isEmpty()) {
            currentContext = root.path("current-context").asText("");
        }
    }

    private static void addAll(Path file, JsonNode root, String list, String field, Map<String, Entry> to) {
        JsonNode items = root.path(list);
        if (!items.isArray() && !items.isMissingNode() && !items.isNull()) {
            throw new ClusterException("kubeconfig " + file + ": not a valid kubeconfig: " + list + " is not a list");
        }
        for (JsonNode item : items) {
            String name = item.path("name").asText("");
            to.putIfAbsent(name, new Entry(file, name, item.path(field)));
        }
    }

    /** The files, for users. */
    String where() {
        return "kubeconfig " + files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    /**
     * Has another context count than the current one.
     *
     * @throws ClusterException when there is none of this name
     */
    void use(String context) {
        if (!contexts.containsKey(context)) {
            String there = contexts.isEmpty() ? "it has none" : "there are " + String.join(", ", contexts.keySet());
            throw new ClusterException(where() + ": no context \"" + context + "\"; " + there);
        }
        currentContext = context;
    }

    /** The cluster of the current context. */
    Entry cluster() {
        return referred("cluster", clusters);
    }

    /** The user of the current context. */
    Entry user() {
        return referred("user", users);
    }

    String currentContext() {
        return currentContext;
    }

    private Entry referred(String field, Map<String, Entry> entries) {
        Path first = files.get(0);
        Entry context = contexts.get(currentContext);
        String name = context == null ? "" : context.text(field);
        Entry entry = entries.get(name);
        return entry == null ? new Entry(first, name, MissingNode.getInstance()) : entry;
    }
}
