package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Batch;
import io.policyscheduler.cmd.embedded.api.StoredObjects.EventReader;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Snapshot;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.cmd.embedded.controller.Controllers.NamespaceController.ServiceAccountController;
import io.policyscheduler.cmd.embedded.controller.GarbageCollector.PodGarbageCollector;
import io.policyscheduler.cmd.embedded.controller.NodeController.TaintEvictionController;
import io.policyscheduler.cmd.embedded.controller.VolumeController.EphemeralVolumeController;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All controllers of a cluster. Each {@link #tick()} passes them the changes since the last one, and runs them until nothing is
 * left to do. They read the store's history like a watch; if it is expired, they receive all objects again.
 */
public final class Controllers {
    /**
     * More rounds than any rollout needs; the rest waits for the next tick, so that two controllers that undo each other's
     * changes do not block.
     */
    private static final int MOST_ROUNDS = 50;

    private final Clientset objects;
    private final List<Controller> controllers;
    private final Map<ResourceType, EventReader> readers = new LinkedHashMap<>();
    private final Set<ResourceType> watched = new LinkedHashSet<>();

    /**
     * The controllers of a cluster, before their first read.
     *
     * @param bindsVolumes whether claims are bound to volumes
     */
    public Controllers(boolean bindsVolumes, Clientset objects) {
        this.objects = objects;
        Stream<Controller> always = Stream.of(
                new NamespaceController(objects),
                new ServiceAccountController(objects),
                new GarbageCollector(objects),
                new DeploymentController(objects),
                new ReplicaSetController(objects, "replicasets.apps", "replicaset-controller"),
                new ReplicaSetController(objects, "replicationcontrollers", "replication-controller"),
                new StatefulSetController(objects),
                new DaemonSetController(objects),
                new JobController(objects),
                new CronJobController(objects),
                new DisruptionController(objects),
                new NodeController(objects),
                new EphemeralVolumeController(objects),
                new PodGarbageCollector(objects),
                new TaintEvictionController(objects));
        Stream<Controller> ofDevices = objects.catalog().serves("resourceclaims.resource.k8s.io")
                ? Stream.of(new ResourceClaimController(objects))
                : Stream.of();
        Stream<Controller> ofVolumes = bindsVolumes ? Stream.of(new VolumeController(objects)) : Stream.of();
        this.controllers =
                Stream.of(always, ofDevices, ofVolumes).flatMap(part -> part).toList();
        controllers.forEach(controller -> watched.addAll(controller.watches()));
    }

    /** Processes all due work. */
    public synchronized void tick() {
        boolean busy = true;
        for (int round = 0; busy && round < MOST_ROUNDS; round++) {
            busy = handleEvents();
            for (Controller controller : controllers) {
                busy |= controller.work();
            }
        }
    }

    private boolean handleEvents() {
        boolean any = false;
        for (ResourceType type : watched) {
            @Nullable EventReader reader = readers.get(type);
            Batch batch = reader == null ? null : reader.poll();
            if (batch == null || batch.expired()) {
                Snapshot present = objects.store().list(type, "");
                readers.put(type, objects.store().changesAfter(type, present.resourceVersion()));
                present.items().forEach(object -> dispatch(type, object, false));
                any |= !present.items().isEmpty();
            } else {
                for (StoredEvent event : batch.events()) {
                    dispatch(type, event.object(), event.type() == StoredEvent.Type.DELETED);
                    any = true;
                }
            }
        }
        return any;
    }

    private void dispatch(ResourceType type, ObjectNode object, boolean deleted) {
        for (Controller controller : controllers) {
            if (controller.watches().contains(type)) {
                controller.handle(type, object, deleted);
            }
        }
    }

    /** Reconciles objects. Used by one thread at a time. */
    public interface Controller {
        /** The kinds whose changes it receives; kinds that are not served are ignored. */
        List<ResourceType> watches();

        /**
         * Receives an object at the start and after each change, and only queues work.
         *
         * @param deleted whether the object is gone; it then has its last state
         */
        void handle(ResourceType type, ObjectNode object, boolean deleted);

        /** Processes the queued work. Returns whether there was any. */
        boolean work();
    }

    /** Empties a terminating namespace, and removes it when it is empty (pkg/controller/namespace). */
    public static final class NamespaceController extends KeyedController {
        private final List<ResourceType> inside;

        public NamespaceController(Clientset objects) {
            super(objects, "namespaces", "pods");
            this.inside = objects.catalog().types().stream()
                    .filter(type ->
                            type.namespaced() && objects.catalog().stored(type).equals(type))
                    .toList();
        }

        /** Pods terminate with a delay. */
        @Override
        public void handleRelated(ResourceType other, ObjectNode object) {
            ObjectKey namespace = new ObjectKey("", ObjectKey.of(object).namespace());
            objects().get(type(), namespace).filter(Clientset::isDeleted).ifPresent(found -> enqueue(namespace));
        }

        @Override
        public void reconcile(ObjectNode namespace) {
            if (!Clientset.isDeleted(namespace)) {
                return;
            }
            String name = Json.text(namespace, "metadata", "name");
            boolean empty = true;
            for (ResourceType kind : inside) {
                for (ObjectNode object : objects().list(kind, name)) {
                    if (!Clientset.isDeleted(object)) {
                        objects().delete(kind, object);
                    }
                    empty &= objects().get(kind, ObjectKey.of(object)).isEmpty();
                }
            }
            if (empty) {
                objects()
                        .change(
                                type(),
                                namespace,
                                present -> Json.child(present, "spec").putArray("finalizers"));
            } else {
                // Other kinds than pods may have finalizers.
                enqueueAt(objects().now().plusSeconds(1), namespace);
            }
        }

        /** The service account {@code default} of every namespace (pkg/controller/serviceaccount). */
        public static final class ServiceAccountController extends KeyedController {
            private final ResourceType accounts;

            public ServiceAccountController(Clientset objects) {
                super(objects, "namespaces", "serviceaccounts");
                this.accounts = objects.type("serviceaccounts");
            }

            @Override
            public void handleRelated(ResourceType other, ObjectNode object) {
                enqueue(new ObjectKey("", ObjectKey.of(object).namespace()));
            }

            @Override
            public void reconcile(ObjectNode namespace) {
                ObjectKey account = new ObjectKey(Json.text(namespace, "metadata", "name"), "default");
                if (Clientset.isDeleted(namespace)
                        || objects().get(accounts, account).isPresent()) {
                    return;
                }
                ObjectNode created = Json.object();
                created.putObject("metadata").put("name", account.name()).put("namespace", account.namespace());
                objects().create(accounts, created);
            }
        }
    }
}
