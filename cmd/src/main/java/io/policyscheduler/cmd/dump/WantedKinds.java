package io.policyscheduler.cmd.dump;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.sources.ConfigMapEntries;
import io.policyscheduler.cmd.sources.Deciders;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.world.DumpKind;
import io.policyscheduler.cmd.world.KindReaders;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which kinds a dump is to have, as a mixin: those that given ways of deciding read, or all. */
final class WantedKinds {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--for",
            paramLabel = "SCHEDULER",
            description = "Include only the kinds that this scheduler reads: policy:FILE, configmap:NAMESPACE/NAME,"
                    + " provider:NAME, config:FILE[#PROFILE], or modern. Repeatable (default: all kinds).")
    private List<String> deciders = List.of();

    /**
     * The kinds, in the order in which they are listed.
     *
     * @param ruleFiles libraries that policies take rules from
     * @throws io.policyscheduler.cmd.options.InputException when a way of deciding means nothing, or is refused
     */
    List<DumpKind> find(KubeConnection connection, List<Path> ruleFiles) {
        if (deciders.isEmpty()) {
            return DumpKind.all();
        }
        PolicyOptions options = PolicyOptions.of(spec, false, "", 1, ruleFiles);
        options.configMapsFrom(ConfigMapEntries.of(connection));
        options.withoutMeasuredValues();
        Deciders sources = new Deciders(
                options,
                FeatureGates.defaults().at(Release.NEWEST),
                new PluginOptions(),
                () -> connection,
                Warnings.UNHEARD);
        Set<ResourceKind> read = EnumSet.noneOf(ResourceKind.class);
        deciders.forEach(decider -> read.addAll(KindReaders.of(sources.parse(decider))));
        return DumpKind.neededFor(read);
    }
}
