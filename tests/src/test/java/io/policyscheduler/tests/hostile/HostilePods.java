package io.policyscheduler.tests.hostile;

import static io.policyscheduler.tests.hostile.HostileObject.NODE;
import static io.policyscheduler.tests.hostile.HostileObject.times;

import io.policyscheduler.tests.e2e.Manifest;
import java.util.ArrayList;
import java.util.List;

/** Pods with extreme or malformed requests, constraints, and metadata. */
final class HostilePods {
    private static final String SCHEDULER = "'schedulerName':'" + Manifest.SCHEDULER + "'";
    private static final String MAX = "9223372036854775807";
    private static final String MIN = "-9223372036854775808";
    private static final String BEYOND = "92233720368547758070";
    /** The largest size of an object in etcd. */
    private static final int MEGABYTE_AND_A_HALF = 1_500_000;

    private final List<HostileObject> rows = new ArrayList<>();

    private HostilePods() {}

    static List<HostileObject> all() {
        HostilePods pods = new HostilePods();
        pods.amounts();
        pods.numbers();
        pods.sizes();
        pods.shapes();
        pods.texts();
        pods.placement();
        pods.statuses();
        return pods.rows;
    }

    private HostileObject waiting(String name, String spec) {
        return add(name, "{'spec':{" + SCHEDULER + (spec.isEmpty() ? "" : "," + spec) + "}}");
    }

    private HostileObject running(String name, String spec) {
        return add(
                name,
                "{'spec':{" + SCHEDULER + ",'nodeName':'" + NODE + "'" + (spec.isEmpty() ? "" : "," + spec)
                        + "},'status':{'phase':'Running'}}");
    }

    private HostileObject add(String name, String fields) {
        HostileObject row = HostileObject.of("pods", name, fields);
        rows.add(row);
        return row;
    }

    private static String asking(String... amounts) {
        StringBuilder containers = new StringBuilder();
        for (int i = 0; i < amounts.length; i++) {
            containers
                    .append(i == 0 ? "" : ",")
                    .append("{'name':'c" + i + "','resources':{'requests':{" + amounts[i] + "}}}");
        }
        return "'containers':[" + containers + "]";
    }

    private void amounts() {
        running("two-containers-that-wrap", asking("'memory':'" + MAX + "'", "'memory':'9223372028264841217'"));
        running("memory-of-all-bits", asking("'memory':'" + MAX + "'"));
        running("again-memory-of-all-bits", asking("'memory':'" + MAX + "','cpu':'" + MAX + "'"));
        running("scalars-that-wrap", asking("'example.com/x':'" + MAX + "'", "'example.com/x':'" + MAX + "'"));
        running("storage-that-wraps", asking("'ephemeral-storage':'" + MAX + "'", "'ephemeral-storage':'1'"));
        running("negative-amounts", asking("'cpu':'-1','memory':'-8Gi','example.com/x':'-5'"));
        running("most-negative-amounts", asking("'cpu':'" + MIN + "','memory':'" + MIN + "'"));
        running("overhead-that-wraps", asking("'memory':'" + MAX + "'") + ",'overhead':{'memory':'" + MAX + "'}");
        running(
                "init-containers-that-wrap",
                "'initContainers':[{'name':'i','restartPolicy':'Always','resources':{'requests':{'memory':'" + MAX
                        + "'}}}]," + asking("'memory':'" + MAX + "'"));
        running("pod-level-amounts", asking("'cpu':'1'") + ",'resources':{'requests':{'memory':'1e40'}}");
        waiting("cpu-beyond-64-bits", asking("'cpu':'" + BEYOND + "'"));
        waiting("exponents", asking("'cpu':'1e2147483647','memory':'1e-2147483648'"));
        waiting("exponents-in-range", asking("'cpu':'1e999999999','memory':'1e-999999999'"));
        waiting("a-million-digits", asking("'memory':'" + "9".repeat(1_400_000) + "'"));
        waiting("a-million-decimals", asking("'memory':'0." + "0".repeat(1_400_000) + "1'"));
        waiting("a-number-for-an-amount", asking("'memory':1e400"));
        waiting("no-quantity", asking("'cpu':'lots','memory':'1Kb'"));
        waiting("empty-quantity", asking("'cpu':'','memory':' '"));
        waiting("null-quantity", asking("'cpu':null,'memory':null"));
        waiting("quantity-that-is-a-list", asking("'cpu':['1']"));
        waiting("ten-thousand-resources", asking(times(10_000, "'example.com/r#':'1'")));
        waiting("nameless-resources", asking("'':'1','/':'1','a/':'1','/b':'1','hugepages-':'1'"));
    }

    private void numbers() {
        waiting("priority-max", "'priority':2147483647");
        waiting("priority-min", "'priority':-2147483648");
        waiting("priority-beyond", "'priority':" + MAX);
        waiting("priority-beyond-all", "'priority':" + BEYOND);
        waiting("priority-fraction", "'priority':1.5");
        waiting(
                "times-of-a-pod",
                "'terminationGracePeriodSeconds':" + MAX + ",'activeDeadlineSeconds':" + MIN
                        + ",'tolerations':[{'operator':'Exists','tolerationSeconds':" + MIN
                        + "},{'operator':'Exists','tolerationSeconds':" + BEYOND + "}]");
        waiting(
                "weights-of-nodes",
                "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':["
                        + times(
                                50,
                                "{'weight':2147483647,'preference':{'matchExpressions':[{'key':'name','operator':'Exists'}]}}")
                        + "]}}");
        waiting(
                "negative-weights-of-nodes",
                "'affinity':{'nodeAffinity':{"
                        + "'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':-2147483648,'preference':"
                        + "{'matchExpressions':[{'key':'name','operator':'Exists'}]}}]}}");
        running(
                "weights-of-pods",
                "'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':["
                        + times(
                                20,
                                "{'weight':2147483647,'podAffinityTerm':{'topologyKey':'name','labelSelector':{},'namespaceSelector':{}}}")
                        + "]}}");
        running(
                "negative-weights-of-pods",
                "'affinity':{'podAntiAffinity':{"
                        + "'preferredDuringSchedulingIgnoredDuringExecution':["
                        + "{'weight':-2147483648,'podAffinityTerm':"
                        + "{'topologyKey':'name','labelSelector':{},'namespaceSelector':{}}}]}}");
        running(
                "ports",
                "'containers':[{'name':'c','ports':[{'hostPort':2147483647},{'hostPort':-1},{'hostPort':0},"
                        + "{'hostPort':65536,'protocol':'XXX','hostIP':'999.1.1.1'}]}]");
        waiting("port-beyond", "'containers':[{'name':'c','ports':[{'hostPort':" + MAX + "}]}]");
        waiting("max-skew-max", spread("'maxSkew':2147483647,'minDomains':2147483647"));
        waiting("max-skew-min", spread("'maxSkew':-2147483648,'minDomains':-2147483648"));
        waiting("max-skew-beyond", spread("'maxSkew':" + MAX));
    }

    private static String spread(String numbers) {
        return "'topologySpreadConstraints':[{" + numbers
                + ",'topologyKey':'name','whenUnsatisfiable':'DoNotSchedule','labelSelector':{}},{" + numbers
                + ",'topologyKey':'name','whenUnsatisfiable':'ScheduleAnyway','labelSelector':{}}]";
    }

    private void sizes() {
        String filler = "x".repeat(MEGABYTE_AND_A_HALF);
        waiting("a-megabyte-and-a-half", "'containers':[{'name':'c','env':[{'name':'E','value':'" + filler + "'}]}]");
        add(
                "annotations-of-a-megabyte",
                "{'metadata':{'annotations':{'a':'" + filler + "'}},'spec':{" + SCHEDULER + "}}");
        waiting("tolerations", "'tolerations':[" + times(15_000, "{'key':'k#','operator':'Equal','value':'v'}") + "]");
        waiting("gates", "'schedulingGates':[" + times(10_000, "{'name':'example.com/g#'}") + "]");
        waiting(
                "containers",
                "'containers':[" + times(5_000, "{'name':'c#','image':'i#','ports':[{'hostPort':#}]}") + "]");
        waiting(
                "volumes",
                "'volumes':[" + times(5_000, "{'name':'v#','persistentVolumeClaim':{'claimName':'c#'}}") + "]");
        waiting(
                "spread-constraints",
                "'topologySpreadConstraints':["
                        + times(
                                500,
                                "{'maxSkew':1,'topologyKey':'k#','whenUnsatisfiable':'ScheduleAnyway','labelSelector':{}}")
                        + "]");
        waiting(
                "node-terms",
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                        + "{'nodeSelectorTerms':["
                        + times(5_000, "{'matchExpressions':[{'key':'k#','operator':'In','values':['a','b']}]}")
                        + "]}}}");
        String term = "{'topologyKey':'name','labelSelector':{'matchLabels':{'k#':'v'}}}";
        waiting(
                "affinity-terms",
                "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + times(300, term)
                        + "]}}");
        running(
                "anti-affinity-terms",
                "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + times(300, term)
                        + "]}}");
        waiting(
                "selector-values",
                "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
                        + "'topologyKey':'name','labelSelector':{'matchExpressions':[{'key':'a','operator':'NotIn','values':["
                        + times(20_000, "'v#'") + "]}]}}]}}");
        String label = "y".repeat(60_000);
        add(
                "long-labels",
                "{'metadata':{'labels':{'" + label + "':'" + label + "'}},'spec':{" + SCHEDULER + ",'nodeSelector':{'"
                        + label + "':'" + label + "'}}}");
        add(
                "ten-thousand-labels",
                "{'metadata':{'labels':{" + times(10_000, "'l#':'v'") + "}},'spec':{" + SCHEDULER + "}}");
        waiting("long-field-name", "'" + label + "':1");
        waiting("ten-thousand-unknown-fields", times(10_000, "'mood#':1"));
    }

    private void shapes() {
        String deep = "[".repeat(5_000) + "]".repeat(5_000);
        String deeper = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
        waiting("deep", "").withRaw("deep", deep);
        waiting("deeper", "").withRaw("deeper", deeper);
        waiting("deep-where-it-is-read", "").withRaw("tolerations", deep);
        running("deep-and-running", "").withRaw("deep", deep);
        waiting("managed-fields", "")
                .withRawMetadata(
                        "managedFields",
                        "[{\"fieldsV1\":{\"k:{\\\"name\\\":\\\"" + "e".repeat(60_000) + "\\\"}\":" + deep + "}}]");
        waiting("duplicate-keys", "").withRaw("nodeSelector", "{\"a\":\"1\",\"a\":\"2\",\"a\":\"1\"}");
        waiting("a-word-that-is-none", "").withRaw("priority", "tru");
        waiting("number-of-a-thousand-digits", "").withRaw("priority", "1".repeat(2_000));
        waiting(
                "empty-lists",
                "'containers':[],'initContainers':[],'tolerations':[],'volumes':[],'affinity':{},"
                        + "'topologySpreadConstraints':[],'nodeSelector':{}");
        waiting(
                "null-lists",
                "'containers':null,'initContainers':null,'tolerations':null,'volumes':null,'affinity':null,"
                        + "'topologySpreadConstraints':null,'nodeSelector':null");
        waiting(
                "nulls-in-lists",
                "'containers':[null,{'name':null,'ports':[null],'resources':null}],'tolerations':[null],"
                        + "'volumes':[null],'schedulingGates':[null],'topologySpreadConstraints':[null]");
        waiting("wrong-types", "'containers':'none','tolerations':{},'nodeSelector':[],'affinity':7");
        waiting(
                "wrong-types-deep-down",
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[]}}");
        waiting("labels-that-are-numbers", "'nodeSelector':{'a':1,'b':true}");
        add("spec-is-text", "{'spec':'what is this?'}");
        add("no-spec", "{}");
        add("no-uid", "{'spec':{" + SCHEDULER + "}}")
                .object()
                .withObject("/metadata")
                .remove("uid");
    }

    private void texts() {
        String odd = "a\\u0000b\\u001b[31m\\u202e\\u2066\\u200f\\ufeff\\r\\n%s${x}";
        add(
                "control-and-bidi-characters",
                "{'metadata':{'labels':{'" + odd + "':'" + odd + "'},'annotations':{'" + odd
                        + "':'" + odd + "'}},'spec':{" + SCHEDULER + ",'nodeSelector':{'" + odd + "':'" + odd
                        + "'}},'status':{"
                        + "'conditions':[{'type':'PodScheduled','status':'False','reason':'" + odd + "','message':'"
                        + odd + "'}]}}");
        waiting("odd-scheduling-gate", "'schedulingGates':[{'name':'" + odd + "'}]");
        add("odd-scheduler-name", "{'spec':{'schedulerName':'" + odd + "'}}");
        waiting("odd-claim", "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'../../" + odd + "'}}]");
    }

    private void placement() {
        waiting(
                "unknown-operators",
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                        + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a b','operator':'Near','values':['x']}]}]}},"
                        + "'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'name','labelSelector':"
                        + "{'matchExpressions':[{'key':'','operator':'','values':null}]}}]}}");
        running(
                "unknown-operators-running",
                "'affinity':{'podAntiAffinity':{"
                        + "'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'name','labelSelector':"
                        + "{'matchExpressions':[{'key':'a b','operator':'Near','values':['x']}]}}]}}");
        waiting(
                "compared-with-absurd-numbers",
                "'affinity':{'nodeAffinity':{"
                        + "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':["
                        + "{'key':'name','operator':'Gt','values':['" + BEYOND
                        + "']},{'key':'name','operator':'Lt','values':['"
                        + "1".repeat(10_000) + "']}]}]}}}");
        waiting(
                "no-topology-key",
                "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':["
                        + "{'topologyKey':'','labelSelector':{}}]}}");
        add(
                "nominated-to-nowhere",
                "{'spec':{" + SCHEDULER + ",'priority':2000000000},'status':{'nominatedNodeName':'gone'}}");
        add(
                "nominated-to-a-good-node",
                "{'spec':{" + SCHEDULER + ",'priority':2000000000," + asking("'cpu':'" + MAX + "'")
                        + "},'status':{'nominatedNodeName':'n1'}}");
        add("on-a-node-that-is-none", "{'spec':{" + SCHEDULER + ",'nodeName':'gone'}}");
        waiting("unknown-toleration", "'tolerations':[{'key':'','operator':'Maybe','effect':'Never'}]");
        waiting("names-a-node", "'nodeName':''");
    }

    private void statuses() {
        add(
                "year-0",
                "{'metadata':{'creationTimestamp':'0000-01-01T00:00:00Z'},'spec':{" + SCHEDULER
                        + "},'status':{'startTime':'0000-01-01T00:00:00Z'}}");
        add(
                "year-292277026596",
                "{'metadata':{'creationTimestamp':'+292277026596-12-04T15:30:08Z'},'spec':{" + SCHEDULER
                        + "},'status':{'startTime':'+292277026596-12-04T15:30:08Z'}}");
        add(
                "last-second",
                "{'spec':{" + SCHEDULER + "},'status':{'startTime':'+999999999-12-31T23:59:59.999999999Z',"
                        + "'conditions':[{'type':'PodScheduled','status':'False','lastTransitionTime':'-999999999-01-01T00:00:00Z'}]}}");
        add("no-time", "{'spec':{" + SCHEDULER + "},'status':{'startTime':'yesterday'}}");
        add("unknown-phase", "{'spec':{" + SCHEDULER + "},'status':{'phase':'Dreaming'}}");
        add(
                "owns-itself",
                "{'metadata':{'ownerReferences':[{'kind':'Pod','name':'owns-itself','uid':'uid-pods-owns-itself',"
                        + "'controller':true,'blockOwnerDeletion':true}],'finalizers':["
                        + times(1_000, "'example.com/f#'") + "]},"
                        + "'spec':{" + SCHEDULER + "}}");
        add(
                "deleted-for-ever",
                "{'metadata':{'deletionTimestamp':'2020-01-01T00:00:00Z','deletionGracePeriodSeconds':" + MAX
                        + ",'finalizers':['example.com/never']},'spec':{" + SCHEDULER + "}}");
        add(
                "statuses-that-wrap",
                "{'spec':{" + SCHEDULER + ",'nodeName':'" + NODE + "',"
                        + asking("'memory':'1'")
                        + "},'status':{'phase':'Running','containerStatuses':[{'name':'c0','resources':"
                        + "{'requests':{'memory':'" + MAX + "'}},'allocatedResources':{'memory':'1e40'}}]}}");
    }
}
