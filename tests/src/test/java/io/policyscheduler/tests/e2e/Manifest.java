package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;

/** Manifests as a user would write them. */
public final class Manifest {
    /** The name of the scheduler under test. */
    public static final String SCHEDULER = "policy-scheduler";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Manifest() {}

    /** Parses an object of JSON that may use single quotes. */
    public static ObjectNode json(String text) {
        return (ObjectNode) any(text);
    }

    /** Parses any JSON that may use single quotes. */
    public static JsonNode any(String text) {
        try {
            return MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static ObjectNode node(String name, String cpu) {
        return json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name + "','labels':{'name':'" + name
                + "'}},'status':{'capacity':{'cpu':'" + cpu + "','memory':'64Gi','pods':'110'},'allocatable':{'cpu':'"
                + cpu + "','memory':'64Gi','pods':'110'},'conditions':[{'type':'Ready','status':'True'}]}}");
    }

    /** A pod of the scheduler under test that requests CPU only. */
    public static ObjectNode pod(String name, String cpu) {
        return json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "','namespace':'default','labels':{'app':'e2e'}},'spec':{'schedulerName':'" + SCHEDULER
                + "','terminationGracePeriodSeconds':0,'containers':[{'name':'c','image':'nginx:1',"
                + "'resources':{'requests':{'cpu':'" + cpu + "'}}}]}}");
    }

    public static ObjectNode podOf(String schedulerName, String name, String cpu) {
        ObjectNode pod = pod(name, cpu);
        pod.withObject("/spec").put("schedulerName", schedulerName);
        return pod;
    }

    public static ObjectNode podWithSelector(String name, String cpu, String label, String value) {
        ObjectNode pod = pod(name, cpu);
        pod.withObject("/spec/nodeSelector").put(label, value);
        return pod;
    }

    public static ObjectNode podWithPriority(String name, String cpu, String priorityClass) {
        ObjectNode pod = pod(name, cpu);
        pod.withObject("/spec").put("priorityClassName", priorityClass);
        return pod;
    }

    public static ObjectNode priorityClass(String apiVersion, String name, int value) {
        return json("{'apiVersion':'" + apiVersion + "','kind':'PriorityClass','metadata':{'name':'" + name
                + "'},'value':" + value + "}");
    }

    /** Mounts a claim in the pod. */
    public static ObjectNode withClaim(ObjectNode pod, String claim) {
        pod.withObject("/spec")
                .putArray("volumes")
                .addObject()
                .put("name", "v")
                .putObject("persistentVolumeClaim")
                .put("claimName", claim);
        return pod;
    }
}
