package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies and configurations inside other objects, and other objects in their place. */
class WrappedInputsTest {
    private static final String JSON =
            "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"HostName\"}]}";
    private static final String YAML = "apiVersion: v1\nkind: Policy\npredicates:\n- name: HostName\n";
    private static final String CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\n"
            + "kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: wrapped\n";
    private static final String OTHER = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";

    private static String block(String text, int indent) {
        return "|\n" + text.indent(indent);
    }

    private static String configMap(String key, String text) {
        return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  " + key + ": " + block(text, 4);
    }

    private static String list(String kind, String... items) {
        StringBuilder list = new StringBuilder("apiVersion: v1\nkind: " + kind + "\n")
                .append(kind.equals("Template") ? "objects:\n" : "items:\n");
        for (String item : items) {
            list.append("-").append(item.indent(2).substring(1));
        }
        return list.toString();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static Stream<String> wrapped(String text) {
        List<String> all = new ArrayList<>(List.of(text, "# a comment\n---\n" + text, "\ufeff" + text));
        all.add(OTHER + "---\n" + text);
        all.add("---\n---\n" + text);
        for (String key : List.of("policy.cfg", "config.json", "scheduler.yaml", "scheduler-config.yaml", "x")) {
            all.add(configMap(key, text));
        }
        all.add(configMap("config.json", text) + "  README: hello\n");
        all.add(OTHER + "---\n" + configMap("config.json", text));
        all.add(list("List", configMap("policy.cfg", text)));
        all.add(list("ConfigMapList", OTHER, configMap("config.json", text)));
        all.add(list("Template", OTHER, configMap("config.json", text)));
        all.add("kind: ConfigMap\nbinaryData:\n  config.json: " + base64(text) + "\n");
        all.add("kind: Secret\ndata:\n  config.json: " + base64(text) + "\n");
        all.add("kind: Secret\nstringData:\n  config.json: " + block(text, 4));
        return all.stream();
    }

    static Stream<Arguments> policies() {
        return Stream.of(JSON + "\n", YAML).flatMap(WrappedInputsTest::wrapped).map(Arguments::of);
    }

    static Stream<Arguments> configurations() {
        return wrapped(CONFIGURATION).map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aPolicyIsFound(String text) throws PolicyException {
        assertEquals(
                List.of("HostName"),
                Objects.requireNonNull(new PolicyReader().read(text, "f").predicates()).stream()
                        .map(PredicatePolicy::name)
                        .toList());
        assertTrue(!InputDocument.isConfiguration(text));
        ConfigurationException refused =
                assertThrows(ConfigurationException.class, () -> new ConfigurationReader().read(text, "f"));
        assertTrue(refused.problems().get(0).message().contains("a policy: pass it with"), text);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void aConfigurationIsFound(String text) throws ConfigurationException {
        assertEquals(
                List.of("wrapped"),
                new ConfigurationReader()
                        .read(text, "f").profiles().stream()
                                .map(ProfileConfiguration::schedulerName)
                                .toList());
        assertTrue(InputDocument.isConfiguration(text));
        PolicyException refused = assertThrows(PolicyException.class, () -> new PolicyReader().read(text, "f"));
        String message = refused.problems().get(0).message();
        assertTrue(message.contains("a KubeSchedulerConfiguration: pass it with --config"), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{urlPrefix: a, filterVerb: b} | f:2:2: no field of a policy: the document has urlPrefix, filterVerb; it is an"
                        + " extender: put it into the list extenders of a policy, as in {\"kind\": \"Policy\","
                        + " \"apiVersion\": \"v1\", \"extenders\": [{...}]}",
                "{kind: Policy, apiVersion: v1, urlPrefix: a, bindVerb: b} | f:2:32: no field of a policy: the document has"
                        + " kind, apiVersion, urlPrefix, bindVerb; it is an extender: put it into the list extenders of"
                        + " a policy, as in {\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"extenders\": [{...}]}",
                "{apiVersion: v1, kind: Config, clusters: []} | f:2:24: kind \"Config\" with apiVersion \"v1\" is not a"
                        + " policy: a kubeconfig: pass it with --kubeconfig",
                "{leaderElection: {}} | f:2:2: no field of a policy: the document has leaderElection; it is a"
                        + " KubeSchedulerConfiguration without kind: write kind: KubeSchedulerConfiguration and apiVersion:"
                        + " kubescheduler.config.k8s.io/v1, and pass it with --config",
                "{name: HostName} | f:2:2: no field of a policy: the document has name; it is an entry of a policy: put it"
                        + " into the list predicates",
                "[{name: A, weight: 1}] | f:2:1: a policy must be an object, found a list whose first item is an entry of a"
                        + " policy: put it into the list priorities",
                "{kind: Polcy, apiVersion: v1, predicates: []} | f:2:27: kind \"Polcy\" with apiVersion \"v1\" is not a"
                        + " policy (did you mean \"kind: Policy, apiVersion: v1\"?)",
                "{kind: Policy, apiVersion: audit.k8s.io/v1, rules: []} | f:2:28: kind \"Policy\" with apiVersion"
                        + " \"audit.k8s.io/v1\" is not a policy: an audit policy of the API server",
                "{kind: Scheduler, apiVersion: config.openshift.io/v1, spec: {policy: {name: p}}} | f:2:31: kind"
                        + " \"Scheduler\" with apiVersion \"config.openshift.io/v1\" is not a policy: OpenShift's object"
                        + " Scheduler: the policy is in the ConfigMap openshift-config/p, which"
                        + " configmap:openshift-config/p reads from the cluster",
                "{kind: ClusterConfiguration, apiVersion: kubeadm.k8s.io/v1beta4, scheduler: {extraArgs: [{name:"
                        + " config, value: /c}]}} | f:2:42: kind \"ClusterConfiguration\" with apiVersion"
                        + " \"kubeadm.k8s.io/v1beta4\" is not a policy: an object of kind ClusterConfiguration that"
                        + " starts kube-scheduler with --config=/c: pass the file or ConfigMap that the flag names",
                "{services: {scheduler: {extra_args: {policy-config-file: /p}}}} | f:2:2: no field of a policy: the"
                        + " document has services; it is a file that starts kube-scheduler with --policy-config-file=/p:"
                        + " pass the file or ConfigMap that the flag names",
                "{kube-scheduler-arg: ['config=/c']} | f:2:2: no field of a policy: the document has kube-scheduler-arg; it"
                        + " is a file that starts kube-scheduler with --config=/c: pass the file or ConfigMap that the flag"
                        + " names",
                "{kind: ConfigMap, apiVersion: v1, data: {a: x, b: '{}'}} | f:2:1: missing policy config map value at key"
                        + " \"policy.cfg\"; the keys are a, b: a is a value of type string; b is empty",
            })
    void anObjectOfAnotherKindIsRejectedWithItsPlace(String text, String line) {
        PolicyException refused =
                assertThrows(PolicyException.class, () -> new PolicyReader().read("---\n" + text, "f"));
        assertEquals(
                List.of(line), refused.problems().stream().map(Problem::line).toList());
    }
}
