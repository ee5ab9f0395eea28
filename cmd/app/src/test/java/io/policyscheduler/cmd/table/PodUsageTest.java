package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.server.TestAuthority;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.PodUsage.PrometheusServer;
import io.policyscheduler.cmd.table.PodUsage.Use;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodUsageTest {
    /** The query of the CPU and that of the memory each know a pod that the other does not. */
    @Test
    void joinsTheMetricsOfPrometheus() throws IOException, MeasureException {
        List<String> queries = new ArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/prom/api/v1/query", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            queries.add(query);
            boolean cpu = query.contains("cpu");
            String body = "{'status':'success','data':{'resultType':'vector','result':["
                    + "{'metric':{'key':'shop/web'},'value':[1,'" + (cpu ? "0.25" : "1e9") + "']},"
                    + "{'metric':{'key':'shop/" + (cpu ? "new" : "old") + "'},'value':[1,'-1']}]}}";
            byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/prom";
        PrometheusServer address = new PrometheusServer(url, null, null);
        try (PodUsage often = PodUsage.ofPrometheus(address, Duration.ofSeconds(30));
                PodUsage usage = PodUsage.ofPrometheus(address, Duration.ofMinutes(5))) {
            often.measure();
            assertEquals(Map.of("shop/web", new Use(0.25, 1e9)), usage.measure());
        } finally {
            server.stop(0);
        }
        String key = ", \"key\", \"/\", \"namespace\", \"pod\")";
        String containers = "{container!=\"\",container!=\"POD\"}";
        String memory =
                "query=label_join(sum by (namespace, pod) (container_memory_working_set_bytes" + containers + ")" + key;
        assertEquals(
                List.of(
                        "query=label_join(sum by (namespace, pod) (rate(container_cpu_usage_seconds_total" + containers
                                + "[120s]))" + key,
                        memory,
                        "query=label_join(sum by (namespace, pod) (rate(container_cpu_usage_seconds_total" + containers
                                + "[300s]))" + key,
                        memory),
                queries);
    }

    /** A server with a certificate of an own CA, which requires the token "secret". */
    @Test
    void connectsWithATokenAndACa(@TempDir Path folder) throws IOException {
        TestAuthority authority = new TestAuthority("monitoring");
        HttpsServer server = authority.https("localhost");
        server.createContext("/api/v1/query", exchange -> {
            boolean known = "Bearer secret".equals(exchange.getRequestHeaders().getFirst("Authorization"));
            String body = known
                    ? "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":"
                            + "[{\"metric\":{\"key\":\"shop/web\"},\"value\":[1,\"2\"]}]}}"
                    : "Unauthorized";
            exchange.sendResponseHeaders(known ? 200 : 401, body.length());
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        String ca = Files.writeString(folder.resolve("ca.pem"), authority.pem()).toString();
        String other = Files.writeString(folder.resolve("other.pem"), new TestAuthority("other").pem())
                .toString();
        String token = Files.writeString(folder.resolve("token"), "secret\n").toString();
        String wrong = Files.writeString(folder.resolve("wrong"), "guess\n").toString();
        String missing = folder.resolve("missing").toString();
        String url = "https://localhost:" + server.getAddress().getPort();
        String unknown = "GET /api/v1/query: no known CA has signed the certificate of the server";
        assertAll(
                () -> assertEquals("{shop/web=Use[cores=2.0, bytes=2.0]}", measured(url, token, ca)),
                () -> assertEquals("HTTP 401: Unauthorized", measured(url, null, ca)),
                () -> assertEquals("HTTP 401: Unauthorized", measured(url, wrong, ca)),
                () -> assertEquals(unknown, measured(url, token, null)),
                () -> assertEquals(unknown, measured(url, token, other)),
                () -> assertEquals("server " + url + ": " + missing + ": no such file", measured(url, token, missing)));
        server.stop(0);
    }

    private static String measured(String url, @Nullable String token, @Nullable String ca) {
        try (PodUsage usage = PodUsage.ofPrometheus(new PrometheusServer(url, token, ca), Duration.ofMinutes(5))) {
            return usage.measure().toString();
        } catch (MeasureException | ClusterException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static PodUsage ofMetricsApi(String items) {
        return PodUsage.ofMetricsApi(KubeConnection.ofAnswers(
                Map.of("/apis/metrics.k8s.io/v1beta1/pods", ("{'items':[" + items + "]}").replace('\'', '"'))));
    }

    @Test
    void addsTheContainersOfTheMetricsApi() throws MeasureException {
        String web =
                "{'metadata':{'namespace':'shop','name':'web'},'containers':[{'usage':{'cpu':'250m','memory':'1Ki'}},"
                        + "{'usage':{'cpu':'1n','memory':'1'}}]}";
        try (PodUsage usage = ofMetricsApi(web)) {
            assertEquals(Map.of("shop/web", new Use(0.25 + 1e-9, 1025)), usage.measure());
        }
        try (PodUsage usage = ofMetricsApi(web.replace("250m", "much"))) {
            assertEquals(
                    "usage.cpu \"much\" is no quantity",
                    assertThrows(MeasureException.class, usage::measure).getMessage());
        }
        try (PodUsage usage = PodUsage.ofMetricsApi(KubeConnection.ofAnswers(Map.of()))) {
            assertEquals(
                    "the cluster has no API metrics.k8s.io; install metrics-server",
                    assertThrows(MeasureException.class, usage::measure).getMessage());
        }
    }
}
