package io.policyscheduler.tests.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The files under {@code policy-files/deploy}, as kustomize reads them. */
public final class Kustomizations {
    private static final String FILE = "kustomization.yaml";
    private static final YAMLMapper YAML = new YAMLMapper();

    private Kustomizations() {}

    /** Returns the folder of all of them. */
    public static Path folder() {
        return RepositoryFiles.root().resolve("policy-files/deploy");
    }

    /** Returns the documents of a file. */
    public static List<JsonNode> documents(Path file) {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the resources of an overlay as they are in the files: its components and patches are not applied. */
    public static List<JsonNode> overlay(String name) {
        return objects(folder().resolve("overlays").resolve(name));
    }

    static List<JsonNode> objects(Path folder) {
        List<JsonNode> objects = new ArrayList<>();
        for (JsonNode resource : kustomization(folder).path("resources")) {
            Path path = folder.resolve(resource.asText()).normalize();
            objects.addAll(Files.isDirectory(path) ? objects(path) : documents(path));
        }
        return objects;
    }

    static JsonNode kustomization(Path folder) {
        return documents(folder.resolve(FILE)).get(0);
    }

    /** Returns the files of a folder and of those that it refers to. */
    static Set<Path> files(Path folder) {
        Set<Path> files = new TreeSet<>();
        files.add(folder.resolve(FILE));
        JsonNode kustomization = kustomization(folder);
        for (String list : List.of("resources", "components")) {
            for (JsonNode resource : kustomization.path(list)) {
                Path path = folder.resolve(resource.asText()).normalize();
                if (Files.isDirectory(path)) {
                    files.addAll(files(path));
                } else {
                    files.add(path);
                }
            }
        }
        for (JsonNode generated : kustomization.path("configMapGenerator")) {
            generated.path("files").forEach(file -> files.add(folder.resolve(file.asText())));
        }
        return files;
    }

    /** Returns the objects by kind, namespace, and name. */
    static Map<String, JsonNode> byName(List<JsonNode> objects) {
        Map<String, JsonNode> byName = new TreeMap<>();
        for (JsonNode object : objects) {
            JsonNode twice = byName.put(key(object), object);
            if (twice != null) {
                throw new IllegalStateException(key(object) + " is there twice");
            }
        }
        return byName;
    }

    static String key(JsonNode object) {
        return object.path("kind").asText() + " "
                + object.at("/metadata/namespace").asText() + "/"
                + object.at("/metadata/name").asText();
    }

    /** Returns the only object of a kind. */
    public static JsonNode one(List<JsonNode> objects, String kind) {
        List<JsonNode> found = objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(found.size() + " objects of kind " + kind);
        }
        return found.get(0);
    }

    /** Returns all rights of the roles of a kind, as {@code verb group/resource}. */
    public static Set<String> rights(List<JsonNode> objects, String kind) {
        Set<String> rights = new TreeSet<>();
        for (JsonNode object : objects) {
            if (!object.path("kind").asText().equals(kind)) {
                continue;
            }
            for (JsonNode rule : object.path("rules")) {
                for (JsonNode group : rule.path("apiGroups")) {
                    for (JsonNode resource : rule.path("resources")) {
                        rule.path("verbs")
                                .forEach(verb ->
                                        rights.add(verb.asText() + " " + group.asText() + "/" + resource.asText()));
                    }
                }
            }
        }
        return rights;
    }
}
