package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;

/** An error of the API server, with the {@code Status} object that the client receives (apimachinery api/errors). */
public final class StatusError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * One field of an invalid object.
     *
     * @param field path of the field
     * @param reason machine-readable reason, for example {@code FieldValueRequired}
     * @param message the text after the path, for example {@code Required value}
     */
    public record Cause(String field, String reason, String message) {
        public static Cause required(String field, String detail) {
            return new Cause(
                    field, "FieldValueRequired", detail.isEmpty() ? "Required value" : "Required value: " + detail);
        }

        public static Cause invalid(String field, String value, String detail) {
            return new Cause(field, "FieldValueInvalid", "Invalid value: \"" + value + "\": " + detail);
        }

        public static Cause forbidden(String field, String detail) {
            return new Cause(field, "FieldValueForbidden", "Forbidden: " + detail);
        }
    }

    private final int code;
    private final String reason;
    private final transient ObjectNode details;

    private StatusError(int code, String reason, String message, ObjectNode details) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.details = details;
    }

    public static StatusError of(int code, String reason, String message) {
        return new StatusError(code, reason, message, Json.object());
    }

    public static StatusError notFound(ResourceType type, String name) {
        String text = type.qualifiedName() + " \"" + name + "\" not found";
        return new StatusError(404, "NotFound", text, details(type, name));
    }

    /** An object whose subresource is read, but that does not exist. */
    public static StatusError subresourceNotFound(ResourceType type, String name, String subresource) {
        String resource = type.plural() + "/" + subresource;
        String text = resource + (type.group().isEmpty() ? "" : "." + type.group()) + " \"" + name + "\" not found";
        return new StatusError(404, "NotFound", text, details(type, name).put("kind", resource));
    }

    public static StatusError pathNotFound() {
        return of(404, "NotFound", "the server could not find the requested resource");
    }

    public static StatusError alreadyExists(ResourceType type, String name) {
        String text = type.qualifiedName() + " \"" + name + "\" already exists";
        return new StatusError(409, "AlreadyExists", text, details(type, name));
    }

    public static StatusError conflict(ResourceType type, String name, String why) {
        return conflict(type.qualifiedName(), details(type, name), name, why);
    }

    public static StatusError conflict(String resource, String name, String why) {
        ObjectNode details = Json.object().put("name", name).put("kind", resource);
        return conflict(resource, details, name, why);
    }

    private static StatusError conflict(String resource, ObjectNode details, String name, String why) {
        String text = "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why;
        return new StatusError(409, "Conflict", text, details);
    }

    /** A server-side apply against other owners of fields. */
    public static StatusError applyConflict(String message, List<Cause> causes) {
        ObjectNode details = Json.object();
        ArrayNode array = details.putArray("causes");
        for (Cause cause : causes) {
            array.addObject()
                    .put("reason", cause.reason())
                    .put("message", cause.message())
                    .put("field", cause.field());
        }
        return new StatusError(409, "Conflict", message, details);
    }

    public static StatusError modified(ResourceType type, String name) {
        return conflict(
                type,
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    public static StatusError invalid(ResourceType type, String name, List<Cause> causes) {
        String list = causes.stream().map(c -> c.field() + ": " + c.message()).collect(Collectors.joining(", "));
        String kind = type.group().isEmpty() ? type.kind() : type.kind() + "." + type.group();
        String text = kind + " \"" + name + "\" is invalid: " + (causes.size() == 1 ? list : "[" + list + "]");
        ObjectNode details = details(type, name).put("kind", type.kind());
        ArrayNode array = details.putArray("causes");
        for (Cause cause : causes) {
            array.addObject()
                    .put("reason", cause.reason())
                    .put("message", cause.message())
                    .put("field", cause.field());
        }
        return new StatusError(422, "Invalid", text, details);
    }

    /**
     * Invalid options of a request.
     *
     * @param kind such as {@code DeleteOptions}
     */
    public static StatusError invalidOptions(String kind, List<Cause> causes) {
        ResourceType options = new ResourceType("meta.k8s.io", List.of("v1"), "", "", kind, List.of(), false, false);
        return invalid(options, "", causes);
    }

    /** A patched object that cannot be decoded. */
    public static StatusError invalidPatch(String patched, String why) {
        ResourceType none = new ResourceType("", List.of("v1"), "", "", "", List.of(), false, false);
        return invalid(none, "", List.of(Cause.invalid("patch", patched, why)));
    }

    /** An error without a reason, which the server did not expect. */
    public static StatusError internal(String message) {
        return of(500, "", message);
    }

    /** A new object in a namespace that is being deleted. */
    public static StatusError terminating(ResourceType type, String name, String namespace) {
        ObjectNode details = details(type, name);
        details.putArray("causes")
                .addObject()
                .put("reason", "NamespaceTerminating")
                .put("message", "namespace " + namespace + " is being terminated")
                .put("field", "metadata.namespace");
        String text =
                type.qualifiedName() + " \"" + name + "\" is forbidden: unable to create new content in namespace "
                        + namespace + " because it is being terminated";
        return new StatusError(403, "Forbidden", text, details);
    }

    public static StatusError forbidden(ResourceType type, String name, String why) {
        String text = type.qualifiedName() + " \"" + name + "\" is forbidden: " + why;
        return new StatusError(403, "Forbidden", text, details(type, name));
    }

    /**
     * A request that roles do not allow.
     *
     * @param group API group; empty for the core group
     * @param resource empty for other paths
     * @param name empty for a collection
     */
    public static StatusError forbidden(String group, String resource, String name, String why) {
        if (resource.isEmpty()) {
            return of(403, "Forbidden", "forbidden: " + why);
        }
        String qualified = group.isEmpty() ? resource : resource + "." + group;
        String text = qualified + (name.isEmpty() ? "" : " \"" + name + "\"") + " is forbidden: " + why;
        ObjectNode details = Json.object();
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!group.isEmpty()) {
            details.put("group", group);
        }
        return new StatusError(403, "Forbidden", text, details.put("kind", resource));
    }

    /** A request with invalid credentials. */
    public static StatusError unauthorized() {
        return of(401, "Unauthorized", "Unauthorized");
    }

    /** A request that requires a running container. */
    public static StatusError noRunningContainer(String subresource) {
        return of(
                501,
                "NotImplemented",
                "pods/" + subresource
                        + " is not here: the pods of an embedded cluster only pretend to run; see kubectl describe"
                        + " and kubectl get events");
    }

    public static StatusError badRequest(String message) {
        return of(400, "BadRequest", message);
    }

    public static StatusError expired(String message) {
        return of(410, "Expired", message);
    }

    public static StatusError tooOld(long requested, long oldest) {
        return expired("too old resource version: " + requested + " (" + oldest + ")");
    }

    public static StatusError methodNotAllowed() {
        return of(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    public static StatusError unsupportedMediaType() {
        return of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: application/json,"
                        + " application/yaml, application/vnd.kubernetes.protobuf");
    }

    public static StatusError resourceVersionTooLarge(long requested, long current) {
        ObjectNode details = Json.object();
        details.putArray("causes")
                .addObject()
                .put("reason", "ResourceVersionTooLarge")
                .put("message", "Too large resource version");
        details.put("retryAfterSeconds", 1);
        return new StatusError(
                504, "Timeout", "Timeout: Too large resource version: " + requested + ", current: " + current, details);
    }

    /** An eviction that a budget does not allow. */
    public static StatusError disruptionBudget(String cause) {
        ObjectNode details = Json.object();
        details.putArray("causes").addObject().put("reason", "DisruptionBudget").put("message", cause);
        return new StatusError(
                429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", details);
    }

    private static ObjectNode details(ResourceType type, String name) {
        ObjectNode details = Json.object().put("name", name);
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        return details.put("kind", type.plural());
    }

    /** HTTP status code. */
    public int code() {
        return code;
    }

    /** The machine-readable reason, for example {@code Conflict}. */
    public String reason() {
        return reason;
    }

    /** The {@code Status} object as the client receives it. */
    public ObjectNode status() {
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Failure");
        status.put("message", String.valueOf(getMessage()));
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (!details.isEmpty()) {
            status.set("details", details);
        }
        return status.put("code", code);
    }

    /** The {@code Status} object of a successful request without another result. */
    public static ObjectNode success(int code) {
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return status.put("status", "Success").put("code", code);
    }
}
