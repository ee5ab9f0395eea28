package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Validates the metadata of objects. Mirrors {@code apimachinery/pkg/api/validation/objectmeta.go}. */
final class MetadataValidation {
    private static final String PATH = "metadata";
    private static final int LONGEST_ANNOTATIONS = 256 * 1024;
    private static final int LONGEST_CRON_JOB = 52;

    private MetadataValidation() {}

    /**
     * Returns the errors of the metadata of a new object, whose name is already generated.
     *
     * @param loading whether the object comes from a file: then only its name is checked
     */
    static List<Cause> check(ResourceType type, JsonNode metadata, Release release, boolean loading) {
        FieldErrors errors = new FieldErrors(new ArrayList<>());
        String prefix = Json.text(metadata, "generateName");
        if (!prefix.isEmpty()) {
            // What follows a trailing dash is generated.
            String example = prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 1) + "a" : prefix;
            errors.all(PATH + ".generateName", prefix, nameMessages(type, example, release));
        }
        String name = Json.text(metadata, "name");
        if (name.isEmpty()) {
            errors.required(PATH + ".name", "name or generateName is required");
        } else {
            errors.all(PATH + ".name", name, nameMessages(type, name, release));
        }
        if (loading) {
            return errors.causes();
        }
        String cluster = Json.text(metadata, "clusterName");
        if (!cluster.isEmpty()) {
            errors.all(PATH + ".clusterName", cluster, FieldErrors.serviceName(cluster));
        }
        common(errors, metadata, release);
        finalizers(errors, metadata.path("finalizers"));
        if (type.qualifiedName().equals("cronjobs.batch") && name.length() > LONGEST_CRON_JOB) {
            errors.invalid(PATH + ".name", name, "must be no more than 52 characters");
        }
        return errors.causes();
    }

    private static List<String> nameMessages(ResourceType type, String name, Release release) {
        // The validation of events and budgets does not look at metadata, so that only the check of all kinds remains.
        if (type.hasPathSegmentNames()
                || List.of("events", "poddisruptionbudgets").contains(type.plural())) {
            return FieldErrors.pathSegment(name);
        }
        return switch (type.qualifiedName()) {
            case "namespaces" -> FieldErrors.label(name);
            case "services" -> release.atLeast(36) ? FieldErrors.label(name) : FieldErrors.serviceName(name);
            case "statefulsets.apps" ->
                ComponentChange.UPDATE_VALIDATION.in(release) ? FieldErrors.label(name) : FieldErrors.subdomain(name);
            default -> FieldErrors.subdomain(name);
        };
    }

    /**
     * Returns the errors of changed metadata. Fields that only the server writes are already those of the stored object.
     *
     * @param isWhole whether the rules of new objects apply, too
     */
    static List<Cause> checkChange(JsonNode present, JsonNode proposed, Release release, boolean isWhole) {
        FieldErrors errors = new FieldErrors(new ArrayList<>());
        if (present.has("deletionTimestamp")) {
            Set<String> added = new TreeSet<>();
            proposed.path("finalizers").forEach(finalizer -> added.add(finalizer.asText()));
            present.path("finalizers").forEach(finalizer -> added.remove(finalizer.asText()));
            if (!added.isEmpty()) {
                errors.forbidden(
                        PATH + ".finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers"
                                + " []string{"
                                + added.stream().map(text -> "\"" + text + "\"").collect(Collectors.joining(", "))
                                + "}");
            }
        }
        common(errors, proposed, release);
        if (isWhole) {
            finalizers(errors, proposed.path("finalizers"));
        }
        return errors.causes();
    }

    private static void common(FieldErrors errors, JsonNode metadata, Release release) {
        errors.labels(PATH + ".labels", metadata.path("labels"));
        annotations(errors, PATH + ".annotations", metadata.path("annotations"));
        owners(errors, metadata.path("ownerReferences"), release);
    }

    /** Checks the keys and the size of annotations. */
    static void annotations(FieldErrors errors, String path, JsonNode annotations) {
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : annotations.properties()) {
            String key = annotation.getKey();
            errors.all(path, key, FieldErrors.qualifiedName(key.toLowerCase(Locale.ROOT)));
            size += key.length() + annotation.getValue().asText().length();
        }
        if (size > LONGEST_ANNOTATIONS) {
            errors.causes()
                    .add(new Cause(
                            path,
                            "FieldValueTooLong",
                            "Too long: must have at most " + LONGEST_ANNOTATIONS + " bytes"));
        }
    }

    private static void owners(FieldErrors errors, JsonNode owners, Release release) {
        String path = PATH + ".ownerReferences";
        String controller = "";
        for (JsonNode owner : owners) {
            String version = Json.text(owner, "apiVersion");
            // The path of an owner has no index.
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (Json.text(owner, field).isEmpty()) {
                    errors.invalid(
                            path + "." + field,
                            "",
                            (field.equals("apiVersion") ? "version" : field) + " must not be empty");
                }
            }
            if (version.equals("v1") && Json.text(owner, "kind").equals("Event")) {
                errors.invalidValue(path, owner, "/v1, Kind=Event is disallowed from being an owner");
            }
            if (owner.path("controller").asBoolean()) {
                String kind = ComponentChange.UPDATE_VALIDATION.in(release) ? Json.text(owner, "kind") + "/" : "";
                String name = kind + Json.text(owner, "name");
                if (!controller.isEmpty()) {
                    errors.invalidValue(
                            path,
                            owners,
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                } else {
                    controller = name;
                }
            }
        }
    }

    /** A finalizer without a domain must be one of Kubernetes. */
    static void standardFinalizer(FieldErrors errors, String path, String name) {
        if (!name.contains("/")
                && !List.of("kubernetes", "orphan", "foregroundDeletion").contains(name)) {
            errors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
        }
    }

    private static void finalizers(FieldErrors errors, JsonNode finalizers) {
        String path = PATH + ".finalizers";
        boolean orphan = false;
        boolean foreground = false;
        for (int i = 0; i < finalizers.size(); i++) {
            String name = finalizers.path(i).asText();
            errors.all(path, name, FieldErrors.qualifiedName(name));
            standardFinalizer(errors, path + "[" + i + "]", name);
            orphan |= name.equals("orphan");
            foreground |= name.equals("foregroundDeletion");
        }
        if (orphan && foreground) {
            errors.invalidValue(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
        }
    }
}
