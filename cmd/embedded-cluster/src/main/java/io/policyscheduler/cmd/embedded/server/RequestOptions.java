package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.List;

/** Validates the options of requests. Mirrors {@code apimachinery/pkg/apis/meta/v1/validation} and {@code internalversion}. */
final class RequestOptions {
    private static final int LONGEST_MANAGER = 128;

    private RequestOptions() {}

    /** Fails with Invalid if an option of a write is not valid. */
    static void checkWrite(ApiRequest request) {
        List<Cause> causes = new ArrayList<>();
        boolean isApply = request.contentType().equals(ApiRequest.APPLY);
        if (request.method().equals("PATCH")) {
            if (!isApply && request.parameters().containsKey("force")) {
                causes.add(Cause.forbidden("force", "may not be specified for non-apply patch"));
            } else if (isApply && request.parameter("fieldManager").isEmpty()) {
                causes.add(Cause.required("fieldManager", "is required for apply patch"));
            }
        }
        manager(request.parameter("fieldManager"), causes);
        dryRun(request.parameter("dryRun"), causes);
        String kind = switch (request.method()) {
            case "POST" -> "CreateOptions";
            case "PUT" -> "UpdateOptions";
            case "PATCH" -> "PatchOptions";
            default -> "DeleteOptions";
        };
        fail(kind, causes);
    }

    private static void manager(String manager, List<Cause> causes) {
        if (manager.length() > LONGEST_MANAGER) {
            causes.add(new Cause(
                    "fieldManager", "FieldValueTooLong", "Too long: must have at most " + LONGEST_MANAGER + " bytes"));
        }
        for (int i = 0; i < manager.length(); i++) {
            char c = manager.charAt(i);
            if (Character.isISOControl(c)) {
                String code = String.format("%02x", (int) c);
                causes.add(new Cause(
                        "fieldManager",
                        "FieldValueInvalid",
                        "Invalid value: \"" + manager.replace(Character.toString(c), "\\x" + code)
                                + "\": invalid character " + String.format("U+%04X", (int) c) + " (at position " + i
                                + ")"));
            }
        }
    }

    private static void dryRun(String value, List<Cause> causes) {
        if (!value.isEmpty() && !value.equals("All")) {
            causes.add(new Cause(
                    "dryRun",
                    "FieldValueNotSupported",
                    "Unsupported value: []string{\"" + value + "\"}: supported values: \"All\""));
        }
    }

    /** Fails with Invalid if the options of a deletion, from its body, are not valid. */
    static void checkDelete(ObjectNode options) {
        List<Cause> causes = new ArrayList<>();
        String policy = Json.text(options, "propagationPolicy");
        if (!policy.isEmpty() && options.path("orphanDependents").isBoolean()) {
            causes.add(Cause.invalid(
                    "propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"));
        }
        if (!policy.isEmpty() && !List.of("Foreground", "Background", "Orphan").contains(policy)) {
            causes.add(new Cause(
                    "propagationPolicy",
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + policy
                            + "\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""));
        }
        for (JsonNode value : options.path("dryRun")) {
            dryRun(value.asText(), causes);
        }
        fail("DeleteOptions", causes);
    }

    /** Fails with Invalid if the resource version of a list or watch does not match its other options. */
    static void checkList(ApiRequest request, boolean watch) {
        String match = request.parameter("resourceVersionMatch");
        String version = request.parameter("resourceVersion");
        if (match.isEmpty() || (watch && request.parameters().containsKey("sendInitialEvents"))) {
            return;
        }
        String field = "resourceVersionMatch";
        List<Cause> causes = new ArrayList<>();
        if (watch) {
            causes.add(Cause.forbidden(field, "resourceVersionMatch is forbidden for watch"));
        } else if (version.isEmpty()) {
            causes.add(Cause.forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
        } else if (!request.parameter("continue").isEmpty()) {
            causes.add(Cause.forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
        } else if (!List.of("Exact", "NotOlderThan").contains(match)) {
            causes.add(new Cause(
                    field,
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + match + "\": supported values: \"Exact\", \"NotOlderThan\", \"\""));
        } else if (match.equals("Exact") && version.equals("0")) {
            causes.add(Cause.forbidden(field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
        }
        fail("ListOptions", causes);
    }

    private static void fail(String kind, List<Cause> causes) {
        if (!causes.isEmpty()) {
            throw StatusError.invalidOptions(kind, causes);
        }
    }
}
