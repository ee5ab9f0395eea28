package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.Reflector;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches one ConfigMap. */
public final class ConfigMapChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigMapChanges.class);

    private final Reflector<String> reflector;

    /** @param onChange called on the watching thread whenever the ConfigMap may have changed, at first too */
    public ConfigMapChanges(
            KubeConnection connection,
            String namespace,
            String name,
            Runnable onChange,
            RandomGenerator random,
            Clock clock) {
        Listener<String> listener = new Listener<>() {
            @Override
            public void onReplaced(List<String> items, String resourceVersion) {
                onChange.run();
            }

            @Override
            public void onAdded(String object) {
                onChange.run();
            }

            @Override
            public void onModified(String object) {
                onChange.run();
            }

            @Override
            public void onDeleted(String object) {
                onChange.run();
            }

            @Override
            public void onDisconnected(String why) {
                LOG.warn("W102 cannot watch configmap {}/{}: {}; retrying", namespace, name, why);
            }
        };
        this.reflector = Reflector.of(
                        connection,
                        "/api/v1/namespaces/" + namespace + "/configmaps",
                        parser -> {
                            parser.skipChildren();
                            return name;
                        },
                        listener)
                .options(Options.defaults().withFieldSelector("metadata.name=" + name))
                .random(random)
                .clock(clock)
                .build();
    }

    /** Starts watching. */
    public void start(ThreadFactory threads) {
        reflector.start(threads);
    }

    @Override
    public void close() {
        reflector.close();
    }
}
