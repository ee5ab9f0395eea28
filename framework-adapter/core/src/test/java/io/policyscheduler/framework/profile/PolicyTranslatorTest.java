package io.policyscheduler.framework.profile;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyTranslatorTest {
    private static Policy policy(String members) throws PolicyException {
        String text = "{'kind':'Policy','apiVersion':'v1'" + (members.isEmpty() ? "" : "," + members) + "}";
        return new PolicyReader(true).read(text.replace('\'', '"'), "policy.json");
    }

    private static ProfileConfiguration translated(String members, String release) throws PolicyException {
        SchedulerConfiguration configuration =
                PolicyTranslator.translate(policy(members), Release.parse(release), "default-scheduler");
        return configuration.profiles().get(0);
    }

    private static String plugins(ProfileConfiguration profile, ExtensionPoint point) {
        PluginSet set = profile.plugins().at(point);
        return set.enabled().stream()
                .map(entry -> point == ExtensionPoint.SCORE ? entry.name() + "=" + entry.weight() : entry.name())
                .collect(joining(" "));
    }

    /** The order of entries has no effect, and a plugin that replaces several predicates runs once. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'predicates':[] | NodeUnschedulable TaintToleration",
                "'predicates':[{'name':'NoDiskConflict'},{'name':'GeneralPredicates'},{'name':'PodFitsPorts'}]"
                        + " | NodeUnschedulable NodeResourcesFit NodeName NodePorts NodeAffinity VolumeRestrictions TaintToleration",
                "'predicates':[{'name':'a','argument':{'serviceAffinity':{'labels':['x']}}},"
                        + "{'name':'b','argument':{'labelsPresence':{'labels':['y'],'presence':true}}}]"
                        + " | NodeUnschedulable TaintToleration NodeLabel ServiceAffinity",
                " | NodeUnschedulable NodeResourcesFit NodeName NodePorts NodeAffinity VolumeRestrictions TaintToleration EBSLimits"
                        + " GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity",
            })
    void filtersRunInTheOrderOfPredicates(String members, String filters) throws PolicyException {
        assertEquals(filters, plugins(translated(members == null ? "" : members, "1.22"), ExtensionPoint.FILTER));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1.22 | 'priorities':[] | ",
                "1.22 | 'priorities':[{'name':'ServiceSpreadingPriority','weight':3},{'name':'EqualPriority','weight':1},"
                        + "{'name':'LeastRequestedPriority','weight':2}] | NodeResourcesLeastAllocated=2 PodTopologySpread=3",
                // EvenPodsSpreadPriority is the first of the two by name.
                "1.21 | 'priorities':[{'name':'SelectorSpreadPriority','weight':3},{'name':'EvenPodsSpreadPriority','weight':5}]"
                        + " | PodTopologySpread=5",
                "1.19 | 'priorities':[{'name':'SelectorSpreadPriority','weight':3}] | SelectorSpread=3",
                "1.18 | 'priorities':[{'name':'SelectorSpreadPriority','weight':3}] | DefaultPodTopologySpread=3",
                "1.22 | 'priorities':[{'name':'a','weight':4,'argument':{'labelPreference':{'label':'x','presence':true}}},"
                        + "{'name':'b','weight':4,'argument':{'labelPreference':{'label':'y','presence':false}}}] | NodeLabel=8",
                "1.18 |  | NodeResourcesBalancedAllocation=1 PodTopologySpread=1 ImageLocality=1 InterPodAffinity=1"
                        + " NodeResourcesLeastAllocated=1 NodeAffinity=1 NodePreferAvoidPods=10000 DefaultPodTopologySpread=1"
                        + " TaintToleration=1",
            })
    void scoresHaveTheWeightsOfPriorities(String release, String members, String scores) throws PolicyException {
        assertEquals(
                scores == null ? "" : scores,
                plugins(translated(members == null ? "" : members, release), ExtensionPoint.SCORE));
    }

    @Test
    void argumentsBecomePluginConfig() throws PolicyException {
        ProfileConfiguration profile = translated(
                "'hardPodAffinitySymmetricWeight':7,'priorities':[{'name':'InterPodAffinityPriority','weight':1},"
                        + "{'name':'SelectorSpreadPriority','weight':1},{'name':'EvenPodsSpreadPriority','weight':1},"
                        + "{'name':'s','weight':1,'argument':{'serviceAntiAffinity':{'label':'rack'}}}],"
                        + "'extenders':[{'urlPrefix':'http://x','filterVerb':'f','managedResources':"
                        + "[{'name':'example.com/x','ignoredByScheduler':true}]}]",
                "1.22");

        assertEquals(
                "{\"hardPodAffinityWeight\":7} {\"defaultingType\":\"System\",\"defaultConstraints\":[]}"
                        + " {\"antiAffinityLabelsPreference\":[\"rack\"]}",
                arguments(profile, "InterPodAffinity") + " " + arguments(profile, "PodTopologySpread") + " "
                        + arguments(profile, "ServiceAffinity"));
        assertEquals(
                "[\"example.com/x\"]",
                profile.argumentsOf("NodeResourcesFit")
                        .orElseThrow()
                        .args()
                        .path("ignoredResources")
                        .toString());
    }

    private static String arguments(ProfileConfiguration profile, String plugin) {
        return profile.argumentsOf(plugin)
                .map(PluginArguments::args)
                .map(Object::toString)
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1.22 | 'predicates':[{'name':'X'}] | couldn't create scheduler from policy: predicate type not found for \"X\"",
                "1.20 | 'predicates':[{'name':'X'}] | Invalid configuration: Predicate type not found for \"X\"",
                "1.22 | 'priorities':[{'name':'RequestedToCapacityRatioPriority','weight':1}] | couldn't create scheduler from"
                        + " policy: priority type not found for \"RequestedToCapacityRatioPriority\"",
                "1.22 | 'priorities':[{'name':'a','weight':1,'argument':{'serviceAntiAffinity':{'label':'x'}}},"
                        + "{'name':'b','weight':2,'argument':{'serviceAntiAffinity':{'label':'y'}}}] | couldn't create scheduler from"
                        + " policy: ServiceAntiAffinity  priority \"b\" has a different weight with \"a\"",
                "1.21 | 'predicates':[{'name':'a','argument':{'labelsPresence':{'labels':['y'],'presence':true}}},"
                        + "{'name':'b','argument':{'labelsPresence':{'labels':['x','y'],'presence':false}}}] | couldn't create"
                        + " scheduler from policy: initializing profiles: creating profile for scheduler name default-scheduler:"
                        + " initializing plugin \"NodeLabel\": presentLabels[0]: Invalid value: \"y\": conflict with absentLabels[1]",
                "1.20 | 'predicates':[{'name':'a','argument':{'labelsPresence':{'labels':['y'],'presence':true}}},"
                        + "{'name':'b','argument':{'labelsPresence':{'labels':['x','y'],'presence':false}}}] | couldn't create"
                        + " scheduler from policy: initializing profiles: creating profile for scheduler name default-scheduler:"
                        + " initializing plugin \"NodeLabel\": detecting at least one label (e.g., \"y\") that exist in both the"
                        + " present([y]) and absent([x y]) label list",
                "1.18 | 'predicates':[{'name':'GeneralPredicates'},{'name':'HostName'}] | couldn't create scheduler from policy:"
                        + " initializing profiles: creating profile for scheduler name default-scheduler: plugin \"NodeName\""
                        + " already registered as \"FilterPlugin\"",
            })
    void rejectsWithTheMessageOfTheRelease(String release, String members, String message) throws PolicyException {
        Policy policy = policy(members);
        PolicyException rejection = assertThrows(
                PolicyException.class,
                () -> PolicyTranslator.translate(policy, Release.parse(release), "default-scheduler"));
        assertEquals(message, rejection.getMessage());
    }

    @Test
    void theProviderForAutoscalersPrefersFullNodes() throws Exception {
        ProfileConfiguration profile =
                PolicyTranslator.clusterAutoscaler(new Release(21)).profiles().get(0);
        assertEquals(
                "NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeAffinity=1"
                        + " NodePreferAvoidPods=10000 PodTopologySpread=2 TaintToleration=1 NodeResourcesMostAllocated=1",
                plugins(profile, ExtensionPoint.SCORE));
    }
}
