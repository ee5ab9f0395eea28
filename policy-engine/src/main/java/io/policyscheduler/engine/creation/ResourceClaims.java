package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Objects.MissingObjects;
import io.policyscheduler.engine.creation.ObjectCreation.Owned;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The claims of pods from ResourceClaimTemplates ({@code pkg/controller/resourceclaim}). */
final class ResourceClaims {
    private static final String ENTRY = "resource.kubernetes.io/pod-claim-name";
    /** Leaves room for a hyphen and five characters in a name of 63. */
    private static final int LONGEST_PREFIX = 57;

    private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int SUFFIX_LENGTH = 5;

    private final Rules rules;
    private final Objects objects;
    private final @Nullable MissingObjects missing;

    ResourceClaims(Rules rules, Objects objects, @Nullable MissingObjects missing) {
        this.rules = rules;
        this.objects = objects;
        this.missing = missing;
    }

    /** The claim of an entry, without a name but with {@code generateName}. */
    static ObjectNode claimOf(ObjectNode pod, String entry, ObjectNode template) {
        String podName = Fields.text(pod, "metadata", "name");
        ObjectNode claim = pod.objectNode();
        String version = Fields.text(template, "apiVersion");
        claim.put("apiVersion", version.isEmpty() ? "resource.k8s.io/v1" : version)
                .put("kind", "ResourceClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("generateName", prefix(podName, entry))
                .put("namespace", Fields.text(pod, "metadata", "namespace"));
        JsonNode given = template.path("spec").path("metadata");
        if (!given.path("labels").isEmpty()) {
            metadata.set("labels", given.path("labels").deepCopy());
        }
        ObjectNode annotations = metadata.putObject("annotations");
        given.path("annotations").properties().forEach(field -> annotations.set(field.getKey(), field.getValue()));
        annotations.put(ENTRY, entry);
        Owned.byPod(metadata, pod);
        JsonNode spec = template.path("spec").path("spec");
        claim.set("spec", spec.isObject() ? spec.deepCopy() : pod.objectNode());
        return claim;
    }

    /** Both names, truncated in proportion if they are too long together. */
    private static String prefix(String pod, String entry) {
        int length = pod.length() + 1 + entry.length();
        return length <= LONGEST_PREFIX
                ? pod + "-" + entry + "-"
                : pod.substring(0, pod.length() * LONGEST_PREFIX / length) + "-"
                        + entry.substring(0, entry.length() * LONGEST_PREFIX / length) + "-";
    }

    /**
     * Creates the claims of a new pod from its templates, and writes their names to its status. Names are derived instead of
     * random, so that the same files give the same claims.
     */
    List<ObjectNode> create(ObjectNode pod) {
        List<ObjectNode> made = new ArrayList<>();
        if (!rules.has(NewerField.RESOURCE_CLAIMS)) {
            return made;
        }
        Fields.forEach(pod.path("spec").path("resourceClaims"), entry -> {
            String name = Fields.text(entry, "name");
            String template = Fields.text(entry, "resourceClaimTemplateName");
            if (template.isEmpty() || isCreated(pod, name)) {
                return;
            }
            Optional<ObjectNode> found = template(Fields.text(pod, "metadata", "namespace"), template);
            if (found.isPresent()) {
                ObjectNode claim = claimOf(pod, name, found.get());
                ObjectNode metadata = Fields.child(claim, "metadata");
                String claimName = Fields.text(metadata, "generateName") + suffix(pod, name);
                metadata.put("name", claimName).put("uid", Fields.text(metadata, "namespace") + "/" + claimName);
                completeRequests(claim.path("spec"));
                Fields.list(Fields.child(pod, "status"), "resourceClaimStatuses")
                        .addObject()
                        .put("name", name)
                        .put("resourceClaimName", claimName);
                made.add(claim);
            } else if (missing != null) {
                missing.missing(Objects.Kind.RESOURCE_CLAIM_TEMPLATE, template);
            }
        });
        return made;
    }

    private Optional<ObjectNode> template(String namespace, String name) {
        return objects.all(Objects.Kind.RESOURCE_CLAIM_TEMPLATE).stream()
                .filter(template ->
                        Fields.text(template, "metadata", "namespace").equals(namespace)
                                && Fields.text(template, "metadata", "name").equals(name))
                .findFirst();
    }

    private static boolean isCreated(ObjectNode pod, String entry) {
        for (JsonNode made : pod.path("status").path("resourceClaimStatuses")) {
            if (Fields.text(made, "name").equals(entry)) {
                return true;
            }
        }
        return false;
    }

    private static String suffix(ObjectNode pod, String entry) {
        String whole =
                Fields.text(pod, "metadata", "namespace") + "/" + Fields.text(pod, "metadata", "name") + "/" + entry;
        int rest = whole.hashCode() & Integer.MAX_VALUE;
        StringBuilder suffix = new StringBuilder();
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            suffix.append(SUFFIX_LETTERS.charAt(rest % SUFFIX_LETTERS.length()));
            rest /= SUFFIX_LETTERS.length();
        }
        return suffix.toString();
    }

    /** Completes the spec of a claim in place. */
    static void completeRequests(JsonNode spec) {
        for (JsonNode request : spec.path("devices").path("requests")) {
            request(request.path("exactly"));
            request.path("firstAvailable").forEach(ResourceClaims::request);
        }
    }

    private static void request(JsonNode node) {
        if (!(node instanceof ObjectNode request)) {
            return;
        }
        if (request.path("allocationMode").asText().isEmpty()) {
            request.put("allocationMode", "ExactCount");
        }
        if (request.path("allocationMode").asText().equals("ExactCount")
                && request.path("count").asLong() == 0) {
            request.put("count", 1);
        }
    }
}
