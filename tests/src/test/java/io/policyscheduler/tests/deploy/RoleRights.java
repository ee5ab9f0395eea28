package io.policyscheduler.tests.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.TreeSet;

/** The rights of a role in a cluster. */
record RoleRights(Admin admin, String kind, String name) {
    private static final ObjectMapper JSON = new ObjectMapper();

    private String path() {
        String group = "/apis/rbac.authorization.k8s.io/v1/";
        return group + (kind.equals("Role") ? "namespaces/kube-system/roles/" : "clusterroles/") + name;
    }

    private JsonNode role() {
        JsonNode role = admin.get(path());
        if (role.path("rules").isEmpty()) {
            throw new IllegalStateException("no rules in " + kind + " " + name + ": " + role);
        }
        return role;
    }

    /** Returns its rights in the form of {@link ReceivedRequest#use()}. */
    Set<String> uses() {
        Set<String> uses = new TreeSet<>();
        each(role(), (rule, right) -> uses.add(kind + " " + name + ": " + right));
        return uses;
    }

    /** Removes a right. */
    void revoke(String right) {
        ObjectNode role = (ObjectNode) role();
        ArrayNode rules = JSON.createArrayNode();
        each(role, (rule, each) -> {
            if (!each.equals(right)) {
                rules.add(rule);
            }
        });
        int before = uses().size();
        role.set("rules", rules);
        admin.replace(path(), role);
        if (uses().size() != before - 1) {
            throw new IllegalStateException(kind + " " + name + " does not grant " + right);
        }
    }

    private interface Visitor {
        void visit(ObjectNode rule, String right);
    }

    /** Returns its rules, split into one verb and one resource each. */
    private static void each(JsonNode role, Visitor visitor) {
        for (JsonNode rule : role.path("rules")) {
            for (JsonNode group : rule.path("apiGroups")) {
                for (JsonNode resource : rule.path("resources")) {
                    for (JsonNode verb : rule.path("verbs")) {
                        ObjectNode single = rule.deepCopy();
                        single.putArray("apiGroups").add(group);
                        single.putArray("resources").add(resource);
                        single.putArray("verbs").add(verb);
                        visitor.visit(single, verb.asText() + " " + group.asText() + "/" + resource.asText());
                    }
                }
            }
        }
    }
}
