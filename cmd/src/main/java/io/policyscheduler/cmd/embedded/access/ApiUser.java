package io.policyscheduler.cmd.embedded.access;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Who sends a request.
 *
 * @param name for example {@code system:serviceaccount:kube-system:policy-scheduler}
 * @param uid empty when there is none
 * @param groups those that bindings may name
 */
public record ApiUser(String name, String uid, List<String> groups) {
    /** May do everything, whatever roles say. */
    static final String MASTERS = "system:masters";

    private static final String AUTHENTICATED = "system:authenticated";
    private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

    /** Who has the token of the server's own kubeconfig. */
    public static final ApiUser ADMIN = new ApiUser("admin", "admin", List.of(MASTERS, AUTHENTICATED));

    /** Who sends no credentials. */
    static final ApiUser ANONYMOUS = new ApiUser("system:anonymous", "", List.of("system:unauthenticated"));

    public ApiUser {
        groups = ImmutableList.copyOf(groups);
    }

    static ApiUser serviceAccount(String namespace, String name, String uid) {
        return new ApiUser(SERVICE_ACCOUNT + namespace + ":" + name, uid, serviceAccountGroups(namespace));
    }

    private static List<String> serviceAccountGroups(String namespace) {
        return List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, AUTHENTICATED);
    }

    /** Who an administrator acts as. */
    static ApiUser impersonated(String name, List<String> groups) {
        if (name.equals(ANONYMOUS.name())) {
            return ANONYMOUS;
        }
        ImmutableList.Builder<String> all = ImmutableList.builder();
        String[] account = name.startsWith(SERVICE_ACCOUNT)
                ? name.substring(SERVICE_ACCOUNT.length()).split(":", -1)
                : new String[0];
        if (groups.isEmpty() && account.length == 2) {
            all.addAll(serviceAccountGroups(account[0]));
        } else {
            all.addAll(groups).add(AUTHENTICATED);
        }
        return new ApiUser(name, "", all.build());
    }
}
