package io.policyscheduler.framework.devices.cel.function;

import com.google.common.base.Splitter;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A URL in expressions: absolute, or an absolute path. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/urls.go}. */
public record ParsedUrl(URI uri) {
    private static final CelType U = ValueTypes.URL;

    static ParsedUrl parse(String text) {
        try {
            URI uri = new URI(text);
            if (uri.isAbsolute() || text.startsWith("/")) {
                return new ParsedUrl(uri);
            }
        } catch (URISyntaxException e) {
            // Said below, as for what is a relative reference.
        }
        throw new FunctionFailure(
                "URL parse error during conversion from string: parse \"" + text + "\": invalid URI for request");
    }

    private String host() {
        String authority = Objects.requireNonNullElse(uri.getRawAuthority(), "");
        return authority.substring(authority.indexOf('@') + 1);
    }

    private String port() {
        String host = host();
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(colon + 1) : "";
    }

    private String hostname() {
        String host = host();
        String port = port();
        String name = port.isEmpty() ? host : host.substring(0, host.length() - port.length() - 1);
        return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    }

    private Map<String, List<String>> query() {
        Map<String, List<String>> query = new LinkedHashMap<>();
        String raw = Objects.requireNonNullElse(uri.getRawQuery(), "");
        for (String pair : Splitter.on('&').omitEmptyStrings().split(raw)) {
            int equal = pair.indexOf('=');
            String key = equal < 0 ? pair : pair.substring(0, equal);
            query.computeIfAbsent(decoded(key), k -> new ArrayList<>())
                    .add(equal < 0 ? "" : decoded(pair.substring(equal + 1)));
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** The functions of URLs. */
    public static FunctionSet functions() {
        CelType text = SimpleType.STRING;
        return new FunctionSet()
                .global("url", U, List.of(text), a -> parse((String) a[0]))
                .global("isURL", SimpleType.BOOL, List.of(text), a -> isUrl((String) a[0]))
                .member(
                        "getScheme",
                        text,
                        List.of(U),
                        a -> Objects.requireNonNullElse(of(a[0]).uri.getScheme(), ""))
                .member("getHost", text, List.of(U), a -> of(a[0]).host())
                .member("getHostname", text, List.of(U), a -> of(a[0]).hostname())
                .member("getPort", text, List.of(U), a -> of(a[0]).port())
                .member(
                        "getEscapedPath",
                        text,
                        List.of(U),
                        a -> Objects.requireNonNullElse(of(a[0]).uri.getRawPath(), ""))
                .member("getQuery", MapType.create(text, ListType.create(text)), List.of(U), a -> of(a[0]).query());
    }

    private static boolean isUrl(String text) {
        try {
            parse(text);
            return true;
        } catch (FunctionFailure e) {
            return false;
        }
    }

    private static ParsedUrl of(Object value) {
        return (ParsedUrl) value;
    }
}
