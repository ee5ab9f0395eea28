package io.policyscheduler.cmd.embedded.access;

import com.fasterxml.jackson.databind.JsonNode;

/** One rule of a role: which requests it allows (component-helpers auth/rbac/validation). */
final class RoleRule {
    private static final String ALL = "*";

    private final JsonNode rule;

    RoleRule(JsonNode rule) {
        this.rule = rule;
    }

    boolean allows(AccessQuestion question) {
        if (!has("verbs", question.verb())) {
            return false;
        }
        return question.isResource()
                ? has("apiGroups", question.group()) && hasResource(question) && hasName(question.name())
                : hasPath(question.path());
    }

    private boolean has(String field, String wanted) {
        for (JsonNode each : rule.path(field)) {
            if (each.asText().equals(ALL) || each.asText().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasResource(AccessQuestion question) {
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
