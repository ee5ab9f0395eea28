package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Pods and lists of pods as a server sends them, and a decoder that keeps their names. */
final class PodTexts {
    static final String PODS = "/api/v1/pods";
    static final String GONE = "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}";
    static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private PodTexts() {}

    /** Keeps an object's name; throws in the middle of an object with "bad" set. */
    static @Nullable String decode(JsonParser parser) throws IOException {
        String name = "";
        boolean isKept = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "metadata" -> {
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        boolean isName = parser.currentName().equals("name");
                        parser.nextToken();
                        if (isName) {
                            name = parser.getText();
                        } else {
                            parser.skipChildren();
                        }
                    }
                }
                case "ignored" -> isKept = false;
                case "spec" -> {
                    parser.nextToken();
                    if (parser.currentToken() == JsonToken.FIELD_NAME
                            && parser.currentName().equals("bad")) {
                        parser.nextToken();
                        throw new IOException("bad spec");
                    }
                    while (parser.currentToken() == JsonToken.FIELD_NAME) {
                        parser.nextToken();
                        parser.skipChildren();
                        parser.nextToken();
                    }
                }
                default -> {
                    assertTrue(value.isScalarValue() || value.isStructStart());
                    parser.skipChildren();
                }
            }
        }
        return isKept ? name : null;
    }

    static String pod(String name, int version) {
        return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"resourceVersion\":\"%d\"},\"spec\":{}}"
                .formatted(name, version);
    }

    static String badPod(String name, int version) {
        return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"labels\":{\"a\":\"}\"},\"resourceVersion\":\"%d\"},\"spec\":{\"bad\":[{\"x\":[]}],\"y\":{\"z\":1}}}"
                .formatted(name, version);
    }

    static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    static String list(String version, String next, String... items) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\",\"continue\":\"%s\"},\"items\":[%s]}"
                .formatted(version, next, String.join(",", items));
    }
}
