package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessAttributes;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.admission.AccessControl.Decision;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoleAuthorizerTest {
    private static final String OBJECTS = """
        - {kind: clusterroles, metadata: {name: nodes}, rules: [{apiGroups: [""], resources: [nodes], verbs: [list, watch]}]}
        - {kind: clusterroles, metadata: {name: all-status}, rules: [{apiGroups: ["*"], resources: ["*/status"], verbs: ["*"]}]}
        - {kind: clusterroles, metadata: {name: paths}, rules: [{nonResourceURLs: [/metrics, /debug/*], verbs: [get]}]}
        - {kind: clusterroles, metadata: {name: everything}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}
        - {kind: roles, metadata: {name: one, namespace: a}, rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [x], verbs: [get]}]}
        - kind: clusterrolebindings
          metadata: {name: b}
          roleRef: {kind: ClusterRole, name: nodes}
          subjects: [{kind: ServiceAccount, name: sa, namespace: a}]
        - {kind: clusterrolebindings, metadata: {name: s}, roleRef: {kind: ClusterRole, name: all-status}, subjects: [{kind: User, name: u}]}
        - {kind: clusterrolebindings, metadata: {name: p}, roleRef: {kind: ClusterRole, name: paths}, subjects: [{kind: Group, name: g}]}
        - {kind: clusterrolebindings, metadata: {name: lost}, roleRef: {kind: ClusterRole, name: none}, subjects: [{kind: User, name: l}]}
        - {kind: rolebindings, metadata: {name: r, namespace: a}, roleRef: {kind: Role, name: one}, subjects: [{kind: User, name: u}]}
        - {kind: rolebindings, metadata: {name: c, namespace: a}, roleRef: {kind: ClusterRole, name: everything}, subjects: [{kind: User, name: v}]}
        """;

    private final ResourceCatalog catalog = new ResourceCatalog(Release.V1_34);
    private final StoredObjects store = new StoredObjects(100);
    private final RoleAuthorizer authorizer = new RoleAuthorizer(store, catalog);

    @BeforeEach
    void load() throws IOException {
        for (JsonNode object : new YAMLMapper().readTree(OBJECTS)) {
            store.create(catalog.named(object.path("kind").asText()), (ObjectNode) object, false);
        }
    }

    private static ApiUser user(String name) {
        return name.startsWith("sa:")
                ? ApiUser.serviceAccount(name.substring(3), "sa", "")
                : new ApiUser(name, "", name.equals("w") ? List.of("g") : List.of());
    }

    @ParameterizedTest(name = "{0} {1} {2} {3} {4} {5}")
    @CsvSource(
            nullValues = "none",
            emptyValue = "",
            value = {
                "sa:a, list, '', nodes, '', '', true",
                "sa:a, get, '', nodes, '', n, false",
                "sa:b, list, '', nodes, '', '', false",
                "u, list, '', nodes, '', '', false",
                "u, patch, '', pods/status, a, p, true",
                "u, patch, '', pods, a, p, false",
                "u, get, '', configmaps, a, x, true",
                "u, get, '', configmaps, a, y, false",
                "u, list, '', configmaps, a, '', false",
                "u, get, '', configmaps, b, x, false",
                "v, delete, apps, deployments, a, d, true",
                "v, delete, apps, deployments, b, d, false",
                "v, list, '', nodes, '', '', false"
            })
    void asksTheRoles(
            String user, String verb, String group, String resource, String namespace, String name, boolean allowed) {
        int slash = resource.indexOf('/');
        AccessAttributes question = new AccessAttributes(
                verb,
                group,
                slash < 0 ? resource : resource.substring(0, slash),
                slash < 0 ? "" : resource.substring(slash + 1),
                namespace,
                name,
                "");
        assertEquals(allowed, authorizer.decide(user(user), question).allowed());
    }

    @ParameterizedTest
    @CsvSource({
        "w, get, /metrics, true",
        "w, get, /debug/decisions, true",
        "w, get, /debug, false",
        "w, post, /metrics, false",
        "u, get, /metrics, false"
    })
    void asksForPaths(String user, String verb, String path, boolean allowed) {
        assertEquals(
                allowed,
                authorizer
                        .decide(user(user), AccessAttributes.ofPath(verb, path))
                        .allowed());
    }

    @Test
    void tellsWhichBindingItWasAndWhatIsMissing() {
        AccessAttributes nodes = new AccessAttributes("list", "", "nodes", "", "", "", "");
        assertEquals(
                new Decision(
                        true,
                        "RBAC: allowed by ClusterRoleBinding \"b\" of ClusterRole \"nodes\" to ServiceAccount"
                                + " \"sa/a\""),
                authorizer.decide(user("sa:a"), nodes));
        assertEquals(
                new Decision(true, "RBAC: allowed by RoleBinding \"r/a\" of Role \"one\" to User \"u\""),
                authorizer.decide(user("u"), new AccessAttributes("get", "", "configmaps", "", "a", "x", "")));
        assertEquals(
                new Decision(false, "RBAC: clusterrole.rbac.authorization.k8s.io \"none\" not found"),
                authorizer.decide(user("l"), nodes));
        assertEquals(new Decision(true, ""), authorizer.decide(ApiUser.ADMIN, nodes));
    }
}
