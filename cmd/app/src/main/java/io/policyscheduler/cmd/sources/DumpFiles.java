package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.world.Dump;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Reads dumps, as a mixin: what is refused when a file has less in it than a cluster has. */
public final class DumpFiles {
    /** A file of nothing but white space is not longer; an editor may have left some. */
    private static final int BLANK = 4096;

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
     * @throws InputException when a file cannot be read, or has less in it than is wanted
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
            throw empty(String.join(", ", files.stream().map(Path::toString).toList()));
        }
        skipped += dump.skipped();
        if (strict && skipped > 0) {
            throw new InputException(skippedText() + ", which --strict does not allow");
        }
    }

    /**
     * Reads files that have been read into another dump, with other gates.
     *
     * @throws InputException when a file cannot be read any more
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

    /** That objects were skipped; empty when none was. */
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
        return new InputException(
                files + ": no objects that scheduling reads; the command that wrote the file may have failed"
                        + "; to use it anyway, pass --allow-empty");
    }
}
