package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The selection of a list, watch, or collection delete.
 *
 * @param namespace the namespace; empty for all
 * @param fields field selector
 * @param labels label selector
 */
public record SelectionPredicate(String namespace, FieldSelector fields, LabelSelector labels) {
    public static SelectionPredicate of(ResourceRequest target, ApiRequest request) {
        String selector = request.parameter("fieldSelector");
        if (target.served().group().equals(ResourceCatalog.EVENTS_GROUP)) {
            selector = selector.replace("regarding.", "involvedObject.")
                    .replace("reportingController", "reportingComponent");
        }
        FieldSelector fields = FieldSelector.parse(target.type(), selector);
        LabelSelector labels = LabelSelector.parse(request.parameter("labelSelector"));
        return new SelectionPredicate(target.namespace(), fields, labels);
    }

    public boolean hasSelector() {
        return !fields.isEmpty() || !labels.isEmpty();
    }

    public boolean matches(JsonNode object) {
        return (namespace.isEmpty() || namespace.equals(Json.text(object, "metadata", "namespace")))
                && fields.matches(object)
                && labels.matches(object);
    }

    public <T extends JsonNode> List<T> select(List<T> objects) {
        return hasSelector() ? objects.stream().filter(this::matches).toList() : objects;
    }

    /** A field selector such as {@code spec.nodeName=n1,status.phase!=Failed} (apimachinery pkg/fields). */
    public static final class FieldSelector {
        private static final Set<String> METADATA = Set.of("metadata.name", "metadata.namespace");
        private static final Map<String, Set<String>> FIELDS = Map.of(
                "pods",
                Set.of(
                        "spec.nodeName",
                        "spec.restartPolicy",
                        "spec.schedulerName",
                        "spec.serviceAccountName",
                        "spec.hostNetwork",
                        "status.phase",
                        "status.podIP",
                        "status.nominatedNodeName"),
                "nodes",
                Set.of("spec.unschedulable"),
                "events",
                Set.of(
                        "involvedObject.kind",
                        "involvedObject.namespace",
                        "involvedObject.name",
                        "involvedObject.uid",
                        "involvedObject.apiVersion",
                        "involvedObject.resourceVersion",
                        "involvedObject.fieldPath",
                        "reason",
                        "reportingComponent",
                        "source",
                        "type"),
                "namespaces",
                Set.of("status.phase"),
                "secrets",
                Set.of("type"));

        private record Term(List<String> path, String value, boolean equal) {}

        private final List<Term> terms;

        private FieldSelector(List<Term> terms) {
            this.terms = terms;
        }

        /** Parses a selector; empty text selects everything. Fails with BadRequest on a field the kind does not offer. */
        public static FieldSelector parse(ResourceType type, String text) {
            List<Term> terms = new ArrayList<>();
            for (String part : Splitter.on(',').omitEmptyStrings().split(text)) {
                int at = part.indexOf('=');
                if (at <= 0) {
                    throw StatusError.badRequest("invalid selector: '" + text + "'; can't understand '" + part + "'");
                }
                boolean equal = part.charAt(at - 1) != '!';
                String field = part.substring(0, equal ? at : at - 1);
                int value = equal && part.startsWith("==", at) ? at + 2 : at + 1;
                terms.add(new Term(path(type, field), part.substring(value), equal));
            }
            return new FieldSelector(List.copyOf(terms));
        }

        private static List<String> path(ResourceType type, String field) {
            if (!METADATA.contains(field)
                    && !FIELDS.getOrDefault(type.qualifiedName(), Set.of()).contains(field)) {
                throw StatusError.badRequest(
                        FIELDS.containsKey(type.qualifiedName())
                                ? "field label not supported: " + field
                                : "\"" + field
                                        + "\" is not a known field selector: only \"metadata.name\","
                                        + " \"metadata.namespace\"");
            }
            return field.equals("source")
                    ? List.of("source", "component")
                    : Splitter.on('.').splitToList(field);
        }

        /** Whether there is nothing to check. */
        public boolean isEmpty() {
            return terms.isEmpty();
        }

        /** Whether the object is selected; an absent field has the empty value, an absent flag is {@code false}. */
        public boolean matches(JsonNode object) {
            for (Term term : terms) {
                JsonNode found = object;
                for (String step : term.path()) {
                    found = found.path(step);
                }
                String value = found.asText("");
                if (value.isEmpty() && isFlag(term.path())) {
                    value = "false";
                }
                if (value.equals(term.value()) != term.equal()) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isFlag(List<String> path) {
            return path.contains("unschedulable") || path.contains("hostNetwork");
        }
    }
}
