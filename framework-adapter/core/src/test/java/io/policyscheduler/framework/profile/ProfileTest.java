package io.policyscheduler.framework.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.profile.Profile.PartialReserve;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private final List<String> calls = new ArrayList<>();

    @Test
    void everyPluginOnceInTheOrderOfItsFirstCall() {
        ScriptedPlugin a = new ScriptedPlugin("A", calls);
        ScriptedPlugin b = new ScriptedPlugin("B", calls);
        ScriptedPlugin c = new ScriptedPlugin("C", calls);
        Profile profile = Profile.builder("test", Family.MODERN, new StateKeys())
                .postBind(a)
                .reserve(new PartialReserve(c, true, false))
                .reserve(new PartialReserve(b, false, true))
                .score(b, 1)
                .filter(b)
                .permit(c)
                .build();
        assertEquals(
                List.of("PrioritySort", "B", "C", "A"),
                profile.plugins().stream().map(Plugin::name).toList());
        profile.close();
        assertEquals(List.of("B close", "C close", "A close"), calls);
    }
}
