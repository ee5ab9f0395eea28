package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.List;
import java.util.Map;

/**
 * Who asks. Mirrors {@code user.Info} of {@code k8s.io/apiserver}.
 *
 * @param uid empty for none
 * @param extra what else is known; never null
 */
record Identity(String user, String uid, List<String> groups, Map<String, List<String>> extra) {
    static final String MASTERS = "system:masters";
    private static final String AUTHENTICATED = "system:authenticated";

    /** Somebody who has said nothing of himself. */
    static final Identity ANONYMOUS = new Identity("system:anonymous", "", List.of("system:unauthenticated"), Map.of());

    Identity {
        groups = ImmutableList.copyOf(groups);
        ImmutableSortedMap.Builder<String, List<String>> copy = ImmutableSortedMap.naturalOrder();
        extra.forEach((key, values) -> copy.put(key, ImmutableList.copyOf(values)));
        extra = ImmutableMap.copyOf(copy.build());
    }

    /** One who has shown who he is. */
    static Identity authenticated(String user, String uid, List<String> groups, Map<String, List<String>> extra) {
        if (groups.contains(AUTHENTICATED) || groups.containsAll(ANONYMOUS.groups())) {
            return new Identity(user, uid, groups, extra);
        }
        return new Identity(
                user,
                uid,
                ImmutableList.<String>builder()
                        .addAll(groups)
                        .add(AUTHENTICATED)
                        .build(),
                extra);
    }
}
