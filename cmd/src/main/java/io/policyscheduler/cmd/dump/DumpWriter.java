package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/** Writes objects as a List, one on each line, and behind them which kinds it has all of. To be closed. */
final class DumpWriter implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final JsonGenerator json;
    private final Set<String> kinds = new LinkedHashSet<>();
    private int written;

    /** @param zipped whether the output is gzipped */
    DumpWriter(OutputStream out, boolean zipped) throws IOException {
        OutputStream target = zipped ? new GZIPOutputStream(out, 1 << 16) : out;
        json = new JsonFactory(MAPPER).createGenerator(target);
        json.writeStartObject();
        json.writeStringField("kind", "List");
        json.writeStringField("apiVersion", "v1");
        json.writeArrayFieldStart("items");
    }

    void write(List<ObjectNode> objects) throws IOException {
        for (ObjectNode object : objects) {
            json.writeRaw('\n');
            json.writeTree(object);
            written++;
        }
    }

    int written() {
        return written;
    }

    /** @param kind of which all objects have been written, be it none */
    void listed(String kind) {
        kinds.add(kind);
    }

    @Override
    public void close() throws IOException {
        json.writeEndArray();
        json.writeArrayFieldStart(ClusterFile.LISTED_KINDS);
        for (String kind : kinds) {
            json.writeString(kind);
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeRaw('\n');
        json.close();
    }
}
