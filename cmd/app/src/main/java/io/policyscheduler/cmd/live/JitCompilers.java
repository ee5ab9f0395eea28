package io.policyscheduler.cmd.live;

import com.google.common.annotations.VisibleForTesting;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Selects the compilers of the JVM by the size of the cluster. On small clusters, C2 takes 40 MB and more CPU time than it saves. On large
 * ones, C1 alone schedules half as many pods per second. The size is known after the first list, when the options of the JVM can no
 * longer be changed. Launchers therefore start {@code run} and {@code bench} with compiler directives that exclude C2 from all methods but
 * those for decryption, and this class removes the directives on a large cluster. docs/tasks/size-the-scheduler.md has the measurements.
 */
public final class JitCompilers {
    /** The number of nodes from which on C2 compiles, too. */
    public static final int LARGE_CLUSTER = 2000;

    /** The system property with which a launcher states that it has set the directives: {@code by-size}. */
    private static final String PROPERTY = "policyscheduler.compilers";

    private static final Logger LOG = LoggerFactory.getLogger(JitCompilers.class);

    private JitCompilers() {}

    /**
     * Selects the compilers before the first decision. Methods that are already hot when it is called are never compiled by C2 on their own.
     *
     * @param nodes of the cluster
     */
    public static void select(int nodes) {
        if (isBoth(System.getProperty(PROPERTY, ""), nodes)) {
            try {
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "compilerDirectivesClear",
                                new Object[0],
                                new String[0]);
                LOG.info("{} nodes: code is also compiled by C2", nodes);
            } catch (JMException | RuntimeException e) {
                // Decisions are the same but slower.
                LOG.info("{} nodes: this JVM cannot enable C2: {}", nodes, e.toString());
            }
        }
    }

    /** Returns whether C2 is enabled for a cluster of so many nodes. */
    @VisibleForTesting
    static boolean isBoth(String property, int nodes) {
        return property.equals("by-size") && nodes >= LARGE_CLUSTER;
    }
}
