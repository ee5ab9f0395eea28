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
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Reads files of the command line, with errors for users. */
public final class InputFiles {
    private InputFiles() {}

    /**
     * The text of a file.
     *
     * @throws InputException if it cannot be read
     */
    public static String text(Path file) {
        requireFile(file);
        try {
            String text = TextInput.decode(TextInput.read(file));
            if (text.isEmpty()) {
                // Another part of the command may have read a pipe before.
                requireRepeatable(file);
            }
            return text;
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Checks that the file exists and is not a directory.
     *
     * @throws InputException otherwise
     */
    public static void requireFile(Path file) {
        if (Files.isDirectory(file)) {
            throw new InputException(file + " is a directory");
        }
        if (Files.notExists(file)) {
            throw new InputException("no such file: " + file);
        }
    }

    /**
     * Fails for a pipe, or another file that can be read only once.
     *
     * @throws InputException with the fix
     */
    static void requireRepeatable(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new InputException(file + " can be read only once; write it to a file first");
        }
    }

    /** The error for a file that could not be read. */
    public static InputException unreadable(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new InputException("no such file: " + file, e);
        }
        if (e instanceof AccessDeniedException) {
            return new InputException("permission denied: " + file, e);
        }
        String message = oneLine(String.valueOf(e.getMessage()));
        return new InputException(message.contains(file.toString()) ? message : file + ": " + message, e);
    }

    /** The error for a file or folder that could not be written. */
    public static InputException unwritable(Path file, Exception e) {
        Throwable cause = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
        String reason;
        if (cause instanceof AccessDeniedException) {
            reason = "permission denied";
        } else if (cause instanceof FileAlreadyExistsException) {
            reason = "it is a file, not a folder; use another name";
        } else if (cause instanceof NoSuchFileException) {
            reason = "no such folder";
        } else {
            reason = oneLine(String.valueOf(cause.getMessage()));
        }
        return new InputException("cannot write " + file + ": " + reason, e);
    }

    /** The error for a file that could not be written, which an option named. */
    public static InputException unwritable(String option, Path file, IOException e) {
        return new InputException(
                option + " " + file + ": cannot be written: " + oneLine(String.valueOf(e.getMessage())), e);
    }

    /**
     * Checks that the folder of an output file exists.
     *
     * @throws InputException otherwise
     */
    public static void requireFolder(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new InputException(option + " " + file + ": no such folder: " + folder);
        }
    }

    /** The message of a YAML error includes an excerpt and a caret. */
    private static String oneLine(String message) {
        return message.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.equals("^"))
                .collect(Collectors.joining(" "));
    }

    /** Reads complete manifests, as {@code kubectl create -f} does; plain or gzipped. */
    public static final class ManifestFiles {
        private ManifestFiles() {}

        /**
         * All documents of a file, without empty ones.
         *
         * @throws InputException if the file cannot be read, with the line
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
         * @throws InputException if it is neither JSON nor YAML, with the line
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
}
