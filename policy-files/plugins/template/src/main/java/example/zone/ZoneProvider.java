package example.zone;

import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Map;

/** Names the plugins of this jar. */
public final class ZoneProvider implements PluginProvider {
    @Override
    public Map<String, PluginFactory> plugins() {
        return Map.of(ZonePlugin.NAME, ZonePlugin::create);
    }
}
