package io.policyscheduler.cmd.extender;

import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.framework.extender.Extender;
import io.policyscheduler.framework.extender.Extenders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** The extenders of a policy, ready to be called. */
public final class HttpExtenders {
    private HttpExtenders() {}

    /**
     * All extenders in the policy's order.
     *
     * @param executor runs prioritize calls of several extenders at once
     * @throws IOException when TLS files cannot be used
     */
    public static Extenders of(EffectivePolicy policy, RawObjects objects, Executor executor) throws IOException {
        List<Extender> extenders = new ArrayList<>();
        for (ExtenderConfig config : policy.extenders()) {
            extenders.add(new HttpExtender(config, objects, ExtenderClients.client(config), policy.strictV117()));
        }
        return extenders.isEmpty() ? Extenders.NONE : new Extenders(extenders, executor);
    }

    /** True when some extender is sent whole node objects. */
    public static boolean needNodeObjects(EffectivePolicy policy) {
        return policy.extenders().stream()
                .anyMatch(config -> !config.nodeCacheCapable()
                        && !(config.filterVerb().isEmpty()
                                && config.prioritizeVerb().isEmpty()));
    }
}
