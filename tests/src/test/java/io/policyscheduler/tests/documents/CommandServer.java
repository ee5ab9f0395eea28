package io.policyscheduler.tests.documents;

import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.StartedProgram;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that runs the commands of the pages one after the other, so that not each of them starts a JVM. It works in the folder of the
 * {@link Terminals}. A request has the process ID of the client, the number of arguments, and the arguments, each with a NUL at its end.
 * The server writes to stdout and stderr of the client through {@code /proc} and responds with the exit code.
 *
 * <p>Commands that read the environment, read stdin, or run until they are stopped have a process of their own.
 */
final class CommandServer implements AutoCloseable {
    private final Process process;
    private final int port;

    private CommandServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Whether this machine can run it. */
    static boolean isPossible() {
        return new File("/proc/self/fd/1").exists();
    }

    /**
     * Starts a server.
     *
     * @param folder its working directory
     */
    static CommandServer start(Path folder) throws IOException {
        List<String> line = new ArrayList<>(StartedProgram.quick());
        line.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of(
                "-Xmx1g",
                "-Dpolicyscheduler.progress=none",
                "-Dpolicyscheduler.home=" + folder,
                "-cp",
                absoluteClassPath(),
                CommandServer.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("POLICY_SCHEDULER_"));
        builder.environment().remove("KUBECONFIG");
        Process process = builder.start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String port = output.readLine();
            if (port == null) {
                throw new IOException("the server of commands did not start");
            }
            return new CommandServer(process, Integer.parseInt(port));
        }
    }

    private static String absoluteClassPath() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> entries = new ArrayList<>();
        for (String entry : path.split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** The TCP port on 127.0.0.1. */
    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }

    /** Serves until the process is ended. */
    public static void main(String[] args) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            System.out.println(server.getLocalPort());
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write((serve(client.getInputStream()) + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        }
    }

    private static int serve(InputStream request) throws IOException {
        String descriptors = "/proc/" + text(request) + "/fd/";
        String[] args = new String[Integer.parseInt(text(request))];
        for (int i = 0; i < args.length; i++) {
            args[i] = text(request);
        }
        PrintStream usual = System.err;
        int code = 0;
        // Files are opened again, with an offset of their own: only appending keeps what others have written.
        try (FileOutputStream out = new FileOutputStream(descriptors + 1, true);
                FileOutputStream err = new FileOutputStream(descriptors + 2, true);
                PrintStream log = new PrintStream(err, true, StandardCharsets.UTF_8);
                Writer outWriter = new OutputStreamWriter(out, StandardCharsets.UTF_8);
                Writer errWriter = new OutputStreamWriter(err, StandardCharsets.UTF_8)) {
            System.setErr(log);
            code = Main.run(args, outWriter, errWriter);
        } catch (IOException e) {
            // The reader of a pipe, such as head, has ended; Main has reported that where it matters.
            if (!String.valueOf(e.getMessage()).contains("Broken pipe")) {
                throw e;
            }
        } finally {
            System.setErr(usual);
        }
        return code;
    }

    private static String text(InputStream request) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int next = request.read();
        while (next > 0) {
            bytes.write(next);
            next = request.read();
        }
        if (next < 0) {
            throw new IOException("incomplete request: " + bytes.toString(StandardCharsets.UTF_8));
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
