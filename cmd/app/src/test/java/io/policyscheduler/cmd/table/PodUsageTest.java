package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.PodUsage.Use;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
        try (PodUsage often = PodUsage.ofPrometheus(url, Duration.ofSeconds(30));
                PodUsage usage = PodUsage.ofPrometheus(url, Duration.ofMinutes(5))) {
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
