package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the contents of some files. Unlike notifications of the file system, polling works on network mounts and for ConfigMap
 * volumes, whose files change through a symbolic link elsewhere.
 */
public final class FileChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileChanges.class);

    private final Map<Path, String> known = new LinkedHashMap<>();
    private final Consumer<Path> onChange;
    private final Thread thread;

    /**
     * Reads the files for the first time; {@link #start()} begins to poll.
     *
     * @param onChange receives a file whose contents have changed, on the polling thread
     */
    public FileChanges(
            List<Path> files, Duration period, Sleeper sleeper, Consumer<Path> onChange, ThreadFactory threads) {
        this.onChange = onChange;
        files.forEach(file -> known.put(file, contents(file)));
        this.thread = threads.newThread(sleeper.polling(period, this::poll));
    }

    /** Polls until it is closed. */
    public void start() {
        thread.start();
    }

    /** Polls once. */
    void poll() {
        known.replaceAll((file, before) -> {
            String now = contents(file);
            if (!now.equals(before)) {
                onChange.accept(file);
            }
            return now;
        });
    }

    /** An unreadable file counts as a content of its own, so that the next readable content is a change. */
    private static String contents(Path file) {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // A pipe has been read, and to open it again can wait without an end.
            return "no regular file";
        }
        try {
            return "contents " + new String(TextInput.read(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            LOG.debug("cannot read {}", file, e);
            return "error " + e.getClass().getName();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
