package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.TestClock;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A cluster with controllers on a virtual clock; its scheduler binds every pod to the first feasible node. */
public final class Playground implements AutoCloseable {
    private final TestClock clock = new TestClock();
    private final EmbeddedControlPlane cluster;

    /** Creates one with the given nodes. */
    public Playground(String... nodes) throws IOException {
        cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .clock(clock)
                .random(new Random(1))
                .start();
        for (String node : nodes) {
            cluster.load(Manifests.json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + node
                    + "'},'status':{'capacity':{'cpu':'4','memory':'8Gi','pods':'110'},"
                    + "'conditions':[{'type':'Ready','status':'True','reason':'KubeletReady'}]}}"));
        }
        cluster.startControllers();
        settle();
    }

    public EmbeddedControlPlane cluster() {
        return cluster;
    }

    /** Sends a request; the body may have single quotes. */
    public Response send(String method, String path, String body) {
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        return cluster.call(method, path, type, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Creates an object and runs all controllers. */
    public void create(String path, String body) {
        Response response = send("POST", path, body);
        if (response.code() >= 300) {
            throw new IllegalStateException(response.body().toString());
        }
        settle();
    }

    public void patch(String path, String body) {
        Response response = send("PATCH", path, body);
        if (response.code() >= 300) {
            throw new IllegalStateException(response.body().toString());
        }
        settle();
    }

    public void delete(String path, String options) {
        send("DELETE", path, options);
        settle();
    }

    /** Runs controllers, scheduler, and kubelets until nothing changes, without advancing the clock. */
    public void settle() {
        long before = -1;
        while (before != cluster.store().resourceVersion()) {
            before = cluster.store().resourceVersion();
            step();
        }
    }

    /** Runs each of them once. */
    public void step() {
        cluster.tick();
        cluster.list("pods").forEach(this::bind);
    }

    private void bind(ObjectNode pod) {
        if (!Json.text(pod, "spec", "nodeName").isEmpty()) {
            return;
        }
        String requiredName = pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                        + "/nodeSelectorTerms/0/matchFields/0/values/0")
                .asText();
        for (ObjectNode node : cluster.list("nodes")) {
            String name = Json.text(node, "metadata", "name");
            boolean free =
                    requiredName.isEmpty() ? node.path("spec").path("taints").isEmpty() : name.equals(requiredName);
            if (free) {
                String path = "/api/v1/namespaces/" + Json.text(pod, "metadata", "namespace") + "/pods/"
                        + Json.text(pod, "metadata", "name") + "/binding";
                String bound = Json.text(pod, "metadata", "name");
                send(
                        "POST",
                        path,
                        "{'metadata':{'name':'" + bound + "'},'target':{'kind':'Node','name':'" + name + "'}}");
                return;
            }
        }
    }

    /** Advances the clock second by second. */
    public void pass(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            clock.advance(Duration.ofSeconds(1));
            settle();
        }
    }

    /** Advances the clock in one step. */
    public void jump(Duration time) {
        clock.advance(time);
        settle();
    }

    /** Returns the value at a path of an object of the namespace default, or of a cluster-wide object; empty if it does not exist. */
    public String at(String resource, String name, String path) {
        return cluster.get(resource, "default", name)
                .or(() -> cluster.get(resource, "", name))
                .map(object -> object.at(path))
                .map(node -> node.isValueNode() ? node.asText() : node.isMissingNode() ? "" : node.toString())
                .orElse("");
    }

    /** Returns the names of all objects of a resource. */
    public List<String> names(String resource) {
        return cluster.list(resource).stream()
                .map(object -> Json.text(object, "metadata", "name"))
                .toList();
    }

    /** Returns the number of objects of a resource with a text at a path. */
    public long count(String resource, String path, String text) {
        return cluster.list(resource).stream()
                .map(object -> (JsonNode) object)
                .filter(object -> object.at(path).asText("").equals(text))
                .count();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
