package io.policyscheduler.cmd.world;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.ListPage.Pager;
import io.policyscheduler.cmd.world.KindReaders.UnknownFields;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Reads a running cluster once, as if it had been dumped to a file. Each resource is listed at its own moment. */
public final class LiveSnapshot {
    private LiveSnapshot() {}

    /**
     * Lists everything that scheduling looks at. A resource that the server does not have counts as empty.
     *
     * @param warnings is told what is left out, a line each
     * @param progress is told the number of objects read so far
     * @throws IOException when the server does not answer
     */
    public static ClusterSnapshot read(
            KubeConnection connection, FeatureGates gates, Consumer<String> warnings, IntConsumer progress)
            throws IOException {
        JsonFactory json = ClusterFile.jsonFactory();
        Dump dump = new Dump(gates, warnings, objects -> {});
        ApiDiscovery discovery = ApiDiscovery.load(connection);
        int objects = 0;
        for (WatchedResource resource : WatchedResource.all()) {
            Optional<String> path = discovery.path(
                    resource.group(), resource.resource(), resource.kind().versions());
            if (path.isEmpty()) {
                continue;
            }
            ObjectReader reader =
                    new ObjectReader(gates, false, field -> warnings.accept(UnknownFields.warning(field)));
            Pager lister = new Pager(
                    connection,
                    json,
                    (name, reason) -> warnings.accept(resource.resource() + ": skipped: " + name + ": " + reason));
            for (ClusterObject object : lister.list(
                    path.get(), resource.fieldSelector(), parser -> reader.read(parser, resource.objectKind()))) {
                dump.add(resource.resource(), object);
                objects++;
            }
            progress.accept(objects);
        }
        dump.finish();
        return dump.world()
                .withRelease(Release.ofVersion(discovery.serverVersion()).orElse(Release.NEWEST))
                .withFeatures(ApiDiscovery.featureGates(connection, () -> {}));
    }
}
