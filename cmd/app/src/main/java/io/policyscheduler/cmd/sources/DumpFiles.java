package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Suppliers;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Picocli mixin that reads dumps and rejects incomplete files. */
public final class DumpFiles {
    /** A file with only whitespace counts as empty. */
    private static final int BLANK = 4096;
    /** The size up to which a file without objects is described, in bytes. */
    private static final int DESCRIBED = 1 << 20;

    private static final String READS = ": no objects that scheduling reads";
    private static final String MAY_HAVE_FAILED = "; the command that wrote the file may have failed";

    @Option(
            names = "--allow-empty",
            description = "Accept a snapshot without objects. By default it is an error, because a failed command"
                    + " can leave an empty file.")
    private boolean allowEmpty;

    @Option(names = "--strict", description = "Fail if an object in the snapshot has to be skipped.")
    private boolean strict;

    private int skipped;

    /**
     * Reads the files into a dump and finishes it.
     *
     * @throws InputException if a file cannot be read, or is incomplete
     */
    public void read(List<Path> files, Dump dump) {
        files.forEach(InputFiles::requireFile);
        for (Path file : files) {
            try {
                if (!allowEmpty && isBlank(file)) {
                    throw empty(file.toString());
                }
                dump.read(file);
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
        }
        dump.finish();
        if (dump.objects() == 0 && !allowEmpty) {
            throw empty(String.join(", ", files.stream().map(Path::toString).toList())
                    + (files.size() == 1 ? described(files.get(0)) : ""));
        }
        skipped += dump.skipped();
        if (strict && skipped > 0) {
            throw new InputException(skippedText() + ", which --strict does not allow");
        }
    }

    /**
     * Reads the files again into another dump, with other gates.
     *
     * @throws InputException if a file can no longer be read
     */
    void readAgain(List<Path> files, Dump dump) {
        for (Path file : files) {
            try {
                dump.read(file);
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
        }
        dump.finish();
    }

    /** The number of skipped objects as text; empty for none. */
    public List<String> notes() {
        return skipped == 0 ? List.of() : List.of(skippedText() + "; --strict rejects such dumps");
    }

    private String skippedText() {
        return skipped == 1 ? "1 object was skipped" : skipped + " objects were skipped";
    }

    private static boolean isBlank(Path file) throws IOException {
        // A pipe can be read only once.
        return Files.isRegularFile(file)
                && Files.size(file) <= BLANK
                && new String(TextInput.read(file), StandardCharsets.ISO_8859_1).isBlank();
    }

    private static InputException empty(String files) {
        return new InputException((files.contains(READS) ? files : files + READS + MAY_HAVE_FAILED)
                + "; to use it anyway, pass --allow-empty");
    }

    /** The reason why a file contains no objects, with what it contains instead if that is recognized. */
    private static String described(Path file) {
        try {
            if (Files.isRegularFile(file) && Files.size(file) <= DESCRIBED) {
                String text = TextInput.decode(TextInput.read(file));
                List<InputDocument> documents = InputDocument.in(SourceDocument.parse(text), text, file.toString());
                InputDocument first = documents.get(0);
                if (first.description().contains("pass it with") && first.key().isEmpty()) {
                    return READS + "; the file contains " + first.description();
                }
            }
        } catch (IOException | DocumentException e) {
            // The file has been read before; this only adds to the message.
            return "";
        }
        return "";
    }

    /** Finds objects of a rare kind in large dumps; holds at most one object of other kinds at a time. */
    static final class DumpObjects {
        private final String kind;
        private final ObjectMapper mapper;
        private final List<JsonNode> found = new ArrayList<>();

        private DumpObjects(String kind, ObjectMapper mapper) {
            this.kind = kind;
            this.mapper = mapper;
        }

        /**
         * All objects of this kind, including items of lists, in the order of the files, which are read on the first call. The
         * iteration throws an {@link io.policyscheduler.cmd.options.InputException} if a file cannot be read.
         */
        static Supplier<List<JsonNode>> ofKind(List<Path> files, String kind) {
            return Suppliers.memoize(() ->
                    files.stream().flatMap(file -> ofKind(file, kind).stream()).toList());
        }

        private static List<JsonNode> ofKind(Path file, String kind) {
            InputFiles.requireFile(file);
            InputFiles.requireRepeatable(file);
            try (InputStream in = new BufferedInputStream(ClusterFile.open(file), 1 << 16)) {
                DumpObjects objects = new DumpObjects(kind, new ObjectMapper());
                try (JsonParser parser = ClusterFile.parser(in, file, true)) {
                    while (parser.nextToken() != null) {
                        if (parser.currentToken() == JsonToken.START_OBJECT) {
                            objects.document(parser);
                        } else {
                            parser.skipChildren();
                        }
                    }
                } catch (JsonProcessingException e) {
                    throw new IOException(ClusterFile.describe(file, e), e);
                }
                return objects.found;
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
        }

        private void document(JsonParser parser) throws IOException {
            ObjectNode object = mapper.createObjectNode();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                if (parser.nextToken() == JsonToken.START_ARRAY && field.equals("items")) {
                    while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
                        keep(mapper.readTree(parser));
                    }
                } else {
                    object.set(field, mapper.<JsonNode>readTree(parser));
                }
            }
            keep(object);
        }

        private void keep(JsonNode object) {
            if (object.path("kind").asText().equals(kind)) {
                found.add(object);
            }
        }
    }
}
