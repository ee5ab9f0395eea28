package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectNames;
import io.policyscheduler.cmd.embedded.api.Quantities;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The checks of a new pod that matter to a scheduler (pkg/apis/core/validation). */
final class PodValidation {
    private static final String QUANTITY_FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

    private PodValidation() {}

    /**
     * Refuses a text that is no quantity anywhere in the pod. The real server fails while decoding, which makes it
     * BadRequest, not Invalid.
     */
    static void quantities(ObjectNode pod) {
        for (JsonNode container : PodShownDefaults.containers(pod.path("spec")).values()) {
            for (String kind : List.of("requests", "limits")) {
                for (JsonNode quantity : container.path("resources").path(kind)) {
                    checkForm(quantity);
                }
            }
        }
        pod.path("spec").path("overhead").forEach(PodValidation::checkForm);
    }

    private static void checkForm(JsonNode quantity) {
        if (Quantities.parse(quantity.asText()).isEmpty()) {
            throw StatusError.badRequest("Pod in version \"v1\" cannot be handled as a Pod: quantities must match the"
                    + " regular expression '" + QUANTITY_FORM + "'");
        }
    }

    static List<Cause> check(ObjectNode pod) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        if (spec.path("containers").isEmpty()) {
            causes.add(Cause.required("spec.containers", ""));
        }
        Set<String> names = new HashSet<>();
        PodShownDefaults.containers(spec).forEach((path, container) -> {
            String name = Json.text(container, "name");
            if (name.isEmpty()) {
                causes.add(Cause.required(path + ".name", ""));
            } else if (!ObjectNames.isLabel(name)) {
                causes.add(Cause.invalid(path + ".name", name, ObjectNames.LABEL_RULE));
            } else if (!names.add(name)) {
                causes.add(new Cause(path + ".name", "FieldValueDuplicate", "Duplicate value: \"" + name + "\""));
            }
            if (Json.text(container, "image").isEmpty()) {
                causes.add(Cause.required(path + ".image", ""));
            }
            ports(path + ".ports", container.path("ports"), causes);
        });
        String restart = Json.text(spec, "restartPolicy");
        if (!List.of("Always", "OnFailure", "Never").contains(restart)) {
            causes.add(new Cause(
                    "spec.restartPolicy",
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + restart + "\": supported values: \"Always\", \"OnFailure\", \"Never\""));
        }
        return causes;
    }

    private static void ports(String path, JsonNode ports, List<Cause> causes) {
        for (int i = 0; i < ports.size(); i++) {
            String field = path + "[" + i + "]";
            JsonNode containerPort = ports.get(i).path("containerPort");
            if (containerPort.isMissingNode() || containerPort.asInt() == 0) {
                causes.add(Cause.required(field + ".containerPort", ""));
            }
            for (String name : List.of("containerPort", "hostPort")) {
                int port = ports.get(i).path(name).asInt();
                if (port < 0 || port > 65535) {
                    causes.add(new Cause(
                            field + "." + name,
                            "FieldValueInvalid",
                            "Invalid value: " + port + ": must be between 1 and 65535, inclusive"));
                }
            }
        }
    }
}
