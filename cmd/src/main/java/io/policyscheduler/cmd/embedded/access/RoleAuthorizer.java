package io.policyscheduler.cmd.embedded.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the roles and bindings in the store let a user do, as they are at the moment of the question (plugin/pkg/auth/authorizer/rbac).
 * Nobody fills roles that aggregate others: their rules count as they stand. Thread-safe.
 */
final class RoleAuthorizer {
    private final StoredObjects store;
    private final ResourceCatalog catalog;

    RoleAuthorizer(StoredObjects store, ResourceCatalog catalog) {
        this.store = store;
        this.catalog = catalog;
    }

    AccessDecision decide(ApiUser user, AccessQuestion question) {
        if (user.groups().contains(ApiUser.MASTERS)) {
            return AccessDecision.allowed("");
        }
        List<String> missing = new ArrayList<>();
        List<ObjectNode> bindings = new ArrayList<>(objects("clusterrolebindings", ""));
        if (!question.namespace().isEmpty()) {
            bindings.addAll(objects("rolebindings", question.namespace()));
        }
        for (ObjectNode binding : bindings) {
            Optional<JsonNode> subject = subject(binding, user);
            if (subject.isPresent() && grants(binding, question, missing)) {
                return AccessDecision.allowed("RBAC: allowed by " + describe(binding, subject.get()));
            }
        }
        return AccessDecision.denied(missing.isEmpty() ? "" : "RBAC: " + text(missing));
    }

    private static String text(List<String> errors) {
        return errors.size() == 1 ? errors.get(0) : "[" + String.join(", ", errors) + "]";
    }

    private List<ObjectNode> objects(String resource, String namespace) {
        return store.list(catalog.named(resource), namespace).items();
    }

    private boolean grants(ObjectNode binding, AccessQuestion question, List<String> missing) {
        boolean inNamespace = Json.text(binding, "roleRef", "kind").equals("Role");
        String resource = inNamespace ? "roles" : "clusterroles";
        String name = Json.text(binding, "roleRef", "name");
        Optional<ObjectNode> role = store.get(
                catalog.named(resource), inNamespace ? Json.text(binding, "metadata", "namespace") : "", name);
        if (role.isEmpty()) {
            String text =
                    (inNamespace ? "role" : "clusterrole") + ".rbac.authorization.k8s.io \"" + name + "\" not found";
            if (!missing.contains(text)) {
                missing.add(text);
            }
            return false;
        }
        for (JsonNode rule : role.get().path("rules")) {
            if (new RoleRule(rule).allows(question)) {
                return true;
            }
        }
        return false;
    }

    private static Optional<JsonNode> subject(ObjectNode binding, ApiUser user) {
        for (JsonNode subject : binding.path("subjects")) {
            String name = Json.text(subject, "name");
            boolean same = switch (Json.text(subject, "kind")) {
                case "User" -> user.name().equals(name);
                case "Group" -> user.groups().contains(name);
                case "ServiceAccount" ->
                    user.name()
                            .equals(ApiUser.serviceAccount(accountNamespace(binding, subject), name, "")
                                    .name());
                default -> false;
            };
            if (same) {
                return Optional.of(subject);
            }
        }
        return Optional.empty();
    }

    private static String accountNamespace(ObjectNode binding, JsonNode subject) {
        String own = Json.text(subject, "namespace");
        return own.isEmpty() ? Json.text(binding, "metadata", "namespace") : own;
    }

    private static String describe(ObjectNode binding, JsonNode subject) {
        String namespace = Json.text(binding, "metadata", "namespace");
        String name = Json.text(binding, "metadata", "name");
        String kind = Json.text(subject, "kind");
        return (namespace.isEmpty() ? "ClusterRoleBinding \"" + name : "RoleBinding \"" + name + "/" + namespace)
                + "\" of " + Json.text(binding, "roleRef", "kind") + " \"" + Json.text(binding, "roleRef", "name")
                + "\" to " + kind + " \"" + Json.text(subject, "name")
                + (kind.equals("ServiceAccount") ? "/" + accountNamespace(binding, subject) : "") + "\"";
    }
}
