package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.SignPlugin;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of pods that plugins sign for opportunistic batching: which pods are equal for them, and which have no signature. */
class SignersTest {
    private final PluginFixture fixture = new PluginFixture().at(Release.NEWEST);

    private @Nullable Map<String, Object> sign(String plugin, String args, String labels, String spec) {
        SignPlugin signer = (SignPlugin)
                fixture.plugin(Objects.requireNonNull(ModernPlugins.factories().get(plugin))::create, args);
        PodInfo pod = fixture.pod("p", labels, spec);
        return signer.sign(pod);
    }

    private String compare(String plugin, String spec, String other) {
        Map<String, Object> signature = sign(plugin, "{}", "{}", spec);
        if (signature == null) {
            return "unsigned";
        }
        return signature.equals(sign(plugin, "{}", "{}", other)) ? "equal" : "different";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    NodeName | {nodeName: 'a'} | {nodeName: 'b'} | different
                    TaintToleration | {tolerations: [{key: 'a'}, {key: 'b'}]} | {tolerations: [{key: 'b'}, {key: 'a'}]} | equal
                    NodeUnschedulable | {tolerations: [{key: 'a'}]} | {tolerations: [{key: 'b'}]} | different
                    NodePorts | {containers: [{ports: [{hostPort: 1, protocol: 'TCP'}]}]} | {containers: [{ports: [{hostPort: 1, protocol: 'UDP'}]}]} | equal
                    NodePorts | {containers: [{ports: [{hostPort: 1}]}]} | {containers: [{ports: [{hostPort: 2}]}]} | different
                    NodePorts | {containers: [{ports: [{hostPort: 1}]}]} | {initContainers: [{ports: [{hostPort: 1}]}]} | equal
                    NodeAffinity | {nodeSelector: {a: 'b'}} | {nodeSelector: {a: 'c'}} | different
                    NodeAffinity | {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}} | {} | different
                    NodeAffinity | {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: 'a', operator: 'Exists'}]}}]}}} | {} | different
                    NodeResourcesFit | {containers: [{resources: {requests: {cpu: '1'}}}]} | {containers: [{resources: {requests: {cpu: '2'}}}]} | different
                    NodeResourcesFit | {containers: [{resources: {requests: {cpu: '1'}}}]} | {containers: [{resources: {requests: {cpu: '500m'}}}, {resources: {requests: {cpu: '500m'}}}]} | equal
                    NodeResourcesBalancedAllocation | {containers: [{resources: {requests: {cpu: '1'}}}]} | {} | different
                    VolumeBinding | {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'a'}}]} | {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'b'}}]} | different
                    VolumeZone | {volumes: [{name: 'v', configMap: {name: 'a'}}]} | {volumes: [{name: 'v', configMap: {name: 'b'}}]} | equal
                    NodeVolumeLimits | {volumes: [{name: 'v', image: {reference: 'a'}}]} | {volumes: [{name: 'v', image: {reference: 'b'}}]} | different
                    VolumeRestrictions | {volumes: [{name: 'v', gcePersistentDisk: {pdName: 'a'}}]} | {} | different
                    ImageLocality | {containers: [{image: 'a'}]} | {containers: [{image: 'a:latest'}, {image: 'a'}]} | equal
                    ImageLocality | {containers: [{image: 'a'}]} | {containers: [{image: 'b'}]} | different
                    NodeDeclaredFeatures | {containers: [{restartPolicyRules: [{action: 'RestartAllContainers'}]}]} | {} | different
                    PodTopologySpread | {topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway'}]} | {} | unsigned
                    InterPodAffinity | {affinity: {podAntiAffinity: {}}} | {} | unsigned
                    DynamicResources | {resourceClaims: [{name: 'c', resourceClaimName: 'c'}]} | {} | unsigned
                    DynamicResources | {} | {} | equal
                    """)
    void comparesPods(String plugin, String spec, String other, String expected) {
        assertEquals(expected, compare(plugin, spec, other));
    }

    @Test
    void labelsCountForThePreferencesOfOtherPods() {
        assertEquals(
                sign("InterPodAffinity", "{}", "{a: 'b'}", "{}"), sign("InterPodAffinity", "{}", "{a: 'b'}", "{}"));
        assertNotEquals(
                sign("InterPodAffinity", "{}", "{a: 'b'}", "{}"), sign("InterPodAffinity", "{}", "{a: 'c'}", "{}"));
        assertEquals(
                Map.of(), sign("InterPodAffinity", "{ignorePreferredTermsOfExistingPods: true}", "{a: 'b'}", "{}"));
    }

    @Test
    void aResourceThatDevicesSatisfyIsNotSigned() {
        String spec = "{containers: [{resources: {requests: {'example.com/gpu': '1'}}}]}";
        assertEquals("equal", compare("NodeResourcesFit", spec, spec));
        fixture.add("DeviceClass", "{metadata: {name: 'gpu'}, spec: {extendedResourceName: 'example.com/gpu'}}");
        assertEquals("unsigned", compare("NodeResourcesFit", spec, spec));
        assertEquals("unsigned", compare("NodeResourcesBalancedAllocation", spec, spec));
        fixture.at(new Release(35));
        assertEquals("equal", compare("NodeResourcesFit", spec, spec));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    {} | false
                    {defaultingType: 'List'} | true
                    {defaultingType: 'List', defaultConstraints: [{maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway'}]} | false
                    """)
    void defaultConstraintsSignNoPods(String args, boolean expected) {
        SignPlugin plugin = fixture.plugin(PodTopologySpread::new, args);
        assertEquals(expected, plugin.signsPods());
    }
}
