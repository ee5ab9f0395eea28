package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/** Workloads of pods with different scheduling costs. Pod numbers assign pods to one of a hundred apps. */
public enum Workload {
    /** Equal pods with requests for CPU and memory only. */
    BASIC("equal pods"),
    /** Each pod has different requests and labels. */
    DISTINCT("every pod is different"),
    /** Pods of services, spread over nodes and zones. */
    SPREAD("spread by services"),
    /** Required anti-affinity: one pod of an app per node. */
    ANTI_AFFINITY_HOST("required anti-affinity by hostname"),
    /** Required affinity: all pods of an app in one zone. */
    AFFINITY_ZONE("required affinity by zone"),
    /** Pods of an app prefer to share a node. */
    PREFERRED_HOST("preferred affinity by hostname"),
    /** All others in turn. */
    MIXED("all of these, in turn"),
    /** Each pod requires preemption, on nodes that are full of pods of lower priority. */
    PREEMPTION("preemption on full nodes");

    private static final int APPS = 100;
    private static final int ROOM_CORES = 8;
    private static final int URGENT = 1000;
    private static final int FILLER_PRIORITIES = 10;
    private static final String HOST = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final String title;

    Workload(String title) {
        this.title = title;
    }

    /** A short description. */
    public String title() {
        return title;
    }

    /** Name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The pod with this number, as an API object without a node. */
    ObjectNode pod(int number) {
        if (this == MIXED) {
            return values()[number % MIXED.ordinal()].pod(number);
        }
        int app = number % APPS;
        ObjectNode pod = JsonNodeFactory.instance.objectNode().put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata")
                .put("name", "pod-" + number)
                .put("namespace", "bench")
                .put("uid", "uid-" + number);
        ObjectNode labels = metadata.putObject("labels").put("kind", toString()).put("app", "app-" + app);
        ObjectNode requests = pod.withObject("/spec")
                .putArray("containers")
                .addObject()
                .put("name", "c")
                .put("image", "registry.example.com/app-" + app + ":1")
                .putObject("resources")
                .putObject("requests");
        requests.put("cpu", "100m").put("memory", "500Mi");
        switch (this) {
            case BASIC -> labels.put("app", "basic");
            case DISTINCT -> {
                labels.put("serial", "s-" + number);
                requests.put("cpu", (50 + number % 97) + "m").put("memory", (100 + number % 89) + "Mi");
            }
            case SPREAD -> labels.put("service", "svc-" + app);
            case ANTI_AFFINITY_HOST -> term(pod, "podAntiAffinity", true, app, HOST);
            case AFFINITY_ZONE -> term(pod, "podAffinity", true, app, ZONE);
            case PREFERRED_HOST -> term(pod, "podAffinity", false, app, HOST);
            case PREEMPTION -> {
                pod.withObject("/spec").put("priority", URGENT);
                requests.put("cpu", ROOM_CORES + "");
            }
            default -> throw new IllegalStateException("no pod of its own: " + this);
        }
        return pod;
    }

    private void term(ObjectNode pod, String kind, boolean required, int app, String topologyKey) {
        ObjectNode affinity = pod.withObject("/spec/affinity/" + kind);
        ObjectNode term;
        if (required) {
            term = affinity.putArray("requiredDuringSchedulingIgnoredDuringExecution")
                    .addObject();
        } else {
            term = affinity.putArray("preferredDuringSchedulingIgnoredDuringExecution")
                    .addObject()
                    .put("weight", 10)
                    .putObject("podAffinityTerm");
        }
        term.put("topologyKey", topologyKey);
        term.putObject("labelSelector")
                .putObject("matchLabels")
                .put("kind", toString())
                .put("app", "app-" + app);
    }

    /** Whether its pods are infeasible on all nodes without preemption. */
    public boolean preempts() {
        return this == PREEMPTION;
    }

    /** A pod that fills a node: two of them make room for a {@link #PREEMPTION} one. */
    static ObjectNode filler(int number) {
        ObjectNode pod = BASIC.pod(number);
        pod.withObject("/spec").put("priority", number % FILLER_PRIORITIES);
        ((ObjectNode) pod.at("/spec/containers/0/resources/requests")).put("cpu", ROOM_CORES / 2 + "");
        return pod;
    }

    /** The number of {@link #filler} pods that fill a node. */
    static int fillers(int cores) {
        return cores / (ROOM_CORES / 2);
    }

    /** The services of this workload's apps. */
    static ObjectNode service(int app) {
        ObjectNode service = JsonNodeFactory.instance.objectNode().put("kind", "Service");
        service.putObject("metadata").put("name", "svc-" + app).put("namespace", "bench");
        service.putObject("spec").putObject("selector").put("service", "svc-" + app);
        return service;
    }

    /** Number of apps, and of services. */
    static int apps() {
        return APPS;
    }
}
