package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.EventWriter;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import java.util.Optional;

/** The claims of ephemeral volumes, each owned by its pod (pkg/controller/volume/ephemeral). */
public final class EphemeralVolumeController extends KeyedController {
    private final ResourceType claims;
    private final ObjectCreation creation;
    private final EventWriter events;

    public EphemeralVolumeController(ApiObjects objects) {
        super(objects, "pods", "persistentvolumeclaims");
        this.claims = objects.type("persistentvolumeclaims");
        this.creation = new ObjectCreation(ObjectAdmission.rules(objects.catalog()), Objects.NONE, null);
        this.events = new EventWriter(objects, "ephemeral_volume");
    }

    @Override
    public void reconcile(ObjectNode pod) {
        if (ApiObjects.isDeleted(pod)) {
            return;
        }
        for (ObjectNode claim : creation.generatedClaims(pod)) {
            Optional<ObjectNode> present = objects().get(claims, ObjectKey.of(claim));
            if (present.isEmpty()) {
                objects().create(claims, claim);
                continue;
            }
            JsonNode owner = Owners.controllerOf(present.get());
            if (!Json.text(owner, "uid").equals(ApiObjects.uid(pod))) {
                events.warning(
                        type(),
                        pod,
                        "FailedBinding",
                        "PVC " + ObjectKey.of(claim) + " was not created for pod " + ObjectKey.of(pod)
                                + " (pod is not owner)");
            }
        }
    }
}
