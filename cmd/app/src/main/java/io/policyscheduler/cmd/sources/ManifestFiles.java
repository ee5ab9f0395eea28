package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads whole manifests, as they are given to {@code kubectl create -f}; plain or gzipped. */
public final class ManifestFiles {
    private ManifestFiles() {}

    /**
     * All documents of a file, empty ones left out.
     *
     * @throws InputException when the file cannot be read; names the line
     */
    public static List<JsonNode> read(Path file) {
        InputFiles.requireFile(file);
        try (InputStream in = new BufferedInputStream(ClusterFile.open(file), 1 << 16)) {
            return read(file, in);
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
    }

    /**
     * All documents of a text.
     *
     * @param name of the text, for messages
     * @throws InputException when it is neither JSON nor YAML; names the line
     */
    public static List<JsonNode> read(String name, byte[] text) {
        try (InputStream in = new BufferedInputStream(TextInput.utf8(new ByteArrayInputStream(text)))) {
            return read(Path.of(name), in);
        } catch (IOException e) {
            throw InputFiles.unreadable(Path.of(name), e);
        }
    }

    private static List<JsonNode> read(Path file, InputStream in) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        try (JsonParser parser = ClusterFile.parser(in, file, false);
                MappingIterator<JsonNode> nodes = values(parser)) {
            while (nodes.hasNextValue()) {
                JsonNode node = nodes.nextValue();
                if (node.isObject()) {
                    documents.add(node);
                } else if (!node.isNull()
                        && !node.isMissingNode()
                        && !node.asText("-").isEmpty()) {
                    throw new InputException(file + ": expected a Kubernetes object, found "
                            + node.getNodeType().name().toLowerCase(Locale.ROOT));
                }
            }
        } catch (JsonProcessingException e) {
            throw new IOException(ClusterFile.describe(file, e), e);
        }
        return documents;
    }

    /** The documents, and the elements of an array that contains all of them. */
    private static MappingIterator<JsonNode> values(JsonParser parser) throws IOException {
        if (parser.nextToken() == JsonToken.START_ARRAY) {
            parser.clearCurrentToken();
        }
        return new ObjectMapper().readerFor(JsonNode.class).readValues(parser);
    }
}
