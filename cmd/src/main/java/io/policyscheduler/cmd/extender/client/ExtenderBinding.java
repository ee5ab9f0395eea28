package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.extender.Extender;
import io.policyscheduler.framework.extender.Extender.ExtenderException;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.scheduler.api.BindOutcome;
import io.policyscheduler.framework.scheduler.api.Binder;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets an extender with a bind verb bind the pods that it is interested in; another binder does the rest. */
public final class ExtenderBinding implements Binder {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderBinding.class);

    private final Binder others;
    private final Extenders extenders;
    private final Executor binds;
    private final BooleanSupplier mayBind;

    /** @param binds runs the calls */
    public ExtenderBinding(Binder others, Extenders extenders, Executor binds) {
        this(others, extenders, binds, () -> true);
    }

    /**
     * The same, but asks before it sends.
     *
     * @param binds runs the calls
     * @param mayBind asked immediately before a call; when false, the pod counts as not bound
     */
    public ExtenderBinding(Binder others, Extenders extenders, Executor binds, BooleanSupplier mayBind) {
        this.mayBind = mayBind;
        this.others = others;
        this.extenders = extenders;
        this.binds = binds;
    }

    @Override
    public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
        Extender binder = extenders.binder(pod);
        if (binder == null) {
            others.bind(pod, node, done);
        } else {
            binds.execute(() -> done.accept(bindNow(binder, pod, node)));
        }
    }

    private BindOutcome bindNow(Extender binder, PodInfo pod, String node) {
        if (!mayBind.getAsBoolean()) {
            return BindOutcome.failed("not sent: this scheduler is no longer the leader");
        }
        try {
            binder.bind(pod, node);
            return BindOutcome.BOUND;
        } catch (ExtenderException e) {
            // Without a clear no it may have been bound all the same.
            return e.isRefused() ? BindOutcome.failed(e.text()) : BindOutcome.unknown(e.text());
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", node)
                    .addKeyValue("extender", binder.name())
                    .setCause(e)
                    .log("binding failed unexpectedly");
            return BindOutcome.unknown(String.valueOf(e.getMessage()));
        }
    }
}
