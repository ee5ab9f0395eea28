package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Manifests for the tests of this package. */
public final class Manifests {
    private Manifests() {}

    /** Parses JSON that may use single quotes. */
    public static ObjectNode json(String text) {
        try {
            return (ObjectNode) Json.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode pod(String name) {
        return json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name + "','labels':{'app':'" + name
                + "'}},'spec':{'containers':[{'name':'c','image':'nginx:1'}]}}");
    }

    static ObjectNode boundPod(String name, String node) {
        ObjectNode pod = pod(name);
        Json.child(pod, "spec").put("nodeName", node);
        return pod;
    }

    static ObjectNode node(String name) {
        return json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name
                + "'},'status':{'capacity':{'cpu':'4','memory':'8Gi','pods':'110'},"
                + "'conditions':[{'type':'Ready','status':'True'}],"
                + "'addresses':[{'type':'InternalIP','address':'192.168.0.1'}]}}");
    }

    static ObjectNode event(String name, String pod, String reason, String message) {
        return json("{'apiVersion':'v1','kind':'Event','metadata':{'name':'" + name + "','namespace':'default'},"
                + "'involvedObject':{'kind':'Pod','namespace':'default','name':'" + pod + "'},'reason':'" + reason
                + "','message':'" + message + "','type':'Normal','lastTimestamp':'2024-01-01T00:00:00Z'}");
    }

    static ObjectNode binding(String pod, String node) {
        return json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'" + pod
                + "'},'target':{'apiVersion':'v1','kind':'Node','name':'" + node + "'}}");
    }
}
