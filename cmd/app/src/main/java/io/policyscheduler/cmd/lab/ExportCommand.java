package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab export}: a recorded trace in the format of another program. */
@Command(
        name = "export",
        description = "Converts a recorded trace to a record of kube-scheduler-simulator.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab export kss DIR --out=FILE [OPTION...]",
        footer = {
            "",
            "DIR is a trace of lab record. FILE gets a JSON line for each change, with time, event (Add, Update, or",
            "Delete), and resource. The replayer of kube-scheduler-simulator reads it. After a lost watch, the trace",
            "has a new list of objects. lab export writes only what this list changes."
        })
final class ExportCommand implements Callable<Integer> {
    /** Formats that can be exported. */
    enum Format {
        KSS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(index = "0", paramLabel = "FORMAT", description = "Format of the file: kss.")
    private Format format = Format.KSS;

    @Parameters(index = "1", paramLabel = "DIR", description = "Directory that lab record has written.")
    private Path folder = Path.of("");

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "File of the record.")
    private Path out = Path.of("");

    @Mixin
    private CommonOptions common = new CommonOptions();

    private int lines;

    @Override
    public Integer call() {
        List<TraceFile> files = RecordedTrace.files(folder);
        try (BufferedWriter file = Files.newBufferedWriter(out)) {
            RecordedObjects objects = new RecordedObjects((time, event, object) -> write(file, time, event, object));
            for (TraceFile part : files) {
                TraceReader.read(part, text -> true, objects::accept);
            }
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new InputException("cannot write " + out + ": " + e.getMessage(), e);
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", format.toString());
        json.put("lines", lines).put("out", out.toString());
        common.output().write(() -> common.out().println("wrote " + lines + " lines to " + out), () -> json);
        return ExitCode.OK;
    }

    private void write(BufferedWriter file, Instant time, String event, ObjectNode object) {
        ObjectNode line = JsonNodeFactory.instance
                .objectNode()
                .put("time", time.toString())
                .put("event", event);
        line.set("resource", object);
        try {
            file.write(line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines++;
    }
}
