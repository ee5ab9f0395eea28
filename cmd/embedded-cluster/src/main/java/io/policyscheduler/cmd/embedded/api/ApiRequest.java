package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.io.BaseEncoding;
import com.google.common.io.ByteSource;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.engine.document.YamlJsonFactory;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One HTTP request, decoded.
 *
 * @param method HTTP method
 * @param segments path segments
 * @param parameters query parameters, the last value of each
 * @param accept Accept header; empty when absent
 * @param contentType Content-Type without parameters; empty when absent
 * @param body raw body
 * @param userAgent User-Agent header; empty when absent
 */
public record ApiRequest(
        String method,
        List<String> segments,
        Map<String, String> parameters,
        String accept,
        String contentType,
        ByteSource body,
        String userAgent) {

    /** The content type of a server-side apply. */
    public static final String APPLY = "application/apply-patch+yaml";

    /** Fails with BadRequest if path or query cannot be decoded. */
    public static ApiRequest read(Exchange exchange) {
        ApiRequest request = of(
                exchange.method(),
                exchange.path(),
                exchange.query(),
                exchange.header("Accept"),
                exchange.header("Content-Type"),
                exchange.body());
        return new ApiRequest(
                request.method(),
                request.segments(),
                request.parameters(),
                request.accept(),
                request.contentType(),
                request.body(),
                exchange.header("User-Agent"));
    }

    /** {@code watch} in front of a path is the former way to say {@code ?watch=true}. */
    private static List<String> withoutWatch(List<String> segments, Map<String, String> parameters) {
        int index = segments.isEmpty() || !segments.get(0).equals("apis") ? 2 : 3;
        boolean isWatch = segments.size() > index + 1
                && List.of("api", "apis").contains(segments.get(0))
                && segments.get(index).equals("watch");
        if (!isWatch) {
            return List.copyOf(segments);
        }
        parameters.put("watch", "true");
        List<String> path = new ArrayList<>(segments);
        path.remove(index);
        return List.copyOf(path);
    }

    /** Takes an encoded path and query; fails with BadRequest if they cannot be decoded. */
    public static ApiRequest of(
            String method, String path, String query, String accept, String contentType, byte[] body) {
        List<String> segments = new ArrayList<>();
        for (String segment : Splitter.on('/').omitEmptyStrings().split(path)) {
            segments.add(decoded(segment.replace("+", "%2B")));
        }
        Map<String, String> parameters = new HashMap<>();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(query)) {
            int at = pair.indexOf('=');
            String name = at < 0 ? pair : pair.substring(0, at);
            parameters.put(decoded(name), at < 0 ? "" : decoded(pair.substring(at + 1)));
        }
        int parametersAt = contentType.indexOf(';');
        return new ApiRequest(
                method,
                withoutWatch(segments, parameters),
                Map.copyOf(parameters),
                accept,
                (parametersAt < 0 ? contentType : contentType.substring(0, parametersAt)).trim(),
                ByteSource.wrap(body),
                "");
    }

    /** The field manager: the parameter of the request, or the name of the client program. */
    public String fieldManager() {
        int slash = userAgent.indexOf('/');
        String program = slash < 0 ? userAgent : userAgent.substring(0, slash);
        String given = parameter("fieldManager");
        return given.isEmpty() ? program : given;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw StatusError.badRequest("malformed escape in the URL: " + text);
        }
    }

    /** The query parameter; empty when absent. */
    public String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    public boolean flag(String name) {
        String value = parameter(name);
        return value.equals("1") || value.equals("true") || (value.isEmpty() && parameters.containsKey(name));
    }

    /** The query parameter as a number, 0 if it is negative; the default when absent or empty. */
    public long number(String name, long absent) {
        String value = parameter(name);
        if (value.isEmpty()) {
            return absent;
        }
        try {
            return Math.max(0, Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw StatusError.badRequest("strconv.ParseInt: parsing \"" + value + "\": invalid syntax");
        }
    }

    /** The parameter {@code resourceVersion}; 0 when absent. The API server fails on other values with an internal error. */
    public long resourceVersion() {
        String value = parameter("resourceVersion");
        if (value.isEmpty()) {
            return 0;
        }
        try {
            return Long.parseUnsignedLong(value);
        } catch (NumberFormatException e) {
            throw StatusError.internal("resourceVersion: Invalid value: \"" + value
                    + "\": strconv.ParseUint: parsing \"" + value + "\": invalid syntax");
        }
    }

    public boolean isDryRun() {
        return parameter("dryRun").equals("All");
    }

    public boolean wantsTable() {
        return accept.contains("as=Table");
    }

    /** The body, which must be an object in JSON, YAML or (some kinds) protobuf. */
    public ObjectNode bodyObject() {
        if (bodyTree() instanceof ObjectNode object) {
            return object;
        }
        throw StatusError.badRequest("the request body must be an object");
    }

    /**
     * The body as an object of a kind. An absent value is an object without fields.
     *
     * @throws StatusError with code 400 and the message of the API server's decoder
     */
    public ObjectNode bodyObject(String kind) {
        byte[] bytes = bytes();
        String unrecognized =
                "the object provided is unrecognized (must be of type " + kind + "): couldn't get version/kind; ";
        if (bytes.length == 0) {
            throw StatusError.badRequest(unrecognized + "json parse error: unexpected end of JSON input (<empty>)");
        }
        JsonNode tree;
        try {
            tree = bodyTree();
        } catch (StatusError e) {
            if (e.code() == 400 && isTruncated(e)) {
                throw StatusError.badRequest(unrecognized + "json parse error: unexpected end of JSON input ("
                        + new String(bytes, StandardCharsets.UTF_8) + ")");
            }
            throw e;
        }
        if (tree.isNull()) {
            return Json.object();
        }
        if (tree instanceof ObjectNode object) {
            return object;
        }
        throw StatusError.badRequest(unrecognized + "json parse error: json: cannot unmarshal "
                + tree.getNodeType().toString().toLowerCase(Locale.ROOT)
                + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string"
                + " \"json:\\\"kind,omitempty\\\"\" } ("
                + BaseEncoding.base16().lowerCase().encode(bytes) + ")");
    }

    /** Returns whether the error is that of a JSON body that ends too early. */
    public static boolean isTruncated(StatusError error) {
        return String.valueOf(error.getMessage()).contains("Unexpected end-of-input");
    }

    private byte[] bytes() {
        try {
            return body.read();
        } catch (IOException e) {
            throw StatusError.badRequest("the body cannot be read");
        }
    }

    /** The body as an object; an empty object if there is none. */
    public ObjectNode optionalBody() {
        return body.sizeIfKnown().or(0L) == 0 ? Json.object() : bodyObject();
    }

    public JsonNode bodyTree() {
        boolean yaml = contentType.equals("application/yaml") || contentType.equals(APPLY);
        if (contentType.contains("cbor")) {
            throw StatusError.unsupportedMediaType();
        }
        try {
            if (contentType.equals(ProtobufBody.CONTENT_TYPE)) {
                return ProtobufBody.decode(body.read());
            }
            return yaml ? new ObjectMapper(new YamlJsonFactory()).readTree(body.read()) : Json.parse(body.read());
        } catch (IOException e) {
            String first = Splitter.on('\n')
                    .splitToList(String.valueOf(e.getMessage()))
                    .get(0);
            throw StatusError.badRequest("the object provided is unrecognized: " + first);
        }
    }

    /**
     * A response.
     *
     * @param code HTTP status
     * @param body JSON body, a text node for plain text, or a binary node
     */
    public record Response(int code, JsonNode body) {
        public static Response ok(JsonNode body) {
            return new Response(200, body);
        }
    }
}
