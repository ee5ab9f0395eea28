package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.cmd.extender.client.ExtenderClients.ExtenderClientSource;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.framework.cycle.Extender;
import io.policyscheduler.framework.cycle.Extenders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The extenders of a policy, ready to be called. */
public final class HttpExtenders {
    private HttpExtenders() {}

    /** The extenders of a policy, in its order; see the other method. */
    public static Extenders of(EffectivePolicy policy, RawObjects objects, Executor executor) throws IOException {
        return of(policy.extenders(), policy.strictV117(), objects, ExtenderClients::client, executor, name -> {});
    }

    /**
     * These extenders.
     *
     * @param strictV117 reproduce v1.17's mistakes in talking to them
     * @param executor runs prioritize calls of several extenders at once
     * @param notScored is given the name of an extender whose scores could not be had
     * @throws IOException when TLS files cannot be used
     */
    public static Extenders of(
            List<ExtenderConfig> configs,
            boolean strictV117,
            RawObjects objects,
            ExtenderClientSource clients,
            Executor executor,
            Consumer<String> notScored)
            throws IOException {
        List<Extender> extenders = new ArrayList<>();
        for (ExtenderConfig config : configs) {
            extenders.add(new HttpExtender(config, objects, clients.client(config, strictV117), strictV117));
        }
        return extenders.isEmpty() ? Extenders.NONE : new Extenders(extenders, executor, notScored);
    }

    /** True when some extender is sent whole node objects. */
    public static boolean needNodeObjects(List<ExtenderConfig> configs) {
        return configs.stream()
                .anyMatch(config -> !config.nodeCacheCapable()
                        && !(config.filterVerb().isEmpty()
                                && config.prioritizeVerb().isEmpty()));
    }
}
