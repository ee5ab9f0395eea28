package io.policyscheduler.cmd.embedded.admission;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The attributes of a request for authorization (apiserver's RequestInfo).
 *
 * @param verb such as {@code list}
 * @param group API group; empty for the core group
 * @param resource plural name; empty for other paths
 * @param subresource empty for none
 * @param namespace empty at the cluster scope
 * @param name empty for a collection
 * @param path the path if it is not one of a resource; else empty
 */
public record AccessAttributes(
        String verb, String group, String resource, String subresource, String namespace, String name, String path) {
    private static final Map<String, String> VERBS = ImmutableMap.of(
            "POST", "create", "GET", "get", "HEAD", "get", "PUT", "update", "PATCH", "patch", "DELETE", "delete");
    private static final Set<String> OF_NAMESPACES = Set.of("status", "finalize");
    private static final Pattern ONE_NAME = Pattern.compile("metadata\\.name={1,2}([^,=!]+)");

    /** The attributes of a request. */
    public static AccessAttributes of(ApiRequest request) {
        List<String> parts = request.segments();
        String first = parts.isEmpty() ? "" : parts.get(0);
        int start = first.equals("api") ? 2 : first.equals("apis") ? 3 : Integer.MAX_VALUE;
        if (parts.size() <= start) {
            return ofPath(request.method().toLowerCase(Locale.ROOT), "/" + String.join("/", parts));
        }
        List<String> rest = parts.subList(start, parts.size());
        String namespace = "";
        if (rest.get(0).equals("namespaces") && rest.size() > 1) {
            namespace = rest.get(1);
            if (rest.size() > 2 && !OF_NAMESPACES.contains(rest.get(2))) {
                rest = rest.subList(2, rest.size());
            }
        }
        String name = rest.size() > 1 ? rest.get(1) : "";
        String verb = VERBS.getOrDefault(request.method(), "");
        if (name.isEmpty() && verb.equals("get")) {
            verb = request.flag("watch") ? "watch" : "list";
            Matcher selected = ONE_NAME.matcher(request.parameter("fieldSelector"));
            name = selected.find() ? selected.group(1) : "";
        } else if (name.isEmpty() && verb.equals("delete")) {
            verb = "deletecollection";
        }
        return new AccessAttributes(
                verb,
                start == 2 ? "" : parts.get(1),
                rest.get(0),
                rest.size() > 2 ? rest.get(2) : "",
                namespace,
                name,
                "");
    }

    /** The attributes of a path that is not a resource. */
    public static AccessAttributes ofPath(String verb, String path) {
        return new AccessAttributes(verb, "", "", "", "", "", path);
    }

    boolean isResource() {
        return !resource.isEmpty();
    }

    /** The resource with its subresource, in the syntax of RBAC rules. */
    String fullResource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    /** The error for a denied request, as from a real server. */
    public StatusError refusal(ApiUser user, String reason) {
        String text = "User \"" + user.name() + "\" cannot " + verb;
        if (isResource()) {
            text += " resource \"" + fullResource() + "\" in API group \"" + group + "\""
                    + (namespace.isEmpty() ? " at the cluster scope" : " in the namespace \"" + namespace + "\"");
        } else {
            text += " path \"" + path + "\"";
        }
        return StatusError.forbidden(group, resource, name, reason.isEmpty() ? text : text + ": " + reason);
    }
}
