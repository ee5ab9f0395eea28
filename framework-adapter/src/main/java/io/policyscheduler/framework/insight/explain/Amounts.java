package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.resource.ResourceNames;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Amounts of resources as people write them. */
public final class Amounts {
    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final long STEP = 1024;

    private Amounts() {}

    /**
     * An amount with its resource: {@code 0.3 CPU}, {@code 1.5Gi memory}, {@code 2 nvidia.com/gpu}, {@code 1 pod}.
     *
     * @param amount milli-CPU for cpu, bytes for memory and storage, else a count
     */
    public static String of(String resource, long amount) {
        return switch (resource) {
            case ResourceNames.CPU -> cpu(amount) + " CPU";
            case ResourceNames.PODS -> amount + (amount == 1 ? " pod" : " pods");
            default -> number(resource, amount) + " " + resource;
        };
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
