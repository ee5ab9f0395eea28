package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.resource.ResourceNames;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Amounts of resources as people write them. */
public final class Amounts {
    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final long STEP = 1024;
    private static final long MILLI_PER_CPU = 1000;

    private Amounts() {}

    /**
     * Returns an amount that is missing: {@code 0.3 more CPU}, {@code 16 more CPUs}, {@code 1.5Gi more memory}, {@code 1 more pod},
     * {@code 2 more nvidia.com/gpu}.
     *
     * @param amount milli-CPU for cpu, bytes for memory and storage, else a count
     */
    public static String more(String resource, long amount) {
        String name = switch (resource) {
            case ResourceNames.CPU -> Math.abs(amount) > MILLI_PER_CPU ? "CPUs" : "CPU";
            case ResourceNames.PODS -> amount == 1 ? "pod" : resource;
            default -> resource;
        };
        return number(resource, amount) + " more " + name;
    }

    /** The amount alone. */
    public static String number(String resource, long amount) {
        return switch (resource) {
            case ResourceNames.CPU -> cpu(amount);
            case ResourceNames.MEMORY, ResourceNames.EPHEMERAL_STORAGE -> bytes(amount);
            default -> resource.startsWith("hugepages-") ? bytes(amount) : Long.toString(amount);
        };
    }

    /** Cores of milli-CPU, exact. */
    public static String cpu(long milli) {
        return BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString();
    }

    /** Bytes in binary units; more than two decimals are rounded away from zero, so that nothing is understated. */
    public static String bytes(long bytes) {
        int unit = 0;
        long scale = 1;
        while (unit < BINARY.length - 1 && Math.abs(bytes / scale) >= STEP) {
            scale *= STEP;
            unit++;
        }
        BigDecimal amount = BigDecimal.valueOf(bytes)
                .divide(BigDecimal.valueOf(STEP).pow(unit), 2, RoundingMode.UP)
                .stripTrailingZeros();
        return amount.toPlainString() + BINARY[unit];
    }
}
