package example.gpushare;

import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Map;

/** Names the plugins of this jar. */
public final class GpuShareProvider implements PluginProvider {
    @Override
    public Map<String, PluginFactory> plugins() {
        return Map.of(GpuShare.NAME, GpuShare::create);
    }
}
