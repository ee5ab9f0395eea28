package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.core.JsonFactory;
import com.google.common.collect.Maps;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.Reflector;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.live.EventHandlers.RawPods;
import io.policyscheduler.cmd.live.EventHandlers.UnreadableObjects;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.reader.PodMessages;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches all resources that the scheduler reads, one thread per resource, and posts the changes to the scheduler's
 * inbox.
 */
final class ClusterFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterFeed.class);

    private final KubeConnection connection;
    private final EventInbox inbox;
    private final FeatureGates gates;
    private final Consumer<String> onUnknownPodField;
    private final RandomGenerator random;
    private final Clock clock;
    private final @Nullable KubeRawObjects rawObjects;
    private final UnreadableObjects unreadables;
    private final InputRecording recording;
    private final JsonFactory json = ClusterFile.jsonFactory();
    private final Map<String, Reflector<ClusterObject>> reflectors = new ConcurrentSkipListMap<>();

    /**
     * Creates the reflectors without starting them.
     *
     * @param onUnknownPodField receives fields of pods that no supported release has; on the watch thread
     * @param clock for durations
     * @param rawObjects is shown the pods; may be null
     * @param unreadables receives unreadable objects
     */
    ClusterFeed(
            KubeConnection connection,
            EventInbox inbox,
            FeatureGates gates,
            Consumer<String> onUnknownPodField,
            RandomGenerator random,
            Clock clock,
            @Nullable KubeRawObjects rawObjects,
            UnreadableObjects unreadables) {
        this(connection, inbox, gates, onUnknownPodField, random, clock, rawObjects, unreadables, InputRecording.NONE);
    }

    /** The same; what is read is recorded. */
    ClusterFeed(
            KubeConnection connection,
            EventInbox inbox,
            FeatureGates gates,
            Consumer<String> onUnknownPodField,
            RandomGenerator random,
            Clock clock,
            @Nullable KubeRawObjects rawObjects,
            UnreadableObjects unreadables,
            InputRecording recording) {
        this.connection = connection;
        this.inbox = inbox;
        this.gates = gates;
        this.onUnknownPodField = onUnknownPodField;
        this.random = random;
        this.clock = clock;
        this.rawObjects = rawObjects;
        this.unreadables = unreadables;
        this.recording = recording;
    }

    /**
     * Starts with pods, because all servers have them and their list takes longest.
     *
     * @param behind whether the first list may come from the watch cache of the server, which can be stale until
     *     {@link #hasCurrentPods()}
     */
    void startPods(boolean behind, ThreadFactory threads) {
        WatchedResource pods = WatchedResource.of(ResourceKind.PODS);
        String path = ApiDiscovery.prefix(pods.kind().versions().get(0)) + "/" + pods.resource();
        ObjectReader reader = reader();
        Listener<ClusterObject> inboxListener = new EventHandlers(inbox, pods, unreadables);
        KubeRawObjects keeper = rawObjects;
        if (keeper == null) {
            start(
                    pods,
                    path,
                    recording.decoder(decoder(reader, pods), () -> false),
                    inboxListener,
                    listOptions(recording.isOn(), behind),
                    threads);
            return;
        }
        // Extenders are shown pods as they are, in JSON.
        start(
                pods,
                path,
                recording.decoder(parser -> keeper.readPod(parser, reader), keeper::keepsPods),
                new RawPods(keeper, inboxListener),
                listOptions(keeper.keepsPods() || recording.isOn(), behind),
                threads);
    }

    /** @param whole whether pods are needed as they are, in JSON */
    private static Options listOptions(boolean whole, boolean behind) {
        return whole
                ? Options.defaults()
                : Options.defaults().withProtobuf(PodMessages.pod()).withBehind(behind);
    }

    /**
     * Starts the other resources; those that the server does not have are empty.
     *
     * @throws ApiIoException if the server does not respond; then nothing is started
     */
    void startOthers(ApiDiscovery discovery, ThreadFactory threads) throws ApiIoException {
        Map<WatchedResource, Optional<String>> paths = new LinkedHashMap<>();
        for (WatchedResource resource : WatchedResource.all()) {
            if (resource.kind() != ResourceKind.PODS) {
                paths.put(resource, resource.path(discovery));
            }
        }
        paths.forEach((resource, path) -> {
            if (path.isEmpty()) {
                LOG.info("the API server does not serve {}; it is treated as empty", resource.resource());
                inbox.post(new ClusterChange.ObjectsReplaced(resource.kind(), List.of()));
            }
            start(
                    resource,
                    path.orElse(""),
                    recording.decoder(decoder(reader(), resource), () -> false),
                    new EventHandlers(inbox, resource, unreadables),
                    Options.defaults(),
                    threads);
        });
    }

    private ObjectReader reader() {
        return new ObjectReader(gates, false, onUnknownPodField);
    }

    private static Decoder<ClusterObject> decoder(ObjectReader reader, WatchedResource resource) {
        return parser -> reader.read(parser, resource.objectKind());
    }

    private void start(
            WatchedResource resource,
            String path,
            Decoder<ClusterObject> decoder,
            Listener<ClusterObject> listener,
            Options options,
            ThreadFactory threads) {
        Reflector<ClusterObject> reflector = Reflector.of(connection, path, decoder, listener)
                .paths(() -> resource.path(ApiDiscovery.load(connection)))
                .json(json)
                .options(options.withFieldSelector(resource.fieldSelector()))
                .random(random)
                .clock(clock)
                .build();
        reflectors.put(resource.resource(), reflector);
        reflector.start(threads);
    }

    /** Whether everything that pods were when this was started is in the inbox. Any thread. */
    boolean hasCurrentPods() {
        Reflector<ClusterObject> pods = reflectors.get(ResourceKind.PODS.plural());
        return pods != null && pods.isCurrent();
    }

    /** Lists pods again, in pages from the server's storage. Any thread. */
    void listPodsFromStorage() {
        Reflector<ClusterObject> pods = reflectors.get(ResourceKind.PODS.plural());
        if (pods != null) {
            pods.listFromStorage();
        }
    }

    /** By resource, the version up to which everything is in the inbox; empty before the first list. Any thread. */
    Map<String, String> versions() {
        return Collections.unmodifiableMap(Maps.transformValues(reflectors, Reflector::resourceVersion));
    }

    /** By resource, the time since the server stopped responding; zero while it responds. Any thread. */
    Map<String, Duration> unanswered() {
        return Collections.unmodifiableMap(Maps.transformValues(
                reflectors, reflector -> reflector.unansweredFor().orElse(Duration.ZERO)));
    }

    /** The resources for which the server has not responded for longer than this. Any thread. */
    List<String> unansweredFor(Duration limit) {
        return reflectors.entrySet().stream()
                .filter(entry -> entry.getValue()
                        .unansweredFor()
                        .filter(time -> time.compareTo(limit) > 0)
                        .isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public void close() {
        reflectors.values().forEach(Reflector::close);
    }
}
