package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.cmd.sources.PluginLoader.ProviderPlugins.CheckedFactory;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.WaitingPods;
import java.time.Clock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CheckedFactoryTest {
    private static final PluginHandle HANDLE = new PluginHandle() {
        @Override
        public String profile() {
            return "policy-scheduler";
        }

        @Override
        public JsonNode args() {
            return MissingNode.getInstance();
        }

        @Override
        public StateKeys stateKeys() {
            return new StateKeys();
        }

        @Override
        public ClusterView cluster() {
            return new ClusterState();
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }
    };

    private static PluginFactory checked(PluginFactory factory) {
        return new CheckedFactory("plugin jar a.jar", "Rack", factory);
    }

    @Test
    void aPluginOfTheNameIsHandedOn() {
        Plugin plugin = () -> "Rack";
        assertSame(plugin, checked(handle -> plugin).create(HANDLE));
    }

    static Stream<Arguments> bad() {
        PluginFactory other = handle -> () -> "Row";
        PluginFactory throwing = handle -> {
            throw new IllegalStateException("no racks");
        };
        PluginFactory unlinked = handle -> {
            throw new NoClassDefFoundError("example/Racks");
        };
        PluginFactory nameless = handle -> () -> {
            throw new UnsupportedOperationException();
        };
        PluginFactory complaining = handle -> {
            throw new PluginException("args.rack: must be a label");
        };
        return Stream.of(
                Arguments.of(other, "plugin jar a.jar: plugin Rack calls itself Row; both names must be the same"),
                Arguments.of(
                        throwing,
                        "plugin jar a.jar: plugin Rack cannot be made: java.lang.IllegalStateException: no racks"),
                Arguments.of(
                        unlinked,
                        "plugin jar a.jar: plugin Rack cannot be made: java.lang.NoClassDefFoundError: example/Racks"),
                Arguments.of(
                        nameless,
                        "plugin jar a.jar: plugin Rack cannot be made: java.lang.UnsupportedOperationException"),
                // A plugin's message about its arguments is shown to users unchanged.
                Arguments.of(complaining, "args.rack: must be a label"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void whatIsWrongIsToldWithItsOrigin(PluginFactory factory, String message) {
        assertEquals(
                message,
                assertThrows(PluginException.class, () -> checked(factory).create(HANDLE))
                        .getMessage());
    }
}
