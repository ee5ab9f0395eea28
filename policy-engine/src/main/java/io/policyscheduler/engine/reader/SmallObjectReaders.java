package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import io.policyscheduler.engine.reader.ResourceClaimReader.DeviceReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builders for kinds with few relevant fields. */
final class SmallObjectReaders {
    private SmallObjectReaders() {}

    /** A Service. */
    static final class ServiceDraft extends KindReader {
        private @Nullable Labels selector;

        ServiceDraft() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (!name.equals("spec")) {
                cursor.skip();
                return;
            }
            cursor.field("selector", c -> selector = c.labels());
        }

        @Override
        ClusterObject build() {
            return new ServiceInfo(metadata.namespace, metadata.name, selector);
        }
    }

    /** A ReplicationController, ReplicaSet or StatefulSet. */
    static final class WorkloadDraft extends KindReader {
        private final WorkloadInfo.Kind kind;
        private @Nullable Labels mapSelector;
        private @Nullable LabelSelector selector;

        WorkloadDraft(WorkloadInfo.Kind kind) {
            super(false);
            this.kind = kind;
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (!name.equals("spec")) {
                cursor.skip();
                return;
            }
            cursor.object((f, c) -> {
                if (!f.equals("selector")) {
                    c.skip();
                } else if (kind == WorkloadInfo.Kind.REPLICATION_CONTROLLER) {
                    mapSelector = c.labels();
                } else {
                    selector = SelectorReader.labelSelector(c);
                }
            });
        }

        @Override
        ClusterObject build() {
            return new WorkloadInfo(kind, metadata.namespace, metadata.name, mapSelector, selector);
        }
    }

    /** A PodDisruptionBudget. */
    static final class BudgetDraft extends KindReader {
        private @Nullable LabelSelector selector;
        private int disruptionsAllowed;
        private final Set<String> disruptedPods = new LinkedHashSet<>(0);

        BudgetDraft() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "spec" -> cursor.field("selector", c -> selector = SelectorReader.labelSelector(c));
                case "status" ->
                    cursor.object((f, c) -> {
                        switch (f) {
                            case "disruptionsAllowed" -> disruptionsAllowed = c.integer();
                            case "disruptedPods" ->
                                c.object((pod, d) -> {
                                    disruptedPods.add(pod);
                                    d.skip();
                                });
                            default -> c.skip();
                        }
                    });
                default -> cursor.skip();
            }
        }

        @Override
        ClusterObject build() {
            return new DisruptionBudgetInfo(
                    metadata.namespace, metadata.name, selector, disruptionsAllowed, disruptedPods);
        }
    }

    /** A Namespace. */
    static final class NamespaceDraft extends KindReader {
        NamespaceDraft() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            cursor.skip();
        }

        @Override
        ClusterObject build() {
            return new NamespaceInfo(metadata.name, metadata.labels);
        }
    }

    /** A DeviceClass. */
    static final class DeviceClassDraft extends KindReader {
        private final List<DeviceSelector> selectors = new ArrayList<>(1);
        private final List<DeviceConfig> config = new ArrayList<>(0);
        private String extendedResourceName = "";

        DeviceClassDraft() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (!name.equals("spec")) {
                cursor.skip();
                return;
            }
            cursor.object((f, c) -> {
                switch (f) {
                    case "selectors" -> selectors.addAll(DeviceReader.selectors(c));
                    case "config" -> c.array(e -> config.add(DeviceReader.config(e)));
                    case "extendedResourceName" -> extendedResourceName = c.string();
                    default -> c.skip();
                }
            });
        }

        @Override
        ClusterObject build() {
            return new DeviceClassInfo(metadata.name, selectors, config, extendedResourceName, metadata.created);
        }
    }
}
