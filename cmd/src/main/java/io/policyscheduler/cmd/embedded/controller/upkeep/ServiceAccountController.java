package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;

/** The service account {@code default} of every namespace (pkg/controller/serviceaccount). */
public final class ServiceAccountController extends KeyedController {
    private final ResourceType accounts;

    public ServiceAccountController(ApiObjects objects) {
        super(objects, "namespaces", "serviceaccounts");
        this.accounts = objects.type("serviceaccounts");
    }

    @Override
    public void seeOther(ResourceType other, ObjectNode object) {
        look(new ObjectKey("", ObjectKey.of(object).namespace()));
    }

    @Override
    public void reconcile(ObjectNode namespace) {
        ObjectKey account = new ObjectKey(Json.text(namespace, "metadata", "name"), "default");
        if (ApiObjects.isDeleted(namespace) || objects().get(accounts, account).isPresent()) {
            return;
        }
        ObjectNode created = Json.object();
        created.putObject("metadata").put("name", account.name()).put("namespace", account.namespace());
        objects().create(accounts, created);
    }
}
