package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrometheusImportTest {
    private static final String POD = "namespace='shop',pod='%s',uid='u-%1$s'";

    private final HttpServer server;
    private final Path folder;
    private final List<String> queries = new CopyOnWriteArrayList<>();
    /** Results by the end of the window and the start of the query. */
    private final TreeMap<String, String> results = new TreeMap<>();

    PrometheusImportTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void serve() {
        server.createContext("/prom/api/v1/query", exchange -> {
            String query = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), StandardCharsets.UTF_8);
            queries.add(query + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            String found = "";
            for (String key : results.keySet()) {
                String[] parts = key.split(" ", 2);
                if (query.startsWith("time=" + parts[0] + "&") && query.contains(parts[1])) {
                    found = results.get(key);
                }
            }
            byte[] body = (found.startsWith("{\"status\"") || found.equals("{}")
                            ? found
                            : "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + found
                                    + "]}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(found.startsWith("{\"status\":\"error\"") ? 400 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static String sample(String labels, String value) {
        return "{\"metric\":{\"" + labels.replace("'", "\"").replace("=", "\":").replace(",", ",\"")
                + "},\"value\":[1767229200.5,\"" + value + "\"]}";
    }

    private static String pod(String name) {
        return String.format(POD, name);
    }

    private CommandRun convert(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "lab",
                "import",
                "prometheus",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/prom",
                "--from",
                "2026-01-01T00:00:00Z",
                "--out",
                folder.resolve("trace").toString()));
        all.addAll(List.of(more));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @Test
    void readsKubeStateMetrics() throws IOException {
        // 2026-01-01T00:00:00Z is 1767225600. The windows end after one hour and after 90 minutes.
        String first = "1767229200 ";
        String second = "1767231000 ";
        String created = "=last_over_time(kube_pod_created[";
        results.put(
                first + created,
                sample(pod("old"), "1767220000") + ","
                        + sample(pod("done"), "1767220001") + ","
                        + sample(pod("job"), "1.7672256e+09") + ","
                        + sample(pod("agent"), "1767226000"));
        results.put(
                first + "timestamp(kube_pod_created)[3600s:60s]",
                sample(pod("old"), "1767227400") + "," + sample(pod("agent"), "1767229200"));
        results.put(second + created, sample(pod("agent"), "1767226000") + "," + sample(pod("web"), "1767229300"));
        results.put(
                second + "timestamp(kube_pod_created)[1800s:60s]",
                sample(pod("agent"), "1767231000") + "," + sample(pod("web"), "1767231000"));
        results.put(
                first + "kube_pod_info{node!=\"\"}",
                sample(pod("agent") + ",node='n1',host_ip='10.0.0.1'", "1") + ","
                        + sample(pod("old") + ",node='n0'", "1"));
        results.put(first + "kube_pod_start_time", sample(pod("job"), "1767225610"));
        results.put(
                first + "kube_pod_completion_time",
                sample(pod("job"), "1767225670") + "," + sample(pod("done"), "1767220060"));
        results.put(
                first + "kube_pod_owner",
                sample(pod("agent") + ",owner_kind='DaemonSet',owner_name='agents',owner_is_controller='true'", "1")
                        + ","
                        + sample(pod("old") + ",owner_kind='<none>',owner_name='<none>'", "1") + ","
                        + sample(pod("job") + ",owner_kind='Job',owner_name='nightly'", "1"));
        results.put(
                first + "kube_pod_container_resource_requests",
                sample(pod("job") + ",container='a',resource='cpu'", "0.5") + ","
                        + sample(pod("job") + ",container='b',resource='cpu'", "1") + ","
                        + sample(pod("job") + ",container='a',resource='memory'", "1.073741824e+09") + ","
                        + sample(pod("job") + ",container='a',resource='nvidia_com_gpu'", "1"));
        results.put(
                first + "kube_node_status_allocatable",
                sample("node='n0',resource='cpu',unit='core'", "3.92") + ","
                        + sample("node='n0',resource='pods',unit='integer'", "110") + ","
                        + sample("node='n0',resource='memory',unit='byte'", "3.3554432e+10") + ","
                        + sample("node='n0',resource='nvidia_com_gpu',unit='integer'", "2") + ","
                        + sample("node='n1',resource='cpu',unit='core'", "4"));
        results.put(
                first + "kube_node_labels",
                sample("node='n0',label_topology_kubernetes_io_zone='a',label_team='x'", "1"));
        Path token = Files.writeString(folder.resolve("token"), "secret");
        CommandRun run = convert("--to", "2026-01-01T01:30:00Z", "--bearer-token-file", token.toString());
        assertEquals("wrote 2 nodes and 4 arrivals to " + folder.resolve("trace") + "\n", run.out(), run.err());
        assertEquals("""
            time,duration,end,name,namespace,owner,selector.kubernetes.io/hostname,cpu,memory,request.prometheus/nvidia_com_gpu
            2026-01-01T00:00:00Z,,2026-01-01T00:30:00Z,old,shop,,,,,
            2026-01-01T00:00:00Z,60,,job,shop,nightly,,1.5,1073741824,1
            2026-01-01T00:06:40Z,,,agent,shop,agents,n1,,,
            2026-01-01T01:01:40Z,,,web,shop,,,,,
            """, Files.readString(folder.resolve("trace/arrivals.csv")));
        JsonNode nodes = new ObjectMapper()
                .readTree(folder.resolve("trace/cluster.json").toFile())
                .path("items");
        assertEquals(
                "{\"cpu\":\"3.92\",\"memory\":\"33554432000\",\"pods\":\"110\",\"prometheus/nvidia_com_gpu\":\"2\"}",
                nodes.at("/0/status/allocatable").toString());
        assertEquals(
                "{\"topology.kubernetes.io/zone\":\"a\",\"kubernetes.io/hostname\":\"n0\"}",
                nodes.at("/0/metadata/labels").toString());
        assertEquals(18, queries.size());
        assertTrue(queries.stream().allMatch(query -> query.endsWith(" Bearer secret")), queries::toString);
        CommandRun result = CommandRun.of(
                "lab", "run", "modern", "--trace", folder.resolve("trace").toString(), "--warm-up", "0s", "-o", "json");
        assertEquals(
                4,
                new ObjectMapper()
                        .readTree(result.out())
                        .at("/metrics/pods.placed")
                        .asInt(),
                result.err());
    }

    @Test
    void namesWhatIsWrong() {
        String place = "error: http://127.0.0.1:" + server.getAddress().getPort() + "/prom: ";
        assertTrue(convert().err().contains("prometheus requires --from TIME and --to TIME, which is later"));
        assertEquals(
                place + "there are no samples of kube_pod_created from 2026-01-01T00:00:00Z to 2026-01-01T01:00:00Z\n",
                convert("--to", "2026-01-01T01:00:00Z").err());
        results.put("1767229200 kube_pod_info", sample(pod("a") + ",node='n'", "x"));
        results.put("1767229200 kube_pod_start_time", sample(pod("a"), "NaN"));
        assertEquals(
                place + "the sample \"NaN\" is not a number\n",
                convert("--to", "2026-01-01T01:00:00Z").err());
        results.put(
                "1767229200 kube_pod_info",
                "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}");
        assertEquals(
                place + "parse error\n", convert("--to", "2026-01-01T01:00:00Z").err());
        results.put("1767229200 kube_pod_info", "{}");
        assertEquals(
                place + "this is no answer of Prometheus: HTTP 200\n",
                convert("--to", "2026-01-01T01:00:00Z").err());
    }
}
