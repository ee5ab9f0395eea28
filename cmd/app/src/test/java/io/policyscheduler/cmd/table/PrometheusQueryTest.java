package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What answers of Prometheus come to. */
class PrometheusQueryTest {
    private final HttpServer server;
    private final Path policy;
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile String answer = "";
    private volatile int code = 200;
    private volatile String seen = "";

    PrometheusQueryTest(@TempDir Path folder) throws IOException {
        policy = folder.resolve("policy.yaml");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void serve() {
        server.createContext("/prom/api/v1/query", exchange -> {
            seen = exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization");
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.createContext("/endless", exchange -> {
            byte[] piece = " ".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                while (end.getCount() > 0) {
                    out.write(piece);
                }
            } catch (IOException e) {
                end.countDown();
            }
        });
        server.createContext("/silent", exchange -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
    }

    private PrometheusQuery query(String path, @Nullable String token, Duration timeout) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + path;
        return new PrometheusQuery(
                new TableOrigin.Prometheus(
                        url, "sum by (node) (up) + 1", "node", Duration.ofSeconds(30), timeout, token, null, true),
                policy);
    }

    /** The query stops at the limit, and closes the connection, so that the server cannot send more. The kernel buffers some of it. */
    @Test
    void anEndlessAnswerEndsAtTheLimit() throws InterruptedException {
        String failure = measured(query("/endless", null, Duration.ofSeconds(20)));
        assertTrue(failure.contains("the response is longer than 4194304 bytes"), failure);
        end.await();
    }

    private static String measured(PrometheusQuery query) {
        try (query) {
            Map<String, String> shown = new TreeMap<>();
            query.measure().forEach((key, sample) -> shown.put(key, sample.row().get("") + "@" + sample.time()));
            return shown.toString();
        } catch (MeasureException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "[{'metric':{'node':'a'},'value':[1435781451.781,'0.5']},{'metric':{'node':'b'},'value':[1435781450,'-0']}]"
                        + " => {a=0.5@2015-07-01T20:10:51.781Z, b=0.0@2015-07-01T20:10:50Z}",
                "[{'metric':{'node':'a'},'value':[1,'NaN']},{'metric':{'node':'b'},'value':[1,'+Inf']}] => {}",
                "[{'metric':{},'value':[1,'7']},{'metric':{'node':'b'},'value':[1,'1e3']}] => {b=1000.0@1970-01-01T00:00:01Z}",
                "[] => {}",
                "[{'metric':{'instance':'a'},'value':[1,'7']}] => no sample has the label node; keep it in the query, as by"
                        + " (node)",
                "[{'metric':{'node':'a'},'value':[1,'7']},{'metric':{'node':'a'},'value':[1,'8']}] => several samples with"
                        + " node=\"a\"; write a query with one for each, such as sum by (node) (...)",
                "[{'metric':{'node':'a'},'value':7}] => a sample is not [time, \"value\"]",
                "[{'metric':{'node':'a'},'value':[1e999,'7']}] => a sample is not [time, \"value\"]",
                "[{'metric':{'node':'a'},'value':['1','7']}] => a sample is not [time, \"value\"]",
                "[{'metric':{'node':'a'},'value':[]}] => a sample is not [time, \"value\"]",
                "[{'metric':{'node':'a'}}] => a sample is not [time, \"value\"]",
                "[{'metric':{'node':'a'},'value':[1e300,'7']}] => {a=7.0@+292278994-08-17T07:12:55.807Z}",
                "[{'metric':{'node':'a'},'value':[-1e300,'7']}] => {a=7.0@-292275055-05-16T16:47:04.192Z}",
                "[{'metric':{'node':'a'},'value':[1,'1e999']}] => {}",
                "[{'metric':{'node':'a'},'value':[1,{}]}] => {}",
                "[{'metric':[],'value':[1,'7']}] => no sample has the label node; keep it in the query, as by (node)",
                "[{'metric':{'node':''},'value':[1,'7']}] => a value of the label node is no key: it has 1 to 512 visible"
                        + " characters",
            })
    void vectors(String result, String expected) {
        answer = "{'status':'success','data':{'resultType':'vector','result':RESULT}}"
                .replace("RESULT", result)
                .replace('\'', '"');
        assertEquals(expected, measured(query("/prom", null, Duration.ofSeconds(10))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "200 => {'status':'success','data':{'resultType':'scalar','result':[1,'2']}} => the query gives a scalar, not"
                        + " a vector; write an instant query with a sample for each node",
                "400 => {'status':'error','errorType':'bad_data','error':'parse error at char 3'} => parse error at char 3",
                "503 => busy => HTTP 503: busy",
                "200 => <html> => the answer is no JSON",
            })
    void errors(int status, String body, String expected) {
        code = status;
        answer = body.replace('\'', '"');
        assertEquals(expected, measured(query("/prom", null, Duration.ofSeconds(10))));
    }

    @Test
    void theQueryAndTheTokenAreSent() throws IOException {
        answer = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}";
        PrometheusQuery query = query("/prom", "token", Duration.ofSeconds(10));
        assertThrows(MeasureException.class, query::measure, "no token yet");
        Files.writeString(policy.resolveSibling("token"), "secret\n");
        assertEquals("{}", measured(query));
        assertEquals("/prom/api/v1/query?query=sum%20by%20%28node%29%20%28up%29%20%2B%201 Bearer secret", seen);
    }

    @Test
    void aServerThatIsSilentOrGoneIsNotWaitedFor() {
        String silent = measured(query("/silent", null, Duration.ofMillis(200)));
        PrometheusQuery gone = query("/prom", null, Duration.ofSeconds(10));
        stop();
        String refused = measured(gone);
        assertAll(
                () -> assertTrue(silent.startsWith("GET /api/v1/query: "), silent),
                () -> assertEquals("GET /api/v1/query: connection refused", refused));
    }
}
