package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Owned;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The defaults of new PersistentVolumeClaims, and the claims of ephemeral volumes. */
final class Claims {
    private static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
    private static final List<String> DEFAULT_MARKS =
            List.of("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class");

    private final Rules rules;
    private final Objects objects;

    Claims(Rules rules, Objects objects) {
        this.rules = rules;
        this.objects = objects;
    }

    /** The defaults of every claim, new or changed. */
    static void defaults(ObjectNode claim) {
        Fields.putIfMissing(Fields.child(claim, "spec"), "volumeMode", "Filesystem");
    }

    /** Defaults, and the default class of claims without a class ({@code plugin/pkg/admission/storage/storageclass/setdefault}). */
    void complete(ObjectNode claim) {
        defaults(claim);
        ObjectNode spec = Fields.child(claim, "spec");
        Fields.putIfAbsent(Fields.child(claim, "status"), "phase", "Pending");
        boolean named = Fields.has(spec, "storageClassName")
                || claim.path("metadata").path("annotations").has(BETA_CLASS);
        if (!named) {
            defaultClass().ifPresent(name -> spec.put("storageClassName", name));
        }
    }

    private Optional<String> defaultClass() {
        List<ObjectNode> classes = objects.all(Objects.Kind.STORAGE_CLASS).stream()
                .filter(Claims::isDefault)
                .sorted(Comparator.<ObjectNode, String>comparing(
                                one -> Fields.text(one, "metadata", "creationTimestamp"), Comparator.reverseOrder())
                        .thenComparing(one -> Fields.text(one, "metadata", "name")))
                .toList();
        if (classes.size() > 1 && !rules.takesNewestDefaultClass()) {
            throw RejectedException.forbidden(
                    "Internal error occurred: " + classes.size() + " default StorageClasses were found");
        }
        return classes.stream().findFirst().map(one -> Fields.text(one, "metadata", "name"));
    }

    private static boolean isDefault(ObjectNode storageClass) {
        JsonNode annotations = storageClass.path("metadata").path("annotations");
        return DEFAULT_MARKS.stream()
                .anyMatch(mark -> Fields.text(annotations, mark).equals("true"));
    }

    /** The claims of a pod's ephemeral volumes, without defaults ({@code pkg/controller/volume/ephemeral}). */
    List<ObjectNode> ofEphemeralVolumes(ObjectNode pod) {
        if (!rules.has(NewerField.EPHEMERAL_VOLUMES)) {
            return List.of();
        }
        List<ObjectNode> claims = new ArrayList<>();
        Fields.forEach(pod.path("spec").path("volumes"), volume -> {
            if (volume.path("ephemeral").path("volumeClaimTemplate") instanceof ObjectNode template) {
                claims.add(claim(pod, Fields.text(volume, "name"), template));
            }
        });
        return claims;
    }

    private static ObjectNode claim(ObjectNode pod, String volume, ObjectNode template) {
        String podName = Fields.text(pod, "metadata", "name");
        ObjectNode claim = pod.objectNode();
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("name", podName + "-" + volume).put("namespace", Fields.text(pod, "metadata", "namespace"));
        for (String field : List.of("labels", "annotations")) {
            JsonNode given = template.path("metadata").path(field);
            if (!given.isEmpty()) {
                metadata.set(field, given.deepCopy());
            }
        }
        Owned.byPod(metadata, pod);
        claim.set("spec", template.path("spec").deepCopy());
        return claim;
    }
}
