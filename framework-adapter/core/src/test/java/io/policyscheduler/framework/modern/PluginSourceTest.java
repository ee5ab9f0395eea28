package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.modern.PluginAlgorithms.PluginSource;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.WaitingPods;
import org.junit.jupiter.api.Test;

class PluginSourceTest {
    private record Holding(PluginHandle handle) implements Plugin {
        @Override
        public String name() {
            return "Holding";
        }
    }

    @Test
    void isMadeAnewWithTheClusterOfTheAttempt() {
        TextNode args = JsonNodeFactory.instance.textNode("args");
        PluginSource plugin = new PluginSource(Holding::new, args);
        ClusterState cluster = new ClusterState();
        StateKeys keys = new StateKeys();
        Holding made = (Holding) plugin.make(cluster, keys);
        assertNotSame(made, plugin.make(cluster, keys));
        assertSame(cluster, made.handle().cluster());
        assertSame(keys, made.handle().stateKeys());
        assertSame(args, made.handle().args());
        assertSame(WaitingPods.NONE, made.handle().waitingPods());
        assertEquals("", made.handle().profile());
    }
}
