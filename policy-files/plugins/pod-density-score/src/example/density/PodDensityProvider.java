package example.density;

import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Map;

/** Tells the program which plugins this jar brings. */
public final class PodDensityProvider implements PluginProvider {
    @Override
    public Map<String, PluginFactory> plugins() {
        return Map.of(PodDensityScore.NAME, handle -> new PodDensityScore());
    }
}
