package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Reads files that users name, with errors in their words. */
public final class InputFiles {
    private InputFiles() {}

    /**
     * The text of a file.
     *
     * @throws InputException when it cannot be read
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
     * Nothing, when there is such a file and it is no directory.
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

    /** The error for a file that could not be written, which an option named. */
    public static InputException unwritable(String option, Path file, IOException e) {
        return new InputException(
                option + " " + file + ": cannot be written: " + oneLine(String.valueOf(e.getMessage())), e);
    }

    /**
     * Nothing, when there is a folder for a file that an option names.
     *
     * @throws InputException otherwise
     */
    public static void requireFolder(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new InputException(option + " " + file + ": no such folder: " + folder);
        }
    }

    /** YAML errors come with an excerpt and a caret below it. */
    private static String oneLine(String message) {
        return message.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.equals("^"))
                .collect(Collectors.joining(" "));
    }
}
