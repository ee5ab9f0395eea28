package io.policyscheduler.cmd.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims that cannot be allocated: the reason for each device, and the effect of earlier pods. */
class ExplainDevicesTest {
    private static final String DUMP = """
            ---
            {apiVersion: v1, kind: Node, metadata: {name: n0}, status: {allocatable: {cpu: "8", pods: "110"}}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu},
             spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: of-n0},
             spec: {driver: gpu.example.com, nodeName: n0, pool: {name: n0, generation: 1, resourceSliceCount: 1},
              devices: [{name: a, attributes: {model: {string: l4}}}, {name: b, attributes: {model: {string: h100}}},
                        {name: c, attributes: {model: {string: h100}}}]}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: many, namespace: default, uid: m},
             spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2, selectors:
              [{cel: {expression: "device.attributes['gpu.example.com'].model == 'h100'"}}]}}]}}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: one, namespace: default, uid: o},
             spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, selectors:
              [{cel: {expression: "device.attributes['gpu.example.com'].model == 'h100'"}}]}}]}},
             status: {allocation: {devices: {results:
              [{request: r, driver: gpu.example.com, pool: n0, device: b}]}}}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: greedy, namespace: default, uid: p1},
             spec: {containers: [{name: x, image: i}], resourceClaims: [{name: k, resourceClaimName: many}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: modest, namespace: default, uid: p2},
             spec: {containers: [{name: x, image: i}], resourceClaims: [{name: k, resourceClaimName: one}]}}
            """;

    private static String run(Path folder, String... args) throws IOException {
        Path dump = Files.writeString(folder.resolve("world.yaml"), DUMP);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--cluster";
        all[args.length + 1] = dump.toString();
        Main.run(all, out, err);
        return out.toString();
    }

    @Test
    void eachDeviceIsToldApart(@TempDir Path folder) throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(run(folder, "explain", "default/greedy", "--profile", "modern", "-o", "json"));
        StringBuilder said = new StringBuilder();
        json.path("devices")
                .path("n0")
                .forEach(verdict -> said.append(verdict.path("request").asText())
                        .append(' ')
                        .append(verdict.path("device").asText())
                        .append(" of ")
                        .append(verdict.path("slice").asText())
                        .append(": ")
                        .append(verdict.path("why").asText())
                        .append('\n'));
        assertEquals("""
                r gpu.example.com/n0/a of of-n0: claim default/many, selector #0 is false: \
                device.attributes['gpu.example.com'].model == 'h100'
                r gpu.example.com/n0/b of of-n0: in use
                r gpu.example.com/n0/c of of-n0: matches; the request needs 2 such devices
                """, said.toString());
        String text = run(folder, "explain", "default/greedy", "--profile", "modern");
        assertTrue(text.contains("NODE   REQUEST          DEVICE                 SLICE   REASON"), text);
    }

    @Test
    void aSimulationGivesClaimsToPods(@TempDir Path folder) throws IOException {
        String text = run(folder, "simulate", "--profile", "modern");
        assertTrue(
                text.startsWith("1 of 2 pending pods is placed, 1 is unschedulable.\n"
                        + "Most common reason: cannot allocate all claims (1 pod).\n"),
                text);
    }
}
