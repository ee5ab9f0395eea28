package io.policyscheduler.framework.devices;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.framework.devices.cel.Selector;
import io.policyscheduler.framework.devices.cel.SelectorCompiler;
import io.policyscheduler.framework.devices.cel.SelectorException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Selectors, compiled once each, and what they have said of devices, which do not change: a slice that does is another. */
public final class DeviceSelectors {
    private static final int EXPRESSIONS = 1000;
    private static final int DEVICES = 100_000;

    private final Cache<String, Compiled> compiled =
            CacheBuilder.newBuilder().maximumSize(EXPRESSIONS).build();
    private final Cache<Device, Map<String, Verdict>> verdicts =
            CacheBuilder.newBuilder().weakKeys().maximumSize(DEVICES).build();

    /** One of the two is there. */
    private record Compiled(
            @Nullable Selector selector, @Nullable SelectorException problem) {}

    private record Verdict(boolean wanted, @Nullable SelectorException problem) {}

    /**
     * Whether an expression wants a device.
     *
     * @throws SelectorException when it says neither yes nor no
     */
    boolean wants(String expression, String driver, Device device) throws SelectorException {
        Map<String, Verdict> known = verdicts.getIfPresent(device);
        if (known == null) {
            known = new HashMap<>();
            verdicts.put(device, known);
        }
        Verdict verdict = known.get(expression);
        if (verdict == null) {
            verdict = ask(expression, driver, device);
            known.put(expression, verdict);
        }
        if (verdict.problem() != null) {
            throw verdict.problem();
        }
        return verdict.wanted();
    }

    private Verdict ask(String expression, String driver, Device device) {
        Compiled known = compiled.getIfPresent(expression);
        if (known == null) {
            known = compile(expression);
            compiled.put(expression, known);
        }
        if (known.selector() == null) {
            return new Verdict(false, known.problem());
        }
        try {
            return new Verdict(known.selector().matches(driver, device), null);
        } catch (SelectorException e) {
            return new Verdict(false, e);
        }
    }

    private Compiled compile(String expression) {
        try {
            return new Compiled(SelectorCompiler.shared().compile(expression), null);
        } catch (SelectorException e) {
            return new Compiled(null, e);
        }
    }
}
