package io.policyscheduler.cmd.extender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.options.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtenderCommandTest {
    private static final String NODE = "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n1\"},"
            + "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"}}}";
    private static final String REQUEST = "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\","
            + "\"uid\":\"u\"},\"spec\":{}},\"NodeNames\":[\"n1\"]}";
    private static final Pattern URL = Pattern.compile("on (http://\\S+)");

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "not in time");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static String ask(HttpRequest request) {
        try {
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void serveAndAsk(String... args) throws Exception {
        StringWriter err = new StringWriter();
        FutureTask<Integer> run =
                new FutureTask<>(() -> Main.run(args, new PrintWriter(new StringWriter()), new PrintWriter(err)));
        Thread thread = new Thread(run, "extender-command");
        thread.start();
        try {
            await(() -> run.isDone() || URL.matcher(err.toString()).find());
            Matcher url = URL.matcher(err.toString());
            assertTrue(url.find(), err.toString());
            HttpRequest health = HttpRequest.newBuilder(URI.create(url.group(1) + "/healthz"))
                    .build();
            await(() -> ask(health).equals("200 ok"));
            assertEquals(
                    "200 [{\"Host\":\"n1\",\"Score\":10}]",
                    ask(HttpRequest.newBuilder(URI.create(url.group(1) + "/prioritize"))
                            .POST(HttpRequest.BodyPublishers.ofString(REQUEST))
                            .build()));
        } finally {
            thread.interrupt();
        }
        assertEquals(ExitCode.OK, run.get(30, TimeUnit.SECONDS));
    }

    @Test
    void answersByADump(@TempDir Path dir) throws Exception {
        Path dump = Files.writeString(dir.resolve("dump.json"), NODE);
        serveAndAsk("extender", "--provider", "DefaultProvider", "--port", "0", "--cluster", dump.toString());
    }

    @Test
    void answersByACluster() throws Exception {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            cluster.load(new ObjectMapper().readTree(NODE));
            serveAndAsk("extender", "--provider", "DefaultProvider", "--port", "0", "--master", cluster.url());
        }
    }

    @Test
    void simulateCallsExtenders(@TempDir Path dir) throws Exception {
        CommandRun legacy = CommandRun.of(
                "simulate", "--provider", "DefaultProvider", "--cluster", "x", "--mode", "legacy", "--call-extenders");
        assertEquals(ExitCode.USAGE, legacy.code());
        Path dump = Files.writeString(
                dir.resolve("dump.json"),
                NODE + "\n{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\"}}");
        Path policy = Files.writeString(
                dir.resolve("policy.json"),
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"extenders\":[{\"urlPrefix\":\"http://127.0.0.1:1\","
                        + "\"filterVerb\":\"filter\",\"weight\":1}]}");
        CommandRun run = CommandRun.of(
                "simulate", "--policy", policy.toString(), "--cluster", dump.toString(), "--call-extenders");
        assertEquals(ExitCode.NEGATIVE, run.code());
        assertTrue(run.out().contains("dial tcp 127.0.0.1:1: connect: connection refused"), run.out());
    }

    @Test
    void refusesAnAddressThatCannotBe(@TempDir Path dir) throws Exception {
        Path dump = Files.writeString(dir.resolve("dump.json"), NODE);
        CommandRun run = CommandRun.of(
                "extender", "--provider", "DefaultProvider", "--port", "70000", "--cluster", dump.toString());
        assertEquals(ExitCode.BAD_INPUT, run.code());
        assertEquals(
                "error: --port: 70000 is not in the valid range [0-65535]",
                run.err().strip());
    }
}
