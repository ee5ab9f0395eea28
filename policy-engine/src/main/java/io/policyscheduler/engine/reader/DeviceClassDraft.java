package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.device.DeviceConfig;
import io.policyscheduler.engine.cluster.device.DeviceSelector;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A DeviceClass while it is being read. */
final class DeviceClassDraft extends ObjectDraft {
    private final List<DeviceSelector> selectors = new ArrayList<>(1);
    private final List<DeviceConfig> config = new ArrayList<>(0);

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
                default -> c.skip();
            }
        });
    }

    @Override
    ClusterObject build() {
        return new DeviceClassInfo(metadata.name, selectors, config);
    }
}
