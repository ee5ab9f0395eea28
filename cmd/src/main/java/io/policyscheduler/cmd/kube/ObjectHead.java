package io.policyscheduler.cmd.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** The identifying fields of an object's metadata; what is absent is empty. */
final class ObjectHead {
    String namespace = "";
    String name = "";
    String resourceVersion = "";

    /** namespace/name, or the name alone. */
    String qualifiedName() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /**
     * Reads from the START_OBJECT of an object up to its metadata.resourceVersion, or to its end. The API server writes
     * metadata first, and name and namespace before resourceVersion, so this looks at the first few hundred bytes only.
     *
     * @return true when the object was read to its end
     */
    boolean read(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = parser.currentName().equals("metadata");
            if (parser.nextToken() != JsonToken.START_OBJECT || !metadata) {
                parser.skipChildren();
            } else {
                readMetadata(parser);
                return false;
            }
        }
        return true;
    }

    private void readMetadata(JsonParser parser) throws IOException {
        while (resourceVersion.isEmpty() && parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            if (parser.nextToken() == JsonToken.VALUE_STRING) {
                switch (field) {
                    case "namespace" -> namespace = parser.getText();
                    case "name" -> name = parser.getText();
                    case "resourceVersion" -> resourceVersion = parser.getText();
                    default -> {}
                }
            } else {
                parser.skipChildren();
            }
        }
    }
}
