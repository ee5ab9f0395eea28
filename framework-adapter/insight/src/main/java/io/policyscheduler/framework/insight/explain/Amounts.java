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
     * Returns an amount of a resource: {@code 0.3 CPU}, {@code 16 CPUs}, {@code 1.5Gi of memory}, {@code 1 pod},
     * {@code 2 nvidia.com/gpu}.
     *
     * @param amount milli-CPU for cpu, bytes for memory and storage, else a count
     */
    public static String of(String resource, long amount) {
        String name = switch (resource) {
            case ResourceNames.CPU -> Math.abs(amount) > MILLI_PER_CPU ? "CPUs" : "CPU";
            case ResourceNames.PODS -> amount == 1 ? "pod" : resource;
            default -> isBytes(resource) ? "of " + resource : resource;
        };
        return number(resource, amount) + " " + name;
    }

    /** The amount alone. */
    public static String number(String resource, long amount) {
        return switch (resource) {
            case ResourceNames.CPU -> cpu(amount);
            default -> isBytes(resource) ? bytes(amount) : Long.toString(amount);
        };
    }

    private static boolean isBytes(String resource) {
        return resource.equals(ResourceNames.MEMORY)
                || resource.equals(ResourceNames.EPHEMERAL_STORAGE)
                || resource.startsWith("hugepages-");
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
