package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessAttributes;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.admission.AccessControl.Decision;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Authorizes users according to the current roles and bindings in the store (plugin/pkg/auth/authorizer/rbac). There is no
 * controller for aggregated roles: their stored rules apply. Thread-safe.
 */
public final class RoleAuthorizer {
    private final StoredObjects store;
    private final ResourceCatalog catalog;

    RoleAuthorizer(StoredObjects store, ResourceCatalog catalog) {
        this.store = store;
        this.catalog = catalog;
    }

    Decision decide(ApiUser user, AccessAttributes question) {
        if (user.groups().contains(ApiUser.MASTERS)) {
            return Decision.allowed("");
        }
        List<String> missing = new ArrayList<>();
        List<ObjectNode> bindings = new ArrayList<>(objects("clusterrolebindings", ""));
        if (!question.namespace().isEmpty()) {
            bindings.addAll(objects("rolebindings", question.namespace()));
        }
        for (ObjectNode binding : bindings) {
            Optional<JsonNode> subject = subject(binding, user);
            if (subject.isPresent() && grants(binding, question, missing)) {
                return Decision.allowed("RBAC: allowed by " + describe(binding, subject.get()));
            }
        }
        return Decision.denied(missing.isEmpty() ? "" : "RBAC: " + text(missing));
    }

    private static String text(List<String> errors) {
        return errors.size() == 1 ? errors.get(0) : "[" + String.join(", ", errors) + "]";
    }

    private List<ObjectNode> objects(String resource, String namespace) {
        return store.list(catalog.named(resource), namespace).items();
    }

    private boolean grants(ObjectNode binding, AccessAttributes question, List<String> missing) {
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

    /** One rule of a role (component-helpers auth/rbac/validation). */
    static final class RoleRule {
        private static final String ALL = "*";

        private final JsonNode rule;

        RoleRule(JsonNode rule) {
            this.rule = rule;
        }

        boolean allows(AccessAttributes question) {
            if (!has("verbs", question.verb())) {
                return false;
            }
            return question.isResource()
                    ? has("apiGroups", question.group()) && hasResource(question) && hasName(question.name())
                    : hasPath(question.path());
        }

        private boolean has(String field, String value) {
            for (JsonNode each : rule.path(field)) {
                if (each.asText().equals(ALL) || each.asText().equals(value)) {
                    return true;
                }
            }
            return false;
        }

        private boolean hasResource(AccessAttributes question) {
            return has("resources", question.fullResource())
                    || (!question.subresource().isEmpty() && has("resources", "*/" + question.subresource()));
        }

        private boolean hasName(String name) {
            JsonNode names = rule.path("resourceNames");
            if (names.isEmpty()) {
                return true;
            }
            for (JsonNode each : names) {
                if (each.asText().equals(name)) {
                    return true;
                }
            }
            return false;
        }

        private boolean hasPath(String path) {
            for (JsonNode each : rule.path("nonResourceURLs")) {
                String allowed = each.asText();
                if (allowed.equals(path)
                        || (allowed.endsWith(ALL) && path.startsWith(allowed.substring(0, allowed.length() - 1)))) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The default roles and bindings of a cluster that matter to schedulers and their clients. */
    public static final class BootstrapRoles {
        private static final String FILE = "bootstrap-roles.yaml";

        private BootstrapRoles() {}

        /** The objects, as manifests. */
        public static List<JsonNode> manifests() {
            try {
                String text =
                        Resources.toString(Resources.getResource(BootstrapRoles.class, FILE), StandardCharsets.UTF_8);
                try (MappingIterator<JsonNode> documents =
                        new YAMLMapper().readerFor(JsonNode.class).readValues(text)) {
                    return List.copyOf(documents.readAll());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
