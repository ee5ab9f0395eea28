package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Extender;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.scheduler.api.Binder;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Binds pods with the extender that has a bind verb and is interested in them; the next binder binds other pods. */
public final class ExtenderBinding implements Binder {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderBinding.class);

    /** Receives the bind requests to ignorable extenders that failed. */
    @FunctionalInterface
    public interface SkippedBinds {
        /** Fails with the extender, like v1.17. */
        SkippedBinds NEVER = (pod, extender, error) -> false;

        /**
         * The request failed.
         *
         * @return whether the next binder binds the pod
         */
        boolean skip(PodInfo pod, Extender extender, String error);
    }

    private final Binder others;
    private final Extenders extenders;
    private final Executor binds;
    private final BooleanSupplier mayBind;
    private final SkippedBinds skips;

    /**
     * A binder that calls extenders, and {@code others} for pods without a binding extender.
     *
     * @param binds runs the calls
     * @param mayBind checked immediately before a call; if it returns false, the pod is not bound
     * @param skips decides about failed requests to ignorable extenders
     */
    public ExtenderBinding(
            Binder others, Extenders extenders, Executor binds, BooleanSupplier mayBind, SkippedBinds skips) {
        this.mayBind = mayBind;
        this.others = others;
        this.extenders = extenders;
        this.binds = binds;
        this.skips = skips;
    }

    @Override
    public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
        List<Extender> binders = extenders.binders(pod);
        if (binders.isEmpty()) {
            others.bind(pod, node, done);
        } else {
            binds.execute(() -> bindNow(binders, pod, node, done));
        }
    }

    private void bindNow(List<Extender> binders, PodInfo pod, String node, Consumer<BindOutcome> done) {
        boolean inDoubt = false;
        for (Extender binder : binders) {
            BindOutcome outcome = bindNow(binder, pod, node);
            boolean isSkipped = outcome.kind() != BindOutcome.Kind.BOUND
                    && mayBind.getAsBoolean()
                    && binder.isIgnorable()
                    && skips.skip(pod, binder, outcome.message());
            if (!isSkipped) {
                done.accept(inDoubt ? doubted(outcome) : outcome);
                return;
            }
            inDoubt |= outcome.kind() == BindOutcome.Kind.UNKNOWN;
        }
        // The API server rejects the second of two binds.
        boolean wasUnknown = inDoubt;
        others.bind(pod, node, outcome -> done.accept(wasUnknown ? doubted(outcome) : outcome));
    }

    /** A rejection says nothing about an earlier request, which the extender may still execute. */
    private static BindOutcome doubted(BindOutcome outcome) {
        return outcome.kind() == BindOutcome.Kind.FAILED ? BindOutcome.unknown(outcome.message()) : outcome;
    }

    private BindOutcome bindNow(Extender binder, PodInfo pod, String node) {
        if (!mayBind.getAsBoolean()) {
            return BindOutcome.failed("not sent: this scheduler is no longer the leader");
        }
        try {
            binder.bind(pod, node);
            return BindOutcome.BOUND;
        } catch (ExtenderException e) {
            // Without a definite failure, the pod may be bound.
            return e.isRejected() ? BindOutcome.failed(e.text()) : BindOutcome.unknown(e.text());
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
