package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.ConnectionOptions;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.world.DumpKind;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code dump}: takes what decisions are made of from a running cluster. */
@Command(
        name = "dump",
        description =
                "Takes a dump of a running cluster: all that simulate, explain, compare and audit read, in pages, and"
                        + " nothing else.",
        sortOptions = false,
        customSynopsis = "policy-scheduler dump [--kubeconfig=FILE] [--policy=FILE] [--output-file=FILE] [OPTION...]",
        footer = {
            "",
            "Nodes, pods that are not finished, and every kind that an algorithm of any release reads or that says",
            "what becomes of manifests; with --for only those that the given ways of deciding read. Left out are",
            "Secrets, ConfigMaps, all other kinds, managedFields and what kubectl apply remembers. Kinds that the",
            "server does not have, or may not be listed, are told (W154); without nodes and pods there is no dump.",
            "Behind the objects stands of which kinds they are all (listedKinds). The exit code is 1 with --strict and",
            "a kind that is denied, or a table that cannot be had.",
            "With a policy its tables are taken along: what Prometheus or the metrics API answers, asked once, with the",
            "times of the values (kind RecordedTable), and of ConfigMaps the keys that tables name. Commands that read",
            "the dump take them from there, as old as they were then; --table goes before that. Files of tables are not",
            "taken along: they stay beside the policy. Keys of tables are names, so that --anonymize takes none.",
            "--anonymize keeps keys of labels and taints, resources, amounts, times, uids, the names of drivers and",
            "provisioners, and of devices the attributes, the selectors and the texts that selectors read (W155): look",
            "at the result before it is sent around.",
            "The output is gzipped when the name of the file ends with .gz, that of a redirected stdout as well."
        })
public final class DumpCommand implements Callable<Integer> {
    /** Without these nothing can be decided. */
    private static final Set<String> REQUIRED = Set.of("nodes", "pods");

    private static final int MAX_PAGE = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(DumpCommand.class);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConnectionOptions connectionOptions = new ConnectionOptions();

    @Option(
            names = "--output-file",
            paramLabel = "FILE",
            description = "Where to write it (default: stdout); with a name that ends with .gz gzipped.")
    private @Nullable Path outputFile;

    @Option(
            names = "--page-size",
            paramLabel = "N",
            defaultValue = "500",
            description = "Objects of one request, 1 to 10000 (default: ${DEFAULT-VALUE}).")
    private int pageSize = 500;

    @Option(
            names = "--anonymize",
            description =
                    "Give other names to objects, namespaces, images and values of labels, the same for the same and in"
                            + " the same order, and leave out what no decision reads; pods are decided as before.")
    private boolean anonymize;

    @Option(
            names = "--keep",
            paramLabel = "TEXT",
            split = ",",
            description =
                    "With --anonymize: names and values that stay, because a policy or a configuration names them.")
    private List<String> kept = List.of();

    @Mixin
    private WantedKinds wanted = new WantedKinds();

    @Mixin
    private DeclaredTables tables = new DeclaredTables();

    @Option(names = "--strict", description = "End with 1 when a kind may not be listed, or a table cannot be had.")
    private boolean strict;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (pageSize < 1 || pageSize > MAX_PAGE) {
            throw new ParameterException(
                    spec.commandLine(), "--page-size: " + pageSize + " is not from 1 to " + MAX_PAGE);
        }
        if (!kept.isEmpty() && !anonymize) {
            throw new ParameterException(spec.commandLine(), "--keep goes with --anonymize");
        }
        if (anonymize && tables.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--anonymize does not go with tables, whose keys are names; leave out the policy and give values by"
                            + " --table later");
        }
        if (outputFile != null) {
            InputFiles.requireFolder("--output-file", outputFile);
        }
        try (Progress progress = common.progress(SteadyClock.system());
                KubeConnection connection = connectionOptions.connect()) {
            return dump(connection, progress);
        } catch (RuntimeException e) {
            removeTorn();
            throw e;
        }
    }

    /** What is not whole must not look so. */
    private void removeTorn() {
        if (outputFile != null && Files.isRegularFile(outputFile)) {
            try {
                Files.delete(outputFile);
            } catch (IOException e) {
                LOG.debug("{} stays", outputFile, e);
            }
        }
    }

    private int dump(KubeConnection connection, Progress progress) {
        int objects = 0;
        Warnings warnings = new Warnings(progress);
        // Before the pods: what is placed from now on counts besides what was measured.
        DumpedTables dumped = new DumpedTables(connection, Clock.systemUTC(), warnings);
        dumped.take(tables.read(connection).values());
        boolean missing = !dumped.isComplete();
        try {
            List<ObjectNode> held = new ArrayList<>();
            ClusterDump cluster = new ClusterDump(connection, ApiDiscovery.load(connection), pageSize);
            try (DumpWriter writer = new DumpWriter(output(), isZipped())) {
                writer.write(dumped.objects());
                for (DumpKind kind : wanted.find(connection, tables.ruleFiles())) {
                    ClusterDump.Listing listing = cluster.list(kind);
                    if (!listing.trouble().isEmpty()) {
                        if (REQUIRED.contains(kind.plural())) {
                            throw new ClusterTroubleException(
                                    "no dump without " + kind.plural() + ": " + listing.trouble(),
                                    new ApiIoException(listing.trouble(), 0));
                        }
                        warnings.accept("W154 " + kind.plural() + " not dumped: " + listing.trouble());
                        missing |= listing.isDenied();
                    } else {
                        writer.listed(kind.objectKind());
                    }
                    if (anonymize) {
                        held.addAll(listing.objects());
                    } else {
                        writer.write(listing.objects());
                    }
                    progress.count("objects dumped", writer.written() + held.size(), 0);
                }
                writer.write(new Anonymizer(Set.copyOf(kept), warnings).anonymous(held));
                objects = writer.written();
            }
        } catch (ApiIoException e) {
            throw new ClusterTroubleException("cannot talk to " + connection.serverUrl() + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw outputFile == null
                    ? new InputException("stdout: cannot be written: " + e.getMessage(), e)
                    : InputFiles.unwritable("--output-file", outputFile, e);
        }
        progress.clear();
        if (outputFile != null) {
            common.out().println(objects + " objects in " + outputFile);
        }
        return missing && strict ? ExitCode.NEGATIVE : ExitCode.OK;
    }

    private OutputStream output() throws IOException {
        if (outputFile != null) {
            return Files.newOutputStream(outputFile);
        }
        return isZipped() ? new FileOutputStream(FileDescriptor.out) : new WriterStream(common.out());
    }

    private boolean isZipped() {
        return outputFile != null ? outputFile.toString().endsWith(".gz") : isStdoutNamedSo();
    }

    /** Where the system tells to which file the output is redirected. */
    private static boolean isStdoutNamedSo() {
        try {
            return Path.of("/proc/self/fd/1").toRealPath().toString().endsWith(".gz");
        } catch (IOException e) {
            return false;
        }
    }

    /** Text that is written as bytes, to the writer of the command line. */
    private static final class WriterStream extends OutputStream {
        private final PrintWriter out;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        WriterStream(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(int b) {
            line.write(b);
            if (b == '\n') {
                flush();
            }
        }

        @Override
        public void flush() {
            out.print(line.toString(StandardCharsets.UTF_8));
            out.flush();
            line.reset();
        }
    }
}
