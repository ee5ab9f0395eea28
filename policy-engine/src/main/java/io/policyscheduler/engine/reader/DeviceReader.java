package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.policyscheduler.engine.cluster.device.DeviceConfig;
import io.policyscheduler.engine.cluster.device.DeviceSelector;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parts that several kinds of {@code resource.k8s.io} have. */
final class DeviceReader {
    private DeviceReader() {}

    static DeviceSelector selector(JsonCursor cursor) throws IOException {
        @Nullable String[] expression = {null};
        cursor.object((f, c) -> {
            if (f.equals("cel")) {
                expression[0] = "";
                c.object((g, d) -> {
                    if (g.equals("expression")) {
                        expression[0] = d.uniqueString();
                    } else {
                        d.skip();
                    }
                });
            } else {
                c.skip();
            }
        });
        return new DeviceSelector(expression[0]);
    }

    static List<DeviceSelector> selectors(JsonCursor cursor) throws IOException {
        List<DeviceSelector> selectors = new ArrayList<>(1);
        cursor.array(c -> selectors.add(selector(c)));
        return selectors;
    }

    static DeviceConfig config(JsonCursor cursor) throws IOException {
        String[] source = {""};
        List<String> requests = new ArrayList<>(0);
        StringWriter content = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(content)) {
            json.writeStartObject();
            cursor.object((f, c) -> {
                switch (f) {
                    case "source" -> source[0] = c.string();
                    case "requests" -> requests.addAll(c.strings());
                    default -> {
                        json.writeFieldName(f);
                        json.copyCurrentStructure(c.parser());
                    }
                }
            });
            json.writeEndObject();
        }
        return new DeviceConfig(source[0], requests, content.toString());
    }
}
