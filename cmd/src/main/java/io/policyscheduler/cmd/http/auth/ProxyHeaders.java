package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * In which headers a proxy says for whom it asks, and which proxies are believed.
 *
 * @param allowedNames common names of proxies; empty for any that an authority has signed
 * @param extraPrefixes of headers that say more
 */
public record ProxyHeaders(
        List<String> allowedNames, List<String> userHeaders, List<String> groupHeaders, List<String> extraPrefixes) {
    /** The defaults of kube-scheduler's flags. */
    public static final ProxyHeaders DEFAULTS = new ProxyHeaders(
            List.of(), List.of("x-remote-user"), List.of("x-remote-group"), List.of("x-remote-extra-"));

    public ProxyHeaders {
        allowedNames = ImmutableList.copyOf(allowedNames);
        userHeaders = ImmutableList.copyOf(userHeaders);
        groupHeaders = ImmutableList.copyOf(groupHeaders);
        extraPrefixes = ImmutableList.copyOf(extraPrefixes);
    }
}
