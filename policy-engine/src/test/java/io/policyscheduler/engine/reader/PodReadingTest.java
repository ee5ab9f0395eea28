package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class PodReadingTest {
    private static final FeatureGates NEWEST = FeatureGates.defaults().at(Release.NEWEST);

    /** A pair of objects that differ in one field: with it, and without it. */
    private record Pair(String kind, String with, String without) {}

    private static Pair pair(NewerField field) {
        return switch (field) {
            case TOPOLOGY_SPREAD -> pod("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone'}]");
            case OVERHEAD -> pod("'overhead':{'cpu':'1'}");
            case PREEMPTION_POLICY -> pod("'preemptionPolicy':'Never'");
            case EPHEMERAL_VOLUMES -> pod("'volumes':[{'name':'v','ephemeral':{}}]");
            case STORAGE_CAPACITY ->
                new Pair(
                        "CSIDriver",
                        "{'metadata':{'name':'d'},'spec':{'storageCapacity':true}}",
                        "{'metadata':{'name':'d'},'spec':{}}");
            case NAMESPACE_SELECTOR ->
                new Pair(
                        "Pod",
                        spec("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                                + "[{'topologyKey':'zone','namespaceSelector':{}}]}}"),
                        spec("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                                + "[{'topologyKey':'zone'}]}}"));
            case NODE_INCLUSION_POLICIES -> constraint("'nodeAffinityPolicy':'Ignore','nodeTaintsPolicy':'Honor'");
            case MIN_DOMAINS -> constraint("'minDomains':3");
            case SPREAD_MATCH_LABEL_KEYS -> constraint("'matchLabelKeys':['app']");
            case SCHEDULING_GATES -> pod("'schedulingGates':[{'name':'wait'}]");
            case READ_WRITE_ONCE_POD ->
                new Pair(
                        "PersistentVolumeClaim",
                        "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOncePod']}}",
                        "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce']}}");
            case SIDECARS ->
                new Pair(
                        "Pod",
                        spec("'initContainers':[{'name':'i','restartPolicy':'Always',"
                                + "'resources':{'requests':{'cpu':'1'}}}]"),
                        spec("'initContainers':[{'name':'i','resources':{'requests':{'cpu':'1'}}}]"));
            case AFFINITY_LABEL_KEYS ->
                new Pair(
                        "Pod",
                        spec("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                                + "[{'topologyKey':'zone','labelSelector':{},'matchLabelKeys':['app']}]}}"),
                        spec("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                                + "[{'topologyKey':'zone','labelSelector':{}}]}}"));
            case RESIZE ->
                new Pair(
                        "Pod",
                        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'a',"
                                + "'resources':{'requests':{'cpu':'1'}}}]},'status':{'containerStatuses':[{'name':'a',"
                                + "'resources':{'requests':{'cpu':'2'}}}]}}",
                        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'a',"
                                + "'resources':{'requests':{'cpu':'1'}}}]},'status':{}}");
            case POD_RESOURCES -> pod("'resources':{'requests':{'cpu':'3'}}");
            case RESOURCE_CLAIMS -> pod("'resourceClaims':[{'name':'gpu'}]");
            case VOLUME_ATTRIBUTES_CLASS ->
                new Pair(
                        "PersistentVolumeClaim",
                        "{'metadata':{'name':'c'},'spec':{'volumeAttributesClassName':'gold'}}",
                        "{'metadata':{'name':'c'},'spec':{}}");
            case DECLARED_FEATURES ->
                new Pair(
                        "Pod",
                        spec("'containers':[{'name':'a','restartPolicyRules':[{'action':'RestartAllContainers'}]}]"),
                        spec("'containers':[{'name':'a'}]"));
            case POD_LEVEL_RESIZE ->
                new Pair(
                        "Pod",
                        "{'metadata':{'name':'p'},'spec':{'resources':{'requests':{'cpu':'1'}}},"
                                + "'status':{'resources':{'requests':{'cpu':'2'}}}}",
                        "{'metadata':{'name':'p'},'spec':{'resources':{'requests':{'cpu':'1'}}},'status':{}}");
        };
    }

    private static Pair pod(String field) {
        return new Pair("Pod", spec(field), spec("'nodeName':''"));
    }

    private static Pair constraint(String fields) {
        return new Pair(
                "Pod",
                spec("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone'," + fields + "}]"),
                spec("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone'}]"));
    }

    private static String spec(String fields) {
        return "{'metadata':{'name':'p','labels':{'app':'web'}},'spec':{" + fields + "}}";
    }

    private static @Nullable ClusterObject read(String kind, String text, FeatureGates gates) throws IOException {
        try (JsonParser parser = Reading.parser(text)) {
            return Reading.manifest(parser, kind, gates);
        }
    }

    @ParameterizedTest
    @EnumSource(NewerField.class)
    void aFieldIsReadFromItsReleaseOnAndWhereNobodyWantsItIgnored(NewerField field) throws IOException {
        Pair pair = pair(field);
        ClusterObject without = read(pair.kind(), pair.without(), NEWEST);
        FeatureGates before = NEWEST.at(new Release(Math.max(18, field.served().minor() - 1)));
        assertNotEquals(without, read(pair.kind(), pair.with(), NEWEST));
        assertNotEquals(without, read(pair.kind(), pair.with(), NEWEST.at(field.served())));
        assertEquals(without, read(pair.kind(), pair.with(), NEWEST.ignoring(EnumSet.of(field))));
        if (!before.honours(field)) {
            assertEquals(without, read(pair.kind(), pair.with(), before));
        }
    }

    @ParameterizedTest
    @EnumSource(value = NewerField.class, names = "AFFINITY_LABEL_KEYS", mode = EnumSource.Mode.EXCLUDE)
    void byTheRulesOfV117NothingIsLeftOutForOthersMayReadIt(NewerField field) throws IOException {
        Pair pair = pair(field);
        assertNotEquals(
                read(pair.kind(), pair.without(), FeatureGates.defaults()),
                read(pair.kind(), pair.with(), FeatureGates.defaults()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'mood':'good' | spec.mood",
                "'containers':[{'mood':1},{'mood':{'a':[]}}] | spec.containers[].mood",
                "'initContainers':[{'ports':[{'range':1}]}] | spec.containers[].ports[].range",
                "'containers':[{'resources':{'bursts':{}}}] | spec.containers[].resources.bursts",
                "'resources':{'bursts':{}} | spec.resources.bursts",
                "'affinity':{'rackAffinity':{}} | spec.affinity.rackAffinity",
                "'affinity':{'nodeAffinity':{'hoped':[]}} | spec.affinity.nodeAffinity.hoped",
                "'affinity':{'podAffinity':{'hoped':[]}} | spec.affinity.podAffinity.hoped",
                "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'depth':1}]}}"
                        + " | spec.affinity.podAffinity[].depth",
                "'tolerations':[{'until':1}] | spec.tolerations[].until",
                "'topologySpreadConstraints':[{'maxDomains':1}] | spec.topologySpreadConstraints[].maxDomains",
                "'volumes':[{'name':'v','tape':{'mood':1}}] | spec.volumes[].tape",
                "'resourceClaims':[{'name':'a','share':1}] | spec.resourceClaims[].share",
                "'schedulingGates':[{'name':'a','until':1}] | spec.schedulingGates[].until",
                "'dnsPolicy':'None','os':{'name':'linux'},'hostnameOverride':'a','serviceAccount':'b' | \"\"",
                "'containers':[{'env':[{'mood':1}],'restartPolicyRules':[],'resizePolicy':[]}] | \"\"",
            })
    void aFieldThatNoReleaseHasIsToldOnceWithItsPlace(String fields, String warning) throws IOException {
        List<String> unknown = new ArrayList<>();
        ObjectReader reader = new ObjectReader(NEWEST, false, unknown::add);
        for (int i = 0; i < 2; i++) {
            try (JsonParser parser = Reading.parser(spec(fields))) {
                reader.read(parser, "Pod");
            }
        }
        assertEquals(warning.isEmpty() ? List.of() : List.of(warning), unknown);
    }

    /** As an API server writes them; in stored pods that has been done. */
    @Test
    void labelKeysBecomePartOfTheSelectorsOfManifests() throws IOException {
        String term = "{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}},"
                + "'matchLabelKeys':['app','absent'],'mismatchLabelKeys':['tier']}";
        String text = "{'spec':{'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
                + "[{'weight':3,'podAffinityTerm':" + term + "}]},"
                + "'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" + term
                + ",{'topologyKey':'zone','matchLabelKeys':['app']}]}}},"
                + "'metadata':{'name':'p','labels':{'app':'web','tier':'front'}}}";
        PodAffinityTerm merged = term("'labelSelector':{'matchLabels':{'a':'b'},'matchExpressions':["
                + "{'key':'app','operator':'In','values':['web']},"
                + "{'key':'tier','operator':'NotIn','values':['front']}]}");
        PodAffinityTerm stored = term("'labelSelector':{'matchLabels':{'a':'b'}}");
        PodAffinityTerm withoutSelector = term("'namespaces':[]");
        try (JsonParser parser = Reading.parser(text)) {
            Affinity affinity = pod(Reading.manifest(parser, "Pod", NEWEST));
            assertEquals(
                    new Affinity.PodTerms(List.of(), List.of(new Affinity.WeightedPodTerm(3, merged))),
                    affinity.podAffinity());
            assertEquals(
                    new Affinity.PodTerms(List.of(merged, withoutSelector), List.of()), affinity.podAntiAffinity());
        }
        try (JsonParser parser = Reading.parser(text)) {
            Affinity affinity = pod(new ObjectReader(NEWEST, false).read(parser, "Pod"));
            assertEquals(
                    new Affinity.PodTerms(List.of(stored, withoutSelector), List.of()), affinity.podAntiAffinity());
        }
    }

    private static Affinity pod(@Nullable ClusterObject object) {
        return assertInstanceOf(PodInfo.class, object).spec().affinity();
    }

    private static PodAffinityTerm term(String fields) throws IOException {
        Affinity affinity = pod(read(
                "Pod",
                spec("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                        + "[{'topologyKey':'zone'," + fields + "}]}}"),
                NEWEST));
        return Objects.requireNonNull(affinity.podAffinity()).required().get(0);
    }

    @Test
    void madeUpNamesWithoutEndAreNotRemembered() throws IOException {
        List<String> unknown = new ArrayList<>();
        ObjectReader reader = new ObjectReader(NEWEST, false, unknown::add);
        for (int i = 0; i < 1500; i++) {
            try (JsonParser parser = Reading.parser(spec("'mood" + i + "':1"))) {
                reader.read(parser, "Pod");
            }
        }
        assertEquals(1000, unknown.size());
        assertEquals(1000, Set.copyOf(unknown).size());
    }

    private static PodSpec manifest(String fields) throws IOException {
        return assertInstanceOf(PodInfo.class, read("Pod", spec(fields), NEWEST))
                .spec();
    }

    /** The defaults that an API server sets when a pod is created. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'containers':[{'resources':{'limits':{'cpu':'2','memory':'1Gi','a.com/gpu':'1'}}}]"
                        + " | 'containers':[{'resources':{'limits':{'cpu':'2','memory':'1Gi','a.com/gpu':'1'},"
                        + "'requests':{'cpu':'2','memory':'1Gi','a.com/gpu':'1'}}}]",
                "'containers':[{'resources':{'limits':{'cpu':'2','memory':'1Gi'},'requests':{'cpu':'100m'}}}]"
                        + " | 'containers':[{'resources':{'limits':{'cpu':'2','memory':'1Gi'},"
                        + "'requests':{'cpu':'100m','memory':'1Gi'}}}]",
                "'containers':[{'resources':{'limits':{'cpu':'2'},'requests':{'cpu':'0'}}}]"
                        + " | 'containers':[{'resources':{'requests':{'cpu':'0'},'limits':{'cpu':'2'}}}]",
                "'initContainers':[{'resources':{'limits':{'ephemeral-storage':'2Gi'}}}]"
                        + " | 'initContainers':[{'resources':{'limits':{'ephemeral-storage':'2Gi'},"
                        + "'requests':{'ephemeral-storage':'2Gi'}}}]",
                "'containers':[{'resources':{'requests':{'cpu':'250m'}}}],'resources':{'limits':{'cpu':'2','memory':'1Gi'}}"
                        + " | 'containers':[{'resources':{'requests':{'cpu':'250m'}}}],"
                        + "'resources':{'limits':{'cpu':'2','memory':'1Gi'},'requests':{'memory':'1Gi'}}",
                "'hostNetwork':true,'containers':[{'ports':[{'containerPort':80},{'containerPort':81,'hostPort':82}]}]"
                        + " | 'containers':[{'ports':[{'containerPort':80,'hostPort':80},{'containerPort':81,'hostPort':82}]}]",
                "'hostNetwork':true,'initContainers':[{'ports':[{'containerPort':80,'protocol':'UDP','hostIP':'10.0.0.1'}]}]"
                        + " | 'initContainers':[{'ports':[{'containerPort':80,'hostPort':80,'protocol':'UDP',"
                        + "'hostIP':'10.0.0.1'}]}]",
            })
    void aManifestIsReadAsTheServerStoresIt(String written, String stored) throws IOException {
        PodSpec expected = manifest(stored);
        PodSpec found = manifest(written);
        assertEquals(expected.resources(), found.resources());
        assertEquals(
                expected.containers().stream()
                        .map(container -> container.ports() + " "
                                + Set.copyOf(container.hostPorts()).size())
                        .toList(),
                found.containers().stream()
                        .map(container -> container.ports() + " "
                                + Set.copyOf(container.hostPorts()).size())
                        .toList());
    }

    @Test
    void whatAServerHasStoredIsReadAsItStands() throws IOException {
        String text = spec("'hostNetwork':true,'containers':[{'ports':[{'containerPort':80}],"
                + "'resources':{'limits':{'cpu':'2'}}}]");
        try (JsonParser parser = Reading.parser(text)) {
            PodSpec stored = assertInstanceOf(PodInfo.class, new ObjectReader(NEWEST, false).read(parser, "Pod"))
                    .spec();
            assertEquals(0, stored.resources().request().milliCpu());
            assertEquals(List.of(), stored.containers().get(0).hostPorts());
        }
    }
}
