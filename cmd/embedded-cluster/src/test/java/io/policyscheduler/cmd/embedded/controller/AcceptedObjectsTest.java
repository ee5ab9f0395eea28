package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.TestClock;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Objects of each kind with a field that is missing or has another type: the server answers with a Status, never with an error of its
 * own, and no controller or kubelet fails on an object that it accepts.
 */
class AcceptedObjectsTest {
    private static final String POD = "{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'},"
            + "'limits':{'cpu':'1'}},'ports':[{'containerPort':80}]}],'nodeSelector':{'a':'b'},'tolerations':[{'key':'k',"
            + "'operator':'Exists'}],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'x'}},{'name':'e','ephemeral':"
            + "{'volumeClaimTemplate':{'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}}}}}]";
    private static final String TEMPLATE = "'template':{'metadata':{'labels':{'a':'b'}},'spec':" + POD + "}}";
    private static final String ONCE =
            "'template':{'metadata':{'labels':{'a':'b'}},'spec':" + POD + ",'restartPolicy':'Never'}}";
    private static final String SELECTOR =
            "'selector':{'matchLabels':{'a':'b'},'matchExpressions':[{'key':'a','operator':"
                    + "'In','values':['b']}]},";
    private static final String CLAIM =
            "{'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','count':1}}]}}";

    /** By qualified name: the fields of a full object of a kind besides its metadata. */
    static final Map<String, String> FULL = new TreeMap<>(Map.ofEntries(
            Map.entry("configmaps", "{'data':{'a':'b'}}"),
            Map.entry("endpoints", "{'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80}]}]}"),
            Map.entry("events", "{'involvedObject':{'kind':'Pod','namespace':'default','name':'p'},'reason':'r'}"),
            Map.entry(
                    "events.events.k8s.io",
                    "{'regarding':{'kind':'Pod','namespace':'default','name':'p'},'reason':'r','action':'a','type':'Normal',"
                            + "'eventTime':'2024-01-01T00:00:00.000000Z','reportingController':'c',"
                            + "'reportingInstance':'i','note':'n'}"),
            Map.entry("limitranges", "{'spec':{'limits':[{'type':'Container','max':{'cpu':'2'},'min':{'cpu':'1m'}}]}}"),
            Map.entry("namespaces", "{'spec':{'finalizers':['kubernetes']}}"),
            Map.entry(
                    "nodes",
                    "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}],'unschedulable':true},'status':{'capacity':{'cpu':'1',"
                            + "'pods':'3'},'conditions':[{'type':'Ready','status':'True'}]}}"),
            Map.entry(
                    "persistentvolumeclaims",
                    "{'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}},"
                            + "'storageClassName':'s',"
                            + SELECTOR.substring(0, SELECTOR.length() - 1) + "}}"),
            Map.entry(
                    "persistentvolumes",
                    "{'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'hostPath':{'path':'/m'},"
                            + "'storageClassName':'s','nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':"
                            + "[{'key':'a','operator':'In','values':['b']}]}]}},'claimRef':{'namespace':'default',"
                            + "'name':'x'}}}"),
            Map.entry("pods", "{'spec':" + POD + "}}"),
            Map.entry("replicationcontrollers", "{'spec':{'replicas':1,'selector':{'a':'b'}," + TEMPLATE + "}}"),
            Map.entry("secrets", "{'type':'Opaque','data':{'a':'YQ=='}}"),
            Map.entry("serviceaccounts", "{'secrets':[{'name':'s'}]}"),
            Map.entry("services", "{'spec':{'selector':{'a':'b'},'ports':[{'port':80,'targetPort':80}]}}"),
            Map.entry("controllerrevisions.apps", "{'revision':1,'data':{'spec':{}}}"),
            Map.entry(
                    "daemonsets.apps",
                    "{'spec':{" + SELECTOR + "'updateStrategy':{'type':'RollingUpdate'}," + TEMPLATE + "}}"),
            Map.entry(
                    "deployments.apps",
                    "{'spec':{'replicas':1," + SELECTOR
                            + "'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':'25%','maxUnavailable':1}},"
                            + TEMPLATE + "}}"),
            Map.entry("replicasets.apps", "{'spec':{'replicas':1," + SELECTOR + TEMPLATE + "}}"),
            Map.entry(
                    "statefulsets.apps",
                    "{'spec':{'replicas':1,'serviceName':'s'," + SELECTOR
                            + "'updateStrategy':{'rollingUpdate':{'partition':0}},'volumeClaimTemplates':[{'metadata':"
                            + "{'name':'d'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}}}],"
                            + TEMPLATE.replace(
                                    "'name':'c',", "'name':'c','volumeMounts':[{'name':'d','mountPath':'/d'}],")
                            + "}}"),
            Map.entry(
                    "cronjobs.batch",
                    "{'spec':{'schedule':'* * * * *','concurrencyPolicy':'Replace','startingDeadlineSeconds':100,"
                            + "'jobTemplate':{'spec':{'parallelism':1," + ONCE + "}}}}"),
            Map.entry(
                    "jobs.batch",
                    "{'spec':{'parallelism':1,'completions':2,'backoffLimit':1,'ttlSecondsAfterFinished':5," + ONCE
                            + "}}"),
            Map.entry("leases.coordination.k8s.io", "{'spec':{'holderIdentity':'h','leaseDurationSeconds':15}}"),
            Map.entry(
                    "networkpolicies.networking.k8s.io",
                    "{'spec':{'podSelector':{'matchLabels':{'a':'b'}},'policyTypes':['Ingress']}}"),
            Map.entry("poddisruptionbudgets.policy", "{'spec':{" + SELECTOR + "'minAvailable':1}}"),
            Map.entry(
                    "runtimeclasses.node.k8s.io",
                    "{'handler':'h','overhead':{'podFixed':{'cpu':'1m'}},'scheduling':{'nodeSelector':{'a':'b'}}}"),
            Map.entry(
                    "clusterrolebindings.rbac.authorization.k8s.io",
                    "{'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'r'},'subjects':"
                            + "[{'kind':'ServiceAccount','name':'s','namespace':'n'}]}"),
            Map.entry(
                    "clusterroles.rbac.authorization.k8s.io",
                    "{'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}"),
            Map.entry(
                    "rolebindings.rbac.authorization.k8s.io",
                    "{'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'r'},'subjects':"
                            + "[{'kind':'User','name':'s','apiGroup':'rbac.authorization.k8s.io'}]}"),
            Map.entry(
                    "roles.rbac.authorization.k8s.io",
                    "{'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}"),
            Map.entry("priorityclasses.scheduling.k8s.io", "{'value':1000,'globalDefault':true}"),
            Map.entry("deviceclasses.resource.k8s.io", "{'spec':{'selectors':[{'cel':{'expression':'true'}}]}}"),
            Map.entry("resourceclaims.resource.k8s.io", "{'spec':" + CLAIM + "}"),
            Map.entry(
                    "resourceclaimtemplates.resource.k8s.io",
                    "{'spec':{'metadata':{'labels':{'a':'b'}},'spec':" + CLAIM + "}}"),
            Map.entry(
                    "resourceslices.resource.k8s.io",
                    "{'spec':{'driver':'d','nodeName':'n','pool':{'name':'p','generation':1,'resourceSliceCount':1},"
                            + "'devices':[{'name':'g'}]}}"),
            Map.entry("csidrivers.storage.k8s.io", "{'spec':{'attachRequired':true,'storageCapacity':true}}"),
            Map.entry(
                    "csinodes.storage.k8s.io",
                    "{'spec':{'drivers':[{'name':'d','nodeID':'n','allocatable':{'count':3},'topologyKeys':['a']}]}}"),
            Map.entry(
                    "csistoragecapacities.storage.k8s.io",
                    "{'storageClassName':'s','capacity':'1Gi','nodeTopology':{'matchLabels':{'a':'b'}}}"),
            Map.entry(
                    "storageclasses.storage.k8s.io",
                    "{'provisioner':'policy-scheduler.io/local','volumeBindingMode':'Immediate','allowedTopologies':"
                            + "[{'matchLabelExpressions':[{'key':'a','values':['b']}]}]}"),
            Map.entry(
                    "volumeattachments.storage.k8s.io",
                    "{'spec':{'attacher':'d','nodeName':'n','source':{'persistentVolumeName':'x'}}}")));

    @ParameterizedTest
    @ValueSource(ints = {17, 36})
    void noControllerFailsOnAnAcceptedObject(int minor) throws IOException {
        Release release = new Release(minor);
        List<String> failures = new ArrayList<>();
        try (FailedReconciles log = new FailedReconciles()) {
            for (ResourceType type : new ResourceCatalog(release).types()) {
                String text = Objects.requireNonNull(FULL.get(type.qualifiedName()), type.qualifiedName());
                create(release, type, Manifests.json(text), log, failures);
            }
        }
        assertEquals("", String.join("\n", failures));
    }

    /**
     * An object without a required field, or with a field of another type, gets the messages of the API server of 1.34. For pods,
     * claims, and limits, {@code RefusalsTest} compares the messages with recorded responses of 1.34. Recordings of the other kinds are of
     * 1.20 and 1.36: their rows are derived from the validation of Kubernetes (pkg/apis/GROUP/validation) and from the texts of the decoder.
     */
    @ParameterizedTest
    @CsvFileSource(resources = "/required-fields.txt", delimiter = '|', quoteCharacter = '`')
    void requiredFieldsAreThoseOfTheRealServer(String resource, String body, int code, String message)
            throws IOException {
        Release release = Release.V1_34;
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .release(release)
                .start()) {
            ObjectNode object = Manifests.json(body);
            object.withObject("/metadata").put("name", "x");
            Response response = cluster.call(
                    "POST", path(new ResourceCatalog(release).named(resource)), "application/json", Json.bytes(object));
            assertEquals(
                    code + " " + message,
                    response.code() + " " + response.body().path("message").asText(""));
        }
    }

    /** All controllers share one thread: one that fails on an object goes on with the next one. */
    @Test
    void aFailureEndsNoController() throws IOException {
        TestClock clock = new TestClock();
        Random random = new Random(1);
        ResourceCatalog catalog = new ResourceCatalog(Release.V1_34);
        StoredObjects store = new StoredObjects(10);
        Clientset objects = new Clientset(
                store,
                catalog,
                new ObjectAdmission(store, catalog, clock, random),
                new Deletion(store, catalog, clock, true),
                clock,
                random);
        List<String> seen = new ArrayList<>();
        KeyedController controller = new KeyedController(objects, "pods") {
            @Override
            public void reconcile(ObjectNode object) {
                seen.add(Json.text(object, "metadata", "name"));
                if (seen.size() == 1) {
                    throw new IllegalStateException("a defect");
                }
            }
        };
        for (String name : List.of("a", "b")) {
            ObjectNode pod = Manifests.json("{'metadata':{'namespace':'default','name':'" + name + "'}}");
            store.create(catalog.named("pods"), pod, false);
            controller.handle(catalog.named("pods"), pod, false);
        }
        try (FailedReconciles log = new FailedReconciles()) {
            controller.work();
            assertEquals(
                    List.of("pods default/a could not be updated; the controller retries when it changes a defect"),
                    log.take());
        }
        assertEquals(List.of("a", "b"), seen);
    }

    private static void create(
            Release release, ResourceType type, ObjectNode full, FailedReconciles log, List<String> failures)
            throws IOException {
        full.putObject("metadata").put("name", "x").putObject("labels").put("a", "b");
        List<Variant> variants = variants(full);
        TestClock clock = new TestClock();
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .clock(clock)
                .release(release)
                .random(new Random(1))
                .start()) {
            cluster.load(Manifests.json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'n','labels':{'a':'b'}},"
                    + "'status':{'capacity':{'cpu':'4','pods':'9'},'conditions':[{'type':'Ready','status':'True'}]}}"));
            cluster.startControllers();
            for (Variant variant : variants) {
                Response response = cluster.call("POST", path(type), "application/json", Json.bytes(variant.object));
                boolean mustBeAccepted = variant.change.isEmpty();
                if (response.code() >= 500 || (mustBeAccepted && response.code() != 201)) {
                    failures.add(type.qualifiedName() + variant.change + ": " + response.body());
                }
                if (response.code() == 201) {
                    cluster.tick();
                    clock.advance(Duration.ofSeconds(61));
                    cluster.tick();
                    String name = Json.text(response.body(), "metadata", "name");
                    cluster.call("DELETE", path(type) + "/" + name + "?gracePeriodSeconds=0", "", new byte[0]);
                    cluster.tick();
                }
                log.take().forEach(line -> failures.add(type.qualifiedName() + variant.change + ": " + line));
            }
        }
    }

    /** The errors that controllers log instead of ending the thread that all of them share. */
    private static final class FailedReconciles extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger(KeyedController.class);
        private final List<String> lines = new ArrayList<>();

        FailedReconciles() {
            logger.addAppender(this);
            logger.setAdditive(false);
            start();
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage() + " "
                    + event.getThrowableProxy().getMessage());
        }

        List<String> take() {
            List<String> taken = List.copyOf(lines);
            lines.clear();
            return taken;
        }

        @Override
        public void close() {
            logger.detachAppender(this);
            logger.setAdditive(true);
        }
    }

    private static String path(ResourceType type) {
        String version = type.versions().get(0);
        return (type.group().isEmpty() ? "/api/" + version : "/apis/" + type.group() + "/" + version)
                + (type.namespaced() ? "/namespaces/default/" : "/")
                + type.plural();
    }

    private record Variant(String change, JsonNode object) {}

    /** The object itself, and those in which one field is missing or has another type. */
    private static List<Variant> variants(ObjectNode full) {
        List<Variant> variants = new ArrayList<>(List.of(new Variant("", full)));
        descend(full, "", full, variants);
        return variants;
    }

    private static void descend(ObjectNode full, String pointer, JsonNode node, List<Variant> variants) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                String path = pointer + "/" + field.getKey().replace("~", "~0").replace("/", "~1");
                change(full, path, variants);
                descend(full, path, field.getValue(), variants);
            });
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                change(full, pointer + "/" + i, variants);
                descend(full, pointer + "/" + i, array.get(i), variants);
            }
        }
    }

    private static void change(ObjectNode full, String path, List<Variant> variants) {
        with(full, path, "missing", parent -> remove(parent, path), variants);
        for (String other : List.of("null", "''", "'text'", "-1", "[]", "['text']", "{'a':{}}")) {
            JsonNode value = Manifests.json("{'v':" + other + "}").get("v");
            with(full, path, other, parent -> set(parent, path, value), variants);
        }
    }

    private static void with(
            ObjectNode full, String path, String what, Consumer<JsonNode> change, List<Variant> variants) {
        ObjectNode copy = full.deepCopy();
        change.accept(copy.at(path.substring(0, path.lastIndexOf('/'))));
        variants.add(new Variant(" " + path + " " + what, copy));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
    }

    private static void remove(JsonNode parent, String path) {
        if (parent instanceof ObjectNode object) {
            object.remove(last(path));
        } else {
            ((ArrayNode) parent).remove(Integer.parseInt(last(path)));
        }
    }

    private static void set(JsonNode parent, String path, JsonNode value) {
        if (parent instanceof ObjectNode object) {
            object.set(last(path), value);
        } else {
            ((ArrayNode) parent).set(Integer.parseInt(last(path)), value);
        }
    }
}
