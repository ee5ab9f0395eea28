package io.policyscheduler.tests.documents;

import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.StartedProgram;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
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
 * {@link Terminals}. A request has the number of arguments and the arguments, each with a NUL at its end. The response is a script for
 * the client, which prints stdout and stderr of the command in their order and exits with its code.
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
        ProcessBuilder builder =
                new ProcessBuilder(line).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
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

    /** Serves until the process is ended, or the test that started it is, whose end closes stdin. */
    public static void main(String[] args) throws IOException {
        Thread watch = new Thread(CommandServer::endWithTheTest, "parent");
        watch.setDaemon(true);
        watch.start();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            // The one line of stdout, which start() waits for: the port is not known before.
            System.out.println(server.getLocalPort());
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write(serve(client.getInputStream()));
                } catch (IOException e) {
                    // The client has ended, for example because head has read enough.
                    System.err.println("a client has ended: " + e);
                }
            }
        }
    }

    private static void endWithTheTest() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is sent.
            }
        } catch (IOException e) {
            System.err.println("the test has ended: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    private static byte[] serve(InputStream request) throws IOException {
        String[] args = new String[Integer.parseInt(text(request))];
        for (int i = 0; i < args.length; i++) {
            args[i] = text(request);
        }
        Script script = new Script();
        PrintStream usual = System.err;
        int code;
        try (PrintStream log = new PrintStream(script.printTo(2), true, StandardCharsets.UTF_8);
                Writer out = new OutputStreamWriter(script.printTo(1), StandardCharsets.UTF_8);
                Writer err = new OutputStreamWriter(script.printTo(2), StandardCharsets.UTF_8)) {
            System.setErr(log);
            code = Main.run(args, out, err);
        } finally {
            System.setErr(usual);
        }
        return script.exit(code);
    }

    /** Returns a script that prints the output of a command. */
    private static final class Script {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int descriptor;

        OutputStream printTo(int target) {
            return new OutputStream() {
                @Override
                public void write(int b) {
                    print(target, b);
                }
            };
        }

        private synchronized void print(int target, int b) {
            if (target != descriptor) {
                end();
                bytes.writeBytes(("printf %s >&" + target + " '").getBytes(StandardCharsets.UTF_8));
                descriptor = target;
            }
            if (b == '\'') {
                bytes.writeBytes("'\\''".getBytes(StandardCharsets.UTF_8));
            } else {
                bytes.write(b);
            }
        }

        private void end() {
            if (descriptor != 0) {
                bytes.writeBytes("'\n".getBytes(StandardCharsets.UTF_8));
            }
        }

        synchronized byte[] exit(int code) {
            end();
            bytes.writeBytes(("exit " + code + "\n").getBytes(StandardCharsets.UTF_8));
            return bytes.toByteArray();
        }
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
